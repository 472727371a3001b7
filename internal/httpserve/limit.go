package httpserve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Errors of ReadBody.
var (
	ErrTooLarge   = errors.New("httpserve: the body is larger than allowed")
	ErrIncomplete = errors.New("httpserve: the body ended early or came too slowly")
)

// ReadBody returns the whole body, of at most so many bytes. Its size is counted,
// not believed.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, ErrTooLarge
	case err != nil:
		return nil, ErrIncomplete
	}
	return body, nil
}

// Places are for the requests that are worked on at a time.
type Places struct {
	taken chan struct{}
	wait  time.Duration
}

// NewPlaces makes n places, for one of which a request waits as long.
func NewPlaces(n int, wait time.Duration) *Places {
	return &Places{make(chan struct{}, n), wait}
}

// Enter takes a place; ok is false if none was free in time. Whoever has one
// must leave it.
func (p *Places) Enter(ctx context.Context) (leave func(), ok bool) {
	leave = func() { <-p.taken }
	select {
	case p.taken <- struct{}{}: // without a timer when there is room
		return leave, true
	default:
	}
	if p.wait <= 0 {
		return nil, false
	}
	late := time.NewTimer(p.wait)
	defer late.Stop()
	select {
	case p.taken <- struct{}{}:
		return leave, true
	case <-late.C:
	case <-ctx.Done():
	}
	return nil, false
}

// Rates limits how often each of many may ask: a bucket of tokens for each,
// which fills steadily.
type Rates struct {
	rate  float64 // tokens a second; 0 for no limit
	burst float64

	mu  sync.Mutex // guards all
	all map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets bounds the memory that made-up names can take.
const maxBuckets = 1 << 16

// NewRates allows so many requests a second, 0 for any number, of which a burst
// may come at once.
func NewRates(rate float64, burst int) *Rates {
	return &Rates{rate: rate, burst: float64(burst), all: map[string]bucket{}}
}

// Take takes a token of who asks; else it says how long to wait for one, and
// whether it is because too many others ask.
func (b *Rates) Take(who string) (wait time.Duration, crowded bool) {
	if b.rate == 0 {
		return 0, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	x, ok := b.all[who]
	if !ok {
		if !b.room(now) {
			return time.Second, true
		}
		x = bucket{b.burst, now}
	}
	level := b.level(x, now)
	if !(level >= 1) {
		return max(time.Millisecond, time.Duration((1-level)/b.rate*float64(time.Second))), false
	}
	b.all[who] = bucket{level - 1, now}
	return 0, false
}

// room reports whether there is room for another bucket, and makes some by
// forgetting those that are full: they are as if they were not there.
func (b *Rates) room(now time.Time) bool {
	if len(b.all) >= maxBuckets {
		for who, x := range b.all {
			if b.level(x, now) >= b.burst {
				delete(b.all, who)
			}
		}
	}
	return len(b.all) < maxBuckets
}

// level is what is in a bucket now.
func (b *Rates) level(x bucket, now time.Time) float64 {
	return min(b.burst, x.tokens+max(0, now.Sub(x.at).Seconds())*b.rate)
}

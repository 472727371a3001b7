package httpserve

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// Errors of Places.
var (
	ErrNoPlace = errors.New("httpserve: too many requests are worked on")
	ErrShare   = errors.New("httpserve: too many requests of one are worked on")
)

// Places are for the requests that are worked on at a time.
type Places struct {
	taken chan struct{}
	wait  time.Duration
	share int

	mu sync.Mutex // guards by
	by map[string]int
}

// NewPlaces makes n places, for one of which a request waits as long.
func NewPlaces(n int, wait time.Duration) *Places {
	return &Places{taken: make(chan struct{}, n), wait: wait, by: map[string]int{}}
}

// Share bounds how many places each of those may have who are named on entering;
// 0 for all.
func (p *Places) Share(n int) *Places {
	p.share = n
	return p
}

// Place is one that was taken. The zero value is none.
type Place struct {
	of  *Places
	who [2]string
}

// Leave gives the place back, once.
func (p *Place) Leave() {
	if p.of == nil {
		return
	}
	if p.of.share > 0 {
		p.of.mu.Lock()
		p.of.drop(p.who)
		p.of.mu.Unlock()
	}
	<-p.of.taken
	p.of = nil
}

// Lend gives the place to others while wait runs, and takes one again afterwards, for
// which it waits as long as ctx lasts: whoever has begun in turn is not turned away. After
// an error, which is that of ctx, there is no place any more. No place can be lent, too.
func (p *Place) Lend(ctx context.Context, wait func()) error {
	if p == nil || p.of == nil {
		wait()
		return nil
	}
	<-p.of.taken
	wait()
	select {
	case p.of.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
	}
	p.of.mu.Lock()
	p.of.drop(p.who)
	p.of.mu.Unlock()
	p.of = nil
	return ctx.Err()
}

// Enter takes a place for a request, in the names of up to two, such as a key and
// an address; "" is nobody. The error is ErrShare if one of them has its share
// already, and ErrNoPlace if none was free in time.
func (p *Places) Enter(ctx context.Context, who ...string) (Place, error) {
	place := Place{of: p}
	copy(place.who[:], who)
	if !p.count(place.who) {
		return Place{}, ErrShare
	}
	if p.free(ctx) {
		return place, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(place.who)
	return Place{}, ErrNoPlace
}

// count counts a request for those in whose names it is.
func (p *Places) count(who [2]string) bool {
	if p.share == 0 {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range who {
		if w != "" && p.by[w] >= p.share {
			return false
		}
	}
	for _, w := range who {
		if w != "" {
			p.by[w]++
		}
	}
	return true
}

// drop is the opposite of count. The lock is held.
func (p *Places) drop(who [2]string) {
	for _, w := range who {
		if n := p.by[w]; n > 1 {
			p.by[w] = n - 1
		} else if n == 1 {
			delete(p.by, w)
		}
	}
}

// free waits for a place.
func (p *Places) free(ctx context.Context) bool {
	select {
	case p.taken <- struct{}{}: // without a timer when there is room
		return true
	default:
	}
	if p.wait <= 0 {
		return false
	}
	late := time.NewTimer(p.wait)
	defer late.Stop()
	select {
	case p.taken <- struct{}{}:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
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

// NewRates allows so many a second, 0 for any number, of which a burst may come
// at once.
func NewRates(rate float64, burst int) *Rates {
	return &Rates{rate: rate, burst: float64(burst), all: map[string]bucket{}}
}

// Take takes n tokens of who asks; else it says how long to wait for them. More
// than a burst holds can be taken from a full bucket, and then it takes as much
// longer until there are some again.
func (b *Rates) Take(who string, n int) (wait time.Duration) {
	if b.rate == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	x, ok := b.all[who]
	if !ok {
		b.makeRoom(now)
		x = bucket{b.burst, now}
	}
	level, need := b.level(x, now), min(b.burst, float64(n))
	if !(level >= need) {
		return max(time.Millisecond, time.Duration((need-level)/b.rate*float64(time.Second)))
	}
	b.all[who] = bucket{level - float64(n), now}
	return 0
}

// makeRoom forgets the fullest of a few buckets if there are too many: one that is
// full is as if it were not there, and who has the most left gains the least. So
// made-up names take no more memory, no time to look through all of them, and keep
// nobody out.
func (b *Rates) makeRoom(now time.Time) {
	if len(b.all) < maxBuckets {
		return
	}
	fullest, most, seen := "", math.Inf(-1), 0
	for who, x := range b.all { // it begins anywhere
		if level := b.level(x, now); level > most {
			fullest, most = who, level
		}
		if seen++; seen == 32 || most >= b.burst {
			break
		}
	}
	delete(b.all, fullest)
}

// level is what is in a bucket now.
func (b *Rates) level(x bucket, now time.Time) float64 {
	return min(b.burst, x.tokens+max(0, now.Sub(x.at).Seconds())*b.rate)
}

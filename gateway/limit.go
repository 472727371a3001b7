package gateway

import (
	"net/http"
	"sync"
	"time"
)

// buckets limits how often each subject may ask: a bucket of tokens for each,
// which fills steadily.
type buckets struct {
	rate  float64 // tokens a second; 0 for no limit
	burst float64
	clock func() time.Time

	mu  sync.Mutex // guards all
	all map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets bounds the memory that made-up users can take.
const maxBuckets = 1 << 16

// take takes a token of a subject, or says how long to wait for one.
func (b *buckets) take(subject string) *problem {
	if b.rate == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock()
	if len(b.all) >= maxBuckets {
		for s, x := range b.all {
			if b.level(x, now) >= b.burst { // full: as if it were not there
				delete(b.all, s)
			}
		}
	}
	x, ok := b.all[subject]
	if !ok {
		if len(b.all) >= maxBuckets {
			return slowDown("too many users ask at once", time.Second)
		}
		x = bucket{b.burst, now}
	}
	level := b.level(x, now)
	if !(level >= 1) {
		return slowDown("too many requests of this user", time.Duration((1-level)/b.rate*float64(time.Second)))
	}
	b.all[subject] = bucket{level - 1, now}
	return nil
}

// level is what is in a bucket now.
func (b *buckets) level(x bucket, now time.Time) float64 {
	return min(b.burst, x.tokens+max(0, now.Sub(x.at).Seconds())*b.rate)
}

func slowDown(message string, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, retry: max(wait, time.Millisecond), Type: rateLimit, Code: rateLimit, Message: message + "; nothing was spent"}
}

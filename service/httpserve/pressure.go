package httpserve

import (
	"sync"
	"time"
)

const (
	// manyShed within the time calm tell that a service sheds load, and that time
	// without any that it does no more.
	manyShed = 8
	calm     = 5 * time.Second
)

// Pressure remembers that a service had no room for requests. One that was turned
// away now and then is no news; many are, until there was none for a while.
type Pressure struct {
	mu    sync.Mutex // guards all below
	since time.Time  // when the time began in which n were turned away
	n     int
	last  time.Time
	on    bool
}

// Shed notes that one was turned away for want of room.
func (p *Pressure) Shed(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.since) > calm {
		p.since, p.n = now, 0
	}
	p.n++
	p.last = now
	p.on = p.on && !p.over(now) || p.n >= manyShed
}

// On reports whether the service sheds load.
func (p *Pressure) On(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = p.on && !p.over(now)
	return p.on
}

// over reports whether there was none for a while. The lock is held.
func (p *Pressure) over(now time.Time) bool { return now.Sub(p.last) >= calm }

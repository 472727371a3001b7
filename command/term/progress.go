package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sotto/internal/layout"
)

// Progress shows in one line of a terminal how far some work is, and nothing
// elsewhere. Whoever does the work tells of it as often as is convenient: the line
// is drawn by a clock of its own, and moves on even if nothing is told.
type Progress struct {
	screen *Screen // nil where nobody is looking
	end    func()

	mu          sync.Mutex // guards what follows
	what        string
	done, total int64
	begun       time.Time
}

// When the line appears, so that what is quick does not flash, and how often it is
// drawn.
const (
	patience = 300 * time.Millisecond
	pace     = 100 * time.Millisecond
)

// NewProgress returns the progress of work that a few words describe.
func NewProgress(w io.Writer, what string) *Progress {
	screen := NewScreen(w)
	if !screen.Terminal() {
		return &Progress{end: func() {}}
	}
	p := &Progress{screen: screen, what: what, begun: time.Now()}
	stop, stopped := make(chan struct{}), make(chan struct{})
	p.end = sync.OnceFunc(func() {
		close(stop)
		<-stopped
		screen.Clear()
	})
	go func() {
		defer close(stopped)
		for wait := patience; ; wait = pace {
			select {
			case <-stop:
				return
			case <-time.After(wait):
				p.draw(time.Now())
			}
		}
	}()
	return p
}

// Set tells how much is done; a total below 1 means it is not known.
func (p *Progress) Set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

// Shown reports whether there is a line.
func (p *Progress) Shown() bool { return p.screen != nil }

// Describe changes the words of the line.
func (p *Progress) Describe(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = text
}

// Finish removes the line. It may be called again.
func (p *Progress) Finish() { p.end() }

// While shows a line for as long as f takes, which tells nothing of itself.
func While[T any](w io.Writer, what string, f func() (T, error)) (T, error) {
	p := NewProgress(w, what)
	defer p.Finish()
	return f()
}

func (p *Progress) draw(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A terminal of which the last column is taken may already be in the next line.
	p.screen.show(progressLine(p.screen.width()-1, p.what, p.done, p.total, now.Sub(p.begun)))
}

// progressLine renders a line that takes at most that many columns: what is done,
// a bar if there is room and the end is known, and how far it is.
func progressLine(columns int, what string, done, total int64, elapsed time.Duration) string {
	state := "  " + clock(elapsed)
	switch {
	case total > 0:
		share := min(1, max(0, float64(done)/float64(total)))
		state = fmt.Sprintf("  %3.0f %%  %s", 100*share, clock(elapsed))
		if share >= 0.05 && share < 1 && elapsed >= 2*time.Second {
			state += ", " + clock(time.Duration(float64(elapsed)*(1-share)/share)) + " left"
		}
		if room := min(30, columns-layout.Width(what)-layout.Width(state)-4); room >= 8 {
			full := int(share * float64(room))
			state = "  [" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + state[1:]
		}
	case done > 0:
		state = fmt.Sprintf("  %d  %s", done, clock(elapsed))
	}
	what = strings.Join(strings.Fields(Plain(what)), " ")
	if columns < layout.Width(state)+8 { // there is no room for numbers
		return layout.Cut(what, columns)
	}
	return layout.Cut(what, columns-layout.Width(state)) + state
}

// clock renders a time in minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

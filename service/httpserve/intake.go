package httpserve

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of reading a body.
var (
	ErrTooLarge   = errors.New("httpserve: the body is larger than allowed")
	ErrIncomplete = errors.New("httpserve: the body ended early or came too slowly")
	ErrFull       = errors.New("httpserve: requests take all the memory that they may")
)

const (
	// large and middling are from how many bytes on a request counts as that. What
	// is large may fill three quarters of an intake and what is middling seven
	// eighths, so that there is room for small ones when others have filled theirs.
	large    = 1 << 16
	middling = 1 << 14
	// firstLook is how much of a body is read before anybody looks at it.
	firstLook = 1 << 14
	// slowest is the least rate of a body in bytes a second, behind a first moment.
	slowest = 1 << 14
	moment  = 5 * time.Second
	// spare is the rate below which a body is given up when there is no room.
	spare = 1 << 17
	// often is how often bodies or connections are looked for that are to give way.
	often = 50 * time.Millisecond
)

// Intake bounds how many bytes all requests that are under way may take
// together, for their bodies and for all that is made of them.
type Intake struct {
	most    int64
	longest time.Duration // for a body

	held   atomic.Int64
	looked atomic.Int64 // when slow bodies were last looked for, in nanoseconds

	mu      sync.Mutex // guards reading; nobody has to wait for it to take bytes
	reading map[*arrival]struct{}
}

// arrival is a body while it is read.
type arrival struct {
	began time.Time
	until time.Time // by which more must have come
	read  atomic.Int64
	given atomic.Bool // up
	stop  *http.ResponseController
}

// NewIntake allows so many bytes, and that long for each body; 0 for any time.
func NewIntake(most int64, longest time.Duration) *Intake {
	return &Intake{most: most, longest: longest, reading: map[*arrival]struct{}{}}
}

// Held returns how many bytes are taken.
func (in *Intake) Held() int64 { return in.held.Load() }

// Load is what one request takes of an intake. Its zero value takes nothing, and
// may be asked for it, but not for more.
type Load struct {
	in   *Intake
	held int64
	body *arrival // while it is read
}

// Open begins a load of nothing. Whoever opens it must close it.
func (in *Intake) Open() Load { return Load{in: in} }

// Bytes returns how many bytes the load has taken.
func (l *Load) Bytes() int64 { return l.held }

// Add takes more bytes, or returns ErrFull. What comes too slowly is then given
// up, so that the next finds room.
func (l *Load) Add(bytes int64) error {
	room := l.in.most
	switch size := l.held + bytes; {
	case size > large:
		room -= room / 4
	case size > middling:
		room -= room / 8
	}
	for {
		held := l.in.held.Load()
		if bytes > room-held {
			l.in.giveUp(time.Now())
			return ErrFull
		}
		if l.in.held.CompareAndSwap(held, held+bytes) {
			l.held += bytes
			return nil
		}
	}
}

// Close gives back what was taken.
func (l *Load) Close() {
	if l.held == 0 {
		return
	}
	l.in.held.Add(-l.held)
	l.held = 0
}

// giveUp ends the bodies that come more slowly than there is time for. It looks
// for them now and then, however many find no room.
func (in *Intake) giveUp(now time.Time) {
	last := in.looked.Load()
	if now.UnixNano()-last < int64(often) || !in.looked.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for a := range in.reading {
		if took := now.Sub(a.began); took > time.Second && float64(a.read.Load()) < took.Seconds()*spare {
			a.given.Store(true)
			_ = a.stop.SetReadDeadline(now) // who cannot be stopped ends by itself
		}
	}
}

// ReadBody returns the whole body, of at most so many bytes, whose size is
// counted, not believed. It takes twice as many of the load, since what is made
// of a body is as large again. A body must come at a rate of its own, and not
// only within the time for requests.
//
// Where look is not nil, it is called with the beginning of a body of which more
// is to come, now and then. If it returns an error, so does ReadBody, and the
// rest is not read.
func (l *Load) ReadBody(w http.ResponseWriter, r *http.Request, most int64, look func(beginning []byte) error) (body []byte, err error) {
	if r.ContentLength > most {
		abandon(w, http.NewResponseController(w))
		return nil, ErrTooLarge
	}
	size := int64(512)
	if r.ContentLength >= 0 {
		size = min(r.ContentLength+1, firstLook) // one more, so that the end is seen
	}
	if err = l.Add(2 * size); err != nil {
		abandon(w, http.NewResponseController(w))
		return nil, err
	}
	l.begin(w)
	came := awaits(r)
	defer func() {
		l.end(w, &err)
		came(err == nil)
	}()
	body = make([]byte, 0, size)
	for {
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > most:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, ErrIncomplete
		}
		l.came(n)
		if len(body) < cap(body) {
			continue
		}
		// What has no length comes in chunks, each of which takes work, however small.
		if look != nil && (len(body) >= firstLook || r.ContentLength < 0 && len(body) >= firstLook/8) {
			if err := look(body); err != nil {
				return nil, err
			}
		}
		// All that is left of a body whose size is known, so that there is room for it
		// or no work is lost on it.
		more := 3 * int64(cap(body))
		if r.ContentLength >= 0 {
			more = r.ContentLength + 1 - int64(len(body))
		}
		if err := l.Add(2 * more); err != nil {
			return nil, err
		}
		body = append(make([]byte, 0, int64(cap(body))+more), body...)
	}
}

// begin notes that a body is read from now on.
func (l *Load) begin(w http.ResponseWriter) {
	l.body = &arrival{stop: http.NewResponseController(w), began: time.Now()}
	l.came(0)
	l.in.mu.Lock()
	l.in.reading[l.body] = struct{}{}
	l.in.mu.Unlock()
}

// came gives a body more time for what has come of it.
func (l *Load) came(n int) {
	a := l.body
	wait := moment + time.Duration(a.read.Add(int64(n)))*time.Second/slowest
	if l.in.longest > 0 {
		wait = min(wait, l.in.longest)
	}
	// Not for every few bytes: it is a matter of seconds.
	if until := a.began.Add(wait); until.Sub(a.until) >= time.Second/2 && !a.given.Load() {
		a.until = until
		_ = a.stop.SetReadDeadline(until) // a test has no connection
	}
}

// end is the end of reading. A body that was not read to its end is not waited
// for: the connection ends.
func (l *Load) end(w http.ResponseWriter, err *error) {
	a := l.body
	l.body = nil
	l.in.mu.Lock()
	delete(l.in.reading, a)
	l.in.mu.Unlock()
	if *err != nil {
		abandon(w, a.stop)
		return
	}
	_ = a.stop.SetReadDeadline(time.Time{}) // from here on the request has a time of its own
}

// abandon leaves the rest of a body unread. By itself net/http would read on after
// an answer, to use the connection again or so that the answer is not lost: 256 KiB,
// in chunks of a byte if it comes so. What a limit has cut off it does not read, but
// waits for the client to take the answer.
func abandon(w http.ResponseWriter, stop *http.ResponseController) {
	w.Header().Set("Connection", "close")
	cut := http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0)
	_, _ = cut.Read(make([]byte, 1))          // tells w that a limit was passed
	_ = stop.SetReadDeadline(time.Unix(1, 0)) // a test has no connection
}

// ReadBody returns the whole body, of at most so many bytes, where no intake
// bounds what all take together.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	l := NewIntake(8*most+4*firstLook, 0).Open()
	return l.ReadBody(w, r, most, nil)
}

package studio

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sotto/internal/fault"
	"sotto/service/httpserve"
)

// State says where a job stands.
type State string

// The states of a job.
const (
	Waiting State = "waiting" // for another one to end
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	Stopped State = "stopped" // by the person, or because the studio ends
)

// ended reports whether a job stays in a state.
func (s State) ended() bool { return s == Done || s == Failed || s == Stopped }

// Tell says how far a job is, as a share from 0 to 1, and what it does now. It
// must quote no text.
type Tell func(share float64, note string)

// Work is what a job does. Its result becomes JSON.
type Work func(ctx context.Context, tell Tell) (any, error)

// view is a job as the page sees it.
type view struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"`
	State   State   `json:"state"`
	Share   float64 `json:"share"`
	Note    string  `json:"note"`
	Error   string  `json:"error,omitempty"`
	Result  any     `json:"result,omitempty"`
	Version int     `json:"version"` // counts what has changed
}

// job is work under way, or its result.
type job struct {
	view
	stop    context.CancelFunc
	changed chan struct{} // closed when view changes
}

// Bounds of what goes on and of what is remembered.
const (
	mostWaiting = 8
	mostKept    = 64
)

// jobs are all that were started. One runs at a time, on all cores.
type jobs struct {
	turn  chan struct{}
	group sync.WaitGroup

	mu  sync.Mutex // guards all, and each view
	all []*job     // the oldest first
}

func newJobs() jobs { return jobs{turn: make(chan struct{}, 1)} }

// wait waits for the end of all.
func (j *jobs) wait() { j.group.Wait() }

// Start begins work in the background and returns its name, under which the page
// follows it. Work waits for its turn.
func (s *Studio) Start(kind string, work Work) (id string, err error) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	if s.ctx.Err() != nil {
		return "", &Problem{http.StatusServiceUnavailable, "the studio is about to end"}
	}
	open := 0
	for _, j := range s.jobs.all {
		if !j.State.ended() {
			open++
		}
	}
	if open >= mostWaiting {
		return "", &Problem{http.StatusTooManyRequests, "too much is waiting already: stop something, or wait for its end"}
	}
	s.jobs.forget()
	ctx, stop := context.WithCancel(s.ctx)
	j := &job{view: view{ID: rand.Text(), Kind: kind, State: Waiting, Note: "Waiting for its turn"}, stop: stop, changed: make(chan struct{})}
	s.jobs.all = append(s.jobs.all, j)
	s.jobs.group.Go(func() { s.jobs.run(ctx, j, work) })
	return j.ID, nil
}

// Begin starts work as [Studio.Start] does and answers the request with its name, which the
// page's function follow takes.
func (s *Studio) Begin(w http.ResponseWriter, kind string, work Work) error {
	id, err := s.Start(kind, work)
	if err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusAccepted, map[string]string{"job": id})
}

// forget drops the oldest results beyond what is kept.
func (j *jobs) forget() {
	if n := len(j.all) - mostKept; n >= 0 {
		j.all = slices.DeleteFunc(j.all, func(x *job) bool {
			drop := n >= 0 && x.State.ended()
			if drop {
				n--
			}
			return drop
		})
	}
}

// run does the work when its turn has come.
func (j *jobs) run(ctx context.Context, x *job, work Work) {
	defer x.stop()
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		j.change(x, func(v *view) { v.State, v.Note = Stopped, "Stopped" })
		return
	}
	j.change(x, func(v *view) { v.State, v.Note = Running, "Beginning" })
	result, err := safely(ctx, work, func(share float64, note string) {
		j.change(x, func(v *view) { v.Share, v.Note = min(1, max(v.Share, share)), cmp.Or(note, v.Note) })
	})
	j.change(x, func(v *view) {
		switch {
		case ctx.Err() != nil:
			v.State, v.Note = Stopped, "Stopped; nothing was kept"
		case err != nil:
			v.State, v.Note, v.Error = Failed, "Failed", Plain(err)
		default:
			v.State, v.Note, v.Share, v.Result = Done, "Done", 1, result
		}
	})
}

func safely(ctx context.Context, work Work, tell Tell) (result any, err error) {
	defer fault.Catch(&err)
	return work(ctx, tell)
}

// change changes a view and tells those who wait for that.
func (j *jobs) change(x *job, f func(*view)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&x.view)
	x.Version++
	close(x.changed)
	x.changed = make(chan struct{})
}

// find returns a job, nil if there is none, what it looks like now, and what is
// closed when that changes.
func (j *jobs) find(id string) (*job, view, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, x := range j.all {
		if x.ID == id {
			return x, x.view, x.changed
		}
	}
	return nil, view{}, nil
}

var errNoJob = &Problem{http.StatusNotFound, "this work is not known any more: begin it again"}

// patience is how long a question after a job waits for news.
const patience = 20 * time.Second

// watchJob handles "GET /api/jobs/{id}": it answers when the job has changed
// since the version in "after", or after a while.
func (s *Studio) watchJob(w http.ResponseWriter, r *http.Request) error {
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		after = -1 // which is answered at once
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		j, v, changed := s.jobs.find(r.PathValue("id"))
		if j == nil {
			return errNoJob
		}
		if v.Version > after || v.State.ended() {
			return httpserve.WriteJSON(w, http.StatusOK, v)
		}
		select {
		case <-changed:
			continue
		case <-late.C:
		case <-r.Context().Done():
		}
		return httpserve.WriteJSON(w, http.StatusOK, v)
	}
}

// stopJob handles "DELETE /api/jobs/{id}".
func (s *Studio) stopJob(w http.ResponseWriter, r *http.Request) error {
	j, v, _ := s.jobs.find(r.PathValue("id"))
	if j == nil {
		return errNoJob
	}
	j.stop()
	return httpserve.WriteJSON(w, http.StatusAccepted, v)
}

var (
	origins = regexp.MustCompile(`(?m)^([a-z][a-z/]*: )+`)
	word    = regexp.MustCompile(`^[a-z]+(?: |$)`)
	private = regexp.MustCompile(`[^\s"]*[/\\]sotto-studio-[0-9]+(?:[/\\][a-z]+[/\\][0-9]+)?[/\\]?`)
)

// Plain is an error in words for the page: without the packages that it came
// through, and without the private folder's path. What an action or work returns
// goes through it anyway; it is for an error that stands in an answer.
func Plain(err error) string {
	if errors.Is(err, context.Canceled) {
		return "Stopped."
	}
	var lines []string
	for line := range strings.Lines(err.Error()) {
		line = private.ReplaceAllString(origins.ReplaceAllString(strings.TrimSpace(line), ""), "")
		if word.MatchString(line) { // and not the name of a file, or a letter of a formula
			line = strings.ToUpper(line[:1]) + line[1:]
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Sentence makes a line of a progress or a reason one that begins a sentence.
func Sentence(s string) string { return Plain(errors.New(s)) }

package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sotto/evidence"
	"sotto/internal/fault"
	"sotto/learn/experiment"
	"sotto/learn/plan"
	"sotto/report"
	"sotto/service/httpserve"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// Config says how a studio works. The zero value is usable.
type Config struct {
	Tabs      []Tab          // in order, but for those that name another in Before; nil means those of [Tabs]
	Kinds     evidence.Kinds // of evidence that reports show; nil means those of package report
	Out       string         // folder in which trainings are kept, which must be there; "" forgets them at the end
	MaxUpload int64          // bytes of a file that is dropped; 0 means 1 GiB
	Workers   int            // cores; 0 means all
	File      string         // that is offered as the first one; "" for none
}

// Studio is a page and what it works with. New makes one, Close ends it.
type Studio struct {
	Config
	service *httpserve.Service
	mux     *http.ServeMux
	dir     string // private

	gate gate
	jobs jobs
	desk desk

	shown shown
	runs  runs
	plans Last[*plan.Planner]

	sets    experiment.Sets
	encoder struct {
		mu     sync.Mutex // guards the rest
		name   catalogue.Name
		source encode.Source
	}

	ctx  context.Context // of everything that goes on
	stop context.CancelFunc
	end  sync.Once
}

// mostConnections is how many there may be at a time, of which a browser opens six a page.
// Whoever has not entered can send a few kilobytes on each.
const mostConnections = 64

// defaultUpload is how large a file may be that is dropped.
const defaultUpload = 1 << 30

// New makes a studio with a private folder, which Close removes.
func New(c Config) (*Studio, error) {
	c.MaxUpload = cmp.Or(c.MaxUpload, defaultUpload)
	if c.MaxUpload < 1 {
		return nil, fmt.Errorf("studio: largest upload is %d bytes, must be at least 1", c.MaxUpload)
	}
	if c.Kinds == nil {
		c.Kinds = report.Kinds()
	}
	if c.Tabs == nil {
		c.Tabs = Tabs()
	}
	c.Tabs = arranged(c.Tabs)
	s := &Studio{Config: c, mux: http.NewServeMux(), jobs: newJobs()}
	s.service = httpserve.New(httpserve.Config{
		Name: "studio", Refuse: refuse, Drain: 5 * time.Second, Buckets: []float64{.01, .1, 1, 10},
		Read: 10 * time.Second, Write: 2 * time.Hour, // who has not entered sends little; see entered for the others
		Connections: mostConnections, Each: mostConnections,
	})
	if err := s.gate.open(); err != nil {
		return nil, err
	}
	if err := s.routes(); err != nil {
		return nil, err
	}
	if c.Out != "" {
		if err := writable(c.Out); err != nil {
			return nil, err
		}
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "sotto-studio-"); err != nil { // with mode 0700
		return nil, fmt.Errorf("studio: no private folder: %w", err)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if c.File != "" {
		if err := s.offer(c.File); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// writable refuses a folder for trainings in which nothing can be written,
// before anybody has trained for an hour.
func writable(dir string) error {
	probe, err := os.MkdirTemp(dir, ".sotto-studio-")
	if err != nil {
		return fmt.Errorf("studio: folder for trainings: %w", err)
	}
	return os.Remove(probe)
}

// routes registers what is answered.
func (s *Studio) routes() error {
	if err := s.addPage(); err != nil {
		return err
	}
	s.handle("GET /healthz", s.health, false)
	s.handle("POST /api/enter", s.enter, false)
	s.handle("GET /api/jobs/{id}", s.watchJob, true)
	s.handle("DELETE /api/jobs/{id}", s.stopJob, true)
	s.handle("GET /shown/{ticket}", s.show, false) // the ticket is the secret
	s.handle("/", func(http.ResponseWriter, *http.Request) error {
		return &Problem{http.StatusNotFound, "there is nothing at this address"}
	}, false)
	return nil
}

// handle registers an action, for those who have entered where it says so. The
// context of a request ends with the studio.
func (s *Studio) handle(pattern string, f httpserve.Action, entered bool) {
	s.mux.Handle(pattern, s.service.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		if entered {
			if err := s.gate.check(r); err != nil {
				return err
			}
			httpserve.Known(r)
			// A file that is dropped may be large, and a slow disk takes it as fast as it can.
			if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Hour)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return err
			}
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		return f(w, r.WithContext(ctx))
	}))
}

// health handles "GET /healthz": the process answers.
func (s *Studio) health(w http.ResponseWriter, _ *http.Request) error {
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Address is where a browser opens the studio, with the secret behind #, which
// no browser sends to anybody. Whoever has it can use the studio.
func (s *Studio) Address(at net.Addr) string { return address(at, s.gate.secret) }

// OnceAddress is an address that lets in once. If it is used a second time, whoever
// came in by it is put out again.
func (s *Studio) OnceAddress(at net.Addr) string { return address(at, s.gate.code()) }

// Door writes a page that leads to a [Studio.OnceAddress], and returns its path: for a
// program that is to open a browser. Others on this machine can see the arguments of a
// program, and not what is in this file.
func (s *Studio) Door(at net.Addr) (string, error) {
	path := filepath.Join(s.dir, "studio.html")
	page := fmt.Sprintf("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>sotto studio</title>\n", s.OnceAddress(at))
	return path, os.WriteFile(path, []byte(page), 0o600)
}

func address(at net.Addr, secret string) string {
	return "http://" + at.String() + "/#" + secret
}

// Listen listens on an address of this machine alone, and refuses any other.
func Listen(address string) (net.Listener, error) {
	if !httpserve.Loopback(address) {
		return nil, fmt.Errorf("studio: address is %q, must be one that only this machine can reach, such as 127.0.0.1:8789 or 127.0.0.1:0 for any free port", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("studio: %w; 127.0.0.1:0 takes any free port", err)
	}
	// What a name stands for is only known now.
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("studio: address is %q, which others than this machine can reach", address), l.Close())
	}
	return l, nil
}

// Serve answers on a listener until ctx ends. What is trained then is stopped,
// and nothing of it is kept.
func (s *Studio) Serve(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(ctx, s.stop)()
	return s.service.Serve(ctx, l, s.Handler())
}

// Handler answers requests. Those that come under a name that is not this
// machine's, or from a page of another site, are refused.
func (s *Studio) Handler() http.Handler { return guard(s.mux) }

// Close stops what goes on and removes everything that was dropped, and the
// trainings that are not kept.
func (s *Studio) Close() error {
	var err error
	s.end.Do(func() {
		s.stop()
		s.jobs.wait()
		err = os.RemoveAll(s.dir)
	})
	return err
}

// Problem is an error for the person at the page.
type Problem struct {
	Status  int
	Message string // quotes no text of the person's
}

// Error implements error.
func (p *Problem) Error() string { return p.Message }

// refuse answers with an error. The log says nothing of it, since names of files
// and columns may stand there.
func refuse(w http.ResponseWriter, err error) (status int, reason string) {
	status = http.StatusUnprocessableEntity
	var p *Problem
	switch {
	case errors.As(err, &p):
		status = p.Status
	case errors.Is(err, fault.ErrFault):
		status = http.StatusInternalServerError
	case errors.Is(err, httpserve.ErrTooLarge):
		status = http.StatusRequestEntityTooLarge
	}
	if e := httpserve.WriteJSON(w, status, map[string]string{"error": Plain(err)}); e != nil {
		return http.StatusInternalServerError, "no answer"
	}
	return status, "refused"
}

package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"sotto/service/httpserve"
)

// Server answers requests with the models of a folder. New makes one. It is
// safe for concurrent use.
type Server struct {
	config  Config
	state   atomic.Pointer[state]
	reading chan struct{} // the folder, one at a time
	intake  *httpserve.Intake
	places  *httpserve.Places
	turns   *httpserve.Places // of large bodies
	http    *httpserve.Service
	metrics
}

// New loads the models. It is an error if not one can be served; others are
// logged and left out.
func New(c Config) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	s := &Server{
		config:  c,
		reading: make(chan struct{}, 1),
		intake:  httpserve.NewIntake(c.Memory, c.ReadTimeout),
		places:  httpserve.NewPlaces(c.Concurrency, c.Wait).Share(c.Share),
		turns:   httpserve.NewPlaces(max(1, runtime.GOMAXPROCS(0)-1), c.Wait),
	}
	s.http = httpserve.New(httpserve.Config{
		Name: "server", Log: c.Logger, Level: slog.LevelDebug, TLS: c.TLS, HTTP2: true,
		Read: c.ReadTimeout, Write: c.ReadTimeout + c.Wait + 20*time.Second, Withdraw: c.Withdraw, Drain: c.Drain, Buckets: bounds, Refuse: s.refuse,
		Connections: c.Connections, Each: c.Each, Refusals: c.Refusals,
	})
	if c.Admin != nil {
		s.http.Beside(c.Admin, s.admin())
	}
	if c.GRPC != nil {
		s.http.Also(c.GRPC, s.Calls())
	}
	s.state.Store(&state{})
	s.count()
	if err := s.Reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// Models returns how many models are served.
func (s *Server) Models() int { return len(s.state.Load().names(true)) }

// Serve answers requests until ctx ends, takes up changes of the models'
// folder meanwhile, and then waits for the requests under way. The error is nil
// if all of them came to their end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	return s.http.Serve(ctx, l, s.Handler())
}

// watch looks for changes of the folder now and then. It is busy with that for a
// tenth of the time at most, however large the folder is and however often it
// changes.
func (s *Server) watch(ctx context.Context) {
	said := "" // so that the same trouble is told once
	for wait := s.config.Poll; ; {
		next := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			next.Stop()
			return
		case <-next.C:
		}
		began, now := time.Now(), ""
		if err := s.refresh(false); err != nil {
			now = err.Error()
		}
		if now != "" && now != said {
			s.http.Log.Error("models' folder cannot be read; what was loaded is still served", "error", now)
		}
		s.unread.Store(now != "")
		wait, said = max(s.config.Poll, 9*time.Since(began)), now
	}
}

// model returns the one that the path names.
func (s *Server) model(r *http.Request) (slot, error) {
	return s.named(r.PathValue("name"), r.PathValue("version"))
}

// named returns the model of a name, and of a version unless that is "".
func (s *Server) named(name, version string) (slot, error) {
	m := (*s.state.Load())[name]
	if m.served == nil || version != "" && version != m.version {
		return slot{}, errUnknown
	}
	return m, nil
}

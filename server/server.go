package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"sotto/internal/fault"
)

// Server answers requests with the models of a folder. New makes one. It is
// safe for concurrent use.
type Server struct {
	config    Config
	state     atomic.Pointer[state]
	reloading sync.Mutex // one at a time
	turns     chan struct{}
	draining  atomic.Bool
	metrics   metrics
}

// New loads the models. It is an error if not one can be served; others are
// logged and left out.
func New(c Config) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	s := &Server{config: c, turns: make(chan struct{}, c.Concurrency)}
	s.state.Store(&state{})
	if err := s.Reload(); err != nil {
		return nil, err
	}
	return s, nil
}

// Models returns how many models are served.
func (s *Server) Models() int { return len(s.state.Load().models) }

// Serve answers requests until ctx ends, takes up changes of the models'
// folder meanwhile, and then waits for the requests under way. The error is nil
// if all of them came to their end.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.Handler(),
		TLSConfig:         s.config.TLS,
		ReadHeaderTimeout: min(5*time.Second, s.config.ReadTimeout),
		ReadTimeout:       s.config.ReadTimeout,
		WriteTimeout:      s.config.ReadTimeout + s.config.Wait + 20*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.watch(watching)
	ended := make(chan error, 1)
	go func() {
		if h.TLSConfig != nil {
			ended <- h.ServeTLS(l, "", "")
			return
		}
		ended <- h.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.config.Logger.Info("draining", "at_most", s.config.Drain.String())
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.Drain)
	defer cancel()
	if err := h.Shutdown(late); err != nil {
		return fmt.Errorf("server: requests did not end within %v: %w", s.config.Drain, errors.Join(err, h.Close()))
	}
	return nil
}

// watch looks for changes of the folder now and then.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(s.config.Poll)
	defer tick.Stop()
	said := "" // so that the same trouble is told once
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := ""
		if err := s.refresh(false); err != nil {
			now = err.Error()
		}
		if now != "" && now != said {
			s.config.Logger.Error("models' folder cannot be read; what was loaded is still served", "error", now)
		}
		said = now
	}
}

// enter waits for the request's turn. Whoever enters must leave.
func (s *Server) enter(r *http.Request) (leave func(), err error) {
	select {
	case s.turns <- struct{}{}: // without a timer when there is room
	default:
		late := time.NewTimer(s.config.Wait)
		defer late.Stop()
		select {
		case s.turns <- struct{}{}:
		case <-late.C:
			return nil, errBusy
		case <-r.Context().Done():
			return nil, errBusy
		}
	}
	return func() { <-s.turns }, nil
}

// model returns the one that the path names.
func (s *Server) model(r *http.Request) (*model, error) {
	m := s.state.Load().models[r.PathValue("name")]
	if v := r.PathValue("version"); m == nil || v != "" && v != m.version {
		return nil, errUnknown
	}
	return m, nil
}

// handle makes a handler of a function: an error becomes an answer, a panic
// one that says nothing of its value, and both a line of the log.
func (s *Server) handle(route string, f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		s.metrics.inFlight.Add(1)
		defer s.metrics.inFlight.Add(-1)
		err := func() (err error) {
			defer fault.Catch(&err)
			return f(w, r)
		}()
		status, level := http.StatusOK, slog.LevelDebug
		if err != nil {
			status, level = refuse(w, err), slog.LevelInfo
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		took := time.Since(start)
		s.metrics.answered(route, status, took)
		attributes := []slog.Attr{slog.String("route", route), slog.Int("status", status), slog.Duration("took", took)}
		if err != nil {
			attributes = append(attributes, slog.String("error", err.Error()))
		}
		s.config.Logger.LogAttrs(r.Context(), level, "request", attributes...)
	})
}

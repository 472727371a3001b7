package httpserve

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/internal/fault"
)

// Config says how a service is put on the network.
type Config struct {
	Name    string        // before its errors, and in its metrics: sotto_NAME_…
	Log     *slog.Logger  // nil for none
	Level   slog.Level    // at which granted requests are logged
	TLS     *tls.Config   // nil: plain HTTP
	HTTP2   bool          // is offered over TLS
	Read    time.Duration // for a whole request to arrive
	Write   time.Duration // for the answer, from the end of the header
	Timeout time.Duration // of a request's context; 0 for none
	// Withdraw is how long the service goes on answering after it has reported
	// that it is about to end, so that nobody sends it more; 0 for not at all.
	Withdraw time.Duration
	Drain    time.Duration // for which the last requests are awaited after that
	Buckets  []float64     // upper ends, in seconds, of the histogram of times

	// Refuse answers with an error, and returns the status and what the log may
	// say of it.
	Refuse func(w http.ResponseWriter, err error) (status int, reason string)
}

// Service is the part of a service that does not depend on what it answers.
type Service struct {
	Config
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	flying   prometheus.Gauge
	draining atomic.Bool
}

// New makes a service.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c, registry: prometheus.NewRegistry()}
	s.count()
	return s
}

// Draining reports whether the service is about to end.
func (s *Service) Draining() bool { return s.draining.Load() }

// ErrCut is wrapped by the error of Serve if requests were cut off.
var ErrCut = errors.New("requests did not end within the time to drain")

// Serve answers on a listener until ctx ends. Then it reports that it is about to
// end, goes on answering for as long as Withdraw says, and lets the requests under
// way come to their end, for as long as Drain says. The error is nil if all did.
func (s *Service) Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(s.HTTP2)
	server := &http.Server{
		Handler:           h,
		TLSConfig:         s.negotiating(),
		Protocols:         protocols,
		ReadHeaderTimeout: min(s.Read, 10*time.Second),
		ReadTimeout:       s.Read,
		WriteTimeout:      s.Write,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 14,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(l, "", "")
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("%s: the service ended: %w", s.Name, err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	if s.Withdraw > 0 {
		s.Log.Info("withdrawn", slog.Duration("answering_for", s.Withdraw))
		select {
		case err := <-ended:
			return fmt.Errorf("%s: the service ended: %w", s.Name, err)
		case <-time.After(s.Withdraw):
		}
	}
	s.Log.Info("draining", slog.Duration("at_most", s.Drain))
	left, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	if err := server.Shutdown(left); err != nil {
		s.Log.Warn("requests were cut off", slog.String("error", "the time to drain was over"))
		return fmt.Errorf("%s: %w, %v: %w", s.Name, ErrCut, s.Drain, errors.Join(err, server.Close()))
	}
	s.Log.Info("drained")
	return nil
}

// Action answers a request, or returns an error before it has written anything.
type Action func(w http.ResponseWriter, r *http.Request) error

// Handle makes a handler of an action: an error becomes an answer, a panic one
// that says nothing of its value, and each request a line of the log.
func (s *Service) Handle(route string, f Action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, attrs := time.Now(), []slog.Attr{slog.String("route", route)}
		s.flying.Inc()
		defer s.flying.Dec()
		ctx := context.WithValue(r.Context(), noted{}, &attrs)
		if s.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.Timeout)
			defer cancel()
		}
		err := safely(f, w, r.WithContext(ctx))
		status, level := http.StatusOK, s.Level
		if err != nil {
			var reason string
			status, reason = s.Refuse(w, err)
			level = slog.LevelInfo
			attrs = append(attrs, slog.String("error", reason))
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		took := time.Since(began)
		s.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
		s.seconds.WithLabelValues(route).Observe(took.Seconds())
		s.Log.LogAttrs(ctx, level, "request", append(attrs, slog.Int("status", status), slog.Duration("took", took))...)
	})
}

func safely(f Action, w http.ResponseWriter, r *http.Request) (err error) {
	defer fault.Catch(&err)
	return f(w, r)
}

// noted is the key under which a request's context has its line of the log.
type noted struct{}

// Note adds to the line of the log that a request will have. It must quote
// nothing of the request.
func Note(r *http.Request, attrs ...slog.Attr) {
	if line, ok := r.Context().Value(noted{}).(*[]slog.Attr); ok {
		*line = append(*line, attrs...)
	}
}

// WriteJSON answers with v, or returns an error before it has written anything.
// That the client has gone can be told to nobody.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	w.Write(append(body, '\n')) //nolint:errcheck // see above
	return nil
}

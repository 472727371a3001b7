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
	"slices"
	"strconv"
	"sync"
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

	// Connections is how many there may be at a time, and Each how many of them from
	// one address; 0 for no limit. See [Network] for what counts as one.
	Connections, Each int
	// Refusals is how many a second of one address leave its connection open and are
	// logged each; any more end the connection with their answer and are only counted,
	// so that nobody who is refused all the time holds places that others need.
	// 0 for no limit.
	Refusals float64

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
	shed     *prometheus.CounterVec
	pressure Pressure
	doors    [2]Pressure // for want of connections: at the first listener, and at that of Also
	brake    *Rates
	gates    atomic.Pointer[[]*gate] // of all listeners
	beside   []beside
	draining atomic.Bool
}

// beside is a second place at which a service answers.
type beside struct {
	l    net.Listener
	h    http.Handler
	full bool // it has the same bounds, is drained, and speaks HTTP/2 alone
}

// New makes a service.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c, registry: prometheus.NewRegistry(), brake: NewRates(c.Refusals, int(max(1, c.Refusals)))}
	s.gates.Store(new([]*gate))
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
	ended := make(chan error, 1+len(s.beside))
	servers := []*http.Server{s.start(beside{l: l, h: h}, s.Connections, s.Each, ended)}
	for _, b := range s.beside {
		if b.full {
			servers = append(servers, s.start(b, s.Connections, s.Each, ended))
			continue
		}
		// It outlasts the others, so that the end can be watched.
		defer s.start(b, besideConnections, 0, ended).Close() //nolint:errcheck // nobody is owed an answer there
	}
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
	if err := shutdown(left, servers); err != nil {
		s.Log.Warn("requests were cut off", slog.String("error", "the time to drain was over"))
		return fmt.Errorf("%s: %w, %v: %w", s.Name, ErrCut, s.Drain, err)
	}
	s.Log.Info("drained")
	return nil
}

// shutdown drains all, and cuts off those that do not end in time.
func shutdown(ctx context.Context, servers []*http.Server) error {
	ended := make(chan error, len(servers))
	for _, server := range servers {
		go func() {
			err := server.Shutdown(ctx)
			if err != nil {
				err = errors.Join(err, server.Close())
			}
			ended <- err
		}()
	}
	var all error
	for range servers {
		all = errors.Join(all, <-ended)
	}
	return all
}

// Beside answers on another listener as well, for as long as Serve does: for
// health and numbers, which must be reachable when the first has no room. It is
// to be called before Serve.
func (s *Service) Beside(l net.Listener, h http.Handler) {
	s.beside = append(s.beside, beside{l: l, h: h})
}

// Also answers on another listener as on the first, with bounds of the same size,
// over HTTP/2 alone, also without TLS. It is to be called before Serve.
func (s *Service) Also(l net.Listener, h http.Handler) {
	s.beside = append(s.beside, beside{l, h, true})
}

const (
	// besideConnections is how many connections a second listener takes.
	besideConnections = 64
	// manyStreams is how many connections of HTTP/2 there may be at a time, since
	// each stands for many requests. Over TLS others speak HTTP/1.1.
	manyStreams = 128
)

// streams bounds what one connection of HTTP/2 may have: requests at a time, bytes
// that nobody has read yet, and time without a sign of life. A request takes some
// 16 KiB before anybody sees it, and net/http lets four times as many wait.
var streams = &http.HTTP2Config{
	MaxConcurrentStreams:          16,
	MaxReadFrameSize:              1 << 14, // of which each connection keeps one
	MaxReceiveBufferPerConnection: 1 << 16,
	MaxReceiveBufferPerStream:     1 << 16,
	SendPingTimeout:               15 * time.Second,
	PingTimeout:                   15 * time.Second,
}

// start begins to answer on a listener.
func (s *Service) start(at beside, most, each int, ended chan<- error) *http.Server {
	if at.full {
		most, each = min(most, manyStreams), min(each, manyStreams/2)
	}
	g := newGate(at.l, most, each, s.TLS == nil && !at.full, func(full bool) { s.turnedAway(at.full, full) })
	all := append(slices.Clone(*s.gates.Load()), g)
	s.gates.Store(&all)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!at.full)
	protocols.SetHTTP2(s.HTTP2 || at.full)
	protocols.SetUnencryptedHTTP2(at.full)
	server := &http.Server{
		Handler:           at.h,
		TLSConfig:         s.negotiating(g, at.full),
		Protocols:         protocols,
		HTTP2:             streams,
		ReadHeaderTimeout: min(s.Read, 5*time.Second),
		ReadTimeout:       s.Read,
		WriteTimeout:      s.Write,
		IdleTimeout:       -1, // see gate.sweep
		MaxHeaderBytes:    1 << 13,
		ConnState:         g.note,
		ConnContext:       remember,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	go func() {
		over := make(chan struct{})
		defer close(over)
		go g.sweep(over)
		if s.TLS != nil {
			ended <- server.ServeTLS(g, "", "")
			return
		}
		ended <- server.Serve(g)
	}()
	return server
}

// Shed notes that a request or a connection was turned away for want of room of
// some kind.
func (s *Service) Shed(kind string) {
	s.shed.WithLabelValues(kind).Inc()
	s.pressure.Shed(time.Now())
}

// turnedAway notes a connection for which there was no place. One address that has all
// its places is counted, and no reason to say that the service sheds load: others have
// theirs. Nor is a listener that has no places a reason for another to say so.
func (s *Service) turnedAway(also, full bool) {
	s.shed.WithLabelValues("connections").Inc()
	if full {
		s.door(also).Shed(time.Now())
	}
}

// door is the pressure at the first listener, or at that of Also.
func (s *Service) door(also bool) *Pressure {
	if also {
		return &s.doors[1]
	}
	return &s.doors[0]
}

// Shedding reports whether many are turned away for want of room, or were until a
// moment ago: at the first listener, or at that of Also.
func (s *Service) Shedding(also bool) bool {
	now := time.Now()
	return s.pressure.On(now) || s.door(also).On(now)
}

// often reports whether requests of that address are refused too often, and ends the
// connection of this one then.
func (s *Service) often(w http.ResponseWriter, r *http.Request) bool {
	if s.brake.Take(Network(r), 1) == 0 {
		return false
	}
	w.Header().Set("Connection", "close")
	return true
}

// Action answers a request, or returns an error before it has written anything.
type Action func(w http.ResponseWriter, r *http.Request) error

// Handle makes a handler of an action: an error becomes an answer, a panic one
// that says nothing of its value, and each request a line of the log.
func (s *Service) Handle(route string, f Action) http.Handler {
	seconds := sync.OnceValue(func() prometheus.Observer { return s.seconds.WithLabelValues(route) })
	granted := sync.OnceValue(func() prometheus.Counter { return s.requests.WithLabelValues(route, "200") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, attrs := time.Now(), append(make([]slog.Attr, 0, 8), slog.String("route", route))
		s.flying.Inc()
		defer s.flying.Dec()
		ctx := context.WithValue(context.WithValue(r.Context(), noted{}, &attrs), known{}, new(bool))
		connectionOf(ctx).work(1)
		defer connectionOf(ctx).work(-1)
		if s.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.Timeout)
			defer cancel()
		}
		err := safely(f, w, r.WithContext(ctx))
		status, level, quiet := http.StatusOK, s.Level, false
		if err != nil {
			var reason string
			quiet = s.often(w, r)
			status, reason = s.Refuse(w, err)
			level = slog.LevelInfo
			attrs = append(attrs, slog.String("error", reason))
		}
		// What is not there to be called, a deadline that the caller set, and a caller who
		// did not wait are no faults of the service.
		ours := status >= http.StatusInternalServerError && status != http.StatusNotImplemented && status != http.StatusGatewayTimeout && !errors.Is(r.Context().Err(), context.Canceled)
		if ours {
			level = slog.LevelError
		}
		took := time.Since(began)
		if status == http.StatusOK {
			granted().Inc()
		} else {
			s.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
		}
		seconds().Observe(took.Seconds())
		if quiet && (!ours || status == http.StatusServiceUnavailable) {
			return // a flood of them would fill the disk
		}
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
	WriteBody(w, status, append(body, '\n'))
	return nil
}

// WriteBody answers with JSON that is written already. That the client has gone
// can be told to nobody.
func WriteBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // see above
}

package gateway

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"sotto/internal/fault"
)

// ServiceConfig says how a Gateway is put behind HTTP.
type ServiceConfig struct {
	Gateway     *Gateway
	Name        string        // by which clients call it as a model; "" means sotto
	Keys        *Keys         // that are taken; nil: everybody may ask
	Classifier  Classifier    // behind /v1/classify; nil for none
	Page        *Page         // at /; nil for none
	Log         *slog.Logger  // nil for none
	MaxBody     int64         // bytes; 0 means 1 MiB
	MaxInFlight int           // requests at a time; 0 means 1,024
	Rate        float64       // requests a second of each user; 0 for no limit
	Burst       int           // that may come at once; 0 means 10
	Timeout     time.Duration // of one request; 0 means 30 s
	Drain       time.Duration // for which the last requests are awaited; 0 means 30 s
	TLS         *tls.Config   // nil: plain HTTP
}

func (c ServiceConfig) fill() ServiceConfig {
	if c.Name == "" {
		c.Name = "sotto"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.MaxBody == 0 {
		c.MaxBody = 1 << 20
	}
	if c.MaxInFlight == 0 {
		c.MaxInFlight = 1024
	}
	if c.Burst == 0 {
		c.Burst = 10
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Drain == 0 {
		c.Drain = 30 * time.Second
	}
	return c
}

// Validate reports the first thing that is missing or out of range.
func (c ServiceConfig) Validate() error {
	c = c.fill()
	switch {
	case c.Gateway == nil:
		return errors.New("gateway: the gateway is nil, must be given")
	case c.MaxBody < 1 || c.MaxInFlight < 1 || c.Burst < 1:
		return fmt.Errorf("gateway: limits are %d bytes, %d requests and a burst of %d, must be at least 1", c.MaxBody, c.MaxInFlight, c.Burst)
	case !(c.Rate >= 0 && c.Rate <= 1e9):
		return fmt.Errorf("gateway: the rate is %v a second, must be from 0 to 1e9", c.Rate)
	case c.Timeout < time.Millisecond || c.Drain < time.Millisecond:
		return fmt.Errorf("gateway: time-out is %v and drain %v, must be at least a millisecond", c.Timeout, c.Drain)
	}
	return nil
}

// Service answers HTTP requests from a Gateway. It is an http.Handler; Serve
// runs it with time-outs and drains it.
type Service struct {
	ServiceConfig
	mux      http.Handler
	metrics  *metrics
	buckets  *buckets
	places   chan struct{} // one for each request in flight
	draining atomic.Bool
	page     *page // nil for none
}

// NewService makes a service.
func NewService(c ServiceConfig) (*Service, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.fill()
	s := &Service{
		ServiceConfig: c,
		metrics:       newMetrics(),
		buckets:       &buckets{rate: c.Rate, burst: float64(c.Burst), clock: time.Now, all: map[string]bucket{}},
		places:        make(chan struct{}, c.MaxInFlight),
	}
	mux := http.NewServeMux()
	for route, f := range map[string]action{
		"POST /v1/embeddings": s.embeddings,
		"POST /v1/classify":   s.classify,
		"GET /v1/budget":      s.budget,
		"GET /v1/models":      s.models,
		"GET /metrics":        s.showMetrics,
	} {
		mux.Handle(route, s.wrap(route, s.guarded(f)))
	}
	for route, f := range map[string]action{"GET /healthz": s.health, "GET /readyz": s.ready, "/": s.nothing} {
		mux.Handle(route, s.wrap(route, f))
	}
	if c.Page != nil {
		var err error
		if s.page, err = newPage(c); err != nil {
			return nil, err
		}
		mux.Handle("GET /{$}", s.wrap("GET /", s.showPage))
		mux.Handle("POST /page/try", s.wrap("POST /page/try", s.guarded(s.try)))
	}
	// A page of another site must not spend a user's budget.
	foreign := http.NewCrossOriginProtection()
	foreign.SetDenyHandler(s.wrap("foreign page", s.foreign))
	s.mux = foreign.Handler(mux)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// client is who asks.
type client struct {
	name   string // of the key's entry; "" without keys
	single bool
}

// action answers a request, or returns an error before it has written anything.
type action func(w http.ResponseWriter, r *http.Request, who *client) error

// wrap makes a handler of an action: its panics and errors become answers, and
// a line of the log that holds nothing of the request.
func (s *Service) wrap(route string, f action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, id, who := time.Now(), rand.Text()[:12], new(client)
		w.Header().Set("X-Request-Id", id)
		s.metrics.flying.Inc()
		defer s.metrics.flying.Dec()
		ctx, cancel := context.WithTimeout(r.Context(), s.Timeout)
		defer cancel()
		err := safely(f, w, r.WithContext(ctx), who)
		var p *problem
		status, level := http.StatusOK, slog.LevelInfo
		if err != nil {
			p = problemOf(err)
			p.write(w)
			status = p.status
		}
		took := time.Since(began)
		s.metrics.answered(route, p, took)
		attrs := []slog.Attr{slog.String("id", id), slog.String("route", route), slog.Int("status", status), slog.Duration("took", took), slog.String("key", who.name)}
		if p != nil {
			attrs = append(attrs, slog.String("error", logged(err, p)))
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		s.Log.LogAttrs(ctx, level, "request", attrs...)
	})
}

func safely(f action, w http.ResponseWriter, r *http.Request, who *client) (err error) {
	defer fault.Catch(&err)
	return f(w, r, who)
}

// guarded lets in who has a key, as many at a time as there are places.
func (s *Service) guarded(f action) action {
	return func(w http.ResponseWriter, r *http.Request, who *client) error {
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
		default:
			return slowDown("too many requests at a time", time.Second)
		}
		if s.Keys != nil {
			scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			known, ok := s.Keys.find(strings.TrimSpace(key))
			if !ok || !strings.EqualFold(scheme, "Bearer") {
				return &problem{status: http.StatusUnauthorized, Type: invalidRequest, Code: "invalid_api_key", Message: "an API key is needed: Authorization: Bearer KEY"}
			}
			*who = client{known.subject, known.single}
		}
		return f(w, r, who)
	}
}

// subject joins the key's subject and the user that a request names. A key's
// subject has no slash, so that no two pairs run into each other.
func (c *client) subject(user string) (string, error) {
	switch {
	case user != "" && c.single:
		return "", invalid("user", "user must be absent: this key stands for one subject")
	case user == "" && c.name == "":
		return "anonymous", nil
	case user == "":
		return c.name, nil
	case c.name == "":
		return user, nil
	}
	return c.name + "/" + user, nil
}

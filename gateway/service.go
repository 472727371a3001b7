package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"sotto/gateway/keys"
	"sotto/internal/httpserve"
)

// ServiceConfig says how a Gateway is put behind HTTP.
type ServiceConfig struct {
	Gateway     *Gateway
	Name        string        // by which clients call it as a model; "" means sotto
	Aliases     []string      // other names to which it answers
	Keys        *keys.Set     // that are taken; nil: everybody may ask
	Classifier  Classifier    // behind /v1/classify; nil for none
	Page        *Page         // at /; nil for none
	Log         *slog.Logger  // nil for none
	MaxBody     int64         // bytes; 0 means 1 MiB
	MaxInFlight int           // requests at a time; 0 means 1,024
	Rate        float64       // requests a second of each user; 0 for no limit
	Burst       int           // that may come at once; 0 means 10
	Timeout     time.Duration // of one request; 0 means 30 s
	Withdraw    time.Duration // for which it goes on answering when it is about to end, not ready any more; 0 for not at all
	Drain       time.Duration // for which the last requests are awaited after that; 0 means 30 s
	TLS         *tls.Config   // nil: plain HTTP
}

func (c ServiceConfig) fill() ServiceConfig {
	c.Name = cmp.Or(c.Name, "sotto")
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 1024)
	c.Burst = cmp.Or(c.Burst, 10)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	c.Drain = cmp.Or(c.Drain, 30*time.Second)
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
	case c.Withdraw < 0:
		return fmt.Errorf("gateway: the time to withdraw is %v, must not be negative", c.Withdraw)
	}
	return c.checkNames()
}

// Service answers HTTP requests from a Gateway. It is an http.Handler; Serve
// runs it with time-outs and drains it.
type Service struct {
	ServiceConfig
	mux     http.Handler
	http    *httpserve.Service
	rates   *httpserve.Rates
	places  *httpserve.Places
	asking  *httpserve.Places // of requests that wait for the server: one that is slow must not take all
	refused *prometheus.CounterVec
	texts   *prometheus.CounterVec
	epsilon prometheus.Counter
	lacking *prometheus.CounterVec
	reloads *prometheus.CounterVec

	reloaded  *prometheus.GaugeVec
	replacing sync.Mutex // held by Replace

	mu  sync.Mutex // guards now, and what it says of it
	now *shift
}

// NewService makes a service.
func NewService(c ServiceConfig) (*Service, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.fill()
	s := &Service{ServiceConfig: c, rates: httpserve.NewRates(c.Rate, c.Burst), places: httpserve.NewPlaces(c.MaxInFlight, 0)}
	s.asking = httpserve.NewPlaces(max(1, c.MaxInFlight/4), 0)
	s.http = httpserve.New(httpserve.Config{
		Name: "gateway", Log: c.Log, TLS: c.TLS, Read: c.Timeout, Write: 2 * c.Timeout, Timeout: c.Timeout, Withdraw: c.Withdraw, Drain: c.Drain,
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15), Refuse: s.refuse,
	})
	s.refused = s.http.Counter("refused_total", "Requests refused, by code.", "code")
	s.texts = s.http.Counter("texts_total", "Texts released: paid for now, or before.", "payment")
	s.epsilon = s.http.Counter("epsilon_spent_total", "Sum of ε that all users have spent since the start.").WithLabelValues()
	s.countReloads()
	s.http.Register(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	for route, door := range map[string]struct {
		f     action
		needs []keys.Scope
	}{
		"POST /v1/embeddings":    {s.embeddings, []keys.Scope{keys.Embed}},
		"POST /v1/classify":      {s.classify, []keys.Scope{keys.Classify}},
		"GET /v1/budget":         {s.budget, []keys.Scope{keys.Budget, keys.Admin}},
		"GET /v1/models":         {s.models, nil},
		"GET /v1/models/{model}": {s.model, nil},
		"POST /v1/admin/grant":   {s.grant, []keys.Scope{keys.Admin}},
		"GET /metrics":           {func(w http.ResponseWriter, r *http.Request, _ *client) error { return s.http.ShowMetrics(w, r) }, []keys.Scope{keys.Metrics}},
	} {
		mux.Handle(route, s.wrap(route, s.guarded(door.f, door.needs...)))
	}
	for route, f := range map[string]action{"GET /healthz": s.health, "GET /readyz": s.ready, "/": always(errNowhere)} {
		mux.Handle(route, s.wrap(route, f))
	}
	if c.Page != nil {
		mux.Handle("GET /{$}", s.wrap("GET /", s.showPage))
		mux.Handle("POST /page/try", s.wrap("POST /page/try", s.guarded(s.try, keys.Embed)))
	}
	// A page of another site must not spend a user's budget.
	foreign := http.NewCrossOriginProtection()
	foreign.SetDenyHandler(s.wrap("foreign page", always(errForeign)))
	s.mux = foreign.Handler(mux)
	var err error
	s.now, err = s.begin(Replacement{c.Gateway, c.Classifier, c.Keys})
	s.Gateway, s.Classifier, s.Keys = nil, nil, nil // the shift has them, and others after a reload
	return s, err
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve answers on a listener until ctx ends, lets the requests that are under
// way come to their end, for as long as Drain says, and returns nil.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	if err := s.http.Serve(ctx, l, s); !errors.Is(err, httpserve.ErrCut) {
		return err
	}
	return nil
}

// client is who asks.
type client struct {
	*shift // that answers
	keys.Holder
}

// action answers a request, or returns an error before it has written anything.
type action func(w http.ResponseWriter, r *http.Request, who *client) error

// wrap makes a handler of an action, with a line of the log that names the
// request and the key's subject.
func (s *Service) wrap(route string, f action) http.Handler {
	return s.http.Handle(route, func(w http.ResponseWriter, r *http.Request) error {
		now, leave := s.enter()
		defer leave()
		id, who := rand.Text()[:12], &client{shift: now}
		w.Header().Set("X-Request-Id", id)
		defer func() { httpserve.Note(r, slog.String("id", id), slog.String("key", who.Subject)) }()
		return f(w, r, who)
	})
}

// refuse answers with an error.
func (s *Service) refuse(w http.ResponseWriter, err error) (status int, reason string) {
	p := problemOf(err)
	s.refused.WithLabelValues(p.Code).Inc()
	p.write(w)
	return p.status, logged(err, p)
}

// guarded lets in who has a key with one of the scopes, as many at a time as there
// are places.
func (s *Service) guarded(f action, needs ...keys.Scope) action {
	return func(w http.ResponseWriter, r *http.Request, who *client) error {
		leave, ok := s.places.Enter(r.Context())
		if !ok {
			return slowDown("too many requests at a time", time.Second)
		}
		defer leave()
		if err := s.identify(r, who, needs); err != nil {
			return err
		}
		return f(w, r, who)
	}
}

// take refuses a subject that asks too often.
func (s *Service) take(subject string) error {
	switch wait, crowded := s.rates.Take(subject); {
	case crowded:
		return slowDown("too many users ask at once", wait)
	case wait > 0:
		return slowDown("too many requests of this user", wait)
	}
	return nil
}

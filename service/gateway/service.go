package gateway

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
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
	Hosts       []string      // by which clients may call it without keys, besides this machine's own names
	MaxBody     int64         // bytes; 0 means 1 MiB
	Memory      int64         // bytes that all requests under way may take together; 0 means 128 MiB
	MaxInFlight int           // requests that are worked on at a time; 0 means 2,048
	Share       int           // of them that one key, and one address, may have; 0 means half
	Connections int           // at a time; 0 means 4,096
	Each        int           // connections that one address may have; 0 means half
	Rate        float64       // texts a second of each user; 0 for no limit
	Burst       int           // that may come at once; 0 means 256
	Refusals    float64       // a second of one address that leave its connection open, others end it; 0 for no limit
	Timeout     time.Duration // of one request; 0 means 30 s
	Withdraw    time.Duration // for which it goes on answering when it is about to end, not ready any more; 0 for not at all
	Drain       time.Duration // for which the last requests are awaited after that; 0 means 30 s
	TLS         *tls.Config   // nil: plain HTTP
	Admin       net.Listener  // at which health and numbers are, as well; nil for none
}

func (c ServiceConfig) fill() ServiceConfig {
	c.Name = cmp.Or(c.Name, "sotto")
	c.MaxBody = cmp.Or(c.MaxBody, 1<<20)
	c.Memory = cmp.Or(c.Memory, 128<<20)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 2048)
	c.Share = cmp.Or(c.Share, (c.MaxInFlight+1)/2)
	c.Connections = cmp.Or(c.Connections, 4096)
	c.Each = cmp.Or(c.Each, (c.Connections+1)/2)
	c.Burst = cmp.Or(c.Burst, 256)
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
	case c.MaxBody < 1 || c.MaxInFlight < 1 || c.Share < 1 || c.Burst < 1:
		return fmt.Errorf("gateway: limits are %d bytes, %d requests, %d of one and a burst of %d, must be at least 1", c.MaxBody, c.MaxInFlight, c.Share, c.Burst)
	case c.Connections < 1 || c.Each < 1:
		return fmt.Errorf("gateway: limits are %d connections and %d of an address, must be at least 1", c.Connections, c.Each)
	case c.Memory/memoryOfBody < c.MaxBody:
		return fmt.Errorf("gateway: all requests may take %d bytes and a body %d, must be at least %d times as many", c.Memory, c.MaxBody, memoryOfBody)
	case !(c.Rate >= 0 && c.Rate <= 1e9) || !(c.Refusals >= 0 && c.Refusals <= 1e9):
		return fmt.Errorf("gateway: the rate is %v a second and that of refusals %v, must be from 0 to 1e9", c.Rate, c.Refusals)
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
	intake  *httpserve.Intake
	places  *httpserve.Places
	turns   *httpserve.Places // of large requests
	scrapes *httpserve.Places // of metrics
	asking  *httpserve.Places // of requests that wait for the server: one that is slow must not take all
	refused *prometheus.CounterVec
	texts   *prometheus.CounterVec
	epsilon prometheus.Counter
	lacking *prometheus.CounterVec
	reloads *prometheus.CounterVec
	lookout lookout

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
	s := &Service{
		ServiceConfig: c,
		rates:         httpserve.NewRates(c.Rate, c.Burst),
		intake:        httpserve.NewIntake(c.Memory, c.Timeout),
		places:        httpserve.NewPlaces(c.MaxInFlight, 0).Share(c.Share),
		turns:         httpserve.NewPlaces(max(1, runtime.GOMAXPROCS(0)-1), 2*time.Second),
		scrapes:       httpserve.NewPlaces(4, time.Second),
		asking:        httpserve.NewPlaces(max(1, c.MaxInFlight/4), 0),
	}
	s.http = httpserve.New(httpserve.Config{
		Name: "gateway", Log: c.Log, TLS: c.TLS, Read: c.Timeout, Write: 2 * c.Timeout, Timeout: c.Timeout, Withdraw: c.Withdraw, Drain: c.Drain,
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15), Refuse: s.refuse,
		Connections: c.Connections, Each: c.Each, Refusals: c.Refusals,
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
		"GET /metrics":           {s.metrics, []keys.Scope{keys.Metrics}},
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
	if c.Admin != nil {
		s.http.Beside(c.Admin, s.admin())
	}
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

// client is who asks, and what the request takes until it is answered.
type client struct {
	*shift // that answers
	keys.Holder
	waits bool // for the server, when it has released
	visit
}

// action answers a request, or returns an error before it has written anything.
type action func(w http.ResponseWriter, r *http.Request, who *client) error

// wrap makes a handler of an action, with a line of the log that names the
// request and the key's subject.
func (s *Service) wrap(route string, f action) http.Handler {
	return s.http.Handle(route, func(w http.ResponseWriter, r *http.Request) error {
		now, leave := s.enter()
		defer leave()
		id, who := newID(), &client{shift: now, visit: visit{load: s.intake.Open()}}
		w.Header().Set("X-Request-Id", id)
		defer func() {
			who.leave()
			who.load.Close()
			httpserve.Note(r, slog.String("id", id), slog.String("key", who.Subject))
		}()
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

// guarded lets in who has a key with one of the scopes.
func (s *Service) guarded(f action, needs ...keys.Scope) action {
	return func(w http.ResponseWriter, r *http.Request, who *client) error {
		if err := s.identify(r, who, needs); err != nil {
			return err
		}
		return f(w, r, who)
	}
}

// take refuses a subject that asks for too many texts, also for those that cost
// nothing: at the end of a budget an answer tells that a text was asked for.
func (s *Service) take(subject string, texts int) error {
	if wait := s.rates.Take(subject, max(1, texts)); wait > 0 {
		return slowDown("too many texts of this user at a time, by the gateway's --rate", wait)
	}
	return nil
}

package gateway

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/service/gateway/keys"
)

// shift is what a reload replaces: requests begin and end with the same one.
type shift struct {
	gateway *Gateway
	asks    Classifier // nil for none
	keys    *keys.Set  // nil: everybody may ask
	page    *page      // nil for none

	// The service's lock guards these.
	users   int           // requests under way
	retired bool          // another one has taken its place
	idle    chan struct{} // closed when it is retired and has no users
}

// enter takes part in the shift that answers now, until leave is called.
func (s *Service) enter() (now *shift, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.now
	now.users++
	return now, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		now.users--
		now.end()
	}
}

// end says that nobody needs a shift any more.
func (h *shift) end() {
	if h.retired && h.users == 0 {
		close(h.idle)
	}
}

// Replacement is what a service takes while it runs; nil for what it has.
type Replacement struct {
	Gateway    *Gateway
	Classifier Classifier
	Keys       *keys.Set
}

// begin makes a shift.
func (s *Service) begin(r Replacement) (*shift, error) {
	next := &shift{gateway: r.Gateway, asks: r.Classifier, keys: r.Keys, idle: make(chan struct{})}
	var err error
	if s.Page != nil {
		next.page, err = s.newPage(next)
	}
	return next, err
}

// Replace takes others for the requests that come from now on. Those under way end
// with what they began with, and when all have, the channel is closed: what only
// the old gateway used can be closed then. On an error nothing has changed.
func (s *Service) Replace(r Replacement) (idle <-chan struct{}, err error) {
	s.replacing.Lock() // one at a time, without a wait for requests
	defer s.replacing.Unlock()
	s.mu.Lock()
	old := s.now
	s.mu.Unlock()
	if r.Gateway == nil {
		r.Gateway = old.gateway
	}
	if r.Classifier == nil {
		r.Classifier = old.asks
	}
	if r.Keys == nil {
		r.Keys = old.keys
	}
	next, err := s.begin(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, old.retired = next, true
	old.end()
	return old.idle, nil
}

// Part is something that a service reads anew while it runs.
type Part string

// The parts of a service.
const (
	PartKeys         Part = "keys"
	PartCertificates Part = "certificates"
	PartModel        Part = "model" // and encoder and masks
)

// Reloaded counts that a part was read anew, or, with an error, that the old one
// is still in use.
func (s *Service) Reloaded(p Part, err error) {
	result, good := "taken", 1.0
	if err != nil {
		result, good = "refused", 0
	}
	s.reloads.WithLabelValues(string(p), result).Inc()
	s.reloaded.WithLabelValues(string(p)).Set(good)
}

// countReloads registers what is counted of keys and reloads. Labels are scopes,
// states and parts, never a subject or an id.
func (s *Service) countReloads() {
	s.lacking = s.http.Counter("scope_refused_total", "Requests refused since their key lacks a scope, by the scope.", "scope")
	s.reloads = s.http.Counter("reloads_total", "Times that a part was read anew, and taken or refused.", "part", "result")
	s.reloaded = s.http.Gauge("last_reload_successful", "1 if a part was taken when it was last read anew, 0 if the old one is still in use.", "part")
	for _, state := range []string{"active", "expired", "revoked"} {
		s.http.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "sotto_gateway_keys", Help: "API keys, by state.", ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return s.countKeys(time.Now())[state] }))
	}
}

// countKeys returns how many keys are in each state.
func (s *Service) countKeys(now time.Time) map[string]float64 {
	states := map[string]float64{"active": 0, "expired": 0, "revoked": 0}
	s.mu.Lock()
	set := s.now.keys
	s.mu.Unlock()
	if set == nil {
		return states
	}
	for _, e := range set.Entries() {
		states[e.State(now)]++
	}
	return states
}

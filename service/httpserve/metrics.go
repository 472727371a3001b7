package httpserve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// count registers what every service counts. Labels are routes and status
// codes, never anything that a request brought.
func (s *Service) count() {
	s.requests = s.Counter("requests_total", "Requests answered, by route and status.", "route", "status")
	s.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: s.metric("request_seconds"), Help: "Time to answer, by route.", Buckets: s.Buckets}, []string{"route"})
	s.flying = prometheus.NewGauge(prometheus.GaugeOpts{Name: s.metric("requests_in_flight"), Help: "Requests that wait for an answer."})
	s.shed = s.Counter("shed_total", "Requests and connections turned away for want of room, by kind.", "kind")
	connections := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: s.metric("connections"), Help: "Connections that are open."}, s.connections)
	s.Register(s.seconds, s.flying, connections)
}

// connections is how many are open.
func (s *Service) connections() float64 {
	n := 0
	for _, g := range *s.gates.Load() {
		n += g.open()
	}
	return float64(n)
}

// metric is the full name of a metric of the service.
func (s *Service) metric(name string) string { return "sotto_" + s.Name + "_" + name }

// Counter makes and registers a counter of the service. The labels' values must
// quote nothing of a request.
func (s *Service) Counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: s.metric(name), Help: help}, labels)
	s.Register(c)
	return c
}

// Gauge makes and registers a gauge of the service, under the same rule.
func (s *Service) Gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: s.metric(name), Help: help}, labels)
	s.Register(g)
	return g
}

// Register registers collectors. It panics if one is there already.
func (s *Service) Register(all ...prometheus.Collector) { s.registry.MustRegister(all...) }

// ShowMetrics answers with all metrics, in the text format of Prometheus.
func (s *Service) ShowMetrics(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

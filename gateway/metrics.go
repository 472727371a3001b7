package gateway

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the numbers of a service. Their labels are routes, status codes
// and problems, never a user, a key or anything of a text.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	texts    *prometheus.CounterVec
	epsilon  prometheus.Counter
	flying   prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sotto_gateway_requests_total", Help: "Requests answered, by route and status."}, []string{"route", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "sotto_gateway_request_seconds", Help: "Time to answer, by route.", Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)}, []string{"route"}),
		refused:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sotto_gateway_refused_total", Help: "Requests refused, by code."}, []string{"code"}),
		texts:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sotto_gateway_texts_total", Help: "Texts released: paid for now, or before."}, []string{"payment"}),
		epsilon:  prometheus.NewCounter(prometheus.CounterOpts{Name: "sotto_gateway_epsilon_spent_total", Help: "Sum of ε that all users have spent since the start."}),
		flying:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "sotto_gateway_requests_in_flight", Help: "Requests that wait for an answer."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.refused, m.texts, m.epsilon, m.flying,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// answered counts a request; p is nil if it was granted.
func (m *metrics) answered(route string, p *problem, took time.Duration) {
	status := http.StatusOK
	if p != nil {
		status = p.status
		m.refused.WithLabelValues(p.Code).Inc()
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// released counts what left.
func (m *metrics) released(p Privacy) {
	m.texts.WithLabelValues("paid").Add(float64(p.Paid))
	m.texts.WithLabelValues("repeated").Add(float64(p.Repeated))
	m.epsilon.Add(p.Cost)
}

package server

import (
	"github.com/prometheus/client_golang/prometheus"
)

// bounds are the upper ends, in seconds, of the histogram of times.
var bounds = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// metrics count what the server does besides answering. Labels are names of
// models that are served, never anything that a request brought.
type metrics struct {
	vectors *prometheus.CounterVec
	reads   *prometheus.CounterVec
}

// count registers the metrics.
func (s *Server) count() {
	s.vectors = s.http.Counter("vectors_total", "Vectors that were classified.", "model")
	s.reads = s.http.Counter("model_reads_total", "Models read from disk, by result.", "result")
	for _, result := range []string{"loaded", "refused"} {
		s.reads.WithLabelValues(result)
	}
	s.http.Register(models{s})
}

// models tells, when it is asked, which models are served.
type models struct{ *Server }

var (
	infoMetric  = prometheus.NewDesc("sotto_server_model_info", "Models that are served.", []string{"model", "version", "method", "unit"}, nil)
	staleMetric = prometheus.NewDesc("sotto_server_model_stale", "1 where the model on disk was refused or is gone and an older one is served.", []string{"model"}, nil)
)

// Describe implements prometheus.Collector.
func (models) Describe(to chan<- *prometheus.Desc) { to <- infoMetric; to <- staleMetric }

// Collect implements prometheus.Collector.
func (s models) Collect(to chan<- prometheus.Metric) {
	now := *s.state.Load()
	for _, name := range now.names(true) {
		m, stale := now[name], 0.0
		if m.stale {
			stale = 1
		}
		to <- prometheus.MustNewConstMetric(infoMetric, prometheus.GaugeValue, 1, name, m.version, m.method, string(m.guarantee.Unit))
		to <- prometheus.MustNewConstMetric(staleMetric, prometheus.GaugeValue, stale, name)
	}
}

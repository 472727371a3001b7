package server

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// bounds are the upper ends, in seconds, of the histograms of times.
var bounds = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// metrics count what the server does besides answering. Labels are names of
// models that are served and codes of refusals, never anything that a request
// brought.
type metrics struct {
	inferences *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	vectors    *prometheus.CounterVec
	refused    *prometheus.CounterVec
	reads      *prometheus.CounterVec
	reloads    *prometheus.CounterVec
	unread     atomic.Bool // the folder, when it was last looked at
}

// count registers the metrics.
func (s *Server) count() {
	s.inferences = s.http.Counter("inferences_total", "Requests for a model's answer, by model and code: ok, or why it was refused.", "model", "code")
	s.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "sotto_server_inference_seconds", Help: "Time to answer for a model, with the wait for a turn.", Buckets: bounds}, []string{"model"})
	s.vectors = s.http.Counter("vectors_total", "Vectors that were classified.", "model")
	s.refused = s.http.Counter("refused_total", "Requests refused, by code.", "code")
	s.reads = s.http.Counter("model_reads_total", "Models read from disk, by result.", "result")
	s.reloads = s.http.Counter("reloads_total", "Times that everything was read anew, by result.", "result")
	for _, result := range []string{"loaded", "refused"} {
		s.reads.WithLabelValues(result)
	}
	for _, err := range []error{nil, errLate, errors.ErrUnsupported} {
		s.reloads.WithLabelValues(resultOf(err))
	}
	held := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sotto_server_bytes_in_flight", Help: "Memory that requests under way have taken, of --memory."}, func() float64 { return float64(s.intake.Held()) })
	s.http.Register(s.seconds, held, models{s}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// resultOf names how a reload went.
func resultOf(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, errLate):
		return "late"
	}
	return "refused"
}

// counted answers for a model, and counts that.
func (s *Server) counted(m slot, answer func() error) error {
	began := time.Now()
	err := answer()
	code := "ok"
	if err != nil {
		code = refusalOf(err).Code
	}
	s.inferences.WithLabelValues(m.name, code).Inc()
	s.seconds.WithLabelValues(m.name).Observe(time.Since(began).Seconds())
	return err
}

// models tells, when it is asked, which models are served.
type models struct{ *Server }

var (
	numberMetric = prometheus.NewDesc("sotto_server_models", "Models that are served.", nil, nil)
	infoMetric   = prometheus.NewDesc("sotto_server_model_info", "Models that are served, 1 for each.", []string{"model", "version", "method", "unit"}, nil)
	staleMetric  = prometheus.NewDesc("sotto_server_model_stale", "1 where the model on disk was refused or is gone and an older one is served.", []string{"model"}, nil)
	unreadMetric = prometheus.NewDesc("sotto_server_folder_unreadable", "1 if the models' folder could not be read when it was last looked at.", nil, nil)
)

// Describe implements prometheus.Collector.
func (models) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{numberMetric, infoMetric, staleMetric, unreadMetric} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (s models) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	one := map[bool]float64{true: 1}
	now := *s.state.Load()
	names := now.names(true)
	gauge(numberMetric, float64(len(names)))
	gauge(unreadMetric, one[s.unread.Load()])
	for _, name := range names {
		m := now[name]
		gauge(infoMetric, 1, name, m.version, m.method, string(m.guarantee.Unit))
		gauge(staleMetric, one[m.stale], name)
	}
}

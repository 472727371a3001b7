package server

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are the upper ends, in seconds, of the histogram of times.
var bounds = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// metrics count what happens. Labels are routes, codes and names of models
// that are served, never anything that a request brought.
type metrics struct {
	inFlight atomic.Int64

	mu       sync.Mutex // guards the rest
	requests map[outcome]uint64
	rows     map[string]uint64
	reloads  map[string]uint64
	times    map[string]*histogram
}

// outcome is a label of the counter of requests.
type outcome struct {
	route  string
	status int
}

// histogram counts times below each of bounds, and all.
type histogram struct {
	below [len(bounds)]uint64
	count uint64
	sum   float64
}

func (m *metrics) answered(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count(&m.requests, outcome{route, status}, 1)
	if m.times == nil {
		m.times = map[string]*histogram{}
	}
	h := m.times[route]
	if h == nil {
		h = &histogram{}
		m.times[route] = h
	}
	h.count++
	h.sum += took.Seconds()
	for i, bound := range bounds {
		if took.Seconds() <= bound {
			h.below[i]++
		}
	}
}

func (m *metrics) classified(model string, rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count(&m.rows, model, uint64(rows))
}

// reloaded counts a model that was read: loaded or refused.
func (m *metrics) reloaded(result string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	count(&m.reloads, result, 1)
}

func count[K comparable](m *map[K]uint64, key K, n uint64) {
	if *m == nil {
		*m = map[K]uint64{}
	}
	(*m)[key] += n
}

// exposition handles "GET /metrics", in the text format of Prometheus.
func (s *Server) exposition(w http.ResponseWriter, _ *http.Request) error {
	var b bytes.Buffer
	s.metrics.write(&b)
	now := s.state.Load()
	head(&b, "sotto_server_model_info", "gauge", "Models that are served.")
	for _, name := range slices.Sorted(maps.Keys(now.models)) {
		m := now.models[name]
		fmt.Fprintf(&b, "sotto_server_model_info{model=%q,version=%q,method=%q,unit=%q} 1\n", name, m.version, m.method, m.guarantee.Unit)
	}
	head(&b, "sotto_server_model_stale", "gauge", "1 where the model on disk was refused or is gone and an older one is served.")
	for _, name := range slices.Sorted(maps.Keys(now.models)) {
		value := 0
		if now.stale[name] {
			value = 1
		}
		fmt.Fprintf(&b, "sotto_server_model_stale{model=%q} %d\n", name, value)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // whoever asked is gone
	return nil
}

func (m *metrics) write(b *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(b, "sotto_server_requests_in_flight", "gauge", "Requests that are being answered.")
	fmt.Fprintf(b, "sotto_server_requests_in_flight %d\n", m.inFlight.Load())
	head(b, "sotto_server_requests_total", "counter", "Requests by route and status.")
	for _, o := range slices.SortedFunc(maps.Keys(m.requests), func(x, y outcome) int {
		return cmp.Or(cmp.Compare(x.route, y.route), cmp.Compare(x.status, y.status))
	}) {
		fmt.Fprintf(b, "sotto_server_requests_total{route=%q,status=\"%d\"} %d\n", o.route, o.status, m.requests[o])
	}
	head(b, "sotto_server_vectors_total", "counter", "Vectors that were classified.")
	for _, name := range slices.Sorted(maps.Keys(m.rows)) {
		fmt.Fprintf(b, "sotto_server_vectors_total{model=%q} %d\n", name, m.rows[name])
	}
	head(b, "sotto_server_model_reads_total", "counter", "Models read from disk, by result.")
	for _, result := range []string{"loaded", "refused"} {
		fmt.Fprintf(b, "sotto_server_model_reads_total{result=%q} %d\n", result, m.reloads[result])
	}
	head(b, "sotto_server_request_seconds", "histogram", "Time to answer.")
	for _, route := range slices.Sorted(maps.Keys(m.times)) {
		h := m.times[route]
		for i, bound := range bounds {
			fmt.Fprintf(b, "sotto_server_request_seconds_bucket{route=%q,le=\"%v\"} %d\n", route, bound, h.below[i])
		}
		fmt.Fprintf(b, "sotto_server_request_seconds_bucket{route=%q,le=\"+Inf\"} %d\n", route, h.count)
		fmt.Fprintf(b, "sotto_server_request_seconds_sum{route=%q} %v\n", route, h.sum)
		fmt.Fprintf(b, "sotto_server_request_seconds_count{route=%q} %d\n", route, h.count)
	}
}

func head(b *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

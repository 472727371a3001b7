package server

import (
	"net/http"
	"slices"

	"sotto/service/httpserve"
	"sotto/service/server/kserve"
)

// Handler returns the handler of all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for route, f := range map[string]httpserve.Action{
		"GET /v2":                                         s.about,
		"GET /v2/health/live":                             s.live,
		"GET /v2/health/ready":                            s.ready,
		"POST /v2/repository/index":                       s.index,
		"GET /v2/models/{name}":                           s.metadata,
		"GET /v2/models/{name}/ready":                     s.modelReady,
		"POST /v2/models/{name}/infer":                    s.infer,
		"GET /v2/models/{name}/versions/{version}":        s.metadata,
		"GET /v2/models/{name}/versions/{version}/ready":  s.modelReady,
		"POST /v2/models/{name}/versions/{version}/infer": s.infer,
		"GET /metrics":                                    s.http.ShowMetrics,
		"/":                                               func(http.ResponseWriter, *http.Request) error { return errRoute },
	} {
		mux.Handle(route, s.http.Handle(route, f))
	}
	return mux
}

// admin answers at the second listener, if there is one.
func (s *Server) admin() http.Handler {
	mux := http.NewServeMux()
	for route, f := range map[string]httpserve.Action{
		"GET /v2/health/live":  s.live,
		"GET /v2/health/ready": s.ready,
		"GET /metrics":         s.http.ShowMetrics,
		"/":                    func(http.ResponseWriter, *http.Request) error { return errRoute },
	} {
		mux.Handle(route, s.http.Handle(route, f))
	}
	return mux
}

// What a server says of itself.
const (
	platform = "sotto"
	protocol = "2"
)

var extensions = []string{"binary_tensor_data", "model_repository(index)"}

// about handles "GET /v2".
func (s *Server) about(w http.ResponseWriter, _ *http.Request) error {
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{"name": platform, "version": protocol, "extensions": extensions})
}

// live handles "GET /v2/health/live".
func (s *Server) live(w http.ResponseWriter, _ *http.Request) error {
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{"live": true})
}

// unready says why the server is not ready, over HTTP or for calls; nil if it is.
func (s *Server) unready(calls bool) error {
	if s.http.Draining() {
		return errEnding
	}
	if s.http.Shedding(calls) {
		return &refusal{"requests are turned away for want of room", "overloaded", http.StatusServiceUnavailable}
	}
	return nil
}

// ready handles "GET /v2/health/ready". A server that still answers with an
// old model, since the new one was refused, is ready and names it.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if err := s.unready(false); err != nil {
		return err
	}
	now := *s.state.Load()
	fresh := func(name string) bool { return !now[name].stale }
	stale := append([]string{}, slices.DeleteFunc(now.names(true), fresh)...)
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{"ready": true, "stale": stale})
}

// index handles "POST /v2/repository/index".
func (s *Server) index(w http.ResponseWriter, _ *http.Request) error {
	type entry struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
		State   string `json:"state"`
		Reason  string `json:"reason,omitempty"`
	}
	now := *s.state.Load()
	var all []entry
	for _, name := range now.names(true) {
		e := entry{Name: name, Version: now[name].version, State: "READY"}
		if now[name].stale {
			e.Reason = "what lies on disk was refused or is gone; the model before it is served"
		}
		all = append(all, e)
	}
	for _, name := range now.names(false) {
		all = append(all, entry{Name: name, State: "UNAVAILABLE", Reason: "it cannot be served; the log says why"})
	}
	return httpserve.WriteJSON(w, http.StatusOK, all)
}

// modelReady handles "GET /v2/models/{name}/ready".
func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r)
	if err != nil {
		return err
	}
	if s.http.Draining() {
		return errEnding
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{"name": m.name, "ready": true, "stale": m.stale})
}

// tensors describes what a model takes and answers.
func (m *served) tensors() (inputs, outputs []kserve.TensorInfo) {
	for _, l := range m.labels {
		outputs = append(outputs,
			kserve.TensorInfo{Name: l.scores, Datatype: kserve.FP32, Shape: []int{-1, len(l.classes)}},
			kserve.TensorInfo{Name: l.class, Datatype: kserve.Bytes, Shape: []int{-1}})
	}
	return []kserve.TensorInfo{{Name: inputVector, Datatype: kserve.FP32, Shape: []int{-1, m.width}}}, outputs
}

// metadata handles "GET /v2/models/{name}".
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r)
	if err != nil {
		return err
	}
	inputs, outputs := m.tensors()
	labels := make([]map[string]any, len(m.labels))
	for i, l := range m.labels {
		labels[i] = map[string]any{"name": l.name, "classes": l.classes, "scores": l.scores, "class": l.class}
	}
	parameters := map[string]any{
		"method":      m.method,
		"mechanism":   m.mechanism,
		"guarantee":   m.guarantee,
		"coverage":    m.coverage,
		"classes":     m.labels[0].classes,
		"labels":      labels,
		"interrupted": m.stopped,
	}
	if m.codes > 0 { // which may also be sent as their indices
		parameters["codes"] = m.codes
	}
	if m.cells.Rows > 0 { // likewise
		parameters["cells"] = m.cells.Rows
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]any{
		"name":       m.name,
		"versions":   []string{m.version},
		"platform":   platform,
		"inputs":     inputs,
		"outputs":    outputs,
		"parameters": parameters,
	})
}

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/service/httpserve"
	"sotto/service/server/kserve"
)

// The tensors of every model; with several labels the outputs of each have its
// name before theirs.
const (
	inputVector  = "vector"
	outputScores = "scores"
	outputClass  = "class"
)

// infer handles "POST /v2/models/{name}/infer".
func (s *Server) infer(w http.ResponseWriter, r *http.Request) error {
	m, err := s.model(r)
	if err != nil {
		return err
	}
	return s.counted(m, func() error {
		load := s.intake.Open()
		defer load.Close()
		body, err := s.readBody(w, r, &load, s.largest(m))
		if err != nil {
			return err
		}
		req, err := s.parse(r, body)
		if err != nil {
			return err
		}
		if req.ModelName != "" && req.ModelName != m.name || req.ModelVersion != "" && req.ModelVersion != m.version {
			return errUnknown
		}
		res, err := s.answer(r.Context(), httpserve.Network(r), m, &load, req)
		if err != nil {
			return err
		}
		return write(w, res)
	})
}

// answer answers a request of whoever asks from a network, however it came.
func (s *Server) answer(ctx context.Context, network string, m slot, load *httpserve.Load, req *kserve.Request) (*kserve.Response, error) {
	if err := m.admit(req.Parameters[kserve.Privacy]); err != nil {
		return nil, err
	}
	x, err := m.vectors(req, s.config.MaxRows)
	if err != nil {
		return nil, err
	}
	wanted, err := m.wanted(req)
	if err != nil {
		return nil, err
	}
	place, err := s.work(ctx, network, m, load, x.Rows)
	if err != nil {
		return nil, err
	}
	defer place.Leave() // how long the client takes to read is nobody else's concern
	said, err := m.classify(ctx, x)
	if errors.Is(err, errNotFinite) {
		return nil, bad("not_finite", "a vector is so large that its scores are not finite")
	} else if err != nil {
		return nil, errGone
	}
	s.vectors.WithLabelValues(m.name).Add(float64(x.Rows))
	return m.response(req, wanted, said), nil
}

// tolerance is how far a stated ε or δ may lie above the model's, by rounding.
const tolerance = 1 + 1e-6

// admit refuses vectors that come without a guarantee, or with one that is not
// at least what the model's own vectors have. ε of another unit cannot be
// compared, and a larger one is a weaker promise than the model was made for. A
// smaller one is welcome, although the model knows less noise.
func (m *served) admit(raw json.RawMessage) error {
	if raw == nil {
		return bad("no_guarantee", "parameter "+kserve.Privacy+" is missing, must be the guarantee under which the vectors were released")
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	// Pointers, since what is left out must not become an ε of 0.
	var stated struct {
		Unit    *dp.Unit    `json:"unit"`
		Epsilon *dp.Epsilon `json:"epsilon"`
		Delta   float64     `json:"delta"`
	}
	if json.Unmarshal(raw, &stated) != nil || stated.Unit == nil || stated.Epsilon == nil {
		return bad("no_guarantee", "parameter "+kserve.Privacy+" must be an object with unit, epsilon and delta")
	}
	g := dp.Guarantee{Unit: *stated.Unit, Epsilon: *stated.Epsilon, Delta: stated.Delta}
	switch own := m.guarantee; {
	case g.Validate() != nil || math.IsInf(float64(g.Epsilon), 1):
		return bad("no_guarantee", "parameter "+kserve.Privacy+" promises nothing: unit, epsilon and delta must be a guarantee with a finite epsilon")
	case g.Unit != own.Unit:
		return bad("guarantee_mismatch", fmt.Sprintf("the vectors' guarantee is %s-level, must be %s-level as this model's", g.Unit, own.Unit))
	case !(float64(g.Epsilon) <= float64(own.Epsilon)*tolerance), !(g.Delta <= own.Delta*tolerance):
		return bad("guarantee_mismatch", fmt.Sprintf("the vectors' guarantee is %v, must be at least as strong as this model's, %v", g, own))
	}
	return nil
}

// vectors returns the request's rows.
func (m *served) vectors(req *kserve.Request, most int) (nn.Matrix, error) {
	if len(req.Inputs) != 1 || req.Inputs[0].Name != inputVector {
		return nn.Matrix{}, bad("invalid_request", fmt.Sprintf("inputs must be one tensor called %q", inputVector))
	}
	t := req.Inputs[0]
	indexed := m.indexable() != "" && len(t.Shape) == 2 && t.Shape[1] == 1
	switch {
	case t.Datatype != kserve.FP32:
		return nn.Matrix{}, bad("invalid_request", "datatype of the vectors must be "+kserve.FP32)
	case !indexed && (len(t.Shape) != 2 || t.Shape[1] != m.width):
		return nn.Matrix{}, bad("wrong_width", m.shape())
	case t.Shape[0] == 0:
		return nn.Matrix{}, bad("empty_batch", "there are no vectors, must be at least one")
	case t.Shape[0] > most:
		return nn.Matrix{}, bad("batch_too_large", fmt.Sprintf("there are %d vectors, must be at most %d", t.Shape[0], most))
	}
	x := nn.Matrix{Rows: t.Shape[0], Cols: t.Shape[1], Data: t.Floats}
	switch {
	case x.Finite() != nil:
		return nn.Matrix{}, bad("not_finite", "a number of the vectors is not finite")
	case indexed:
		return m.unfold(t.Floats)
	case m.codes > 0:
		return x, m.checkCodes(x)
	}
	return x, nil
}

// wanted returns the names of the outputs that are asked for, in order.
func (m *served) wanted(req *kserve.Request) ([]string, error) {
	var all, names []string
	for _, l := range m.labels {
		all = append(all, l.scores, l.class)
	}
	if len(req.Outputs) == 0 {
		return all, nil
	}
	for _, o := range req.Outputs {
		if !slices.Contains(all, o.Name) || slices.Contains(names, o.Name) {
			return nil, bad("invalid_request", fmt.Sprintf("outputs must be of %q, each at most once", all))
		}
		names = append(names, o.Name)
	}
	return names, nil
}

// response makes tensors of the outputs that are wanted.
func (m *served) response(req *kserve.Request, wanted []string, said []classified) *kserve.Response {
	tensors := make(map[string]kserve.Tensor)
	for i, l := range m.labels {
		y := said[i].scores
		tensors[l.scores] = kserve.Tensor{Datatype: kserve.FP32, Shape: []int{y.Rows, y.Cols}, Floats: y.Data}
		tensors[l.class] = kserve.Tensor{Datatype: kserve.Bytes, Shape: []int{y.Rows}, Strings: said[i].classes}
	}
	res := &kserve.Response{ModelName: m.name, ModelVersion: m.version, ID: req.ID}
	for _, name := range wanted {
		t := tensors[name]
		t.Name, t.Binary = name, req.BinaryOutput(name)
		res.Outputs = append(res.Outputs, t)
	}
	return res
}

// write sends a response over HTTP.
func write(w http.ResponseWriter, res *kserve.Response) error {
	body, header, err := res.Encode()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if header < len(body) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set(kserve.HeaderLength, strconv.Itoa(header))
	}
	_, _ = w.Write(body) // whoever asked is gone
	return nil
}

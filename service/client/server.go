package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"sotto/promise/dp"
	"sotto/service/server/kserve"
)

// Server asks a server that speaks KServe v2 as "sotto serve" does. NewServer
// makes one. It is safe for concurrent use.
//
// The server is not trusted. Nothing that it says is believed but answers about
// the classes that were expected, and no answer takes more memory than the batch
// can need. The classes are those of [Server.Expect], or else those that the
// server names when it is first asked: from then on others are refused, also
// under a new version of the model.
type Server struct {
	caller *caller

	mu       sync.Mutex // guards the rest
	name     string
	expected []Label // nil until they are known
	known    Model
}

// NewServer returns a client of the server at an address such as
// http://127.0.0.1:8788, for a model of its own by name; "" is the only one
// that it has when it is first asked. It asks nothing yet.
func NewServer(base, model string, o Options) (*Server, error) {
	c, err := newCaller(base, o)
	if err != nil {
		return nil, err
	}
	if model != "" && !goodName(model) {
		return nil, errors.New("client: the model's name must be letters, digits, dots, hyphens and underscores")
	}
	return &Server{caller: c, name: model}, nil
}

// Expect says which labels and classes are answered, in their order; what their
// outputs are called is not looked at. A server that has others is not believed.
func (s *Server) Expect(labels []Label) error {
	if reason := checkLabels(labels); reason != "" {
		return errors.New("client: labels cannot be expected: " + reason)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expected, s.known = slices.Clone(labels), Model{}
	return nil
}

// Model is what a server says of a model.
type Model struct {
	Name      string
	Version   string
	Width     int      // numbers of a vector
	Codes     int      // that a vector stands for one of; 0 if it is no code
	Classes   []string // of the first label
	Labels    []Label  // all that are answered
	Method    string
	Guarantee dp.Guarantee // what vectors must have at least
}

// Label is one that a model answers.
type Label struct {
	Name    string   `json:"name"`
	Classes []string `json:"classes"`
	Scores  string   `json:"scores"` // what its outputs are called
	Class   string   `json:"class"`
}

// Model asks what the model is. That it has other classes than those that are
// expected is an [*Unavailable] of code classes_changed.
func (s *Server) Model(ctx context.Context) (Model, error) {
	name, err := s.modelName(ctx)
	if err != nil {
		return Model{}, err
	}
	var got struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
		Inputs   []struct {
			Shape []int `json:"shape"`
		} `json:"inputs"`
		Parameters struct {
			Method    string       `json:"method"`
			Classes   []string     `json:"classes"`
			Labels    []Label      `json:"labels"`
			Codes     int          `json:"codes"`
			Guarantee dp.Guarantee `json:"guarantee"`
		} `json:"parameters"`
	}
	if err := s.ask(ctx, message{method: "GET", path: "/v2/models/" + url.PathEscape(name), most: s.mostMetadata()}, &got); err != nil {
		return Model{}, err
	}
	p := got.Parameters
	if p.Labels == nil { // a server that knows of one label only
		p.Labels = []Label{{Classes: p.Classes}}
	}
	if len(p.Labels) == 1 && p.Labels[0].Scores == "" && p.Labels[0].Class == "" {
		p.Labels[0].Scores, p.Labels[0].Class = "scores", "class"
	}
	m := Model{Name: got.Name, Codes: p.Codes, Labels: p.Labels, Method: p.Method, Guarantee: p.Guarantee}
	if len(got.Versions) == 1 { // the protocol does not ask for any
		m.Version = got.Versions[0]
	}
	if len(got.Inputs) == 1 && len(got.Inputs[0].Shape) == 2 {
		m.Width = got.Inputs[0].Shape[1]
	}
	if reason := m.check(name); reason != "" {
		return Model{}, malformed(reason)
	}
	m.Classes = m.Labels[0].Classes
	return m, s.learn(m)
}

// learn keeps what the model is, and refuses one of other classes.
func (s *Server) learn(m Model) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expected == nil {
		s.expected = m.Labels
	}
	if !sameLabels(s.expected, m.Labels) {
		return &Unavailable{Status: http.StatusOK, Code: "classes_changed", Err: errors.New("the model's labels or classes are not those that are expected")}
	}
	s.known = m
	return nil
}

// ask is the caller's, with a refusal that is not believed in all its words.
func (s *Server) ask(ctx context.Context, m message, to any) error {
	a, err := s.caller.call(ctx, m)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusOK:
		return doubted(a.failure(), a.status)
	}
	return a.decode(to)
}

// modelName returns the name that was given, or else the only one there is.
func (s *Server) modelName(ctx context.Context) (string, error) {
	s.mu.Lock()
	name := s.name
	s.mu.Unlock()
	if name != "" {
		return name, nil
	}
	var all []struct{ Name, State string }
	if err := s.ask(ctx, message{method: "POST", path: "/v2/repository/index", most: mostIndex}, &all); err != nil {
		return "", err
	}
	for _, m := range all {
		if m.State != "READY" {
			continue
		}
		if !goodName(m.Name) {
			return "", malformed("a model has a name that no model may have")
		}
		if name != "" {
			return "", fmt.Errorf("client: the server has several models, must be told which: %s, %s, …", name, m.Name)
		}
		name = m.Name
	}
	if name == "" {
		return "", &Unavailable{Status: http.StatusOK, Code: "no_model"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
	return name, nil
}

// Classify asks for the classes of released vectors of equal width, one answer
// each; a code may be given as its vector or as its index alone. The guarantee
// is that under which each was released; a server refuses vectors without one.
// The error is an [*Unavailable] or a [*Refused], unless the request itself
// cannot be written.
func (s *Server) Classify(ctx context.Context, vectors [][]float32, g dp.Guarantee) ([]Answer, error) {
	model, err := s.model(ctx, "")
	if err != nil {
		return nil, err
	}
	m, err := inference(model, vectors, g)
	if err != nil {
		return nil, err
	}
	a, err := s.caller.call(ctx, m)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, doubted(a.failure(), a.status)
	}
	res, err := kserve.ParseResponse(a.body, a.header.Get(kserve.HeaderLength))
	if err != nil {
		return nil, malformed("it is no message of the protocol")
	}
	// A new version may have its classes in another order.
	if model, err = s.model(ctx, res.ModelVersion); err != nil {
		return nil, err
	}
	return model.answers(res, len(vectors))
}

// ClassifyCodes is Classify for releases of codes, which are sent as their
// indices: a number each in place of a vector.
func (s *Server) ClassifyCodes(ctx context.Context, codes []int, g dp.Guarantee) ([]Answer, error) {
	vectors := make([][]float32, len(codes))
	for i, c := range codes {
		if c < 0 || c >= mostCodes {
			return nil, fmt.Errorf("client: an index is no code's, must be from 0 to %d", mostCodes-1)
		}
		vectors[i] = []float32{float32(c)}
	}
	return s.Classify(ctx, vectors, g)
}

// mostCodes is where integers stop to be exact as 32-bit floats.
const mostCodes = 1 << 24

// inference makes the message that asks for classes.
func inference(model Model, vectors [][]float32, g dp.Guarantee) (message, error) {
	if err := g.Validate(); err != nil {
		return message{}, err
	}
	if len(vectors) == 0 {
		return message{}, errors.New("client: there are no vectors, must be at least one")
	}
	width := len(vectors[0])
	for _, v := range vectors {
		if len(v) != width {
			return message{}, errors.New("client: vectors differ in width, must be alike")
		}
	}
	promise, err := json.Marshal(g)
	if err != nil {
		return message{}, err
	}
	// A parameter of the protocol is a string, a number or a truth value.
	quoted, err := json.Marshal(string(promise))
	if err != nil {
		return message{}, err
	}
	var outputs []kserve.Output
	for _, l := range model.Labels {
		outputs = append(outputs, kserve.Output{Name: l.Scores}, kserve.Output{Name: l.Class})
	}
	body, header, err := kserve.Request{
		Outputs:    outputs,
		Parameters: kserve.Parameters{kserve.Privacy: quoted},
		Inputs:     []kserve.Tensor{{Name: "vector", Datatype: kserve.FP32, Shape: []int{len(vectors), width}, Floats: slices.Concat(vectors...), Binary: true}},
	}.Encode()
	return message{"POST", "/v2/models/" + url.PathEscape(model.Name) + "/infer", body, map[string]string{
		"Content-Type": "application/octet-stream", kserve.HeaderLength: strconv.Itoa(header),
	}, model.mostAnswer(len(vectors))}, err
}

// model returns what the model is, of the given version, which may be a new one;
// "" is the one that is known, if one is.
func (s *Server) model(ctx context.Context, version string) (Model, error) {
	s.mu.Lock()
	m := s.known
	s.mu.Unlock()
	if m.Labels == nil || version != "" && m.Version != version {
		var err error
		if m, err = s.Model(ctx); err != nil {
			return Model{}, err
		}
	}
	if version != "" && m.Version != "" && m.Version != version {
		return Model{}, &Unavailable{Status: http.StatusOK, Code: "model_changed"}
	}
	return m, nil
}

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

	"sotto/dp"
	"sotto/server/kserve"
)

// Server asks a server that speaks KServe v2 as "sotto serve" does. NewServer
// makes one. It is safe for concurrent use.
type Server struct {
	caller *caller

	mu    sync.Mutex // guards the rest
	name  string
	known Model
}

// NewServer returns a client of the server at an address such as
// http://127.0.0.1:8788, for a model of its own by name; "" is the only one
// that it has. It asks nothing yet.
func NewServer(base, model string, o Options) (*Server, error) {
	c, err := newCaller(base, o)
	if err != nil {
		return nil, err
	}
	return &Server{caller: c, name: model}, nil
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

// Model asks what the model is.
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
	if err := s.caller.ask(ctx, message{method: "GET", path: "/v2/models/" + url.PathEscape(name)}, &got); err != nil {
		return Model{}, err
	}
	p := got.Parameters
	if p.Labels == nil { // a server that knows of one label only
		p.Labels = []Label{{Classes: p.Classes, Scores: "scores", Class: "class"}}
	}
	empty := slices.ContainsFunc(p.Labels, func(l Label) bool { return len(l.Classes) == 0 })
	if len(got.Versions) != 1 || len(got.Inputs) != 1 || len(got.Inputs[0].Shape) != 2 || len(p.Labels) == 0 || empty {
		return Model{}, errMalformed
	}
	m := Model{got.Name, got.Versions[0], got.Inputs[0].Shape[1], p.Codes, p.Labels[0].Classes, p.Labels, p.Method, p.Guarantee}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = m
	return m, nil
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
	if err := s.caller.ask(ctx, message{method: "POST", path: "/v2/repository/index"}, &all); err != nil {
		return "", err
	}
	for _, m := range all {
		if m.State != "READY" {
			continue
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
	name, err := s.modelName(ctx)
	if err != nil {
		return nil, err
	}
	m, err := inference(name, vectors, g)
	if err != nil {
		return nil, err
	}
	a, err := s.caller.call(ctx, m)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, a.failure()
	}
	res, err := kserve.ParseResponse(a.body, a.header.Get(kserve.HeaderLength))
	if err != nil {
		return nil, errMalformed
	}
	labels, err := s.labelsOf(ctx, res.ModelVersion)
	if err != nil {
		return nil, err
	}
	return answersOf(res, len(vectors), labels)
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
func inference(name string, vectors [][]float32, g dp.Guarantee) (message, error) {
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
	body, header, err := kserve.Request{
		Parameters: kserve.Parameters{kserve.Privacy: quoted},
		Inputs:     []kserve.Tensor{{Name: "vector", Datatype: kserve.FP32, Shape: []int{len(vectors), width}, Floats: slices.Concat(vectors...), Binary: true}},
	}.Encode()
	return message{"POST", "/v2/models/" + url.PathEscape(name) + "/infer", body, map[string]string{
		"Content-Type": "application/octet-stream", kserve.HeaderLength: strconv.Itoa(header),
	}}, err
}

// labelsOf returns the labels of the version that answered, which may be a new
// one.
func (s *Server) labelsOf(ctx context.Context, version string) ([]Label, error) {
	s.mu.Lock()
	m := s.known
	s.mu.Unlock()
	if m.Labels == nil || m.Version != version {
		var err error
		if m, err = s.Model(ctx); err != nil {
			return nil, err
		}
	}
	if m.Version != version {
		return nil, &Unavailable{Status: http.StatusOK, Code: "model_changed"}
	}
	return m.Labels, nil
}

// answersOf takes an answer apart by row and label.
func answersOf(res *kserve.Response, n int, labels []Label) ([]Answer, error) {
	outputs := make(map[string]kserve.Tensor, len(res.Outputs))
	for _, t := range res.Outputs {
		outputs[t.Name] = t
	}
	answers := make([]Answer, n)
	for l, label := range labels {
		scores, class, classes := outputs[label.Scores].Floats, outputs[label.Class].Strings, label.Classes
		if len(scores) != n*len(classes) || len(class) != n {
			return nil, errMalformed
		}
		for i := range answers {
			a := Answer{Class: class[i], Scores: make(map[string]float64, len(classes))}
			for j, c := range classes {
				a.Scores[c] = float64(scores[i*len(classes)+j])
			}
			if l == 0 {
				answers[i] = a
			}
			if len(labels) == 1 {
				continue
			}
			if l == 0 {
				answers[i].Labels = make(map[string]Answer, len(labels))
			}
			answers[i].Labels[label.Name] = a
		}
	}
	return answers, nil
}

package kserve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sotto/service/strictjson"
)

// What a message may hold at most, besides the elements of its tensors, of which
// there are never more than its bytes. Real messages have a few.
const (
	MaxTensors    = 2048 // and outputs that are asked for: two for each label that a model may have
	MaxParameters = 64   // in one place
	MaxDimensions = 8    // of a tensor
	maxStrings    = 1 << 20
	maxDepth      = 16
)

// errField is the error of a field that is not the protocol's. Its name may be
// anything, so that it is not repeated.
var errField = errors.New("it has a field that the protocol does not have, or one twice")

// parser reads the JSON of a message in one pass. What is made of it is bounded
// by its bytes.
type parser struct{ strictjson.Reader }

// split finds the JSON of a body, has it read, and returns what is behind it.
// Fields that the protocol does not have are refused: a misspelt one would be
// ignored.
func split(body []byte, header string, read func(p *parser) error) ([]byte, error) {
	n := len(body)
	if header != "" {
		var err error
		if n, err = strconv.Atoi(header); err != nil || n < 0 || n > len(body) {
			return nil, fmt.Errorf("kserve: %s must be a number of bytes within the body's %d", HeaderLength, len(body))
		}
	}
	p := &parser{strictjson.Reader{Data: body[:n], Depth: maxDepth}}
	if err := read(p); err != nil {
		return nil, fmt.Errorf("kserve: body is not a message of the protocol: %w", err)
	}
	if p.End() != nil {
		return nil, errors.New("kserve: something follows the JSON, whose length the " + HeaderLength + " header gives if binary data does")
	}
	return body[n:], nil
}

// fields reads an object whose fields are among those that are known, each at most
// once. What is null is the same as absent, unless it is data.
func (p *parser) fields(known []string, set func(name string) error) error {
	seen := 0
	return p.Object(func(name []byte) error {
		i := slices.IndexFunc(known, func(k string) bool { return k == string(name) })
		if i < 0 || seen&(1<<i) != 0 {
			return errField
		}
		seen |= 1 << i
		if known[i] != "data" && p.Null() {
			return nil
		}
		return set(known[i])
	})
}

// list reads an array of at most so many elements.
func (p *parser) list(what string, most int, add func() error) error {
	return p.Array(func(i int) error {
		if i == most {
			return fmt.Errorf("it has more than %d %s", most, what)
		}
		return add()
	})
}

func (p *parser) request(to *Request) error {
	return p.fields([]string{"model_name", "model_version", "id", "parameters", "inputs", "outputs"}, func(name string) (err error) {
		switch name {
		case "model_name":
			to.ModelName, err = p.String()
		case "model_version":
			to.ModelVersion, err = p.String()
		case "id":
			to.ID, err = p.String()
		case "parameters":
			to.Parameters, err = p.parameters()
		case "inputs":
			to.Inputs, err = p.tensors()
		default:
			to.Outputs, err = p.outputs()
		}
		return err
	})
}

func (p *parser) response(to *Response) error {
	return p.fields([]string{"model_name", "model_version", "id", "parameters", "outputs"}, func(name string) (err error) {
		switch name {
		case "model_name":
			to.ModelName, err = p.String()
		case "model_version":
			to.ModelVersion, err = p.String()
		case "id":
			to.ID, err = p.String()
		case "parameters":
			to.Parameters, err = p.parameters()
		default:
			to.Outputs, err = p.tensors()
		}
		return err
	})
}

func (p *parser) outputs() ([]Output, error) {
	var all []Output
	err := p.list("outputs", MaxTensors, func() error {
		o, err := p.output()
		all = append(all, o)
		return err
	})
	return all, err
}

func (p *parser) output() (Output, error) {
	var o Output
	err := p.fields([]string{"name", "parameters"}, func(name string) (err error) {
		if name == "name" {
			o.Name, err = p.String()
		} else {
			o.Parameters, err = p.parameters()
		}
		return err
	})
	return o, err
}

func (p *parser) parameters() (Parameters, error) {
	all := Parameters{}
	err := p.Object(func(name []byte) error {
		if len(all) == MaxParameters {
			return fmt.Errorf("it has more than %d parameters in one place", MaxParameters)
		}
		key := string(name)
		if _, twice := all[key]; twice {
			return errField
		}
		value, err := p.Raw()
		all[key] = json.RawMessage(value)
		return err
	})
	return all, err
}

func (p *parser) tensors() ([]Tensor, error) {
	all := []Tensor{}
	err := p.list("tensors", MaxTensors, func() error {
		t, err := p.tensor()
		all = append(all, t)
		return err
	})
	return all, err
}

// tensor reads one, with its data as it is written: what it must be follows from
// fields that may stand behind it.
func (p *parser) tensor() (Tensor, error) {
	var t Tensor
	err := p.fields([]string{"name", "datatype", "shape", "parameters", "data"}, func(name string) (err error) {
		switch name {
		case "name":
			t.Name, err = p.String()
		case "datatype":
			t.Datatype, err = p.String()
		case "shape":
			t.Shape, err = p.shape()
		case "parameters":
			t.Parameters, err = p.parameters()
		default:
			t.Data, err = p.Raw()
		}
		return err
	})
	return t, err
}

func (p *parser) shape() ([]int, error) {
	all := []int{}
	err := p.list("dimensions", MaxDimensions, func() error {
		n, err := p.Int()
		all = append(all, n)
		return err
	})
	return all, err
}

// parseStrings reads n strings of JSON that is known to be well formed.
func parseStrings(n int, data []byte) ([]string, error) {
	r := strictjson.Reader{Data: data, Depth: 1}
	all := []string{}
	err := r.Array(func(i int) error {
		if i == n {
			return fmt.Errorf("kserve: tensor has more than the %d elements that its shape asks for", n)
		}
		s, err := r.String()
		all = append(all, s)
		return err
	})
	if errors.Is(err, strictjson.ErrKind) || errors.Is(err, strictjson.ErrDepth) || errors.Is(err, strictjson.ErrEnd) {
		return nil, errors.New("kserve: data of a tensor must be a flat array of strings")
	}
	return all, err
}

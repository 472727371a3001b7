package kserve

import (
	"encoding/json"
	"errors"
)

// HeaderLength is the HTTP header that says how many bytes of a body are JSON;
// what follows is binary.
const HeaderLength = "Inference-Header-Content-Length"

// Privacy is the request parameter that holds the guarantee under which the
// vectors were released: a dp.Guarantee as JSON, or that JSON in a string.
const Privacy = "sotto_privacy"

// Parameters of the binary extension.
const (
	binarySize    = "binary_data_size"   // of a tensor: its bytes
	binaryData    = "binary_data"        // of a requested output
	binaryOutputs = "binary_data_output" // of a request: all outputs
)

// Parameters are named values. The protocol allows strings, numbers and
// booleans; what they are is for the receiver to decide.
type Parameters map[string]json.RawMessage

// flag reports whether a parameter is true.
func (p Parameters) flag(name string) bool { return string(p[name]) == "true" }

// Output asks for one output by name.
type Output struct {
	Name       string     `json:"name"`
	Parameters Parameters `json:"parameters,omitempty"`
}

// Request asks for the inference of tensors. Over HTTP the address has the model's
// name and perhaps its version, and both may be absent here.
type Request struct {
	ModelName    string     `json:"model_name,omitempty"`
	ModelVersion string     `json:"model_version,omitempty"` // "" for the one that is served
	ID           string     `json:"id,omitempty"`
	Parameters   Parameters `json:"parameters,omitempty"`
	Inputs       []Tensor   `json:"inputs"`
	Outputs      []Output   `json:"outputs,omitempty"` // none means all
}

// Response answers a request.
type Response struct {
	ModelName    string     `json:"model_name"`
	ModelVersion string     `json:"model_version,omitempty"`
	ID           string     `json:"id,omitempty"`
	Parameters   Parameters `json:"parameters,omitempty"`
	Outputs      []Tensor   `json:"outputs"`
}

// BinaryOutput reports whether the sender wants an output in binary.
func (r *Request) BinaryOutput(name string) bool {
	for _, o := range r.Outputs {
		if o.Name == name && o.Parameters[binaryData] != nil {
			return o.Parameters.flag(binaryData)
		}
	}
	return r.Parameters.flag(binaryOutputs)
}

// Encode returns the body and how many bytes of it are JSON. They are all of
// it unless a tensor is binary, in which case the number belongs into the
// [HeaderLength] header.
func (r Request) Encode() (body []byte, header int, err error) {
	var binary []byte
	if r.Inputs, binary, err = encodeTensors(r.Inputs); err != nil {
		return nil, 0, err
	}
	return join(r, binary)
}

// Encode returns the body and how many bytes of it are JSON, as for a request.
func (r Response) Encode() (body []byte, header int, err error) {
	var binary []byte
	if r.Outputs, binary, err = encodeTensors(r.Outputs); err != nil {
		return nil, 0, err
	}
	return join(r, binary)
}

func join(message any, binary []byte) ([]byte, int, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, 0, errors.New("kserve: message cannot be written as JSON")
	}
	return append(body, binary...), len(body), nil
}

// ParseRequest reads a body of which the first bytes, as the [HeaderLength]
// header says, are JSON; header "" means all.
func ParseRequest(body []byte, header string) (*Request, error) {
	r := new(Request)
	binary, err := split(body, header, func(p *parser) error { return p.request(r) })
	if err != nil {
		return nil, err
	}
	return r, parseTensors(r.Inputs, binary)
}

// ParseResponse reads the body of an answer, as [ParseRequest] that of a
// request.
func ParseResponse(body []byte, header string) (*Response, error) {
	r := new(Response)
	binary, err := split(body, header, func(p *parser) error { return p.response(r) })
	if err != nil {
		return nil, err
	}
	return r, parseTensors(r.Outputs, binary)
}

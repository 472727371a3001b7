package server

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"sotto/service/server/kserve"
)

// This part of the package writes the messages of package kserve as protocol buffers, as
// the protocol does over gRPC. The file inference.proto, for clients, says which.
//
// It reads what anybody may send, so that it takes messages apart field by field
// instead of by generated code: a message of a few megabytes that says nothing but
// "here begins another tensor" would become hundreds of them. What is made of a
// message takes no more than a few times its bytes.
//
//	call, err := ParseInfer(message)
//	…
//	answer := AppendInfer(nil, response, call.Raw)

// maxInputs is how many inputs a request may have, and maxBeside how many
// parameters a tensor: each is memory for a few bytes.
const (
	maxInputs = 16
	maxBeside = 8
)

var (
	errMessage = errors.New("protobuf: body is not a message of the protocol")
	errText    = errors.New("protobuf: a string is not UTF-8, must be")
)

// protobufCall is a request for a model's answer.
type protobufCall struct {
	kserve.Request
	Raw bool // it came with raw contents, and the answer should
}

// field is a field of a message.
type field struct {
	number int
	kind   protowire.Type
	value  uint64 // of a varint or of fixed size
	bytes  []byte // of what has a length
}

// text returns a string.
func (f field) text() (string, error) {
	switch {
	case f.kind != protowire.BytesType:
		return "", errMessage
	case !utf8.Valid(f.bytes):
		return "", errText
	}
	return string(f.bytes), nil
}

// message returns the bytes of a message within.
func (f field) message() ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, errMessage
	}
	return f.bytes, nil
}

// each hands the fields of a message to take, in order. Their bytes are those of
// the message.
func each(b []byte, take func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errMessage
		}
		b = b[n:]
		f := field{number: int(number), kind: kind}
		switch kind { // groups are of another age, and no field of the protocol
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.value = uint64(v)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			return errMessage
		}
		if n < 0 {
			return errMessage
		}
		b = b[n:]
		if err := take(f); err != nil {
			return err
		}
	}
	return nil
}

// parseNamed reads a message of a name and a version, of which all have the form
// that ask for something else than an answer.
func parseNamed(b []byte) (name, version string, err error) {
	err = each(b, func(f field) (err error) {
		switch f.number {
		case 1:
			name, err = f.text()
		case 2:
			version, err = f.text()
		}
		return err
	})
	return name, version, err
}

// ParseInfer reads a ModelInferRequest. An error quotes nothing of it.
func ParseInfer(b []byte) (protobufCall, error) {
	var c protobufCall
	var raw [][]byte
	filled := false // an input has contents
	err := each(b, func(f field) (err error) {
		switch f.number {
		case 1:
			c.ModelName, err = f.text()
		case 2:
			c.ModelVersion, err = f.text()
		case 3:
			c.ID, err = f.text()
		case 4:
			err = parameter(&c.Parameters, kserve.MaxParameters, f)
		case 5:
			if len(c.Inputs) == maxInputs {
				return fmt.Errorf("protobuf: there are more than %d inputs", maxInputs)
			}
			var t kserve.Tensor
			var full bool
			t, full, err = input(f)
			filled = filled || full
			c.Inputs = append(c.Inputs, t)
		case 6:
			if len(c.Outputs) == kserve.MaxTensors {
				return fmt.Errorf("protobuf: there are more than %d outputs", kserve.MaxTensors)
			}
			var o kserve.Output
			o, err = output(f)
			c.Outputs = append(c.Outputs, o)
		case 7:
			if len(raw) == maxInputs {
				return fmt.Errorf("protobuf: there are more than %d raw_input_contents", maxInputs)
			}
			var content []byte
			content, err = f.message()
			raw = append(raw, content)
		}
		return err
	})
	if err != nil {
		return protobufCall{}, err
	}
	if len(raw) > 0 {
		if filled || len(raw) != len(c.Inputs) {
			return protobufCall{}, errors.New("protobuf: raw_input_contents must be one for each input, and no input may have contents then")
		}
		c.Raw = true
		for i, content := range raw {
			if c.Inputs[i].Floats, err = floats(c.Inputs[i].Floats, content); err != nil {
				return protobufCall{}, err
			}
		}
	}
	for _, t := range c.Inputs {
		if err := t.Validate(); err != nil {
			return protobufCall{}, err
		}
	}
	return c, nil
}

// input reads an InferInputTensor, and whether it has contents.
func input(f field) (t kserve.Tensor, filled bool, err error) {
	b, err := f.message()
	if err != nil {
		return t, false, err
	}
	var parameters kserve.Parameters
	err = each(b, func(f field) (err error) {
		switch f.number {
		case 1:
			t.Name, err = f.text()
		case 2:
			t.Datatype, err = f.text()
		case 3:
			t.Shape, err = shape(t.Shape, f)
		case 4:
			err = parameter(&parameters, maxBeside, f) // which nothing here looks at
		case 5:
			var contents []byte
			if contents, err = f.message(); err == nil {
				filled = true
				t.Floats, err = numbers(t.Floats, contents)
			}
		}
		return err
	})
	if err == nil && t.Datatype != kserve.FP32 {
		err = errors.New("protobuf: datatype of an input must be " + kserve.FP32)
	}
	return t, filled, err
}

// numbers reads an InferTensorContents, which must hold 32-bit floats.
func numbers(to []float32, b []byte) ([]float32, error) {
	err := each(b, func(f field) (err error) {
		switch {
		case f.number > 8: // of a newer protocol
		case f.number != 6:
			err = errors.New("protobuf: contents of an input must be fp32_contents")
		case f.kind == protowire.Fixed32Type: // one after the other
			to = append(to, math.Float32frombits(uint32(f.value)))
		case f.kind == protowire.BytesType:
			to, err = floats(to, f.bytes)
		default:
			err = errMessage
		}
		return err
	})
	return to, err
}

// floats appends 32-bit floats, least significant byte first.
func floats(to []float32, b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, errors.New("protobuf: contents of an input end within a number")
	}
	if to == nil {
		to = make([]float32, 0, len(b)/4)
	}
	for ; len(b) > 0; b = b[4:] {
		to = append(to, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return to, nil
}

// shape appends the dimensions that a field brings.
func shape(to []int, f field) ([]int, error) {
	add := func(v uint64) error {
		if len(to) == kserve.MaxDimensions || v > math.MaxInt32 { // a negative one is giant
			return errors.New("protobuf: shape of a tensor has too many dimensions, or a negative or giant one")
		}
		to = append(to, int(v))
		return nil
	}
	switch f.kind { //nolint:exhaustive // others are no shape
	case protowire.VarintType:
		return to, add(f.value)
	case protowire.BytesType:
		for b := f.bytes; len(b) > 0; {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return nil, errMessage
			}
			if err := add(v); err != nil {
				return nil, err
			}
			b = b[n:]
		}
		return to, nil
	}
	return nil, errMessage
}

// output reads an InferRequestedOutputTensor.
func output(f field) (o kserve.Output, err error) {
	b, err := f.message()
	if err != nil {
		return o, err
	}
	err = each(b, func(f field) (err error) {
		switch f.number {
		case 1:
			o.Name, err = f.text()
		case 2:
			err = parameter(&o.Parameters, maxBeside, f)
		}
		return err
	})
	return o, err
}

// parameter reads an entry of a map of InferParameters, of at most so many.
func parameter(to *kserve.Parameters, most int, f field) error {
	b, err := f.message()
	if err != nil {
		return err
	}
	name, value := "", json.RawMessage("null")
	err = each(b, func(f field) (err error) {
		switch f.number {
		case 1:
			name, err = f.text()
		case 2:
			var within []byte
			if within, err = f.message(); err == nil {
				value, err = choice(within)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if *to == nil {
		*to = kserve.Parameters{}
	}
	if len(*to) == most {
		return fmt.Errorf("protobuf: there are more than %d parameters", most)
	}
	(*to)[name] = value
	return nil
}

// choice reads an InferParameter as JSON.
func choice(b []byte) (json.RawMessage, error) {
	value := json.RawMessage("null")
	err := each(b, func(f field) (err error) {
		kinds := [...]protowire.Type{1: protowire.VarintType, 2: protowire.VarintType, 3: protowire.BytesType, 4: protowire.Fixed64Type, 5: protowire.VarintType}
		if f.number >= len(kinds) {
			return nil
		}
		if f.kind != kinds[f.number] {
			return errMessage
		}
		switch f.number {
		case 1:
			value = strconv.AppendBool(nil, f.value != 0)
		case 2:
			value = strconv.AppendInt(nil, int64(f.value), 10)
		case 3:
			var s string
			if s, err = f.text(); err == nil {
				value, err = json.Marshal(s)
			}
		case 4:
			if value, err = json.Marshal(math.Float64frombits(f.value)); err != nil {
				err = errors.New("protobuf: a parameter is not finite, must be")
			}
		case 5:
			value = strconv.AppendUint(nil, f.value, 10)
		}
		return err
	})
	return value, err
}

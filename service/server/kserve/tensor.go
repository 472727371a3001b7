package kserve

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// The datatypes that this package knows.
const (
	FP32  = "FP32"
	Bytes = "BYTES"
)

// Tensor is an array with its shape. Floats hold the elements of one whose
// datatype is [FP32] and Strings those of [Bytes], the last index running
// fastest.
type Tensor struct {
	Name     string    `json:"name"`
	Datatype string    `json:"datatype"`
	Shape    []int     `json:"shape"`
	Floats   []float32 `json:"-"`
	Strings  []string  `json:"-"`
	Binary   bool      `json:"-"` // it travels behind the JSON
	wire
}

// wire is how the elements of a tensor travel.
type wire struct {
	Parameters Parameters      `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

// TensorInfo describes a tensor of a model; −1 stands for any number.
type TensorInfo struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// Size returns the number of elements of a shape, and false if a dimension is
// negative or there would be more than an array can hold.
func Size(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Validate reports a tensor whose elements are not as many as its shape says,
// or of an unknown datatype.
func (t Tensor) Validate() error {
	n, ok := Size(t.Shape)
	switch {
	case !ok:
		return errors.New("kserve: shape of a tensor has a negative or giant dimension")
	case t.Datatype != FP32 && t.Datatype != Bytes:
		return fmt.Errorf("kserve: datatype of a tensor must be %s or %s", FP32, Bytes)
	case t.Datatype == FP32 && (len(t.Floats) != n || t.Strings != nil),
		t.Datatype == Bytes && (len(t.Strings) != n || t.Floats != nil):
		return fmt.Errorf("kserve: tensor has %d elements, its shape asks for %d", len(t.Floats)+len(t.Strings), n)
	}
	return nil
}

func encodeTensors(tensors []Tensor) (all []Tensor, behind []byte, err error) {
	all = append([]Tensor{}, tensors...)
	for i, t := range tensors {
		if err = t.Validate(); err != nil {
			return nil, nil, err
		}
		if t.Shape == nil {
			all[i].Shape = []int{}
		}
		if t.Binary {
			before := len(behind)
			behind = t.appendBinary(behind)
			all[i].wire = wire{Parameters: Parameters{binarySize: strconv.AppendInt(nil, int64(len(behind)-before), 10)}}
		} else if all[i].Data, err = t.data(); err != nil {
			return nil, nil, err
		}
	}
	return all, behind, nil
}

// data returns the elements as one flat array of JSON.
func (t Tensor) data() ([]byte, error) {
	if t.Datatype == Bytes {
		return json.Marshal(append([]string{}, t.Strings...))
	}
	text := []byte{'['}
	for i, v := range t.Floats {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, errors.New("kserve: a number is not finite, which JSON cannot write")
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendFloat(text, float64(v), 'g', -1, 32)
	}
	return append(text, ']'), nil
}

func (t Tensor) appendBinary(b []byte) []byte {
	for _, v := range t.Floats {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	for _, s := range t.Strings {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// parseTensors reads the elements of tensors.
func parseTensors(all []Tensor, behind []byte) error {
	for i := range all {
		t := &all[i]
		n, ok := Size(t.Shape)
		if t.Datatype == Bytes && n > maxStrings {
			return fmt.Errorf("kserve: shape of a tensor asks for more than %d strings", maxStrings)
		}
		if !ok || t.Datatype != FP32 && t.Datatype != Bytes {
			return t.Validate()
		}
		size, err := t.binarySize()
		switch {
		case err != nil:
			return err
		case size > len(behind):
			return fmt.Errorf("kserve: %s of a tensor is beyond what follows the JSON, %d bytes", binarySize, len(behind))
		case size >= 0:
			t.Binary = true
			err = t.parseBinary(n, behind[:size])
			behind = behind[size:]
		default:
			err = t.parseData(n, t.Data)
		}
		if err != nil {
			return err
		}
		if err := t.Validate(); err != nil {
			return err
		}
		t.wire = wire{}
	}
	if len(behind) > 0 {
		return fmt.Errorf("kserve: %d bytes behind the JSON belong to no tensor", len(behind))
	}
	return nil
}

// binarySize returns how many bytes behind the JSON are the tensor's, or −1 if
// its data is in the JSON.
func (w wire) binarySize() (int, error) {
	raw, ok := w.Parameters[binarySize]
	if !ok {
		return -1, nil
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return 0, fmt.Errorf("kserve: %s must be a number of bytes", binarySize)
	}
	if w.Data != nil {
		return 0, fmt.Errorf("kserve: tensor has data and %s, must have one of them", binarySize)
	}
	return n, nil
}

func (t *Tensor) parseBinary(n int, b []byte) error {
	if t.Datatype == FP32 {
		if len(b) != 4*n {
			return fmt.Errorf("kserve: tensor has %d bytes, its shape asks for %d", len(b), 4*n)
		}
		t.Floats = make([]float32, n)
		for i := range t.Floats {
			t.Floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return nil
	}
	for len(b) >= 4 && len(t.Strings) < n {
		size := binary.LittleEndian.Uint32(b)
		if b = b[4:]; int64(size) > int64(len(b)) {
			break
		}
		t.Strings = append(t.Strings, string(b[:size]))
		if b = b[size:]; len(b) == 0 {
			return nil
		}
	}
	if len(b) > 0 || n > 0 {
		return errors.New("kserve: binary data of a tensor ends within an element")
	}
	return nil
}

// parseData reads the elements from JSON that is known to be well formed: flat,
// or nested as the shape says.
func (t *Tensor) parseData(n int, data []byte) error {
	if t.Datatype == Bytes {
		var err error
		t.Strings, err = parseStrings(n, data)
		return err
	}
	p := numbers{text: data, shape: t.Shape, out: make([]float32, 0, min(n, len(data)/2+1))}
	if len(data) == 0 || data[0] != '[' {
		return errors.New("kserve: data of a tensor must be an array of numbers")
	}
	if len(t.Shape) < 2 || !p.nested() {
		p.shape = []int{n}
	}
	if err := p.array(0); err != nil {
		return err
	}
	t.Floats = slices.Clip(p.out)
	return nil
}

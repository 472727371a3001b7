package bias

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxDim is the most numbers that a vector of JSON or CSV may have.
const maxDim = 1 << 20

var errObject = errors.New("it must be one JSON object, with a list of numbers for each word")

// readJSON reads one object of lists. Nothing else may be in it: a null among
// the numbers, or text, is an error.
func (b *builder) readJSON(in io.Reader) error {
	d := json.NewDecoder(in)
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errObject
	}
	for d.More() {
		key, err := d.Token()
		word, ok := key.(string)
		if err != nil || !ok {
			return errObject
		}
		b.counts.Rows++
		row, err := jsonRow(d)
		if err == nil {
			err = b.addRow(word, row)
		}
		if err != nil {
			return fmt.Errorf("word %d: %w", b.counts.Rows, err)
		}
	}
	if end, err := d.Token(); err != nil || end != json.Delim('}') {
		return errObject
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows after the object, must not")
	}
	return nil
}

// jsonRow reads a list of numbers. A null would pass for 0 in a list of floats.
func jsonRow(d *json.Decoder) ([]float64, error) {
	var list []*float64
	if err := d.Decode(&list); err != nil {
		return nil, errors.New("it has no list of numbers, must have one of finite numbers")
	}
	row := make([]float64, len(list))
	for i, v := range list {
		if v == nil {
			return nil, fmt.Errorf("number %d is none, must be one", i+1)
		}
		row[i] = *v
	}
	return row, nil
}

// addRow checks a row of any width against the first and takes it if its word
// is wanted.
func (b *builder) addRow(word string, row []float64) error {
	switch {
	case word == "":
		return errors.New("it is empty")
	case len(row) == 0 || len(row) > maxDim:
		return fmt.Errorf("it has %d numbers, must have 1 to %d", len(row), maxDim)
	case b.dim == 0:
		b.dim = len(row)
	case len(row) != b.dim:
		return fmt.Errorf("it has %d numbers, must have %d, as the first", len(row), b.dim)
	}
	for i, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("number %d is %v, must be finite", i+1, v)
		}
	}
	if b.wanted([]byte(word)) {
		add(b, word, row)
	}
	return nil
}

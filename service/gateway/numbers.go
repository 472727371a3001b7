package gateway

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sotto/compute/nn"
	"sotto/service/strictjson"
)

// Numbers returns the names of the numbers that the model takes beside each text,
// nil if it takes texts alone.
func (g *Gateway) Numbers() []string {
	if m, ok := g.Mechanism.(*served); ok {
		return m.numbers
	}
	return nil
}

// checkNumbers refuses numbers that do not go with the texts.
func (g *Gateway) checkNumbers(texts int, rows [][]float32) error {
	names := g.Numbers()
	wrong := func(format string, args ...any) error {
		return &InputError{Param: "numbers", Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(names) == 0 && rows == nil:
		return nil
	case len(names) == 0:
		return wrong("is given, must be absent: the mechanism takes texts alone")
	case len(rows) != texts:
		return wrong("has %d entries, must have one for each of %d texts, with the numbers %q", len(rows), texts, names)
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return wrong("has %d numbers for text %d, must have %q", len(row), i, names)
		}
		if slices.ContainsFunc(row, func(x float32) bool { return math.IsInf(float64(x), 0) }) {
			return wrong("has an infinite number for text %d, must have finite ones", i)
		}
	}
	return nil
}

// withNumbers puts the numbers of each text behind its vector, as the model was
// trained.
func (g *Gateway) withNumbers(x nn.Matrix, rows [][]float32) nn.Matrix {
	if rows == nil {
		return x
	}
	scales := g.Mechanism.(*served).scales // checkNumbers found that it is one
	scaled := nn.NewMatrix(x.Rows, len(scales))
	for i, row := range rows {
		for k, n := range row {
			scaled.Row(i)[k] = scales[k].Apply(n)
		}
	}
	return x.Beside(scaled)
}

// unknownNumbers are those of texts that come without any.
func (g *Gateway) unknownNumbers(texts int) [][]float32 {
	names := g.Numbers()
	if len(names) == 0 {
		return nil
	}
	rows := make([][]float32, texts)
	for i := range rows {
		rows[i] = slices.Repeat([]float32{float32(math.NaN())}, len(names))
	}
	return rows
}

// readNumbers reads an object of named numbers for one text, or a list of them.
func readNumbers(r *strictjson.Reader, names []string, most int) ([][]float32, error) {
	if len(names) == 0 {
		return nil, invalid("numbers", "numbers must be absent: this model takes texts alone")
	}
	if r.Kind() != strictjson.KindArray {
		row, err := readRow(r, names)
		return [][]float32{row}, err
	}
	rows := [][]float32{}
	err := r.Array(func(i int) error {
		if i == most {
			return tooLarge("numbers", "numbers has more than "+strconv.Itoa(most)+" entries, must have at most as many")
		}
		row, err := readRow(r, names)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// readRow reads the numbers of one text. One that is null or absent is not known,
// which the model takes as the mean of its training.
func readRow(r *strictjson.Reader, names []string) ([]float32, error) {
	row := make([]float32, len(names))
	seen := make([]bool, len(names))
	for k := range row {
		row[k] = float32(math.NaN())
	}
	err := r.Object(func(name []byte) error {
		k := slices.Index(names, string(name))
		if k < 0 || seen[k] {
			return invalid("numbers", "numbers has a name that is not known or comes twice, must have %q, each once", names)
		}
		if seen[k] = true; r.Null() {
			return nil
		}
		raw, err := r.Number()
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(string(raw), 32)
		if err != nil {
			return invalid("numbers", "numbers has one that is too large, must be finite")
		}
		row[k] = float32(x)
		return nil
	})
	if errors.Is(err, strictjson.ErrKind) {
		err = invalid("numbers", "numbers must be an object with the numbers %q, or a list of such, one for each text", names)
	}
	return row, err
}

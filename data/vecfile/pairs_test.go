package vecfile_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/data/vecfile"
)

// Two vectors of a row are read back as they were, each by its column.
func TestPairs(t *testing.T) {
	for _, beside := range [][]string{nil, {"a", "z"}} {
		var b bytes.Buffer
		w, err := vecfile.NewWriter(&b, vecfile.Parquet, vecfile.WriterOptions{Width: 3, Raw: 2, Beside: beside})
		if err != nil {
			t.Fatal(err)
		}
		fields := [][]vecfile.Field{{{Text: "1"}, {Missing: true}}, {{Text: "2"}, {Text: "end"}}}
		if err = w.WritePairs([]float32{1, 2, 3, 4}, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, fields); err != nil {
			t.Fatal(err)
		}
		if err = w.Close(); err != nil {
			t.Fatal(err)
		}
		for column, want := range map[string][]float64{"x": {1, 2, 3, 4}, "y": {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}} {
			got, _, failed := parse(b.String(), vecfile.Options{Format: vecfile.Parquet, Column: column})
			if failed != nil || !same(got, want) {
				t.Errorf("column %s: %v, %v, want %v", column, got, failed, want)
			}
		}
		f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range f.Root().Columns() {
			names = append(names, c.Name())
		}
		if !slices.Equal(slices.Sorted(slices.Values(append(slices.Clone(beside), "x", "y"))), names) {
			t.Errorf("the columns are %q", names)
		}
	}
}

// What cannot hold two vectors, and numbers that are none, are refused.
func TestPairsRefused(t *testing.T) {
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.CSV, vecfile.NPY} {
		if _, err := vecfile.NewWriter(io.Discard, f, vecfile.WriterOptions{Width: 3, Raw: 2}); err == nil {
			t.Errorf("%s took two vectors a row", f)
		}
	}
	w, err := vecfile.NewWriter(io.Discard, vecfile.Parquet, vecfile.WriterOptions{Width: 1, Raw: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err = w.WritePairs([]float32{inf32}, []float64{1}, nil); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("an infinite number was written: %v", err)
	}
}

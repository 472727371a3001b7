package cells_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// made returns a file of cells for two ε.
func made(tb testing.TB) *cells.File {
	tb.Helper()
	x := clouds(600, 5, 5, 0.2)
	texts := make([]string, x.Rows)
	for i := range texts {
		texts[i] = []string{"flights are late", "soup is hot", "a football match", "the bank is closed", "songs of love"}[i%5]
	}
	f := &cells.File{Head: cells.Head{Format: cells.Format, Encoder: "default", EncoderSHA256: "12", Dim: 5, Texts: x.Rows}}
	for _, epsilon := range []float64{1, 6} {
		s := settings()
		s.Epsilon = epsilon
		set, err := cells.Make(tb.Context(), x, s)
		if err != nil {
			tb.Fatal(err)
		}
		f.Add(set, set.About(texts), set.Examples(texts))
	}
	return f
}

// TestFile: what was written is read, plain and compressed, and makes a mechanism.
func TestFile(t *testing.T) {
	f := made(t)
	for _, name := range []string{"a.jsonl", "a.cells"} {
		path := filepath.Join(t.TempDir(), name)
		if cells.Is(path) {
			t.Errorf("Is(%s) before it is there", name)
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		again, err := cells.Open(path)
		if err != nil || !reflect.DeepEqual(again, f) || !cells.Is(path) {
			t.Errorf("%s is read as another file than was written; error %v", name, err)
		}
	}
	if few, many := f.For(0.5), f.For(7); few != 0 || many != 1 {
		t.Errorf("For(0.5), For(7) = %d, %d, want the set for ε = 1 and that for 6", few, many)
	}
	m, err := mech.NewCells(mech.Params{Dim: f.Dim, Epsilon: 6, Own: f.Own(1)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Cell([]float64{1, 0, 0, 0, 0})
	if words := f.Cells[1][max(c, 0)].Words(); err != nil || !strings.Contains(words, "flights") {
		t.Errorf("the cell of a text about flights is %q, %v", words, err)
	}
	if f.Fits("default", "12") != nil || f.Fits("minilm", "34") == nil {
		t.Error("Fits takes another digest, or refuses its own")
	}
	if _, err := cells.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing: error = %v", err)
	}
}

// TestReadRefuses: a file that was changed anywhere is refused.
func TestReadRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := made(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	content := b.String()
	lines := strings.SplitAfter(content, "\n")
	for want, changed := range map[string]string{
		"first line":        "",
		"format is":         strings.Replace(content, cells.Format, "sotto-cells-9", 1),
		"encoder's name":    strings.Replace(content, `"encoder":"default"`, `"encoder":""`, 1),
		"dim is 0":          strings.Replace(content, `"dim":5`, `"dim":0`, 1),
		"must have that of": lines[0] + strings.Replace(strings.Join(lines[1:], ""), `"texts":`, `"texts":1`, 1),
		"unknown field":     strings.Replace(content, `"cell":0`, `"more":1,"cell":0`, 1),
		"is expected":       lines[0] + strings.Join(lines[2:], ""),
		"damaged at cell":   strings.Join(lines[:len(lines)-3], ""),
		"goes on behind":    content + "{}",
	} {
		if _, err := cells.Read(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}

// FuzzRead: no content makes it panic, and what is read is written alike.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := made(f).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"sotto-cells-1","encoder":"a","encoder_sha256":"b","dim":1,"texts":2,"sets":[{"epsilon":1,"cells":2,"cells_sha256":"","chosen":{"cells":2,"distortion":1,"kept":1}}]}`))
	f.Add([]byte{0x1f, 0x8b, 0})
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := cells.Read(bytes.NewReader(content))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err = got.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := cells.Read(&b); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("what was read is not read again: %v", err)
		}
	})
}

// TestMakePrivate: cells are means of public centres, the promise is that of counts
// which one text changes by two, and cells where no text lies are left out.
func TestMakePrivate(t *testing.T) {
	public := made(t)
	x := clouds(4000, 5, 2, 0.05) // of two of the five corners
	s := settings()
	s.Epsilon = 3
	fine := public.Cells[1]
	set, promise, err := cells.MakePrivate(t.Context(), x, fine, 1, s, dptest.Source(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	counts, err := mech.NewCounts(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if promise.Epsilon != counts.Epsilon() || promise.Epsilon > 1 || promise.Validate() != nil {
		t.Errorf("the promise is %v, want that of counts at ε = 1", promise)
	}
	for c, centre := range set.Centres {
		if !(centre[0]+centre[1] > 0.5) {
			t.Errorf("cell %d of %d is at %v, want the two corners where texts are", c, len(set.Centres), centre)
		}
	}
	for want, change := range map[string]func() error{
		"fewer than two public cells": func() error {
			_, _, err := cells.MakePrivate(t.Context(), clouds(3, 5, 5, 0.1), fine, 1e-3, s, dptest.Source(t, 1))
			return err
		},
		"four cells at least": func() error {
			_, _, err := cells.MakePrivate(t.Context(), x, fine[:3], 1, s, dptest.Source(t, 1))
			return err
		},
		"epsilon of counts": func() error {
			_, _, err := cells.MakePrivate(t.Context(), x, fine, -1, s, dptest.Source(t, 1))
			return err
		},
	} {
		if err := change(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q in it", err, want)
		}
	}
}

// TestOneTextAlone: a text that is replaced, by whatever vector and in whatever order, moves one
// count of private texts down and another up, which is what ε is computed for. At ε = 100 a
// count has other noise than 0 with probability 2/(e⁵⁰+1).
func TestOneTextAlone(t *testing.T) {
	public := made(t).Cells[1]
	for _, direction := range [][]float64{nil, {3, -1, 0, 2, 1}} {
		s := settings()
		s.Least, s.Count, s.Direction = 1, len(public), direction
		counts := func(x nn.Matrix, workers int) map[string]int {
			s.Workers = workers
			set, _, err := cells.MakePrivate(t.Context(), x, public, 100, s, dptest.Source(t, 1))
			if err != nil {
				t.Fatal(err)
			}
			of := map[string]int{}
			for c, centre := range set.Centres {
				of[fmt.Sprint(centre)] += set.Texts[c]
			}
			return of
		}
		x := clouds(3001, 5, 5, 0.3)
		want, all, most := counts(x, 1), 0, 0
		for _, n := range want {
			all += n
		}
		rng := rand.New(rand.NewPCG(7, 7))
		for i, other := range []float32{0, 1e-30, 5, -7, 1e9, -1e15} {
			changed := nn.NewMatrix(x.Rows, x.Cols)
			for k, at := range rng.Perm(x.Rows) {
				copy(changed.Row(k), x.Row(at))
				if at == 2999 {
					for j := range changed.Cols {
						changed.Row(k)[j] = other * float32(j-1)
					}
				}
			}
			moved := 0
			for centre, n := range counts(changed, 1+i%3) {
				moved += max(n-want[centre], want[centre]-n)
			}
			if most = max(most, moved); moved > 2 {
				t.Errorf("with a text at %v, counts change by %d, must change by 2 at most", other, moved)
			}
		}
		if all != x.Rows || most != 2 {
			t.Errorf("%d texts are counted, and one that is replaced changes counts by %d: nothing was tested", all, most)
		}
	}
}

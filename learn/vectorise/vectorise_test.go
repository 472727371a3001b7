package vectorise_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/text"
	"sotto/text/encode"
)

// fussy releases a vector as it is, unless it is zero.
type fussy struct{ dim int }

func (m fussy) Shape() (in, out int)  { return m.dim, m.dim }
func (fussy) Guarantee() dp.Guarantee { return dp.None(dp.Text) }
func (m fussy) Privatize(x []float64, src rand.Source) ([]float64, error) {
	y := make([]float64, m.dim)
	return y, m.PrivatizeTo(y, x, src)
}

func (m fussy) PrivatizeTo(dst, x []float64, _ rand.Source) error {
	copy(dst, x)
	for _, v := range x {
		if v != 0 {
			return nil
		}
	}
	return fmt.Errorf("%w: zero", dp.ErrDomain)
}

// run vectorises texts and returns what was written, a vector a line.
func run(t *testing.T, texts string, change func(*vectorise.Job), beside ...string) (string, vectorise.Summary, error) {
	t.Helper()
	in, err := textfile.ReadDeclared(strings.NewReader(texts), textfile.Options{Name: "texts", Format: textfile.Text, Encoding: "utf-8"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.NewHash(4)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out, err := vecfile.NewWriter(&b, vecfile.JSONL, vecfile.WriterOptions{Width: 4, Beside: beside})
	if err != nil {
		t.Fatal(err)
	}
	j := vectorise.Job{In: in, Encoder: e, Out: out, Workers: 1}
	if change != nil {
		change(&j)
	}
	s, err := vectorise.Run(t.Context(), j)
	return b.String(), s, errors.Join(err, out.Close())
}

func TestRaw(t *testing.T) {
	one, s, err := run(t, "good food\n\nbad \xff food\n", nil)
	if err != nil || s.Rows != 3 || s.Empty != 1 || s.Invalid != 1 || strings.Count(one, "\n") != 3 {
		t.Errorf("Run = %q, %+v, %v, want 3 rows, one empty, one invalid", one, s, err)
	}
	two, _, err := run(t, "good food\n\nbad \xff food\n", func(j *vectorise.Job) { j.Workers = 3 })
	if err != nil || one != two {
		t.Errorf("with three workers %q, %v, want %q", two, err, one)
	}
}

// More texts than are in memory at a time come out in their order.
func TestManyBlocks(t *testing.T) {
	texts := strings.Repeat("good\nbad\n", 2500)
	got, s, err := run(t, texts, func(j *vectorise.Job) { j.Mechanism, j.Workers = fussy{4}, 2 })
	if err != nil || s.Rows != 5000 {
		t.Fatalf("Run wrote %d rows, %v, want 5000", s.Rows, err)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	for i, line := range lines {
		if line != lines[i%2] {
			t.Fatalf("row %d is not the vector of its text", i)
		}
	}
	if lines[0] == lines[1] {
		t.Error("two words have the same vector")
	}
}

func TestRefusedRow(t *testing.T) {
	_, _, err := run(t, "good\n\nbad\n", func(j *vectorise.Job) { j.Mechanism = fussy{4} })
	if !errors.Is(err, dp.ErrDomain) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error = %v, want the domain and line 2", err)
	}
	got, s, err := run(t, "good\n\nbad\n", func(j *vectorise.Job) { j.Mechanism, j.SkipBad = fussy{4}, true })
	if err != nil || s.Rows != 2 || s.Skipped != 1 || strings.Count(got, "\n") != 2 {
		t.Errorf("with SkipBad: %q, %+v, %v, want 2 rows and one skipped", got, s, err)
	}
	if _, _, err := run(t, "good\n", func(j *vectorise.Job) { j.Mechanism = fussy{5} }); err == nil {
		t.Error("a mechanism of another width was accepted")
	}
}

// A masked word leaves no trace in the vector, and the user sees which it was.
func TestMasked(t *testing.T) {
	list, err := text.ParseMaskList(strings.NewReader("smith\njones\n"))
	if err != nil {
		t.Fatal(err)
	}
	var seen []int64
	mask := func(j *vectorise.Job) {
		j.Maskers = []text.Masker{list}
		j.Masked = func(line int64, _ string, _ text.Masking) error {
			seen = append(seen, line)
			return nil
		}
	}
	got, s, err := run(t, "good Smith\nnobody\ngood Jones\n", mask)
	lines := strings.Split(got, "\n")
	if err != nil || lines[0] != lines[2] || s.Masked["listed"] != 2 || s.Words != 5 {
		t.Errorf("Run = %q, %+v, %v, want the same vector without the name", got, s, err)
	}
	if len(seen) != 2 || seen[0] != 1 || seen[1] != 3 {
		t.Errorf("masks were shown for lines %v, want 1 and 3", seen)
	}
	plain, _, err := run(t, "good\n", nil)
	if err != nil || !strings.HasPrefix(got, plain) {
		t.Errorf("the masked text has %q, %v, want the vector of what is left, %q", got, err, plain)
	}
}

package erase_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// erasers are one of each kind, of width 6.
func erasers(t testing.TB) []*erase.Eraser {
	t.Helper()
	s := newSample(11, 400, 6, 3)
	m, err := erase.NewMoments(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, z := range s.z {
		if err = m.AddClass(s.row(i), z); err != nil {
			t.Fatal(err)
		}
	}
	leace, err := erase.LEACE{}.Fit(m)
	if err != nil {
		t.Fatal(err)
	}
	inlp, _, err := erase.INLP{Iterations: 2}.Fit(t.Context(), nn.NewPool(1), s.labelled(), 3)
	if err != nil {
		t.Fatal(err)
	}
	hard, err := erase.NewHard([][]float64{s.row(0)}, []string{"queen"}, [][2]string{{"she", "he"}})
	if err != nil {
		t.Fatal(err)
	}
	return []*erase.Eraser{leace, inlp, hard}
}

// Apply is P(x−μ)+μ, at length 1 for hard debiasing, for every number of rows
// and workers.
func TestApply(t *testing.T) {
	s := newSample(12, 101, 6, 2)
	for _, e := range erasers(t) {
		got := slices.Clone(s.rows)
		e.Apply(nn.NewPool(3), got)
		p, mean := e.Matrix(), mat.NewVecDense(6, e.Mean())
		for i := range s.z {
			var x, want mat.VecDense
			x.SubVec(mat.NewVecDense(6, s.row(i)), mean)
			want.MulVec(p, &x)
			want.AddVec(&want, mean)
			if e.Method() == erase.MethodHard {
				want.ScaleVec(1/mat.Norm(&want, 2), &want)
			}
			for j := range 6 {
				wantNear(t, string(e.Method()), got[i*6+j], want.AtVec(j), 1e-9)
			}
		}
		one := slices.Clone(s.rows)
		e.Apply(nn.NewPool(1), one)
		if !slices.Equal(one, got) {
			t.Errorf("%s: rows differ with the number of workers", e.Method())
		}
		twice := slices.Clone(got)
		e.Apply(nn.NewPool(1), twice)
		for i := range twice {
			wantNear(t, string(e.Method())+" twice", twice[i], got[i], 1e-9)
		}
	}
}

// Where a coordinate is removed, nothing is left of it, not even rounding: not
// along an axis, nor where several directions together take coordinates away.
func TestApplyLeavesNoDust(t *testing.T) {
	s := newSample(13, 200, 6, 2)
	for name, directions := range map[string][][]float64{
		"axis": {{0, 0, 3, 0, 0, 0}},
		"five": {{3, 1, 0, 0, 0, 0}, {1, 7, 0, 0, 0, 0}, {0, 0, 1, 2, 3, 0}, {0, 0, 3, 1, 2, 0}, {0, 0, 2, 3, 1, 0}},
	} {
		var b strings.Builder
		e, err := erase.NewHard(directions, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err = e.Write(&b); err != nil {
			t.Fatal(err)
		}
		plain, err := erase.Read(strings.NewReader(strings.Replace(b.String(), `"hard"`, `"inlp"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		rows := slices.Clone(s.rows)
		plain.Apply(nn.NewPool(1), rows)
		for i, v := range rows {
			if (i%6 == 2 || name == "five" && i%6 != 5) && v != 0 {
				t.Fatalf("%s: number %d = %v, want 0", name, i, v)
			}
		}
	}
}

// An eraser that leaves nothing is none.
func TestNothingLeft(t *testing.T) {
	if _, err := erase.NewHard([][]float64{{1, 2}, {2, 1}}, nil, nil); !errors.Is(err, erase.ErrNothingLeft) {
		t.Errorf("NewHard on all directions = %v, want %v", err, erase.ErrNothingLeft)
	}
	m, err := erase.NewMoments(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err = m.Add([]float64{float64(i)}, []float64{float64(i % 2)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err = (erase.LEACE{}).Fit(m); !errors.Is(err, erase.ErrNothingLeft) {
		t.Errorf("LEACE of one number = %v, want %v", err, erase.ErrNothingLeft)
	}
	if _, err = erase.Read(strings.NewReader(`{"format":"sotto-eraser-1","privacy":"","method":"inlp","dim":1,"mean":[0],"away":[[1]],"by":[[1]]}`)); !errors.Is(err, erase.ErrNothingLeft) {
		t.Errorf("Read of an eraser of everything = %v, want %v", err, erase.ErrNothingLeft)
	}
}

// A number that is not finite spoils no row but its own.
func TestApplyNotFinite(t *testing.T) {
	for _, e := range erasers(t) {
		rows := make([]float64, 3*6)
		for i := range rows {
			rows[i] = float64(i)
		}
		rows[7] = math.NaN()
		e.Apply(nn.NewPool(1), rows)
		for i, v := range rows {
			if math.IsNaN(v) != (i/6 == 1) {
				t.Errorf("%s: number %d = %v", e.Method(), i, v)
			}
		}
	}
}

func TestApplyPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Apply to half a row did not panic")
		}
	}()
	erasers(t)[0].Apply(nn.NewPool(1), make([]float64, 9))
}

func TestFile(t *testing.T) {
	s := newSample(12, 9, 6, 2)
	for _, e := range erasers(t) {
		var b bytes.Buffer
		if err := e.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.Contains(text, erase.Privacy) {
			t.Errorf("%s: file does not say %q", e.Method(), erase.Privacy)
		}
		again, err := erase.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		if again.Method() != e.Method() || !mat.Equal(again.Matrix(), e.Matrix()) || !slices.Equal(again.Mean(), e.Mean()) {
			t.Errorf("%s: what was read differs from what was written", e.Method())
		}
		x, y := slices.Clone(s.rows), slices.Clone(s.rows)
		e.Apply(nn.NewPool(1), x)
		again.Apply(nn.NewPool(1), y)
		if !slices.Equal(x, y) {
			t.Errorf("%s: rows differ after reading", e.Method())
		}
		var c bytes.Buffer
		if err := again.Write(&c); err != nil || c.String() != text {
			t.Errorf("%s: written again it differs (%v)", e.Method(), err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := `{"format":"sotto-eraser-1","privacy":"","method":"inlp","dim":2,"mean":[0,0],"away":[[1,0]],"by":[[1,0]]}`
	if _, err := erase.Read(strings.NewReader(good)); err != nil {
		t.Fatalf("Read = %v, want no error", err)
	}
	for name, change := range map[string][2]string{
		"another format":   {"eraser-1", "eraser-2"},
		"another method":   {"inlp", "magic"},
		"unknown field":    {`"dim"`, `"secret":1,"dim"`},
		"no width":         {`"dim":2`, `"dim":0`},
		"another width":    {`"dim":2`, `"dim":3`},
		"short mean":       {`[0,0]`, `[0]`},
		"infinite":         {`[0,0]`, `[1e999,0]`},
		"no projection":    {`"by":[[1,0]]`, `"by":[[2,0]]`},
		"short direction":  {`"by":[[1,0]]`, `"by":[[1]]`},
		"missing":          {`"by":[[1,0]]`, `"by":[]`},
		"too many":         {`[[1,0]],"by":[[1,0]]`, `[[1,0],[0,1],[0,0]],"by":[[1,0],[0,1],[0,0]]`},
		"words of another": {`"dim"`, `"specific":["x"],"dim"`},
		"more behind":      {`[[1,0]]}`, `[[1,0]]}{}`},
		"cut":              {`[[1,0]]}`, `[[1,0]]`},
		"a list":           {good, "[" + good + "]"},
		"nothing":          {good, ""},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := erase.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: Read = nil, want an error", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %q quotes the file", name, err)
		}
	}
}

// Whatever Read accepts is written and read again as it is, and makes no row
// that is not finite of one that is, up to overflow.
func FuzzRead(f *testing.F) {
	for _, e := range erasers(f) {
		var b bytes.Buffer
		if err := e.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"format":"sotto-eraser-1","method":"inlp","dim":1,"mean":[0],"away":[],"by":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := erase.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if e.Rank() > e.Dim() {
			t.Errorf("rank removed = %d of %d", e.Rank(), e.Dim())
		}
		var first, second bytes.Buffer
		if err = e.Write(&first); err != nil {
			t.Fatal(err)
		}
		text := first.String()
		again, err := erase.Read(&first)
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if err := again.Write(&second); err != nil || second.String() != text {
			t.Errorf("written again it differs (%v)", err)
		}
	})
}

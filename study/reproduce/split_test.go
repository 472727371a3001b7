package reproduce_test

import (
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
	"sotto/study/reproduce"
	"sotto/text/encode"
)

// disjoint fails if a row is in two of the parts.
func disjoint(t *testing.T, parts ...[]int) {
	t.Helper()
	seen := map[int]bool{}
	for _, part := range parts {
		for _, row := range part {
			if seen[row] {
				t.Fatalf("row %d is in two parts", row)
			}
			seen[row] = true
		}
	}
}

func TestCarve(t *testing.T) {
	rows := []int{3, 5, 7, 11, 13, 17, 19, 23, 29, 31}
	rest, drawn := reproduce.Carve(rows, 0.2, weakrand.New(weakrand.NewPCG(1, 0)))
	disjoint(t, rest, drawn)
	all := slices.Sorted(slices.Values(slices.Concat(rest, drawn)))
	if len(drawn) != 2 || !slices.Equal(all, rows) || !slices.IsSorted(rest) || !slices.IsSorted(drawn) {
		t.Errorf("Carve = %v and %v, want eight and two of %v in order", rest, drawn, rows)
	}
}

func TestSentences(t *testing.T) {
	for _, quick := range []bool{false, true} {
		s, err := reproduce.LoadSentences("reviews", 2, quick)
		if err != nil {
			t.Fatal(err)
		}
		e, err := encode.NewHash(16)
		if err != nil {
			t.Fatal(err)
		}
		x, err := encode.Texts(t.Context(), e, s.Texts(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range 2 {
			train, validation, test, needed := s.Parts(seed)
			disjoint(t, train, validation, test)
			if sizes := []int{len(train), len(validation), len(test)}; quick != slices.Equal(sizes, []int{1000, 200, 500}) {
				t.Errorf("quick %v: parts of %v rows", quick, sizes)
			}
			if len(needed) != x.Rows {
				t.Errorf("quick %v: %d rows are needed and %d encoded", quick, len(needed), x.Rows)
			}
			d, want := s.Pick(x, test), make([]float32, 16)
			for i, row := range test {
				if e.Encode(want, s.Text[row]); !slices.Equal(d.X.Row(i), want) || d.Z[i] != s.Label.IDs[row] {
					t.Fatalf("quick %v: row %d of the test part is not that of the set", quick, i)
				}
			}
		}
	}
}

// A rule that is turned round in the test part is right in training and never
// in the test.
func TestClassify(t *testing.T) {
	const n = 40
	set := &dataset.Set{Rows: 2 * n, Label: dataset.Column{Classes: []string{"no", "yes"}, IDs: make([]int, 2*n)}}
	x := nn.NewMatrix(2*n, 1)
	rows := make([]int, 2*n)
	for i := range rows {
		rows[i] = i
		x.Data[i] = float32(i%2*2 - 1)
		set.Label.IDs[i] = i % 2
		if i >= n {
			set.Label.IDs[i] = 1 - i%2
		}
	}
	train, test, err := reproduce.Classify(t.Context(), nn.NewPool(1), reproduce.NewSentences(set, rows[:30], rows[30:n], rows[n:]), x)
	if err != nil || train != 1 || test != 0 {
		t.Errorf("Classify = %v and %v, %v, want 1 and 0", train, test, err)
	}
}

func TestBagMean(t *testing.T) {
	words := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{2, 4, 8, 10}}
	got := reproduce.BagMean(words, [][]int{{0, 0, 1}, {}, {1}})
	if want := []float32{4, 6, 0, 0, 8, 10}; !slices.Equal(got.Data, want) {
		t.Errorf("mean = %v, want %v", got.Data, want)
	}
}

func TestWorst(t *testing.T) {
	var of []reproduce.Release
	for _, e := range []dp.Epsilon{2, 5, 3} {
		of = append(of, reproduce.Release{True: &e})
	}
	if got := *reproduce.Worst(of).True; got != 5 {
		t.Errorf("the worst of 2, 5 and 3 is %v", got)
	}
	if got := reproduce.Worst([]reproduce.Release{{}, {}}); got.True != nil {
		t.Errorf("the worst of nothing is %v", *got.True)
	}
}

func TestMiss(t *testing.T) {
	m := reproduce.Miss{Within: true}
	m.Include(3, 4)
	if m.Include(2, 5); m.Max != 3 || m.Bound != 5 || !m.Within {
		t.Errorf("got %+v, want at most 3 of 5, within", m)
	}
	if m.Include(5.5, 5); m.Max != 5.5 || m.Within {
		t.Errorf("got %+v, want 5.5, not within", m)
	}
	if m.Include(1, 5); m.Within {
		t.Errorf("got %+v, want it not within, once it was not", m)
	}
}

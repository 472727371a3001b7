package retrieval_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/retrieval"
	"sotto/promise/dp"
	"sotto/report"
	"sotto/report/gate"
)

// table yields a matrix in blocks of the given number of rows.
func table(x nn.Matrix, size int) retrieval.Blocks {
	return func(yield func(nn.Matrix) error) error {
		for from := 0; from < x.Rows; from += size {
			if err := yield(x.Slice(from, min(from+size, x.Rows))); err != nil {
				return err
			}
		}
		return nil
	}
}

func normal(rows, cols int, seed uint64) nn.Matrix {
	rng := weakrand.New(weakrand.NewPCG(seed, 9))
	x := nn.NewMatrix(rows, cols)
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
	}
	return x
}

// plainly finds the neighbours of every row by sorting all values.
func plainly(x nn.Matrix, metric retrieval.Metric, k int) [][]int {
	all := make([][]int, x.Rows)
	for q := range x.Rows {
		values := make([]float64, x.Rows)
		for i := range x.Rows {
			dot, a, b := 0.0, 0.0, 0.0
			for j := range x.Cols {
				u, v := float64(x.Row(q)[j]), float64(x.Row(i)[j])
				dot, a, b = dot+u*v, a+u*u, b+v*v
			}
			if values[i] = dot; metric == retrieval.Cosine {
				values[i] = dot / math.Sqrt(a*b)
			}
		}
		order := slices.DeleteFunc(nn.Indices(x.Rows), func(i int) bool { return i == q })
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
		all[q] = order[:k]
	}
	return all
}

func TestRecallByHand(t *testing.T) {
	raw, noisy := normal(150, 6, 1), normal(150, 6, 1)
	other := normal(150, 6, 2)
	for i := range noisy.Data {
		noisy.Data[i] += other.Data[i]
	}
	for _, metric := range []retrieval.Metric{retrieval.Cosine, retrieval.Dot} {
		r, err := retrieval.Measure(t.Context(), nn.NewPool(2), table(raw, 40), table(noisy, 64), retrieval.Options{K: []int{1, 7}, Metric: metric})
		if err != nil {
			t.Fatal(err)
		}
		for at, k := range []int{1, 7} {
			before, after := plainly(raw, metric, k), plainly(noisy, metric, k)
			sum := 0.0
			for q := range before {
				for _, i := range before[q] {
					if slices.Contains(after[q], i) {
						sum++
					}
				}
			}
			got, want := r.Recalls[at], sum/float64(150*k)
			if got.K != k || math.Abs(float64(got.Recall)-want) > 1e-9 {
				t.Errorf("%s: recall@%d is %v, want %v", metric, k, got.Recall, want)
			}
			if math.Abs(float64(got.Chance)-float64(k)/149) > 1e-12 || got.Low != got.Recall || got.High != got.Recall {
				t.Errorf("%s: %+v, want a chance of k/149 and, as every row was asked, no doubt", metric, got)
			}
		}
	}
}

func TestSameAndUnrelated(t *testing.T) {
	raw := normal(3000, 16, 1)
	same, err := retrieval.Measure(t.Context(), nn.NewPool(2), table(raw, 999), table(raw, 1000), retrieval.Options{Queries: 200})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range same.Recalls {
		if n.Recall != 1 || !(n.Low <= 1 && n.Low > 0.97) {
			t.Errorf("of the same vectors recall@%d is %v in [%v, %v], want 1", n.K, n.Recall, n.Low, n.High)
		}
	}
	unrelated, err := retrieval.Measure(t.Context(), nn.NewPool(1), table(raw, 1000), table(normal(3000, 5, 7), 1000), retrieval.Options{Queries: 200})
	if err != nil {
		t.Fatal(err)
	}
	if unrelated.Dim != 16 || unrelated.PrivateDim != 5 || unrelated.Queries != 200 || len(unrelated.Recalls) != 3 {
		t.Errorf("result is %+v, want 200 queries of three k", unrelated)
	}
	// Of 200 queries, a mean of 100 hits each with probability 100/2999 deviates by
	// at most √(p/20000) = 0.0013 if they were independent; neighbours of hubs are
	// not, so that ten times as much is allowed.
	if n := unrelated.Recalls[2]; math.Abs(float64(n.Recall-n.Chance)) > 0.013 || n.Low > n.Chance {
		t.Errorf("of unrelated vectors recall@%d is %v from %v, want chance, %v", n.K, n.Recall, n.Low, n.Chance)
	}
	if s := unrelated.Sentence(); !strings.Contains(s, "no more than chance") {
		t.Errorf("sentence is %q, want it to say that nothing is left", s)
	}
}

func TestWorkersAndBlocks(t *testing.T) {
	raw, private := normal(500, 8, 1), normal(500, 8, 3)
	var first []byte
	for _, workers := range []int{1, 3} {
		for _, size := range []int{17, 500} {
			r, err := retrieval.Measure(t.Context(), nn.NewPool(workers), table(raw, size), table(private, size), retrieval.Options{Queries: 50, Seed: 4})
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if string(got) != string(first) {
				t.Errorf("%d workers, blocks of %d: %s, want %s", workers, size, got, first)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	raw, broken := normal(50, 3, 1), normal(50, 3, 1)
	broken.Row(20)[1] = float32(math.NaN())
	fails := func(func(nn.Matrix) error) error { return errors.New("no file") }
	for name, c := range map[string]struct {
		raw, private retrieval.Blocks
		o            retrieval.Options
	}{
		"fewer rows":   {table(raw, 10), table(normal(49, 3, 1), 10), retrieval.Options{}},
		"more rows":    {table(raw, 10), table(normal(51, 3, 1), 10), retrieval.Options{}},
		"not a number": {table(raw, 10), table(broken, 10), retrieval.Options{}},
		"no rows":      {table(nn.Matrix{}, 10), table(nn.Matrix{}, 10), retrieval.Options{}},
		"k too large":  {table(raw, 10), table(raw, 10), retrieval.Options{K: []int{49}}},
		"k of 0":       {table(raw, 10), table(raw, 10), retrieval.Options{K: []int{0}}},
		"metric":       {table(raw, 10), table(raw, 10), retrieval.Options{Metric: "l2"}},
		"queries":      {table(raw, 10), table(raw, 10), retrieval.Options{Queries: -1}},
		"unreadable":   {table(raw, 10), fails, retrieval.Options{}},
	} {
		if r, err := retrieval.Measure(t.Context(), nn.NewPool(1), c.raw, c.private, c.o); err == nil {
			t.Errorf("%s: %+v, want an error", name, r)
		}
	}
}

// Pages show a result, and gates judge it.
func TestKind(t *testing.T) {
	raw := normal(300, 4, 1)
	r, err := retrieval.Measure(t.Context(), nn.NewPool(1), table(raw, 100), table(raw, 100), retrieval.Options{Queries: 100})
	if err != nil {
		t.Fatal(err)
	}
	r.Raw, r.Private, r.Mechanism, r.Guarantee = "raw.npy", "private.npy", "privunit", &dp.Guarantee{Unit: dp.Text, Epsilon: 8}
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := report.Kinds().New()
	if err != nil {
		t.Fatal(err)
	}
	if err := found.Add("retrieval.json", strings.NewReader(string(content))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(report.HTML(io.Discard, found), report.Markdown(io.Discard, found)); err != nil {
		t.Error(err)
	}
	for rule, want := range map[string]bool{
		`"numbers": {"recall_at_10": {"min": 0.9}}`:                                    true,
		`"numbers": {"recall_at_10": {"max": 0.9}}`:                                    false,
		`"numbers": {"recall_at_1": {"min": 0.999, "by": "interval"}}`:                 false,
		`"match": {"kind": "retrieval", "data": "private.npy"}, "epsilon": {"max": 8}`: true,
		`"match": {"kind": "retrieval"}, "epsilon": {"max": 4}`:                        false,
	} {
		policy, err := gate.Parse(strings.NewReader(`{"rules": [{` + rule + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := policy.Judge(found); err != nil || v.Passed != want {
			t.Errorf("%s: %+v, %v, want %t", rule, v, err, want)
		}
	}
}

package weat_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/bias"
	"sotto/study/bias/weat"
)

// read reads the words of the built-in tests from a data set, or skips.
func read(tb testing.TB, parts ...string) *bias.Table {
	tb.Helper()
	t, _, err := bias.Read(testenv.Data(tb, parts...), bias.Options{Words: weat.Words(weat.Builtin()...)})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func word2vec(tb testing.TB) *bias.Table {
	tb.Helper()
	return read(tb, "weat", "weat_w2v_300d.txt.gz")
}

// run makes the built-in tests of the given numbers.
func run(tb testing.TB, t *bias.Table, o weat.Options, numbers ...int) []weat.Result {
	tb.Helper()
	var tests []weat.Test
	for _, n := range numbers {
		tests = append(tests, weat.Builtin()[n-1])
	}
	results, err := weat.RunAll(context.Background(), t, tests, o, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return results
}

// golden holds effects that an independent program computed from the word2vec
// vectors: by test, and by measure and statistic.
type golden struct {
	Origin string `json:"origin"`
	Tests  map[string]map[string]struct {
		Effect     float64 `json:"effect"`
		Population float64 `json:"population"`
		Sum        float64 `json:"sum"`
	} `json:"tests"`
}

func TestWord2vecGolden(t *testing.T) {
	table := word2vec(t)
	content, err := os.ReadFile(filepath.Join("testdata", "word2vec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err = json.Unmarshal(content, &g); err != nil {
		t.Fatal(err)
	}
	numbers := []int{1, 6, 7, 8, 9}
	o := weat.Options{Measures: []weat.Measure{weat.Cosine, weat.Euclidean, weat.Manhattan}, Statistics: weat.Statistics(), Samples: 100}
	sample := run(t, table, o, numbers...)
	o.Population = true
	population := run(t, table, o, numbers...)
	for i, r := range sample {
		want := g.Tests[r.Test.Name]
		if len(r.Lost()) > 0 || len(r.Variants) != 15 || len(want) != 15 {
			t.Fatalf("test %s lost %v and has %d variants, %d in the golden file, want none and 15", r.Test.Name, r.Lost(), len(r.Variants), len(want))
		}
		for k, v := range r.Variants {
			w := want[string(v.Measure)+" "+string(v.Statistic)]
			// The golden values have six decimals, the vectors eight digits.
			if math.Abs(v.Sum-w.Sum) > 1e-3 {
				t.Errorf("test %s, %s %s: sum is %.6f, want %.6f", r.Test.Name, v.Measure, v.Statistic, v.Sum, w.Sum)
			}
			if math.Abs(v.Effect-w.Effect) > 1e-3 || math.Abs(population[i].Variants[k].Effect-w.Population) > 1e-3 {
				t.Errorf("test %s, %s %s: effects are %.6f and %.6f, want %.6f and %.6f", r.Test.Name, v.Measure, v.Statistic,
					v.Effect, population[i].Variants[k].Effect, w.Effect, w.Population)
			}
		}
	}
}

// TestExactChance checks the published counts of partitions.
func TestExactChance(t *testing.T) {
	want := map[string][2]int{"6": {0, 12870}, "7": {291, 12870}, "8": {51, 12870}, "9": {6, 924}}
	table := word2vec(t)
	for _, r := range run(t, table, weat.Options{}, 6, 7, 8, 9) {
		v, w := r.Variants[0], want[r.Test.Name]
		if !v.Exact || v.Greater != w[0] || v.Partitions != w[1] || v.P != float64(w[0])/float64(w[1]) {
			t.Errorf("test %s: %d of %d, p %v, want %d of %d", r.Test.Name, v.Greater, v.Partitions, v.P, w[0], w[1])
		}
	}
	for _, r := range run(t, table, weat.Options{TwoSided: true}, 7, 8, 9) {
		// Sets of one size: with each partition its mirror image is counted.
		if v, w := r.Variants[0], want[r.Test.Name]; v.Greater != 2*w[0] {
			t.Errorf("test %s, two-sided: %d, want %d", r.Test.Name, v.Greater, 2*w[0])
		}
	}
}

// TestGlove checks the cosine means of all ten tests.
func TestGlove(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a file of 34 MB")
	}
	table := read(t, "glove", "glove.6B.100d.102858.txt.gz")
	want := []float64{1.169, 1.297, 0.871, 1.283, 1.418, 1.718, 1.281, 1.123, 1.275, 1.071}
	for i, r := range run(t, table, weat.Options{Samples: 1000}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) {
		if got := r.Variants[0].Effect; math.Abs(got-want[i]) > 1e-3 {
			t.Errorf("test %s: effect is %.4f, want %.3f", r.Test.Name, got, want[i])
		}
		lost := []string{}
		if i == 0 {
			lost = []string{"gladiola"}
		}
		if !slices.Equal(r.Lost(), lost) {
			t.Errorf("test %s lost %v, want %v", r.Test.Name, r.Lost(), lost)
		}
	}
}

// TestMahalanobisScale checks what was found by another program with
// Ledoit–Wolf on test 1: where the two covariances differ in scale, the
// statistic hardly matters.
func TestMahalanobisScale(t *testing.T) {
	o := weat.Options{Measures: []weat.Measure{weat.Mahalanobis}, Statistics: []weat.Statistic{weat.Mean, weat.Minimum, weat.Maximum}, Samples: 100}
	for i, want := range []float64{-1.54, -1.55, -1.58} { // to two decimals
		if v := run(t, word2vec(t), o, 1)[0].Variants[i]; math.Abs(v.Effect-want) > 0.0051 {
			t.Errorf("%s: effect is %.4f, want %v", v.Statistic, v.Effect, want)
		}
	}
}

func TestBuiltinSizes(t *testing.T) {
	want := [][4]int{{25, 25, 25, 25}, {25, 25, 25, 25}, {32, 32, 25, 25}, {18, 18, 25, 25}, {18, 18, 8, 8}, {8, 8, 8, 8}, {8, 8, 8, 8}, {8, 8, 8, 8}, {6, 6, 7, 7}, {8, 8, 8, 8}}
	tests := weat.Builtin()
	if len(tests) != len(want) {
		t.Fatalf("there are %d tests, want %d", len(tests), len(want))
	}
	for i, test := range tests {
		if got := [4]int{len(test.X), len(test.Y), len(test.A), len(test.B)}; got != want[i] {
			t.Errorf("test %s has sets of %v, want %v", test.Name, got, want[i])
		}
		if err := test.Validate(); err != nil {
			t.Error(err)
		}
	}
	if all := strings.Join(tests[9].X, " "); !strings.HasSuffix(all, "Joey Billy") {
		t.Errorf("young names of test 10 are %s, want Billy among them", all)
	}
}

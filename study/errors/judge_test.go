package errors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sotto/compute/measure"
	"sotto/study/errors"
)

// answers returns rows of which those with "question" are wrong in four of five cases
// and others in one of five, beside features that say nothing; the confidence knows
// something else: rows of low confidence are wrong more often, too.
func answers(tb testing.TB, rows int) errors.Answers {
	tb.Helper()
	rng := weakrand.New(weakrand.NewPCG(11, uint64(rows)))
	x := &errors.Features{Names: []string{"question", "length", "noise a", "noise b"}, Groups: []string{"cue", "shape", "other", "other"}}
	a := errors.Answers{Features: x}
	for range rows {
		row := errors.Row{}
		chance := 0.2
		if rng.IntN(3) == 0 {
			row = append(row, errors.Cell{Column: 0, Value: 1 / float64(1+rng.IntN(9))})
			chance = 0.8
		}
		row = append(row, errors.Cell{Column: 1, Value: float64(1 + rng.IntN(40))})
		for j := 2; j < 4; j++ {
			if rng.IntN(4) == 0 {
				row = append(row, errors.Cell{Column: j, Value: 1})
			}
		}
		doubt := rng.Float64() / 2
		wrong := rng.Float64() < chance*(0.5+2*doubt)
		x.Rows, a.Wrong = append(x.Rows, row), append(a.Wrong, wrong)
		a.Confidence = append(a.Confidence, 1-doubt)
		a.Probabilities = append(a.Probabilities, []float64{1 - doubt, doubt})
	}
	return a
}

// small are options that take little time.
func small(workers int) errors.Options {
	o := errors.Options{Splits: 3, Leaves: []int{1, 10}, K: []int{10, 50, 100000}, Work: errors.Work{Workers: workers}}
	o.Forest.Trees = 20
	return o
}

func TestJudge(t *testing.T) {
	a := answers(t, 400)
	j, err := errors.Judge(context.Background(), a, small(2))
	if err != nil {
		t.Fatal(err)
	}
	auc := map[string]measure.Number{}
	var names []string
	for _, r := range j.Rankers {
		names = append(names, r.Name)
		auc[r.Name] = r.AUC
		if _, there := r.PAt["100000"]; there || len(r.PAt) != 2 || len(r.Lift) != 2 {
			t.Errorf("%s has p_at %v, want those that fit into the test part", r.Name, r.PAt)
		}
		if l := float64(r.Lift["10"].Mean); !(l > 0 && l <= 3) {
			t.Errorf("%s has a lift of %v", r.Name, l)
		}
	}
	if want := []string{"forest", "least-confidence", "margin", "entropy", "combined"}; !slices.Equal(names, want) {
		t.Errorf("rankers are %v, want %v", names, want)
	}
	// Of some 60 test rows of which 30 are wrong, scores that say nothing have an area
	// of 0.5 ± 0.075; the forest's true one is above 0.7.
	if !(auc["forest"] > 0.6) || !(auc["combined"] > 0.6) || auc["margin"] != auc["entropy"] {
		t.Errorf("areas are %v", auc)
	}
	if j.Features[0].Name != "question" || !(j.Features[0].With > 2*j.Features[0].Without) || j.Groups[0].Name != "cue" {
		t.Errorf("the first features are %+v", j.Features[:2])
	}
	if len(j.Tests) != 2*10 || len(j.Absent) != 0 || j.Train+j.Test != 2*min(count(a.Wrong), 400-count(a.Wrong)) {
		t.Errorf("%d tests, %v absent, parts of %d and %d", len(j.Tests), j.Absent, j.Train, j.Test)
	}
	again, err := errors.Judge(context.Background(), a, small(1))
	if err != nil {
		t.Fatal(err)
	}
	if one, two := fmt.Sprint(again.Rankings, again.Features), fmt.Sprint(j.Rankings, j.Features); one != two {
		t.Errorf("one worker found\n%s\nand two\n%s", one, two)
	}
}

func count(is []bool) (n int) {
	for _, yes := range is {
		if yes {
			n++
		}
	}
	return n
}

func TestJudgeRefuses(t *testing.T) {
	good := answers(t, 200)
	for name, spoil := range map[string]func(a *errors.Answers, o *errors.Options){
		"no error":   func(a *errors.Answers, _ *errors.Options) { a.Wrong = make([]bool, 200) },
		"fewer rows": func(a *errors.Answers, _ *errors.Options) { a.Wrong = a.Wrong[:100] },
		"NaN":        func(a *errors.Answers, _ *errors.Options) { a.Confidence = slices.Repeat([]float64{math.NaN()}, 200) },
		"above one":  func(a *errors.Answers, _ *errors.Options) { a.Confidence = slices.Repeat([]float64{87}, 200) },
		"not adding up": func(a *errors.Answers, _ *errors.Options) {
			a.Probabilities = slices.Repeat([][]float64{{0.2, 0.2}}, 200)
		},
		"one class":           func(a *errors.Answers, _ *errors.Options) { a.Probabilities = slices.Repeat([][]float64{{1}}, 200) },
		"no splits":           func(_ *errors.Answers, o *errors.Options) { o.Splits = -1 },
		"K of 0":              func(_ *errors.Answers, o *errors.Options) { o.K = []int{0} },
		"features of nothing": func(_ *errors.Answers, o *errors.Options) { o.MinRows = 1000 },
	} {
		a, o := good, small(1)
		spoil(&a, &o)
		if _, err := errors.Judge(context.Background(), a, o); err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := errors.Judge(ctx, good, small(1)); err == nil {
		t.Error("a cancelled judgement ended")
	}
}

func TestPrecision(t *testing.T) {
	wrong := []bool{true, false, true, false}
	for _, tt := range []struct {
		score []float64
		k     int
		want  float64
	}{
		{[]float64{4, 3, 2, 1}, 1, 1},
		{[]float64{4, 3, 2, 1}, 2, 0.5},
		{[]float64{1, 1, 1, 1}, 3, 0.5},     // all share the places
		{[]float64{2, 1, 1, 1}, 2, 2.0 / 3}, // one, and a third of the next
	} {
		if got := errors.Precision(wrong, tt.score, tt.k); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Precision(%v, %d) = %v, want %v", tt.score, tt.k, got, tt.want)
		}
	}
}

// TestCompare against the formula, by hand: differences 1, 2, 3 have mean 2 and
// deviation 1, so that with test/train = 1/4 the error is √(1/3 + 1/4) = 0.7638 and
// t = 2.6186 with two degrees of freedom, of which P(|T| ≥ t) = 1 − t/√(t²+2) = 0.12015.
func TestCompare(t *testing.T) {
	c := errors.Compare([]float64{2, 3, 4}, []float64{1, 1, 1}, 1, 4)
	if math.Abs(float64(c.Difference)-2) > 1e-12 || math.Abs(float64(c.P)-0.12015) > 1e-4 || !(c.Low < 0 && c.High > 4) {
		t.Errorf("Compare is %+v", c)
	}
	if same := errors.Compare([]float64{1, 1}, []float64{1, 1}, 1, 4); same.P != 1 {
		t.Errorf("p of what is equal is %v, want 1", same.P)
	}
}

// TestResultJSON: what is printed is read back as it was.
func TestResultJSON(t *testing.T) {
	a := answers(t, 200)
	j, err := errors.Judge(context.Background(), a, small(2))
	if err != nil {
		t.Fatal(err)
	}
	r := &errors.Result{Format: errors.Format, Source: "a.csv", Splits: 3, Balance: true, Judged: *j}
	r.Count(a.Wrong)
	if r.Cohorts, err = errors.Cohorts(a.Features, a.Wrong, errors.TreeOptions{}); err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back errors.Result
	if err = json.Unmarshal(content, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil || !reflect.DeepEqual(content, again) {
		t.Errorf("read back: %v\n%s\n%s", err, content, again)
	}
}

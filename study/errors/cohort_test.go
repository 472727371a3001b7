package errors_test

import (
	"bytes"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/study/errors"
)

func TestCohorts(t *testing.T) {
	a := answers(t, 600)
	all, err := errors.Cohorts(a.Features, a.Wrong, errors.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 || len(all) > 8 || !strings.Contains(all[0].Rule, "with question") || !strings.Contains(all[len(all)-1].Rule, "without question") {
		t.Fatalf("cohorts are %v", all)
	}
	seen, errs, share := make([]bool, 600), 0, 0.0
	for _, c := range all {
		if c.Size < 20 || c.Size != len(c.Rows()) || c.HeldOut.Rows >= c.Size || !(c.HeldOut.Low <= c.HeldOut.ErrorRate && c.HeldOut.ErrorRate <= c.HeldOut.High) {
			t.Errorf("cohort %+v", c)
		}
		for _, i := range c.Rows() {
			if seen[i] {
				t.Errorf("row %d is in two cohorts", i)
			}
			seen[i] = true
		}
		errs, share = errs+c.Errors, share+float64(c.Share)
	}
	if slices.Contains(seen, false) || errs != count(a.Wrong) || math.Abs(share-1) > 1e-9 {
		t.Errorf("cohorts hold %d errors and a share of %v, want every row once", errs, share)
	}
	deep, err := errors.Cohorts(a.Features, a.Wrong, errors.TreeOptions{Depth: 6, Leaves: 5, Least: 5})
	if err != nil || len(deep) > 5 {
		t.Errorf("%d leaves of at most 5: %v", len(deep), err)
	}
	if _, err = errors.Cohorts(a.Features, a.Wrong, errors.TreeOptions{Depth: -1}); err == nil {
		t.Error("depth −1 was not refused")
	}
}

func TestRule(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		rule errors.Rule
		want string
	}{
		{nil, "all texts"},
		{errors.Rule{{Feature: "cue"}}, "any cue"},
		{errors.Rule{{Feature: "cue", Above: v(0)}}, "with cue"},
		{errors.Rule{{Feature: "cue", AtMost: v(0)}, {Feature: "length", Above: v(3.5)}}, "without cue, length > 3.5"},
		{errors.Rule{{Feature: "length", Above: v(3), AtMost: v(12)}}, "3 < length ≤ 12"},
		{errors.Rule{{Feature: "cue", Above: v(0), AtMost: v(0.5)}}, "with cue ≤ 0.5"},
		{errors.Rule{{Feature: "city = Bonn", Above: v(0)}}, "city = Bonn"},
		{errors.Rule{{Feature: "city = Bonn", AtMost: v(0)}}, "city ≠ Bonn"},
	} {
		if got := tt.rule.String(); got != tt.want {
			t.Errorf("%v says %q, want %q", tt.rule, got, tt.want)
		}
	}
	for _, bad := range []string{
		`{}`, `[]`, `{"format":"sotto-rules-1","rules":[]}`, `{"format":"sotto-rules-2","rules":[[]]}`,
		`{"format":"sotto-rules-1","rules":[[{"feature":"a"}]]}`, `{"format":"sotto-rules-1","rules":[[{"above":1}]]}`,
		`{"format":"sotto-rules-1","rules":[[{"feature":"a","above":2,"at_most":1}]]}`,
		`{"format":"sotto-rules-1","rules":[[],[]]}`, `{"format":"sotto-rules-1","rules":[[]],"more":1}`,
	} {
		if _, err := errors.ReadRules(strings.NewReader(bad)); err == nil {
			t.Errorf("ReadRules took %s", bad)
		}
	}
	var b bytes.Buffer
	rules := []errors.Rule{{{Feature: "a", Above: v(1)}}, {}}
	if err := errors.WriteRules(&b, rules); err != nil {
		t.Fatal(err)
	}
	if back, err := errors.ReadRules(&b); err != nil || back[0].String() != "a > 1" || len(back) != 2 {
		t.Errorf("rules came back as %v: %v", back, err)
	}
}

func TestBetween(t *testing.T) {
	for _, tt := range []struct{ low, high, want float64 }{
		{0, 0.3, 0}, {3, 4, 3.5}, {0.0512, 0.0526, 0.052}, {-2, -1, -2}, {1, math.Nextafter(1, 2), 1},
	} {
		if got := errors.Between(tt.low, tt.high); got != tt.want {
			t.Errorf("between(%v, %v) = %v, want %v", tt.low, tt.high, got, tt.want)
		}
	}
}

func TestHeatMap(t *testing.T) {
	a := answers(t, 300)
	h, err := errors.NewHeatMap(a.Features, a.Wrong, "question", "length")
	if err != nil {
		t.Fatal(err)
	}
	rows, errs := 0, 0
	for _, line := range h.Cells {
		for _, c := range line {
			rows, errs = rows+c.Rows, errs+c.Errors
		}
	}
	if rows != 300 || errs != count(a.Wrong) || h.Rows.Names[0] != "none" || len(h.Columns.Names) != 4 || len(h.Cells) != len(h.Rows.Names) {
		t.Errorf("heat map of %d rows and %d errors by %v and %v", rows, errs, h.Rows.Names, h.Columns.Names)
	}
	for _, two := range [][2]string{{"question", "question"}, {"question", "size"}} {
		if _, err := errors.NewHeatMap(a.Features, a.Wrong, two[0], two[1]); err == nil {
			t.Errorf("%v was not refused", two)
		}
	}
}

// TestLosses: rows with "question" lose half of their right answers, others nothing.
func TestLosses(t *testing.T) {
	a := answers(t, 800)
	before := make([]bool, 800)
	rng := weakrand.New(weakrand.NewPCG(5, 5))
	draws := make([][]bool, 3)
	for d := range draws {
		draws[d] = make([]bool, 800)
		for i, row := range a.Features.Rows {
			draws[d][i] = row.At(0) > 0 && rng.IntN(2) == 0
		}
	}
	l, err := errors.Losses(a.Features, before, draws, errors.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	worst, least := l.Cohorts[0], l.Cohorts[len(l.Cohorts)-1]
	if !strings.Contains(worst.Rule, "question") || strings.Contains(worst.Rule, "without question") || !(worst.HeldOut.Low > 0) || least.Loss != 0 || !(least.HeldOut.Low < 0 && least.HeldOut.High > 0) {
		t.Errorf("the worst is %s, %+v, and the least %s, %+v", worst.Rule, worst.HeldOut, least.Rule, least.HeldOut)
	}
	if g := l.Greatest(100); !(g.Value > 0.3 && g.Low <= g.Value && g.Value <= g.High && g.Low > 0.2) {
		t.Errorf("the greatest loss above 100 texts is %+v, want about one half", g)
	}
	if g := l.Greatest(800); !math.IsNaN(float64(g.Value)) {
		t.Errorf("the greatest loss of more texts than there are is %v", g)
	}
	if got := float64(l.Before - l.After - l.All.Loss); math.Abs(got) > 1e-12 || l.Draws != 3 {
		t.Errorf("before %v, after %v, loss %v", l.Before, l.After, l.All.Loss)
	}
	chance := make([]float64, 800)
	for i := range chance {
		for d := range draws {
			if !draws[d][i] {
				chance[i] += 1.0 / 3
			}
		}
	}
	same, err := errors.ExpectedLosses(a.Features, before, chance, errors.TreeOptions{})
	if err != nil || same.Cohorts[0].Rule != worst.Rule || math.Abs(float64(same.Cohorts[0].HeldOut.Low-worst.HeldOut.Low)) > 1e-3 {
		t.Errorf("by their chances: %+v, want that of their draws: %v", same.Cohorts[0].HeldOut, err)
	}
	chance[3] = math.NaN()
	if _, err = errors.ExpectedLosses(a.Features, before, chance, errors.TreeOptions{}); err == nil {
		t.Error("a chance that is none was taken")
	}
	for _, bad := range [][][]bool{nil, {make([]bool, 3)}} {
		if _, err := errors.Losses(a.Features, before, bad, errors.TreeOptions{}); err == nil {
			t.Error("private answers of other rows were taken")
		}
	}
}

func TestRelease(t *testing.T) {
	x, err := errors.FromColumn("city", []string{"a", "a", "b", "c", "a"})
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	rules := []errors.Rule{{{Feature: "city = a", Above: &zero}}, {{Feature: "city = b", Above: &zero}}, {{Feature: "city = nowhere", Above: &zero}}}
	wrong := []bool{true, false, false, true, false}
	// At ε = 100 the noise is below one half but for once in 10²¹.
	r, err := errors.Release(rules, x, wrong, errors.ReleaseOptions{Epsilon: 100}, dptest.Source(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]int64{{2, 1}, {1, 0}, {0, 0}, {0, 1}}
	for k, c := range r.Counts {
		if [2]int64{c.Right, c.Wrong} != want[k] {
			t.Errorf("%s: %d right and %d wrong, want %v", c.Rule, c.Right, c.Wrong, want[k])
		}
	}
	persons := []string{"p", "p", "q", "p", "p"}
	r, err = errors.Release(rules, x, wrong, errors.ReleaseOptions{Epsilon: 100, Persons: persons, PerPerson: 2}, dptest.Source(t, 3))
	if err != nil || r.PerPerson != 2 || r.Counts[0].Right != 1 || r.Counts[0].Wrong != 1 || r.Counts[3].Wrong != 0 {
		t.Errorf("two rows a person: %+v, %v", r, err)
	}
	if math.Abs(r.Scale-0.02) > 1e-6 || !(r.Epsilon <= 100*(1+1e-6)) {
		t.Errorf("scale %v and ε %v, want 2/100 and 100", r.Scale, r.Epsilon)
	}
	persons[2] = ""
	for _, o := range []errors.ReleaseOptions{{Epsilon: 0}, {Epsilon: math.NaN()}, {Epsilon: 1, Persons: persons}, {Epsilon: 1, Persons: persons[:2]}} {
		if _, err := errors.Release(rules, x, wrong, o, dptest.Source(t, 3)); err == nil {
			t.Errorf("%+v was not refused", o)
		}
	}
}

// TestForRules: what a row has does not depend on the others.
func TestForRules(t *testing.T) {
	v := 30.0
	rules := []errors.Rule{{{Feature: "age", Above: &v}}, {{Feature: "age = old", Above: new(float64)}}, {{Feature: "town = x", Above: new(float64)}}}
	values := []string{"31", "old", "", "NaN", "-2"}
	all := errors.ForRules(rules, "age", values)
	if !slices.Equal(all.Names, []string{"age", "age = old"}) || all.Validate() != nil {
		t.Fatalf("features are %v", all.Names)
	}
	for i, value := range values {
		if alone := errors.ForRules(rules, "age", []string{value}); !slices.Equal(alone.Rows[0], all.Rows[i]) {
			t.Errorf("%q has %v alone and %v among others", value, alone.Rows[0], all.Rows[i])
		}
	}
	if all.Rows[0].At(0) != 31 || all.Rows[1].At(1) != 1 || all.Rows[4].At(0) != -2 || len(all.Rows[2])+len(all.Rows[3]) != 0 {
		t.Errorf("rows are %v", all.Rows)
	}
}

func TestCohortsOf(t *testing.T) {
	a := answers(t, 100)
	zero := 0.0
	all, err := errors.CohortsOf([]errors.Rule{{{Feature: "question", Above: &zero}}, {{Feature: "noise a", Above: &zero}}}, a.Features, a.Wrong)
	if err != nil || len(all) != 3 || all[2].Rule != "none of the rules" || all[0].Size+all[1].Size+all[2].Size != 100 || all[0].HeldOut.Rows != all[0].Size {
		t.Errorf("cohorts of rules are %v: %v", all, err)
	}
}

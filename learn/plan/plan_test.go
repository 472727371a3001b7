package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/learn/plan"
	"sotto/promise/dp/dptest"
)

// quick is a spec that trains in a moment.
func quick() experiment.Spec {
	return experiment.Spec{Encoder: "hash:64", Hidden: []int{16}, Epochs: 6, Limit: 1200}
}

func planner(t *testing.T, s experiment.Spec) *plan.Planner {
	t.Helper()
	p, err := plan.New(t.Context(), s, plan.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ready is a planner of quick that all tests ask: what one has asked, it knows.
var ready = sync.OnceValues(func() (*plan.Planner, error) {
	return plan.New(context.Background(), quick(), plan.Options{Workers: 2})
})

func shared(t *testing.T) *plan.Planner {
	t.Helper()
	p, err := ready()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func answer(t *testing.T, p *plan.Planner, ask plan.Ask) *plan.Result {
	t.Helper()
	r, err := p.Answer(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A plan is what the method codes then measures with the same settings and seed,
// and what auto finds is not worse but for the chance of the validation rows that
// it searches by. Of n of these the accuracy of one release is off by more than
// √(ln(2·10⁵)/2n) with probability 10⁻⁵ at most (Hoeffding), and so is that of the
// other, and so are both on the test rows, of which there are as many.
func TestAgrees(t *testing.T) {
	p := shared(t)
	s := quick()
	s.Methods, s.Epsilons = []string{"codes"}, []float64{2, 0.5, 6}[:dptest.Count(t, 1, 3)]
	r, err := experiment.Run(t.Context(), s.Fresh(), experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Configurations {
		at, failed := p.At(t.Context(), s.Epsilons[i])
		if failed != nil {
			t.Fatal(failed)
		}
		m := c.Mean
		if at.Accuracy != min(m.Accuracy, m.Limit) || at.Low != m.Low || at.High != m.High || at.MacroF1 != m.MacroF1 || at.Bound != m.Limit || at.LeakageLimit != m.AttackLimit || at.True != *m.True {
			t.Errorf("at ε = %v the plan is %+v, want what codes measured, %+v", at.Epsilon, at, m)
		}
		if !(at.Limit >= at.Accuracy && at.Limit <= at.Bound) {
			t.Errorf("at ε = %v the limit is %v, want from the accuracy %v to the bound %v", at.Epsilon, at.Limit, at.Accuracy, at.Bound)
		}
	}
	if plain := answer(t, p, plan.Ask{}).NonPrivate; plain != r.Reference {
		t.Logf("the reference has other layers: %v, the plan's model %v", r.Reference, plain)
	}
	if !dptest.Long() {
		return
	}
	s.Methods, s.Epsilons = []string{"auto"}, []float64{2}
	if r, err = experiment.Run(t.Context(), s.Fresh(), experiment.Options{}); err != nil {
		t.Fatal(err)
	}
	at, err := p.At(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	chance := 4 * math.Sqrt(math.Log(2e5)/2/float64(r.Rows.Validation))
	if d := float64(r.Mean.Accuracy - at.Accuracy); math.Abs(d) > chance {
		t.Errorf("auto measured %v and the plan is %v, want them within %v", r.Mean.Accuracy, at.Accuracy, chance)
	}
}

// solves skips a test that solves program after program: under the race detector
// that takes minutes, and TestMemory is what could race.
func solves(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("solves many programs")
	}
}

func TestTarget(t *testing.T) {
	solves(t)
	p := shared(t)
	r := answer(t, p, plan.Ask{Target: 0.7})
	if r.Epsilon == nil || r.Reached == nil || !(r.Reached.Accuracy >= 0.7) || r.Reason != "" {
		t.Fatalf("epsilon is %v with %+v, want one that reaches the target", r.Epsilon, r.Reached)
	}
	before, err := p.At(t.Context(), *r.Epsilon-0.01)
	if err != nil || !(before.Accuracy < 0.7) {
		t.Errorf("a hundredth below, the accuracy is %v, %v, want less than the target", before.Accuracy, err)
	}
	for target, want := range map[float64]string{0.9999: "the model without protection", 1: "the model without protection"} {
		r := answer(t, p, plan.Ask{Target: target})
		if r.Epsilon != nil || !strings.Contains(r.Reason, want) || !strings.Contains(r.Sentence, "No ε") {
			t.Errorf("of %v: epsilon is %v because %q, want none because of %s", target, r.Epsilon, r.Reason, want)
		}
	}
	if r := answer(t, p, plan.Ask{Target: 0.01}); r.Epsilon == nil || *r.Epsilon != 0.01 || !strings.Contains(r.Sentence, "no release is needed") {
		t.Errorf("of what everybody reaches: %v, %q, want the least ε and that no release is needed", r.Epsilon, r.Sentence)
	}
}

// Of a grid the least ε that suffices is taken, and nothing between its values; what the
// choice tells of the data is said.
func TestGridOfTarget(t *testing.T) {
	solves(t)
	p := shared(t)
	grid := []float64{8, 1, 4, 2}
	for i, e := range []float64{1, 2, 4, 8} {
		at, err := p.At(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		r := answer(t, p, plan.Ask{Target: float64(at.Accuracy), Grid: grid})
		if r.Epsilon == nil || *r.Epsilon != e || r.Reached.Epsilon != e || r.Reason != "" {
			t.Errorf("of the accuracy at ε = %v: epsilon is %v because %q", e, r.Epsilon, r.Reason)
		}
		if i == 0 && (!strings.Contains(r.Choice, "which of 4 values it is, or none, tells at most 2.4 bits") || !slices.Contains(r.Meaning(), r.Choice) || !strings.Contains(r.Sentence, "the least of 1, 2, 4, 8 that")) {
			t.Errorf("it says %q and %q, want what the choice tells", r.Sentence, r.Choice)
		}
	}
	r := answer(t, p, plan.Ask{Target: 0.9999, Grid: grid})
	if r.Epsilon != nil || !strings.Contains(r.Sentence, "No ε of 1, 2, 4, 8 tells") || !strings.Contains(r.Reason, "at ε = 8") {
		t.Errorf("epsilon is %v, %q, want none of the grid", r.Epsilon, r.Sentence)
	}
	if grid[0] != 8 {
		t.Error("the grid that was asked for was sorted in place")
	}
	if r = answer(t, p, plan.Ask{Target: 0.7}); !strings.Contains(r.Choice, "one of 3000 values tells up to 11.6 bits; fix a few values") {
		t.Errorf("without a grid it says %q", r.Choice)
	}
}

// Texts that tell nothing make every release useless, which is said.
func TestUseless(t *testing.T) {
	rows := "text,label\n"
	for i := range 400 {
		rows += []string{"the same,yes\n", "the same,no\n", "the same,no\n"}[i%3]
	}
	path := filepath.Join(t.TempDir(), "same.csv")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	s := quick()
	s.In, s.Text, s.Label, s.Limit = experiment.Path(path), "text", "label", 0
	p := planner(t, s)
	r := answer(t, p, plan.Ask{Epsilons: []float64{1}})
	if r.Useful != nil || r.Asked[0].Better || !strings.Contains(r.Sentence, "of no use") {
		t.Errorf("useful from %v, %q, want that it is of no use", r.Useful, r.Sentence)
	}
	if r = answer(t, p, plan.Ask{}); !strings.Contains(r.Sentence, "No release tells") {
		t.Errorf("it says %q, want that no release is better", r.Sentence)
	}
	for _, at := range r.Curve {
		if !(at.Accuracy <= at.Limit && r.Majority <= at.Limit) {
			t.Errorf("at ε = %v the limit is %v, want no less than the commonest class gives, %v", at.Epsilon, at.Limit, r.Majority)
		}
	}
	if content, err := json.Marshal(r); err != nil || strings.Contains(string(content), path) {
		t.Errorf("the result holds the path of the file, or %v", err)
	}
}

// One release serves several labels, of which each is told.
func TestLabels(t *testing.T) {
	solves(t)
	rows := "text,fruit,size\n"
	for i := range 600 {
		fruit, size := []string{"apple", "pear", "plum"}[i%3], []string{"small", "large"}[i/3%2]
		rows += fmt.Sprintf("a %s %s of number%d,%s,%s\n", size, fruit, i%7, fruit, size)
	}
	path := filepath.Join(t.TempDir(), "fruit.csv")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	s := experiment.Spec{In: experiment.Path(path), Labels: []string{"fruit", "size"}, Epochs: 20, Hidden: []int{16}, Encoder: "hash:64"}
	s.Text = "text"
	r := answer(t, planner(t, s), plan.Ask{Epsilons: []float64{8}})
	at := r.Asked[0]
	if want := "sotto train --in FILE --text text --labels fruit,size --encoder hash:64 --method codes --epsilon 8 --epochs 20 --hidden 16"; !strings.HasSuffix(r.Meaning()[len(r.Meaning())-1], want) {
		t.Errorf("the command is %s, want %s", r.Meaning()[len(r.Meaning())-1], want)
	}
	if len(at.Labels) != 2 || at.Labels[1].Name != "size" || !at.Better || at.Codes < 2 {
		t.Errorf("the point is %+v, want both labels told", at)
	}
	if mean := (at.Labels[0].Accuracy + at.Labels[1].Accuracy) / 2; math.Abs(float64(mean-at.Accuracy)) > 1e-9 {
		t.Errorf("accuracy is %v, want the mean %v of the labels", at.Accuracy, mean)
	}
}

func TestCurve(t *testing.T) {
	p := shared(t)
	r := answer(t, p, plan.Ask{})
	if len(r.Curve) != len(p.Grid()) || r.Useful == nil || r.Near == nil || !(*r.Useful <= *r.Near) {
		t.Errorf("%d points, useful from %v, near from %v", len(r.Curve), r.Useful, r.Near)
	}
	for i, at := range r.Curve {
		if i > 0 && !(at.Epsilon > r.Curve[i-1].Epsilon && at.Bound >= r.Curve[i-1].Bound) {
			t.Errorf("point %d is not above the one before", i)
		}
		if !(at.Accuracy <= at.Limit && r.Majority <= at.Limit && at.Limit <= at.Bound) {
			t.Errorf("at ε = %v the limit is %v, want no less than the accuracy %v and the majority %v, and no more than %v", at.Epsilon, at.Limit, at.Accuracy, r.Majority, at.Bound)
		}
		if at.True > 0 && float64(at.True) > at.Epsilon*(1+1e-9) {
			t.Errorf("at ε = %v the release has %v, want no more", at.Epsilon, at.True)
		}
	}
	var drawn bytes.Buffer
	if err := r.Draw(&drawn); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(drawn.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("a line of the drawing has %d characters, want at most 80", n)
		}
	}
	var html bytes.Buffer
	if err := page.HTML(&html, r.Page()); err != nil || !strings.Contains(html.String(), "commonest class") {
		t.Errorf("the page: %v", err)
	}
	content, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := plan.Decode(content)
	if err != nil || len(kept.Curve) != len(r.Curve) || kept.Curve[3].Accuracy != r.Curve[3].Accuracy {
		t.Errorf("read again: %v", err)
	}
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		ask  plan.Ask
		want string
	}{
		{plan.Ask{Target: 80}, "such as 0.8"},
		{plan.Ask{Target: math.NaN()}, "target is NaN"},
		{plan.Ask{Grid: []float64{1, 2}}, "without a target"},
		{plan.Ask{Target: 0.8, Grid: []float64{1, 2, 1}}, "has 1 twice"},
		{plan.Ask{Target: 0.8, Grid: []float64{1, 0}}, "epsilon is 0"},
		{plan.Ask{Epsilons: []float64{-1}}, "epsilon is -1"},
		{plan.Ask{Epsilons: []float64{1e6}}, "at most 100"},
		{plan.Ask{Use: plan.Use{TextsPerDay: -1}}, "texts per day"},
		{plan.Ask{Use: plan.Use{Days: 3}}, "without texts per day"},
		{plan.Ask{Use: plan.Use{TextsPerDay: 1000, Days: 100_000}}, "days is"},
		{plan.Ask{Use: plan.Use{Daily: math.Inf(1)}}, "daily ε"},
		{plan.Ask{Use: plan.Use{Daily: 1, Delta: 1}}, "delta is 1"},
	} {
		if _, err := plan.Make(t.Context(), quick(), tt.ask, plan.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.ask, err, tt.want)
		}
	}
	if _, err := plan.New(t.Context(), quick(), plan.Options{Workers: -1}); err == nil {
		t.Error("a negative number of workers was accepted")
	}
	if _, err := plan.New(t.Context(), experiment.Spec{Data: "no such"}, plan.Options{}); err == nil {
		t.Error("a data set that is not there was accepted")
	}
}

// What a user spends is the sum, or less at δ; a daily ε pays for as many as fit.
func TestBudget(t *testing.T) {
	solves(t)
	p := shared(t)
	r := answer(t, p, plan.Ask{Epsilons: []float64{0.1}, Use: plan.Use{TextsPerDay: 20, Days: 10, Daily: 1}})
	b := r.Budgets[0]
	if b.Day.Releases != 20 || math.Abs(float64(b.Day.Basic)-2) > 1e-6 || b.Period.Releases != 200 || !(b.Period.Optimal < b.Period.Basic) || len(b.Period.Assumptions) == 0 {
		t.Errorf("budget is %+v, %+v, want 2 a day and less than 20 in ten days", b.Day, b.Period)
	}
	if b.Affords.Basic != 10 || b.Affords.Optimal < b.Affords.Basic {
		t.Errorf("a daily ε of 1 affords %+v, want 10", b.Affords)
	}
	if len(r.Uses()) != 2 || !strings.Contains(r.Uses()[0], "20 different texts a day") {
		t.Errorf("it says %q", r.Uses())
	}
	r = answer(t, p, plan.Ask{Use: plan.Use{TextsPerDay: 4, Daily: 8}})
	if len(r.Asked) != 1 || r.Asked[0].Epsilon != 2 {
		t.Errorf("each of 4 texts has ε = %v, want 2 of 8", r.Asked)
	}
}

// A second question is answered from memory.
func TestMemory(t *testing.T) {
	p := planner(t, quick())
	first, err := p.At(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.At(t.Context(), 3)
	if err != nil || again.Accuracy != first.Accuracy {
		t.Errorf("asked again: %v, %v, want %v", again.Accuracy, err, first.Accuracy)
	}
	if _, err := p.At(t.Context(), 0); err == nil {
		t.Error("ε = 0 has a point")
	}
}

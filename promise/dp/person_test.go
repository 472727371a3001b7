package dp_test

import (
	"math"
	"strings"
	"testing"

	"sotto/promise/dp"
)

func TestPerPerson(t *testing.T) {
	for _, tt := range []struct {
		name    string
		g       dp.Guarantee
		rows    int
		epsilon float64 // but for rounding up
		delta   float64
		optimal bool
	}{
		{"one row", dp.Guarantee{Unit: dp.Text, Epsilon: 4}, 1, 4, 0, false},
		{"three rows of large ε", dp.Guarantee{Unit: dp.Text, Epsilon: 8}, 3, 24, 0, false},
		{"many rows of small ε", dp.Guarantee{Unit: dp.Text, Epsilon: 0.1}, 100, 10, 0, true},
		{"with δ", dp.Guarantee{Unit: dp.Text, Epsilon: 0.1, Delta: 1e-8}, 100, 10, 1e-6, true},
		{"no promise", dp.None(dp.Text), 2, math.Inf(1), 0, false},
	} {
		p, err := dp.PerPerson(tt.g, tt.rows)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if e := float64(p.Epsilon); !(e >= tt.epsilon && (math.IsInf(e, 1) || e <= tt.epsilon*(1+1e-9))) || p.Rows != tt.rows {
			t.Errorf("%s: ε is %v of %d rows, want %v of %d", tt.name, e, p.Rows, tt.epsilon, tt.rows)
		}
		if !(p.Delta >= tt.delta && p.Delta <= tt.delta*(1+1e-9)) {
			t.Errorf("%s: δ is %v, want %v, never below", tt.name, p.Delta, tt.delta)
		}
		if (p.Optimal != nil) != tt.optimal {
			t.Errorf("%s: optimal is %v, want one: %v", tt.name, p.Optimal, tt.optimal)
		}
		if o := p.Optimal; o != nil && (!(o.Epsilon < p.Epsilon) || !(o.Delta <= tt.delta+dp.PersonDelta*(1+1e-9))) {
			t.Errorf("%s: optimal is %v, want less ε at δ = %v", tt.name, *o, tt.delta+dp.PersonDelta)
		}
	}
}

// The guarantee of a person is not less than what randomised responses of the
// rows, all of them lies about the person, show.
func TestPerPersonHolds(t *testing.T) {
	const epsilon, rows = 0.5, 6
	p, err := dp.PerPerson(dp.Guarantee{Unit: dp.Text, Epsilon: epsilon}, rows)
	if err != nil {
		t.Fatal(err)
	}
	truth := math.Exp(epsilon) / (1 + math.Exp(epsilon))
	for all := range 1 << rows { // every outcome of all rows
		a, b := 1.0, 1.0
		for i := range rows {
			if all>>i&1 == 1 {
				a, b = a*truth, b*(1-truth)
			} else {
				a, b = a*(1-truth), b*truth
			}
		}
		if loss := math.Log(a / b); loss > float64(p.Epsilon) {
			t.Errorf("an outcome has loss %v, want at most %v", loss, p.Epsilon)
		}
	}
}

func TestPerPersonRefuses(t *testing.T) {
	for name, g := range map[string]dp.Guarantee{"word": {Unit: dp.Word, Epsilon: 1}, "metric": {Unit: dp.Metric, Epsilon: 1}, "no unit": {Epsilon: 1}} {
		if _, err := dp.PerPerson(g, 2); err == nil {
			t.Errorf("%s: got a guarantee of a person, want an error", name)
		}
	}
	if _, err := dp.PerPerson(dp.Guarantee{Unit: dp.Text, Epsilon: 1}, 0); err == nil {
		t.Error("no rows have a guarantee, want an error")
	}
}

func TestPersonString(t *testing.T) {
	p, err := dp.PerPerson(dp.Guarantee{Unit: dp.Text, Epsilon: 4}, 3)
	if want := "ε = 12 for all rows of a person together, who has at most 3"; err != nil || p.String() != want {
		t.Errorf("String = %q, %v, want %q", p, err, want)
	}
	if p, err = dp.PerPerson(dp.Guarantee{Unit: dp.Text, Epsilon: 4}, 1); err != nil || p.String() != "ε = 4 for a person, who has one row" {
		t.Errorf("String = %q, %v, want one row", p, err)
	}
}

// The guarantee of a cluster is that of a person with as many rows, and says what
// follows for a person whose rows lie in two.
func TestPerCluster(t *testing.T) {
	g := dp.Guarantee{Unit: dp.Text, Epsilon: 2, Delta: 1e-9}
	p, err := dp.PerCluster(g, 3, dp.Linked{Columns: []string{"name", "email"}, By: "model", Clusters: 40})
	one, failed := dp.PerPerson(g, 3)
	two, also := dp.PerPerson(g, 6)
	if err != nil || failed != nil || also != nil {
		t.Fatal(err, failed, also)
	}
	if p.Epsilon != one.Epsilon || p.Delta != one.Delta || p.Linked.Twice != two.Epsilon || p.Linked.Delta != two.Delta || p.Linked.Clusters != 40 {
		t.Errorf("PerCluster = %+v with %+v, want what three and six rows have", p, *p.Linked)
	}
	for _, want := range []string{"at most 3", "linked by name, email", "estimate", "per cluster", "pays for both", "share one budget", "ε = 12"} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("%q lacks %q", p, want)
		}
	}
	if !strings.Contains(p.Scope, "cluster") || !strings.Contains(p.Linked.Estimate, "estimate") {
		t.Errorf("it speaks of %q and says %q", p.Scope, p.Linked.Estimate)
	}
	if _, err := dp.PerCluster(dp.Guarantee{Unit: dp.Word, Epsilon: 1}, 2, dp.Linked{}); err == nil {
		t.Error("a guarantee of a word became one of a cluster")
	}
}

package measure_test

import (
	"encoding/json"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// threeGroups is the example that fairlearn's metrics were run on.
func threeGroups() measure.Outcomes {
	return measure.Outcomes{
		Want:    []int{0, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1},
		Got:     []int{0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0},
		Group:   []int{1, 1, 0, 1, 1, 2, 2, 2, 0, 0, 2, 0, 1, 2, 2, 1, 2, 2},
		Classes: []string{"0", "1"},
		Groups:  []string{"a", "b", "c"},
	}
}

func compare(t testing.TB, workers int, o measure.Outcomes, b measure.Bootstrap) *measure.Fairness {
	t.Helper()
	f, err := measure.CompareGroups(nn.NewPool(workers), o, b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFairnessThreeGroups(t *testing.T) {
	f := compare(t, 2, threeGroups(), measure.Bootstrap{Resamples: 200})
	for g, want := range []struct {
		rows                int
		tpr, fpr, selection float64
	}{{4, 0.5, 1, 0.75}, {6, 0.6, 0, 0.5}, {8, 0.4, 2. / 3, 0.5}} {
		r := f.Groups[g]
		c := r.Classes[1]
		if r.Rows != want.rows || !near(float64(c.TPR.Value), want.tpr, 1e-15) ||
			!near(float64(c.FPR.Value), want.fpr, 1e-15) || !near(float64(c.Selection.Value), want.selection, 1e-15) {
			t.Errorf("group %s = %+v, want %+v", r.Name, r, want)
		}
	}
	all := f.Classes[1].Overall
	for _, c := range []struct {
		name string
		got  measure.Number
		want float64
	}{
		{"overall TPR", all.TPR.Value, 0.5},
		{"overall FPR", all.FPR.Value, 2. / 3},
		{"overall selection", all.Selection.Value, 5. / 9},
		{"parity difference", f.ParityDifference.Value, 0.25},
		{"parity ratio", f.ParityRatio.Value, 0.5 / 0.75},
		{"odds difference", f.OddsDifference.Value, 1},
		{"accuracy difference", f.Difference.Value, 4./6 - 0.25},
		{"GRMS", f.GRMS.Value, math.Sqrt((0.2*0.2 + 1) / 2)},
		{"TPR deviation", f.Classes[1].TPRDeviation.Value, 0.2},
		// The true negative rates are 0, 1 and 1/3, and 1/3 together.
		{"RMS of deviations", f.DeviationRMS.Value, math.Sqrt((0.2*0.2 + 1) / 2)},
	} {
		if !near(float64(c.got), c.want, 1e-12) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if f.Rows != 18 || f.LeftOut != 0 || !f.Stratified || f.ClassesDefined != 2 || f.Classes[0].TPRGap != nil {
		t.Errorf("report = %+v, want 18 rows, stratified, two classes and no signed gap", f)
	}
}

// TestFairnessDirectly counts again, without tables, on random outcomes with
// unknown labels, groups and predictions.
func TestFairnessDirectly(t *testing.T) {
	r := rng(71)
	const n, classes, groups = 400, 4, 3
	o := measure.Outcomes{Classes: []string{"p", "q", "r", "s"}, Groups: []string{"x", "y", "z"}}
	for range n {
		o.Want, o.Got, o.Group = append(o.Want, r.IntN(classes+1)-1), append(o.Got, r.IntN(classes+1)-1), append(o.Group, r.IntN(groups+1)-1)
	}
	// rate returns the share of the rows that are in which are also hit.
	rate := func(in, hit func(i int) bool) float64 {
		rows, hits := 0., 0.
		for i := range n {
			if o.Want[i] >= 0 && o.Group[i] >= 0 && in(i) {
				rows++
				if hit(i) {
					hits++
				}
			}
		}
		return hits / rows
	}
	f := compare(t, 1, o, measure.Bootstrap{Resamples: 1})
	var gaps, sums, parity, odds float64
	for c := range classes {
		var tpr, fpr, selection [groups]float64
		picked := func(i int) bool { return o.Got[i] == c }
		for g := range groups {
			tpr[g] = rate(func(i int) bool { return o.Group[i] == g && o.Want[i] == c }, picked)
			fpr[g] = rate(func(i int) bool { return o.Group[i] == g && o.Want[i] != c }, picked)
			selection[g] = rate(func(i int) bool { return o.Group[i] == g }, picked)
			got := f.Groups[g].Classes[c]
			if !near(float64(got.TPR.Value), tpr[g], 1e-15) || !near(float64(got.FPR.Value), fpr[g], 1e-15) || !near(float64(got.Selection.Value), selection[g], 1e-15) {
				t.Errorf("class %d group %d = %+v, want TPR %v, FPR %v, selection %v", c, g, got, tpr[g], fpr[g], selection[g])
			}
		}
		span := func(v [groups]float64) float64 { return slices.Max(v[:]) - slices.Min(v[:]) }
		parity, odds = max(parity, span(selection)), max(odds, span(tpr), span(fpr))
		gaps += span(tpr) * span(tpr) / classes
		all, sum := rate(func(i int) bool { return o.Want[i] == c }, picked), 0.
		for _, v := range tpr {
			sum += math.Abs(v - all)
		}
		sums += sum * sum / classes
	}
	for _, c := range []struct {
		name string
		got  measure.Number
		want float64
	}{
		{"parity", f.ParityDifference.Value, parity},
		{"odds", f.OddsDifference.Value, odds},
		{"GRMS", f.GRMS.Value, math.Sqrt(gaps)},
		{"deviation", f.DeviationRMS.Value, math.Sqrt(sums)},
	} {
		if !near(float64(c.got), c.want, 1e-12) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if f.Rows+f.LeftOut != n || f.LeftOut == 0 {
		t.Errorf("%d rows and %d left out, want %d in all", f.Rows, f.LeftOut, n)
	}
}

// TestFairnessEmptyCells: group 1 has no row of class 1, and group 2 no row.
func TestFairnessEmptyCells(t *testing.T) {
	o := measure.Outcomes{
		Want: []int{0, 1, 1, 0, 0}, Got: []int{0, 1, 0, 0, 1}, Group: []int{0, 0, 0, 1, 1},
		Classes: []string{"no", "yes"}, Groups: []string{"a", "b", "c"},
	}
	f := compare(t, 1, o, measure.Bootstrap{})
	empty := f.Groups[1].Classes[1].TPR
	if !math.IsNaN(float64(empty.Value)) || !math.IsNaN(float64(empty.Low)) || empty.Rows != 0 || empty.Resamples != 0 {
		t.Errorf("empty cell = %+v, want not defined, with 0 rows", empty)
	}
	if v := f.Classes[1].TPRDifference.Value; !math.IsNaN(float64(v)) || f.ClassesDefined != 1 {
		t.Errorf("TPR difference of one group = %v, %d classes defined, want NaN and 1", v, f.ClassesDefined)
	}
	if f.GRMS.Value != 0.5 || !near(float64(f.ParityDifference.Value), 1./6, 1e-15) {
		t.Errorf("GRMS = %v and parity difference = %v, want 0.5 and 1/6", f.GRMS.Value, f.ParityDifference.Value)
	}
	b, err := json.Marshal(f.Groups[2])
	if err != nil || !strings.Contains(string(b), `"accuracy":{"rows":0,"hits":0,"value":null,"low":null,"high":null,"resamples":0}`) {
		t.Errorf("JSON of a group without rows is %s, %v, want null", b, err)
	}
}

func TestFairnessTwoGroups(t *testing.T) {
	o := measure.Outcomes{
		Want: []int{1, 1, 1, 1, 0, 0}, Got: []int{1, 0, 1, 1, 0, 0}, Group: []int{0, 0, 1, 1, 0, 1},
		Classes: []string{"no", "yes"}, Groups: []string{"a", "b"},
	}
	f := compare(t, 1, o, measure.Bootstrap{Resamples: 10})
	c := f.Classes[1]
	if c.TPRGap == nil || c.TPRGap.Value != -0.5 || c.TPRDifference.Value != 0.5 || c.TPRDeviation.Value != 0.5 {
		t.Errorf("class = %+v, want a gap of −0.5, a difference and a deviation of 0.5", c)
	}
}

func TestFairnessErrors(t *testing.T) {
	good := threeGroups()
	for name, spoil := range map[string]func(*measure.Outcomes, *measure.Bootstrap){
		"one class":         func(o *measure.Outcomes, _ *measure.Bootstrap) { o.Classes = o.Classes[:1] },
		"one group":         func(o *measure.Outcomes, _ *measure.Bootstrap) { o.Groups = o.Groups[:1] },
		"prediction":        func(o *measure.Outcomes, _ *measure.Bootstrap) { o.Got[3] = 2 },
		"nothing known":     func(o *measure.Outcomes, _ *measure.Bootstrap) { o.Want, o.Got, o.Group = nil, nil, nil },
		"resamples":         func(_ *measure.Outcomes, b *measure.Bootstrap) { b.Resamples = -1 },
		"too many of these": func(_ *measure.Outcomes, b *measure.Bootstrap) { b.Resamples = 1 << 26 },
	} {
		o, b := good, measure.Bootstrap{}
		o.Got = slices.Clone(o.Got)
		spoil(&o, &b)
		if f, err := measure.CompareGroups(nn.NewPool(1), o, b); err == nil {
			t.Errorf("%s: CompareGroups = %+v, want an error", name, f)
		}
	}
	if !panics(func() { compare(t, 1, measure.Outcomes{Want: []int{1}}, measure.Bootstrap{}) }) {
		t.Error("lengths that differ: no panic")
	}
}

func TestIntersect(t *testing.T) {
	got := measure.Intersect([]int{2, 3}, []int{0, 0, 1, 1, -1, 0}, []int{0, 2, 0, 2, 1, -1})
	if want := []int{0, 2, 3, 5, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("Intersect = %v, want %v", got, want)
	}
	if !panics(func() { measure.Intersect([]int{2}, []int{2}) }) || !panics(func() { measure.Intersect(nil) }) {
		t.Error("a value outside its attribute, or none: no panic")
	}
}

// outcomes draws n rows of which a share p is right.
func outcomes(r *weakrand.Rand, n, classes, groups int, p float64) measure.Outcomes {
	o := measure.Outcomes{Classes: make([]string, classes), Groups: make([]string, groups)}
	for range n {
		y := r.IntN(classes)
		o.Want, o.Group = append(o.Want, y), append(o.Group, r.IntN(groups))
		if r.Float64() >= p {
			y = (y + 1) % classes
		}
		o.Got = append(o.Got, y)
	}
	return o
}

func TestBootstrapWorkers(t *testing.T) {
	o := outcomes(rng(72), 300, 3, 4, 0.7)
	want, err := json.Marshal(compare(t, 1, o, measure.Bootstrap{Resamples: 50, Seed: 5}))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{2, 5} {
		if got, err := json.Marshal(compare(t, workers, o, measure.Bootstrap{Resamples: 50, Seed: 5})); err != nil || string(got) != string(want) {
			t.Errorf("%d workers: another result than one (%v)", workers, err)
		}
	}
	if got, _ := json.Marshal(compare(t, 1, o, measure.Bootstrap{Resamples: 50, Seed: 6})); string(got) == string(want) {
		t.Error("another seed: the same result")
	}
}

// TestBootstrapInterval compares with theory: the accuracy of a resample is
// Binomial(n, p)/n, so the ends lie 1.96·√(p(1−p)/n) from the value. An end is a
// quantile of m = 20,000 draws, whose deviation is √(q(1−q)/m)/φ(1.96), 0.0189 of
// the law's own; 4.5 such make 0.085, exceeded once in 10⁵. The steps of the
// binomial, 1/(n·s), add 0.022 at n = 10,000 and p = 0.7.
func TestBootstrapInterval(t *testing.T) {
	o := outcomes(rng(73), 10_000, 2, 2, 0.7)
	f := compare(t, 2, o, measure.Bootstrap{Resamples: 20_000})
	p := float64(f.Accuracy.Value)
	s := math.Sqrt(p * (1 - p) / 10_000)
	low, high := (p-float64(f.Accuracy.Low))/s, (float64(f.Accuracy.High)-p)/s
	if !near(low, 1.96, 0.11) || !near(high, 1.96, 0.11) || f.Stratified {
		t.Errorf("ends are %v and %v deviations from the value, want 1.96; stratified %v", low, high, f.Stratified)
	}
}

// TestIntervalsHoldTheirValue: groups that are served alike differ by 0, and no
// resample of a largest difference lies below.
func TestIntervalsHoldTheirValue(t *testing.T) {
	var o measure.Outcomes
	o.Classes, o.Groups = make([]string, 2), make([]string, 2)
	for i := range 400 {
		o.Want, o.Got, o.Group = append(o.Want, i/2%2), append(o.Got, i/2%2), append(o.Group, i%2)
		if i%20 < 2 {
			o.Got[i] = 1 - o.Got[i]
		}
	}
	alike := compare(t, 1, o, measure.Bootstrap{Resamples: 200})
	if d := alike.ParityDifference; d.Value != 0 || !(d.High > 0) {
		t.Errorf("the groups differ by %+v, want 0 and an interval", d)
	}
	for seed := range uint64(20) {
		for name, f := range map[string]*measure.Fairness{"alike": alike, "drawn": compare(t, 1, outcomes(rng(seed), 120, 3, 4, 0.7), measure.Bootstrap{Resamples: 50, Seed: seed})} {
			for _, e := range f.Estimates() {
				if e.Low > e.Value || e.Value > e.High {
					t.Errorf("%s: the value %v lies outside of its interval %v to %v", name, e.Value, e.Low, e.High)
				}
			}
		}
	}
}

// TestBootstrapStrata: where a group is small, no resample is without it.
func TestBootstrapStrata(t *testing.T) {
	o := outcomes(rng(74), 100, 2, 2, 0.7)
	for i := range o.Group {
		o.Group[i] = min(i, 1) // one row in group 0
	}
	f := compare(t, 1, o, measure.Bootstrap{Resamples: 500})
	if a := f.Groups[0].Accuracy; !f.Stratified || a.Resamples != 500 || a.Low != a.High {
		t.Errorf("stratified %v, group of one row %+v, want all resamples to hold it", f.Stratified, a)
	}
}

// TestBinomial holds draws against the law by a chi-square over values with at
// least 10 expected. A chi-square of k values exceeds k + 5.5·√(2k) + 20 less
// than once in 10⁵ for every k ≥ 1.
func TestBinomial(t *testing.T) {
	const draws = 50_000
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.3}, {7, 0.5}, {40, 0.02}, {40, 0.97}, {3000, 0.4}} {
		r, counts := rng(75), make([]float64, c.n+1)
		for range draws {
			counts[measure.Binomial(r, c.n, c.p)]++
		}
		square, k := 0.0, 0.0
		for v, count := range counts {
			a, _ := math.Lgamma(float64(c.n + 1))
			b, _ := math.Lgamma(float64(v + 1))
			d, _ := math.Lgamma(float64(c.n - v + 1))
			want := draws * math.Exp(a-b-d+float64(v)*math.Log(c.p)+float64(c.n-v)*math.Log1p(-c.p))
			if want >= 10 {
				square += (count - want) * (count - want) / want
				k++
			}
		}
		if !(square <= k+5.5*math.Sqrt(2*k)+20) {
			t.Errorf("n = %d, p = %v: chi-square is %v for %v values", c.n, c.p, square, k)
		}
	}
	r := rng(76)
	if a, b, c := measure.Binomial(r, 9, 0), measure.Binomial(r, 9, 1), measure.Binomial(r, 0, 0.5); a != 0 || b != 9 || c != 0 {
		t.Errorf("certain draws are %d, %d and %d, want 0, 9 and 0", a, b, c)
	}
}

func BenchmarkCompareGroups(b *testing.B) {
	o, p := outcomes(rng(77), 100_000, 2, 3, 0.8), nn.NewPool(2)
	for b.Loop() {
		if _, err := measure.CompareGroups(p, o, measure.Bootstrap{}); err != nil {
			b.Fatal(err)
		}
	}
}

package frontier

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Outcome is how an aim stands.
type Outcome string

// The outcomes. An aim is missed only where the interval excludes it.
const (
	Reached   Outcome = "reached"
	Missed    Outcome = "missed"
	Undecided Outcome = "not decided"       // the interval holds both, or there is none
	Beyond    Outcome = "beyond the limit"  // no release at that ε can reach it
	Unequal   Outcome = "no equal accuracy" // there is nothing to compare
	NoData    Outcome = "not measured"
)

// worstFirst lists the outcomes of checks. One of which nothing follows comes
// last.
func worstFirst() []Outcome { return []Outcome{Missed, Undecided, Beyond, Reached, Unequal} }

// Verdict says how an aim stands, by all its checks.
type Verdict struct {
	Aim     string  `json:"aim"`
	Outcome Outcome `json:"outcome"`
	Checks  []Check `json:"checks"`
}

// Check is an aim at one task and ε.
type Check struct {
	Task    string  `json:"task"`
	Epsilon float64 `json:"epsilon"`
	Against string  `json:"against"` // what auto, or fair codes, are held against
	// Difference is by how many points they are better, which should be AtLeast.
	Difference Estimate `json:"difference"`
	AtLeast    float64  `json:"at_least"`
	Outcome    Outcome  `json:"outcome"`
}

// rounding is a difference in points that two ways to compute the same number
// make: probabilities are kept in float32, with errors of up to 6e-8, and an
// accuracy is a mean of products of two of them.
const rounding = 1e-4

// check decides by the interval of the difference.
func check(t *TaskResult, epsilon float64, against string, d Estimate, atLeast float64) Check {
	c := Check{t.Name, epsilon, against, d, atLeast, Undecided}
	switch {
	case float64(d.Low) >= atLeast-rounding:
		c.Outcome = Reached
	case float64(d.High) < atLeast-rounding:
		c.Outcome = Missed
	}
	return c
}

// aim is an aim with how it is checked at a task.
type aim struct {
	text  string
	check func(*TaskResult) []Check
}

// The aims that were set, in points of a hundred.
func aims() []aim {
	return []aim{
		{"one label: auto within one point of the limit with two classes, three with more", nearLimit},
		{"auto never below another honest method", neverBelow},
		{"one label: FEDERATE's accuracy at a quarter of its ε", quarter},
		{"celeba-5 at ε = 4: auto at least 8 points above ε-split RR", at("celeba-5", split, 4, 8)},
		{"celeba-5 at ε = 4: auto within 6 points of non-private", at("celeba-5", answered, 4, -6)},
		{"celeba-5 at ε = 8: auto within 3 points of non-private", at("celeba-5", answered, 8, -3)},
		{"leakage of the attribute never above the limit of that ε", leakageBelow},
		{"TPR gap of fair codes, or of auto without them, no worse than FEDERATE's at equal accuracy", fairAsFederate},
	}
}

// verdicts holds the tasks against the aims.
func verdicts(tasks []TaskResult) []Verdict {
	var all []Verdict
	for _, a := range aims() {
		v := Verdict{Aim: a.text, Checks: []Check{}}
		for i := range tasks {
			v.Checks = append(v.Checks, a.check(&tasks[i])...)
		}
		v.Outcome = overall(v.Checks)
		all = append(all, v)
	}
	return all
}

// overall is the worst of the outcomes.
func overall(checks []Check) Outcome {
	for _, o := range worstFirst() {
		if slices.ContainsFunc(checks, func(c Check) bool { return c.Outcome == o }) {
			return o
		}
	}
	return NoData
}

// points returns those of a method, none if it has no curve.
func (t *TaskResult) points(method string) []Point {
	if c := t.Curve(method); c != nil {
		return c.Points
	}
	return nil
}

func nearLimit(t *TaskResult) []Check {
	if t.Part != One || len(t.Classes) == 0 {
		return nil
	}
	within := 3.0
	if t.Classes[0] == 2 {
		within = 1
	}
	var all []Check
	for _, p := range t.points(auto) {
		if p.Search == nil {
			continue
		}
		var values []float64
		for _, v := range p.Accuracy.Values {
			values = append(values, 100*float64(v-p.Search.Limit))
		}
		all = append(all, check(t, p.Epsilon, "limit", estimate(values), -within))
	}
	return all
}

func neverBelow(t *TaskResult) []Check {
	if t.Part == Later {
		return nil
	}
	var all []Check
	for _, p := range t.points(auto) {
		for _, m := range Methods() {
			if rival := t.At(m.Name, p.Epsilon); m.Honest && m.encoder == "" && m.Name != auto && m.Name != fair && rival != nil {
				all = append(all, check(t, p.Epsilon, m.Name, difference(&p, rival, accuracyOf), 0))
			}
		}
	}
	return all
}

// quarter checks each ε of FEDERATE of which a quarter was measured. Where FEDERATE
// is above what any release reaches at that quarter, nobody misses it.
func quarter(t *TaskResult) []Check {
	var all []Check
	for _, p := range t.points(federate) {
		q := t.At(auto, p.Epsilon/4)
		if t.Part != One || q == nil {
			continue
		}
		c := check(t, p.Epsilon/4, fmt.Sprintf("%s at ε = %v", federate, p.Epsilon), difference(q, &p, accuracyOf), 0)
		if q.Search != nil && float64(p.Accuracy.Low) > float64(q.Search.Bound) {
			c.Outcome = Beyond
			c.Against += fmt.Sprintf(" with %.2f %%, where no release exceeds %.2f %%", 100*float64(p.Accuracy.Mean), 100*float64(q.Search.Bound))
		}
		all = append(all, c)
	}
	return all
}

// earlier lists at which ε auto is on average as accurate as FEDERATE at each
// of its own.
func earlier(t *TaskResult) []Earlier {
	autos := t.points(auto)
	if len(autos) == 0 {
		return nil
	}
	var all []Earlier
	for _, p := range t.points(federate) {
		e := Earlier{Federate: p.Epsilon}
		for _, q := range autos {
			if q.Accuracy.Mean >= p.Accuracy.Mean && (e.Auto == nil || q.Epsilon < *e.Auto) {
				e.Auto = &q.Epsilon
			}
		}
		all = append(all, e)
	}
	return all
}

// at checks auto against one method at one task and ε.
func at(task, method string, epsilon, atLeast float64) func(*TaskResult) []Check {
	return func(t *TaskResult) []Check {
		p, q := t.At(auto, epsilon), t.At(method, epsilon)
		if t.Name != task || p == nil || q == nil {
			return nil
		}
		return []Check{check(t, epsilon, method, difference(p, q, accuracyOf), atLeast)}
	}
}

func leakageBelow(t *TaskResult) []Check {
	var all []Check
	for _, p := range t.points(auto) {
		if p.Leakage == nil || math.IsNaN(float64(p.LeakageLimit)) {
			continue
		}
		var values []float64
		for _, v := range p.Leakage.Values {
			values = append(values, 100*float64(p.LeakageLimit-v))
		}
		all = append(all, check(t, p.Epsilon, "limit of leakage", estimate(values), 0))
	}
	return all
}

// equalAccuracy is how far apart in points accuracies are at most that count as
// equal.
const equalAccuracy = 1.0

// fairAsFederate compares each point of FEDERATE with that of ours whose accuracy
// is nearest: fair codes, or auto where those were not computed, and releasing
// nothing, which anybody can. Gaps at accuracies that differ say nothing, unless
// one of ours is no worse in both.
func fairAsFederate(t *TaskResult) []Check {
	ours := t.withGap(fair)
	if len(ours) == 0 {
		ours = t.withGap(auto)
	}
	if len(ours) == 0 || !t.attribute() {
		return nil
	}
	ours = append(ours, t.withGap(majority)...)
	var all []Check
	for _, p := range t.withGap(federate) {
		away := func(q Point) float64 { return 100 * math.Abs(float64(q.Accuracy.Mean-p.Accuracy.Mean)) }
		against := func(q Point) Check {
			return check(t, q.Epsilon, fmt.Sprintf("%s at ε = %v", federate, p.Epsilon), difference(&p, &q, gapOf), 0)
		}
		nearest := slices.MinFunc(ours, func(a, b Point) int { return cmp.Compare(away(a), away(b)) })
		found := against(nearest)
		if !(away(nearest) <= equalAccuracy+rounding) {
			found.Outcome = Unequal
			found.Against += fmt.Sprintf(", %.2f points away in accuracy", away(nearest))
		}
		// One that is both fairer and no less accurate, at no more ε, is no worse.
		for _, q := range ours {
			if better := against(q); found.Outcome != Reached && better.Outcome == Reached && q.Epsilon <= p.Epsilon && q.Accuracy.Mean >= p.Accuracy.Mean {
				found = better
			}
		}
		all = append(all, found)
	}
	return all
}

// withGap returns the points of a method of which a gap was measured.
func (t *TaskResult) withGap(method string) []Point {
	return slices.DeleteFunc(slices.Clone(t.points(method)), func(p Point) bool { return p.Gap == nil })
}

package frontier

import (
	"slices"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// Format is the format of a stored [Result].
const Format = "sotto-frontier-1"

// Result is the frontier as far as the store holds it. Shares are from 0 to 1;
// null is not defined, or not measured.
type Result struct {
	Format   string       `json:"format"`
	Quick    bool         `json:"quick"`
	Seeds    int          `json:"seeds"`
	Epsilons []float64    `json:"epsilons"`
	Tasks    []TaskResult `json:"tasks"`
	Verdicts []Verdict    `json:"verdicts"`
	Absent   []string     `json:"absent,omitempty"`  // tasks whose data is not there
	Missing  []string     `json:"missing,omitempty"` // experiments that the store does not hold
	Notes    []string     `json:"notes,omitempty"`   // what a reader must know to compare
}

// TaskResult is what the methods reach at a task.
type TaskResult struct {
	Task
	Rows      experiment.Rows `json:"rows"`
	Classes   []int           `json:"classes"`             // of each label
	Attribute string          `json:"attribute,omitempty"` // what is protected; "" if nothing is
	// UnknownMajority is what naming the commonest class of each label reaches
	// unseen in training, on average.
	UnknownMajority measure.Number `json:"unknown_majority"`
	Notes           []string       `json:"notes,omitempty"`
	Curves          []Curve        `json:"curves"`
	// Earlier says at which ε auto is as accurate as FEDERATE.
	Earlier []Earlier `json:"earlier,omitempty"`
}

// Curve is what one method reaches at each ε.
type Curve struct {
	Method  string  `json:"method"`
	Title   string  `json:"title"`
	Private bool    `json:"private"` // else there is one point
	Points  []Point `json:"points"`
}

// Point is what one method reaches at one ε.
type Point struct {
	Epsilon float64     `json:"epsilon,omitempty"` // that was asked for; 0 for a method without
	True    *dp.Epsilon `json:"true"`              // that is proved
	Unit    dp.Unit     `json:"unit,omitempty"`
	Seeds   []uint64    `json:"seeds"`
	Failed  int         `json:"failed,omitempty"` // seeds of which nothing came

	Accuracy Estimate                `json:"accuracy"` // mean over the known labels
	Labels   []experiment.LabelScore `json:"labels,omitempty"`
	// Unknown is the mean accuracy over the labels unseen in training.
	Unknown *Estimate `json:"unknown,omitempty"`

	Gap          *Estimate      `json:"gap,omitempty"`     // TPR gap of the first label
	Leakage      *Estimate      `json:"leakage,omitempty"` // of the attribute
	LeakageLimit measure.Number `json:"leakage_limit"`     // that no attacker exceeds at ε

	// Limit is what no release at ε exceeds, given what the model of the same encoder
	// knows without protection; of methods that name their encoder.
	Limit *measure.Number `json:"limit,omitempty"`

	// Search tells of the search of the method auto; nil where each seed has its own.
	Search *Search `json:"search,omitempty"`
}

// Search is what a search found, and the limits at its ε.
type Search struct {
	// Limit is what no release at ε exceeds, given what the best model without
	// protection knows of the test texts; Bound is the same whatever is known.
	Limit      measure.Number `json:"limit"`
	Bound      measure.Number `json:"bound"`
	NonPrivate measure.Number `json:"nonprivate"` // accuracy of that model
	Mechanism  string         `json:"mechanism"`
	Dim        int            `json:"dim"`
	Searched   int            `json:"searched"` // trials
	Seconds    float64        `json:"seconds"`
}

// Estimate is a mean over seeds with its 95 % interval, after Student; the
// interval is undefined for one seed. It covers what differs between seeds, and
// not between test parts.
type Estimate struct {
	measure.Summary
	Values []measure.Number `json:"values"` // of each seed
}

func estimate(values []float64) Estimate {
	e := Estimate{Summary: measure.Summarise(values), Values: []measure.Number{}}
	for _, v := range values {
		e.Values = append(e.Values, measure.Number(v))
	}
	return e
}

// Earlier is an ε of FEDERATE with the least ε at which auto is as accurate.
type Earlier struct {
	Federate float64  `json:"federate"`
	Auto     *float64 `json:"auto"` // nil: at none that was measured
}

// Curve returns the curve of a method; nil if there is none.
func (t *TaskResult) Curve(method string) *Curve {
	for i := range t.Curves {
		if t.Curves[i].Method == method {
			return &t.Curves[i]
		}
	}
	return nil
}

// tuned reports whether there is a result of a tuned encoder.
func (t *TaskResult) tuned() bool {
	return slices.ContainsFunc(Methods(), func(m Method) bool { return m.spec.Tune && len(t.points(m.Name)) > 0 })
}

// At returns the point of a method at an ε, which a method that is measured
// once has at any; nil if there is none.
func (t *TaskResult) At(method string, epsilon float64) *Point {
	c := t.Curve(method)
	if c == nil {
		return nil
	}
	for i := range c.Points {
		if !c.Private || c.Points[i].Epsilon == epsilon {
			return &c.Points[i]
		}
	}
	return nil
}

// difference returns what a has more than b, seed by seed, in points of a
// hundred. Seeds that only one of them has do not count.
func difference(a, b *Point, of func(*Point) *Estimate) Estimate {
	var values []float64
	x, y := of(a), of(b)
	for i, seed := range a.Seeds {
		for k, other := range b.Seeds {
			if seed == other && x != nil && y != nil {
				values = append(values, 100*float64(x.Values[i]-y.Values[k]))
			}
		}
	}
	return estimate(values)
}

func accuracyOf(p *Point) *Estimate { return &p.Accuracy }

func gapOf(p *Point) *Estimate { return p.Gap }

func unknownOf(p *Point) *Estimate { return p.Unknown }

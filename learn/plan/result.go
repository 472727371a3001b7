package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/learn/model"
)

// Format is the format of a stored [Result].
const Format = "sotto-plan-1"

// Ask is what one wants to know beside the curve. The zero value asks for
// nothing more.
type Ask struct {
	Target   float64   // accuracy that is wanted, above 0 and at most 1; 0 for none
	Grid     []float64 // values of ε, fixed before looking, of which the target takes the least that suffices; none for hundredths
	Epsilons []float64 // values of ε to be answered exactly
	Use      Use       // how often texts are released
}

// Result is a plan. Shares are from 0 to 1; null is not defined.
type Result struct {
	Format   string           `json:"format"`
	Sentence string           `json:"sentence"`
	Spec     experiment.Spec  `json:"spec"`
	Data     model.DataRecord `json:"data"`
	Rows     experiment.Rows  `json:"rows"`
	Trained  int              `json:"trained"` // rows that the model was trained on
	Notes    []string         `json:"notes,omitempty"`

	// NonPrivate is the accuracy of the model without protection, Majority that of
	// naming the commonest class of each label, and Guess that of an attacker of
	// the attribute who sees nothing.
	NonPrivate measure.Number `json:"nonprivate"`
	Majority   measure.Number `json:"majority"`
	Guess      measure.Number `json:"leakage_majority"`
	// Margin is by how much a release must beat Majority to be better than it.
	Margin   measure.Number `json:"margin"`
	Smallest Class          `json:"smallest_class"` // the first label's rarest

	// Epsilon is the least ε of Grid, or without one to a hundredth, at which the
	// accuracy is at least Target, and Reached what it gives; null, with a reason, if
	// there is none or nothing was wanted.
	Target  float64   `json:"target,omitempty"`
	Grid    []float64 `json:"grid,omitempty"` // in order, of which Epsilon is one
	Epsilon *float64  `json:"epsilon"`
	Reached *Point    `json:"reached,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Choice  string    `json:"choice"` // what choosing ε by the plan tells of the data, which no ε covers
	// Useful is the least ε of the curve from which on every release is better
	// than naming the commonest class, and Near the least from which on it is
	// within a point of the model without protection; null if there is none.
	Useful *float64 `json:"useful"`
	Near   *float64 `json:"near"`

	Asked   []Point  `json:"asked,omitempty"`
	Budgets []Budget `json:"budgets,omitempty"` // of the values of ε that were asked for or found
	Curve   []Point  `json:"curve"`
	Seconds float64  `json:"seconds"`
}

// Class is a class of a label in the test part.
type Class struct {
	Label string  `json:"label"`
	Class string  `json:"class"`
	Share float64 `json:"share"`
}

// Make makes a whole plan.
func Make(ctx context.Context, s experiment.Spec, ask Ask, o Options) (*Result, error) {
	if err := ask.validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	p, err := New(ctx, s, o)
	if err != nil {
		return nil, err
	}
	r, err := p.Answer(ctx, ask)
	if err != nil {
		return nil, err
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

func (a Ask) validate() error {
	if !(a.Target >= 0 && a.Target <= 1) {
		return fmt.Errorf("plan: target is %v, must be a share above 0 and at most 1, such as 0.8 for 80 %%", a.Target)
	}
	if len(a.Grid) > 0 && a.Target == 0 {
		return errors.New("plan: a grid is given without a target, must be both: the least ε of the grid that reaches the target is taken")
	}
	for i, e := range a.Grid {
		if slices.Contains(a.Grid[:i], e) {
			return fmt.Errorf("plan: the grid has %v twice, must have it once", e)
		}
	}
	for _, e := range slices.Concat(a.Grid, a.Epsilons) {
		if err := checkEpsilon(e); err != nil {
			return err
		}
	}
	return a.Use.validate()
}

// Answer answers with the curve and what was asked beside it.
func (p *Planner) Answer(ctx context.Context, ask Ask) (*Result, error) {
	if err := ask.validate(); err != nil {
		return nil, err
	}
	r := p.result()
	r.Target, r.Grid = ask.Target, slices.Sorted(slices.Values(ask.Grid))
	curve, err := p.Curve(ctx)
	if err != nil {
		return nil, err
	}
	r.Curve = slices.Clone(curve)
	r.Useful = from(curve, func(at Point) bool { return at.Better })
	r.Near = from(curve, func(at Point) bool { return at.Accuracy >= r.NonPrivate-nearly })
	switch {
	case len(r.Grid) > 0:
		err = p.pick(ctx, r)
	case ask.Target > 0:
		err = p.reach(ctx, r, curve)
	default:
		r.Reason = "no accuracy was wanted: see --target"
	}
	if err != nil {
		return nil, err
	}
	epsilons := slices.Clone(ask.Epsilons)
	if e, ok := ask.Use.each(); ok && len(epsilons) == 0 && ask.Target == 0 {
		epsilons = append(epsilons, e)
	}
	for _, e := range epsilons {
		at, failed := p.At(ctx, e)
		if failed != nil {
			return nil, failed
		}
		r.Asked = append(r.Asked, at)
	}
	for i := range r.Curve {
		r.Curve[i].Recalls = nil // which are many, and there for what was asked
	}
	if r.Budgets, err = ask.Use.budgets(r.answers()); err != nil {
		return nil, err
	}
	r.Sentence, r.Choice = r.sentence(), r.choice()
	return r, nil
}

// nearly is what Result.Near calls within a point.
const nearly = 0.01

// answers lists the points that were asked for or found.
func (r *Result) answers() []Point {
	all := slices.Clone(r.Asked)
	if r.Reached != nil {
		all = append(all, *r.Reached)
	}
	return all
}

// result says of the data and the model what does not depend on ε.
func (p *Planner) result() *Result {
	d := p.data
	first := d.Labels[0]
	rare := rarest(p.labels[0])
	r := &Result{
		Format: Format, Spec: d.Spec, Data: d.Record, Trained: p.trained, Notes: slices.Clone(d.Notes), Rows: experiment.Rows{Train: len(d.Train), Validation: len(d.Validation), Test: len(d.Test)},
		NonPrivate: p.plain.Accuracy, Majority: measure.Number(p.majority()), Guess: measure.Undefined, Margin: measure.Number(p.margin()),
		Smallest: Class{first.Name, first.Classes[rare], p.labels[0][rare]},
	}
	r.Spec.Methods, r.Spec.Epsilons = []string{"codes"}, nil
	if p.groups != nil {
		r.Guess = measure.Number(slices.Max(p.groups))
	}
	if p.trained < len(d.Train) {
		r.Notes = append(r.Notes, fmt.Sprintf("the model was trained on %d of %d rows, to be quick; trained on all it tells no less, as a rule", p.trained, len(d.Train)))
	}
	if few := 100; r.Rows.Test < few {
		r.Notes = append(r.Notes, fmt.Sprintf("there are %d test rows, which is few: the intervals are wide", r.Rows.Test))
	}
	return r
}

// from returns the first ε of a curve from which on all points are fit, nil if
// the last is not.
func from(curve []Point, fit func(Point) bool) *float64 {
	var first *float64
	for i := len(curve) - 1; i >= 0 && fit(curve[i]); i-- {
		first = &curve[i].Epsilon
	}
	if first == nil {
		return nil
	}
	e := *first
	return &e
}

// pick finds the least ε of the grid with the wanted accuracy.
func (p *Planner) pick(ctx context.Context, r *Result) error {
	for _, e := range r.Grid {
		at, err := p.At(ctx, e)
		if err != nil {
			return err
		}
		if float64(at.Accuracy) >= r.Target {
			r.Epsilon, r.Reached, r.Reason = &e, &at, ""
			return nil
		}
		r.Reason = fmt.Sprintf("at ε = %v, the most of the grid, it is %s", e, percent(at.Accuracy))
	}
	return nil
}

// reach finds the least ε, to a hundredth, with the wanted accuracy.
func (p *Planner) reach(ctx context.Context, r *Result, curve []Point) error {
	low, high := 0.0, math.NaN()
	for _, at := range curve {
		if float64(at.Accuracy) >= r.Target {
			high = at.Epsilon
			break
		}
		low = at.Epsilon
	}
	if math.IsNaN(high) { // above the curve there is little left to gain
		at, err := p.At(ctx, searched)
		if err != nil {
			return err
		}
		if !(float64(at.Accuracy) >= r.Target) {
			r.Reason = p.unreached(r.Target, at)
			return nil
		}
		high = searched
	}
	lower, upper := int(math.Round(low*steps)), int(math.Round(high*steps))
	for upper-lower > 1 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("plan: stopped: %w", err)
		}
		middle := (lower + upper) / 2
		at, err := p.At(ctx, float64(middle)/steps)
		if err != nil {
			return err
		}
		if float64(at.Accuracy) >= r.Target {
			upper = middle
		} else {
			lower = middle
		}
	}
	e := float64(upper) / steps
	at, err := p.At(ctx, e)
	if err != nil {
		return err
	}
	if !(float64(at.Accuracy) >= r.Target) {
		return errors.New("plan: the accuracy at the ε that was found is below the target") // it was seen to be above
	}
	r.Epsilon, r.Reached = &e, &at
	return nil
}

const (
	steps    = 100 // parts of 1 to which an ε is found
	searched = 30  // the most ε that is searched
)

// unreached says why no ε has the wanted accuracy.
func (p *Planner) unreached(target float64, most Point) string {
	if float64(p.plain.Accuracy) < target {
		return fmt.Sprintf("the model without protection is right about %s of the test rows, so no release of what it knows reaches %s", percent(p.plain.Accuracy), percent(measure.Number(target)))
	}
	return fmt.Sprintf("at ε = %v it is %s, so no ε up to that reaches %s", most.Epsilon, percent(most.Accuracy), percent(measure.Number(target)))
}

package plan

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
)

// Kind is a plan as evidence: what "sotto plan" shows, and each point of its
// curve for a gate to judge.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "plan", List: "plans", Check: (*Result).check,
	Section:  evidence.Each("", (*Result).sections),
	Summary:  evidence.Said(func(r *Result) string { return r.Sentence }, nil),
	Subjects: (*Result).subjects,
}

// check refuses a plan without a curve, and an ε that has no place on a
// logarithmic axis.
func (r *Result) check() error {
	if len(r.Curve) == 0 {
		return fmt.Errorf("plan: the curve has no points, must have at least one")
	}
	for _, at := range append(r.answers(), r.Curve...) {
		if !(at.Epsilon > 0 && at.Epsilon <= math.MaxFloat64) || !(at.True >= 0) {
			return fmt.Errorf("plan: ε is %v and proved is %v, must be positive", at.Epsilon, float64(at.True))
		}
	}
	return nil
}

// subjects lists the points that were asked for or found, which are what one
// means to train, or else those of the curve. A plan promises nothing yet: what it
// says of ε is what a training would prove.
func (r *Result) subjects() []evidence.Subject {
	points := r.answers()
	if len(points) == 0 {
		points = r.Curve
	}
	var all []evidence.Subject
	for _, at := range points {
		claimed, proved := dp.Epsilon(at.Epsilon), at.True
		all = append(all, evidence.Subject{
			Name:    fmt.Sprintf("plan %s ε=%v", r.Data.Name, at.Epsilon),
			Match:   evidence.Match{Data: r.Data.Name, Method: "codes", Mechanism: "codes"},
			Promise: &evidence.Promise{Unit: dp.Text, Claimed: &claimed, Proved: &proved},
			Numbers: map[string]measure.Estimate{
				"accuracy":          {Value: at.Accuracy, Low: at.Low, High: at.High},
				"macro_f1":          {Value: at.MacroF1, Low: at.MacroF1Low, High: at.MacroF1High},
				"balanced_accuracy": {Value: at.Balanced, Low: at.BalancedLow, High: at.BalancedHigh},
				"min_recall":        {Value: at.Least, Low: at.LeastLow, High: at.LeastHigh},
				"leakage_bound":     evidence.Exactly(at.LeakageLimit),
			},
		})
	}
	return all
}

// Page is the plan as a page of its own.
func (r *Result) Page() page.Page {
	explained := r.answers()
	if len(explained) == 0 { // doublings tell most about a curve
		explained = slices.DeleteFunc(slices.Clone(r.Curve), func(at Point) bool { return math.Log2(at.Epsilon) != math.Trunc(math.Log2(at.Epsilon)) })
	}
	var all []dp.Guarantee
	for _, at := range explained {
		all = append(all, dp.Guarantee{Unit: dp.Text, Epsilon: at.True})
	}
	return page.Page{Title: "A plan: accuracy against ε", Sentence: r.Sentence, Made: "Written by sotto plan. " + page.Stays, Sections: append([]page.Section{evidence.PlainSection(all)}, r.sections()...)}
}

func (r *Result) sections() []page.Section {
	s := page.Section{ID: "plan", Title: "What each ε gives", Meaning: "Computed from one model without protection, before anything is trained for good."}
	s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: "Accuracy against ε, with its 95 % interval; the table below has the same numbers.", Plots: []page.Plot{r.Chart()}}})
	t := &page.Table{Caption: "What each ε gives", Head: page.Heads("#ε", "#accuracy %", "#low", "#high", "#macro-F1 %", "#balanced %", "#smallest class %", "#limit %", "#leakage ≤ %")}
	worthless := false
	for _, at := range r.Curve {
		epsilon := fmt.Sprint(at.Epsilon)
		if !at.Better {
			epsilon, worthless = epsilon+" *", true
		}
		t.Add(append([]string{epsilon}, at.numbers()...)...)
	}
	s.Blocks = append(s.Blocks, t.Blocks()...)
	var notes []page.Item
	if worthless {
		notes = append(notes, page.Item{Name: "*", Text: "No better than naming the commonest class."})
	}
	for _, list := range [][]string{r.Uses(), r.Meaning(), r.Notes} {
		for _, text := range list {
			notes = append(notes, page.Item{Text: page.Sentence(text)})
		}
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "How to read it"}, page.Block{List: notes})
	return []page.Section{s}
}

// numbers renders a point for a table, in percent.
func (at Point) numbers() []string {
	var all []string
	for _, v := range []measure.Number{at.Accuracy, at.Low, at.High, at.MacroF1, at.Balanced, at.Smallest, at.Limit} {
		all = append(all, page.Decimal(100*v, 1))
	}
	leakage := page.Undefined
	if v := float64(at.LeakageLimit); !math.IsNaN(v) {
		leakage = dp.AtMost(v)
	}
	return append(all, leakage)
}

// Chart draws the curve.
func (r *Result) Chart() *page.Chart {
	c := &page.Chart{
		Title: "Accuracy against ε", Desc: "The table below has the same numbers.", Named: true, LimitName: "above the limit",
		X:      page.Axis{Label: "ε, text-level, logarithmic", Log: true, Low: r.Curve[0].Epsilon / 1.1, High: r.Curve[len(r.Curve)-1].Epsilon * 1.1},
		Y:      page.Axis{Label: "accuracy on the test part", Percent: true},
		Levels: []page.Level{{Name: "no protection", Value: float64(r.NonPrivate)}, {Name: "commonest class", Value: float64(r.Majority)}},
	}
	accuracy, f1 := page.Series{Name: "accuracy"}, page.Series{Name: "macro-F1", Dashed: true}
	var run, runF1 []page.Dot
	values := []float64{float64(r.NonPrivate), float64(r.Majority)}
	for _, at := range r.Curve {
		run = append(run, page.Dot{X: at.Epsilon, Y: float64(at.Accuracy), Low: float64(at.Low), High: float64(at.High), Tip: fmt.Sprintf("%s at ε = %v", percent(at.Accuracy), at.Epsilon)})
		runF1 = append(runF1, page.Dot{X: at.Epsilon, Y: float64(at.MacroF1), Low: math.NaN(), High: math.NaN(), Tip: fmt.Sprintf("macro-F1 %s at ε = %v", percent(at.MacroF1), at.Epsilon)})
		values = append(values, float64(at.Low), float64(at.High), float64(at.MacroF1))
		if !math.IsNaN(float64(at.Limit)) {
			c.Limit = append(c.Limit, page.Point{X: at.Epsilon, Y: float64(at.Limit)})
		}
	}
	accuracy.Runs, f1.Runs = [][]page.Dot{run}, [][]page.Dot{runF1}
	c.Series = []page.Series{accuracy, f1}
	c.Y.Low, c.Y.High = page.Around(values, 0, 1)
	return c
}

// Decode reads a stored plan, and refuses what is none.
func Decode(content []byte) (*Result, error) {
	r := new(Result)
	if err := evidence.Strictly(content, r); err != nil {
		return nil, err
	}
	return r, r.check()
}

package frontier

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// Kind is the frontier as evidence: what "sotto reproduce frontier" shows, and
// each point of each curve for a gate to judge.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "frontier", List: "frontiers", Check: (*Result).check,
	Section:  evidence.Each("", (*Result).sections),
	Summary:  evidence.Said((*Result).sentence, (*Result).verdicts),
	Subjects: (*Result).subjects,
}

// Page is the frontier as a page of its own.
func (r *Result) Page() page.Page {
	var all []dp.Guarantee
	for _, e := range r.Epsilons {
		all = append(all, dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(e)})
	}
	sections := append([]page.Section{evidence.PlainSection(all)}, r.sections()...)
	return page.Page{Title: "The frontier: accuracy against ε", Sentence: r.sentence(), Verdicts: r.verdicts(), Sections: sections}
}

func (r *Result) sections() []page.Section {
	var all []page.Section
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Classes != nil {
			all = append(all, r.section(t))
		}
	}
	return append(all, r.aims())
}

func (r *Result) verdicts() []page.Verdict {
	var all []page.Verdict
	for _, v := range r.Verdicts {
		all = append(all, page.Verdict{Tone: outcomeTone(v.Outcome), Label: string(v.Outcome), Text: v.Aim})
	}
	return all
}

// check refuses an ε that has no place on a logarithmic axis.
func (r *Result) check() error {
	for _, t := range r.Tasks {
		for _, c := range t.Curves {
			if i := slices.IndexFunc(c.Points, func(p Point) bool { return c.Private && !(p.Epsilon > 0) }); i >= 0 {
				return fmt.Errorf("frontier: ε is %v, must be positive", c.Points[i].Epsilon)
			}
		}
	}
	return nil
}

// subjects lists the points of all curves and the aims. What is missing fails
// every policy, as a training that was interrupted does.
func (r *Result) subjects() []evidence.Subject {
	var all []evidence.Subject
	if n := len(r.Missing); n > 0 {
		all = append(all, evidence.Subject{Name: "frontier", Broken: fmt.Sprintf("%d experiments are missing, such as %s", n, r.Missing[0])})
	}
	for _, t := range r.Tasks {
		for _, c := range t.Curves {
			for _, p := range c.Points {
				all = append(all, p.subject(t.Task, c.Method))
			}
		}
	}
	for _, v := range r.Verdicts {
		missed := evidence.Unmeasured()
		if v.Outcome != NoData {
			missed.Value = 0
			for _, c := range v.Checks {
				if c.Outcome == Missed {
					missed.Value++
				}
			}
		}
		all = append(all, evidence.Subject{Name: "frontier, " + v.Aim, Numbers: map[string]measure.Estimate{"missed": missed}})
	}
	return all
}

func (p Point) subject(t Task, method string) evidence.Subject {
	s := evidence.Subject{
		Name:    fmt.Sprintf("frontier %s %s", t.Name, method),
		Match:   evidence.Match{Data: t.Data, Method: method},
		Promise: &evidence.Promise{Unit: p.Unit, Proved: p.True},
		Numbers: map[string]measure.Estimate{
			"accuracy": p.Accuracy.estimate(), "unknown_accuracy": p.Unknown.estimate(), "gap": p.Gap.estimate(),
			"leakage": p.Leakage.estimate(), "leakage_bound": evidence.Exactly(p.LeakageLimit),
		},
	}
	if p.Epsilon != 0 {
		claimed := dp.Epsilon(p.Epsilon)
		s.Name += fmt.Sprintf(" ε=%v", p.Epsilon)
		s.Promise.Claimed = &claimed
	}
	switch {
	case len(p.Seeds) == 0:
		s.Fault = "it was not trained"
	case p.Failed > 0:
		s.Fault = fmt.Sprintf("%d of its seeds failed", p.Failed)
	}
	return s
}

// estimate is e as a gate takes it, not measured if there is none.
func (e *Estimate) estimate() measure.Estimate {
	if e == nil {
		return evidence.Unmeasured()
	}
	low, high := measure.Holding(e.Mean, e.Low, e.High)
	return measure.Estimate{Value: e.Mean, Low: low, High: high}
}

func (r *Result) sentence() string {
	counts := map[Outcome]int{}
	for _, v := range r.Verdicts {
		counts[v.Outcome]++
	}
	text := fmt.Sprintf("Of %s, %d reached, %d missed, %d not decided by the seeds, %d not measured", page.Plural(len(r.Verdicts), "aim", "aims"),
		counts[Reached], counts[Missed], counts[Undecided], counts[NoData])
	for _, o := range []Outcome{Beyond, Unequal} {
		if n := counts[o]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, o)
		}
	}
	return text + "."
}

func outcomeTone(o Outcome) page.Tone {
	switch o {
	case Reached:
		return page.Good
	case Missed:
		return page.Bad
	case Undecided:
		return page.Warn
	case Beyond, Unequal, NoData:
	}
	return page.Plain
}

// section shows a task.
func (r *Result) section(t *TaskResult) page.Section {
	s := page.Section{ID: t.Name, Title: t.Name + ", " + t.Part.About(), Meaning: t.About() + ".", Source: strings.Join(t.Notes, "; ")}
	for _, c := range t.Charts() {
		s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{
			Caption: fmt.Sprintf("%s against ε: mean over seeds with its 95 %% interval.", c.Title), Plots: []page.Plot{c},
		}})
	}
	for _, words := range r.Tables(t) {
		table := &page.Table{Caption: words.Title, Head: []page.Column{{Name: words.Head[0]}}}
		for _, name := range words.Head[1:] {
			table.Head = append(table.Head, page.Column{Name: name, Number: true})
		}
		for _, row := range words.Rows {
			table.Add(row...)
		}
		s.Blocks = append(s.Blocks, page.Block{Heading: strings.ToUpper(words.Title[:1]) + words.Title[1:]})
		s.Blocks = append(s.Blocks, table.Blocks()...)
	}
	return s
}

// Charts draws a task: what is reached on the known labels, and before
// it what is reached on those unseen in training.
func (t *TaskResult) Charts() []*page.Chart {
	accuracy := t.chart("Accuracy", accuracyOf)
	for _, p := range t.points(auto) {
		if p.Search != nil && !math.IsNaN(float64(p.Search.Limit)) {
			accuracy.Limit = append(accuracy.Limit, page.Point{X: p.Epsilon, Y: float64(p.Search.Limit)})
			if !(float64(p.Search.Limit) <= accuracy.Y.High) {
				accuracy.Y.High = 1 // so that the whole curve is seen
			}
		}
	}
	accuracy.LimitName = "above the limit"
	if t.Part != Later {
		return []*page.Chart{accuracy}
	}
	accuracy.Title = "Accuracy on known labels"
	unknown := t.chart("Accuracy on labels unseen in training", unknownOf)
	if v := float64(t.UnknownMajority); !math.IsNaN(v) {
		unknown.Levels = append(unknown.Levels, page.Level{Name: "commonest class", Value: v})
	}
	return []*page.Chart{unknown, accuracy}
}

// chart has a series for each method at several ε, and a level for each
// that is measured once.
func (t *TaskResult) chart(title string, of func(*Point) *Estimate) *page.Chart {
	c := &page.Chart{
		Title: title, Heading: t.Name, Desc: "The table below has the same numbers.", Named: true,
		X: page.Axis{Label: "ε, text-level, logarithmic", Log: true}, Y: page.Axis{Label: "accuracy on the test part", Percent: true},
	}
	var epsilons, values []float64
	for _, curve := range t.Curves {
		var run []page.Dot
		for _, p := range curve.Points {
			e := of(&p)
			if e == nil || math.IsNaN(float64(e.Mean)) {
				continue
			}
			values = append(values, float64(e.Mean))
			if !curve.Private {
				c.Levels = append(c.Levels, page.Level{Name: curve.Title, Value: float64(e.Mean)})
				continue
			}
			epsilons = append(epsilons, p.Epsilon)
			held := e.estimate()
			run = append(run, page.Dot{
				X: p.Epsilon, Y: float64(held.Value), Low: float64(held.Low), High: float64(held.High),
				Tip: fmt.Sprintf("%s: %s %% at ε = %v", curve.Title, page.Decimal(100*e.Mean, 2), p.Epsilon),
			})
		}
		if len(run) > 0 {
			c.Series = append(c.Series, page.Series{Name: curve.named(), Runs: [][]page.Dot{run}})
		}
	}
	if len(epsilons) > 0 {
		c.X.Low, c.X.High = slices.Min(epsilons)/1.1, slices.Max(epsilons)*1.1
	}
	c.Y.Low, c.Y.High = page.Around(values, 0, 1)
	return c
}

// named is the title of a curve with whose method it is, if it is anybody's. What
// follows a hyphen in the name of a method is a setting of it.
func (c Curve) named() string {
	method, _, _ := strings.Cut(c.Method, "-")
	if origin := experiment.OriginOf(method); origin != "" {
		return string(origin) + ": " + c.Title
	}
	return c.Title
}

// aims shows every check.
func (r *Result) aims() page.Section {
	s := page.Section{
		ID: "aims", Title: "The aims, one by one",
		Meaning: "By how many points auto is better, paired by seed, with the 95 % interval over seeds. An aim is missed only where the interval excludes it, and not decided where it holds both.",
	}
	for _, v := range r.Verdicts {
		table := &page.Table{Caption: v.Aim, Head: page.Heads("task", "#ε", "against", "#difference", "#low", "#high", "#wanted at least", "outcome"), Folded: len(v.Checks) > 12}
		for _, c := range v.Checks {
			d := c.Difference.estimate()
			table.Add(c.Task, fmt.Sprint(c.Epsilon), c.Against, page.Decimal(d.Value, 2), page.Decimal(d.Low, 2), page.Decimal(d.High, 2), page.Decimal(c.AtLeast, 0), string(c.Outcome))[7].Tone = outcomeTone(c.Outcome)
		}
		s.Blocks = append(s.Blocks, page.Block{Heading: v.Aim + ": " + string(v.Outcome)})
		if len(v.Checks) > 0 {
			s.Blocks = append(s.Blocks, table.Blocks()...)
		}
	}
	var notes []page.Item
	for _, n := range r.Remarks() {
		notes = append(notes, page.Item{Text: n})
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "Notes"}, page.Block{List: notes})
	return s
}

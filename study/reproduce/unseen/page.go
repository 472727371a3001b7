package unseen

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/promise/dp"
)

// Evidence is what was measured, as evidence.
var Evidence = evidence.Kind[Result]{
	Format: Format, Name: "table", List: "unseen", Check: (*Result).check,
	Section:  evidence.Each("", (*Result).sections),
	Subjects: (*Result).subjects,
}

// check refuses rows of methods that are not listed, and an ε without a place on a
// logarithmic axis.
func (r *Result) check() error {
	for _, row := range r.Results {
		if !has(r.Methods, row.Method) || !(row.Epsilon > 0) {
			return fmt.Errorf("unseen: a row has method %.40q and ε = %v, must be a listed one and positive", row.Method, row.Epsilon)
		}
	}
	return nil
}

// subjects lists the rows for a gate to judge.
func (r *Result) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, row := range r.Results {
		s := evidence.Subject{
			Name:  fmt.Sprintf("unseen %s %s %s ε=%v", row.Task, row.Encoder, row.Method, row.Epsilon),
			Match: evidence.Match{Data: row.Task, Method: row.Method}, Numbers: map[string]measure.Estimate{"accuracy": row.estimate()},
		}
		if e := dp.Epsilon(row.Epsilon); row.Private {
			s.Promise = &evidence.Promise{Unit: dp.Text, Claimed: &e, Proved: &e}
		}
		all = append(all, s)
	}
	return all
}

func (row Row) estimate() measure.Estimate {
	low, high := measure.Holding(row.Accuracy, row.Low, row.High)
	return measure.Estimate{Value: row.Accuracy, Low: low, High: high}
}

// Page is the result as a page of its own.
func (r *Result) Page() page.Page {
	promises := each(r.Epsilons, func(e float64) dp.Guarantee { return dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(e)} })
	return page.Page{
		Title: "Questions nobody has asked yet", Sentence: "What releases tell of questions that they know nothing of, by method and ε.",
		Sections: append([]page.Section{evidence.PlainSection(promises)}, r.sections()...),
	}
}

// sections shows the means, then each task.
func (r *Result) sections() []page.Section {
	var all []page.Section
	for _, encoder := range r.encoders() {
		for _, task := range r.shown(encoder) {
			s := page.Section{ID: "unseen-" + encoder + "-" + task.Name, Title: "Unseen questions: " + task.Name + " by " + encoder, Meaning: page.Sentence(task.About), Source: "sotto reproduce unseen"}
			if c := r.chart(encoder, task); c != nil {
				s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: "Against ε: mean over seeds with its 95 % interval.", Plots: []page.Plot{c}}})
			}
			t := &page.Table{Caption: s.Title, Head: page.Heads("method")}
			for _, e := range r.Epsilons {
				t.Head = append(t.Head, page.Column{Name: fmt.Sprintf("ε = %v", e), Number: true})
			}
			for _, row := range r.table(encoder, task.Name) {
				t.Add(row...)
			}
			s.Blocks = append(s.Blocks, t.Blocks()...)
			all = append(all, s)
		}
	}
	for _, n := range r.Notes {
		if len(all) > 0 {
			all[len(all)-1].Blocks = append(all[len(all)-1].Blocks, page.Block{Note: n})
		}
	}
	return all
}

// encoders lists the encoders in their order.
func (r *Result) encoders() []string {
	var all []string
	for _, row := range r.Results {
		if !slices.Contains(all, row.Encoder) {
			all = append(all, row.Encoder)
		}
	}
	return all
}

// mean is the name under which the mean over five tasks is shown.
const mean = "mean"

// shown lists what there is to show of an encoder: the mean, if there is one, and the
// tasks.
func (r *Result) shown(encoder string) []Task {
	var all []Task
	if slices.ContainsFunc(r.Means, func(m Mean) bool { return m.Encoder == encoder }) {
		all = append(all, Task{Name: mean, Kind: Classes, About: "mean accuracy over trec, sst2, subj, cr and snips"})
	}
	for _, t := range Tasks() {
		if slices.ContainsFunc(r.Results, func(row Row) bool { return row.Encoder == encoder && row.Task == t.Name }) {
			all = append(all, t)
		}
	}
	return all
}

// rows returns what was found of a task and a method, by ε.
func (r *Result) rows(encoder, task, method string) []Row {
	var all []Row
	for _, m := range r.Means {
		if task == mean && m.Encoder == encoder && m.Method == method {
			all = append(all, Row{Method: method, Epsilon: m.Epsilon, Accuracy: m.Accuracy, Low: m.Low, High: m.High})
		}
	}
	for _, row := range r.Results {
		if row.Encoder == encoder && row.Task == task && row.Method == method {
			all = append(all, row)
		}
	}
	return all
}

// table has a row for each method and a column for each ε, in percent.
func (r *Result) table(encoder, task string) [][]string {
	var all [][]string
	for _, m := range r.Methods {
		rows := r.rows(encoder, task, m.Name)
		if rows == nil {
			continue
		}
		line := []string{m.Name}
		for _, row := range rows {
			text := (100 * row.Accuracy).Text("%.1f")
			if half := float64(row.High-row.Low) / 2; !math.IsNaN(half) && m.Private {
				text += fmt.Sprintf(" ± %.1f", 100*half)
			}
			line = append(line, text)
		}
		all = append(all, line)
	}
	return all
}

// Charts draws what there is to show, by a name for each.
func (r *Result) Charts() map[string]*page.Chart {
	all := map[string]*page.Chart{}
	for _, encoder := range r.encoders() {
		for _, task := range r.shown(encoder) {
			if c := r.chart(encoder, task); c != nil {
				all[strings.NewReplacer("/", "_", "@", "-").Replace(encoder+"-"+task.Name)] = c
			}
		}
	}
	return all
}

// chart has a series for each method that promises ε, and a level for each that does
// not; nil if there is one ε alone.
func (r *Result) chart(encoder string, task Task) *page.Chart {
	if len(r.Epsilons) < 2 {
		return nil
	}
	c := &page.Chart{
		Title: task.About + " by " + encoder, Heading: task.Name, Desc: "The table below has the same numbers.", Named: true,
		X: page.Axis{Label: "ε, text-level, logarithmic", Log: true, Low: slices.Min(r.Epsilons) / 1.1, High: slices.Max(r.Epsilons) * 1.1},
		Y: page.Axis{Label: "accuracy on the test part", Percent: true},
	}
	switch task.Kind {
	case Similarity:
		c.Y.Label = "rank correlation with people"
	case Neighbours:
		c.Y.Label = "share of neighbours found again"
	case Classes:
	}
	var values []float64
	for _, m := range r.Methods {
		var run []page.Dot
		for _, row := range r.rows(encoder, task.Name, m.Name) {
			held := row.estimate()
			values = append(values, float64(held.Value))
			run = append(run, page.Dot{
				X: row.Epsilon, Y: float64(held.Value), Low: float64(held.Low), High: float64(held.High),
				Tip: fmt.Sprintf("%s: %s %% at ε = %v", m.Name, page.Decimal(100*held.Value, 1), row.Epsilon),
			})
		}
		switch {
		case run == nil:
		case m.Private:
			c.Series = append(c.Series, page.Series{Name: m.Name, Runs: [][]page.Dot{run}})
		default:
			c.Levels = append(c.Levels, page.Level{Name: m.Name, Value: run[0].Y})
		}
	}
	c.Y.Low, c.Y.High = page.Around(values, -0.1, 1)
	return c
}

// Print writes the result for a person.
func (r *Result) Print(w io.Writer) error {
	b := layout.NewBuffer(w)
	for _, encoder := range r.encoders() {
		for _, task := range r.shown(encoder) {
			fmt.Fprintf(b, "%s by %s: %s, %%\n", task.Name, encoder, task.About)
			t := layout.NewTable(b).Headed()
			t.Cells(append([]string{"  METHOD"}, each(r.Epsilons, func(e float64) string { return fmt.Sprintf("ε = %v", e) })...)...)
			for _, row := range r.table(encoder, task.Name) {
				row[0] = "  " + row[0]
				t.Cells(row...)
			}
			t.Flush() //nolint:errcheck // it goes to memory
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, "cells are made of %s\n", strings.Join(each(r.Sources, func(s Source) string { return fmt.Sprintf("%s (%d)", s.Name, s.Texts) }), ", "))
	for _, n := range r.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	return b.Flush()
}

package reproduce

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/experiment/frontier"
	"sotto/internal/cli/term"
	"sotto/report/page"
)

// frontierPage is the page of "sotto reproduce frontier --html".
func frontierPage(r *frontier.Result) page.Page {
	p := page.Page{
		Title:    "The frontier: accuracy against ε",
		Sentence: frontierSentence(r),
		Made:     "Made by sotto reproduce frontier, version " + term.Version() + ".",
	}
	for _, v := range r.Verdicts {
		p.Verdicts = append(p.Verdicts, page.Verdict{Tone: outcomeTone(v.Outcome), Label: string(v.Outcome), Text: v.Aim})
	}
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.Classes != nil {
			p.Sections = append(p.Sections, frontierSection(r, t))
		}
	}
	p.Sections = append(p.Sections, aimsSection(r))
	return p
}

func frontierSentence(r *frontier.Result) string {
	counts := map[frontier.Outcome]int{}
	for _, v := range r.Verdicts {
		counts[v.Outcome]++
	}
	text := fmt.Sprintf("Of %s, %d reached, %d missed, %d not decided by the seeds, %d not measured", page.Plural(len(r.Verdicts), "aim", "aims"),
		counts[frontier.Reached], counts[frontier.Missed], counts[frontier.Undecided], counts[frontier.NoData])
	for _, o := range []frontier.Outcome{frontier.Beyond, frontier.Unequal} {
		if n := counts[o]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, o)
		}
	}
	return text + "."
}

func outcomeTone(o frontier.Outcome) page.Tone {
	switch o {
	case frontier.Reached:
		return page.Good
	case frontier.Missed:
		return page.Bad
	case frontier.Undecided:
		return page.Warn
	case frontier.Beyond, frontier.Unequal, frontier.NoData:
	}
	return page.Plain
}

// frontierSection shows a task.
func frontierSection(r *frontier.Result, t *frontier.TaskResult) page.Section {
	s := page.Section{ID: t.Name, Title: t.Name + ", " + t.Part.About(), Meaning: t.About() + ".", Source: strings.Join(t.Notes, "; ")}
	for _, c := range frontierCharts(t) {
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

// frontierCharts draws a task: what is reached on the known labels, and before
// it what is reached on those that nobody knew.
func frontierCharts(t *frontier.TaskResult) []*page.Chart {
	known := func(p frontier.Point) *frontier.Estimate { return &p.Accuracy }
	accuracy := frontierChart(t, "Accuracy", known)
	for _, c := range t.Curves {
		for _, p := range c.Points {
			if p.Search != nil && c.Method == "auto" && !math.IsNaN(float64(p.Search.Limit)) {
				accuracy.Limit = append(accuracy.Limit, page.Point{X: p.Epsilon, Y: float64(p.Search.Limit)})
			}
		}
	}
	accuracy.LimitName = "above the limit"
	if t.Part != frontier.Later {
		return []*page.Chart{accuracy}
	}
	accuracy.Title = "Accuracy on known labels"
	unknown := frontierChart(t, "Accuracy on labels that nobody knew in training", func(p frontier.Point) *frontier.Estimate { return p.Unknown })
	if v := float64(t.UnknownMajority); !math.IsNaN(v) {
		unknown.Levels = append(unknown.Levels, page.Level{Name: "commonest class", Value: v})
	}
	return []*page.Chart{unknown, accuracy}
}

// frontierChart has a series for each method at several ε, and a level for each
// that is measured once.
func frontierChart(t *frontier.TaskResult, title string, of func(frontier.Point) *frontier.Estimate) *page.Chart {
	c := &page.Chart{
		Title: title, Heading: t.Name, Desc: "The table below has the same numbers.", Named: true,
		X: page.Axis{Label: "ε, text-level, logarithmic", Log: true}, Y: page.Axis{Label: "accuracy on the test part", Percent: true},
	}
	var epsilons, values []float64
	for _, curve := range t.Curves {
		var run []page.Dot
		for _, p := range curve.Points {
			e := of(p)
			if e == nil || math.IsNaN(float64(e.Mean)) {
				continue
			}
			values = append(values, float64(e.Mean))
			if !curve.Private {
				c.Levels = append(c.Levels, page.Level{Name: curve.Title, Value: float64(e.Mean)})
				continue
			}
			epsilons = append(epsilons, p.Epsilon)
			run = append(run, page.Dot{
				X: p.Epsilon, Y: float64(e.Mean), Low: float64(e.Low), High: float64(e.High),
				Tip: fmt.Sprintf("%s: %s %% at ε = %v", curve.Title, page.Decimal(100*e.Mean, 2), p.Epsilon),
			})
		}
		if len(run) > 0 {
			c.Series = append(c.Series, page.Series{Name: curve.Title, Runs: [][]page.Dot{run}})
		}
	}
	if len(epsilons) > 0 {
		c.X.Low, c.X.High = slices.Min(epsilons)/1.1, slices.Max(epsilons)*1.1
	}
	c.Y.Low, c.Y.High = page.Around(values, 0, 1)
	return c
}

// aimsSection shows every check.
func aimsSection(r *frontier.Result) page.Section {
	s := page.Section{
		ID: "aims", Title: "The aims, one by one",
		Meaning: "By how many points auto is better, paired by seed, with the 95 % interval over seeds. An aim is missed only where the interval excludes it, and not decided where it holds both.",
	}
	for _, v := range r.Verdicts {
		table := &page.Table{Caption: v.Aim, Head: page.Heads("task", "#ε", "against", "#difference", "#low", "#high", "#wanted at least", "outcome"), Folded: len(v.Checks) > 12}
		for _, c := range v.Checks {
			d := c.Difference
			table.Add(c.Task, fmt.Sprint(c.Epsilon), c.Against, page.Decimal(d.Mean, 2), page.Decimal(d.Low, 2), page.Decimal(d.High, 2), page.Decimal(c.AtLeast, 0), string(c.Outcome))[7].Tone = outcomeTone(c.Outcome)
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

// writeFrontierCharts writes each chart to a file of its own.
func writeFrontierCharts(dir string, r *frontier.Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pictures are meant to be read by others
		return err
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		for k, c := range frontierCharts(t) {
			if len(c.Series) == 0 {
				continue
			}
			name := t.Name
			if t.Part == frontier.Later {
				name += []string{"-unknown", "-known"}[k]
			}
			if err := term.WriteWhole(filepath.Join(dir, name+".svg"), nil, func(w io.Writer) error { return page.SVG(w, c) }); err != nil {
				return err
			}
		}
	}
	return nil
}

package weat

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/study/bias"
)

// Page shows the report, which must be valid; made says by what.
func (r *Report) Page(made string) page.Page {
	return page.Page{Title: "Association tests", Sentence: r.sentence(), Made: made, Sections: evidence.BeforePlain(r.Sections(), r.stated()...)}
}

// Sections are those of the page: one for each model, a summary and how to read
// it.
func (r *Report) Sections() []page.Section {
	var all []page.Section
	for i, name := range r.modelNames() {
		all = append(all, r.Models[i].section(name, r.Of(r.Models[i].Name)))
	}
	return append(all, r.summary(), r.Settings.how())
}

// modelNames are the names of the files, and the places of those that have the
// same.
func (r *Report) modelNames() []string {
	var names []string
	for i, m := range r.Models {
		name := page.FileName(m.Name)
		if slices.ContainsFunc(r.Models, func(o Model) bool { return o.Name != m.Name && page.FileName(o.Name) == name }) {
			name += fmt.Sprintf(" (%d)", i+1)
		}
		names = append(names, name)
	}
	return names
}

func (r *Report) sentence() string {
	tests, significant := 0, 0
	for _, s := range r.Summaries {
		tests, significant = tests+s.Tests, significant+s.Significant
	}
	return fmt.Sprintf("%d of %s found an association that chance explains in less than one case of a hundred.", significant, page.Plural(tests, "result", "results"))
}

// section shows the effects of a model.
func (m Model) section(name string, tests [][]Row) page.Section {
	s := page.Section{Title: name, Meaning: "How much nearer the words of one set are to a set of attributes than those of another: the difference of means, in deviations."}
	if m.Counts != nil {
		s.Source = fmt.Sprintf("%s of %d numbers, from %s", page.Plural(m.Counts.Words, "word vector", "word vectors"), m.Dim, page.Plural(m.Counts.Rows, "row", "rows"))
	} else {
		s.Source = fmt.Sprintf("vectors of %d numbers that an encoder made of single words", m.Dim)
	}
	table := &page.Table{Caption: "Effects of " + name, Head: page.Heads("test", "words", "measure", "statistic", "#effect", "#p", "#lost words")}
	for _, v := range slices.Concat(tests...) {
		cells := table.Add(strconv.Itoa(v.Test), v.label(), string(v.Measure), string(v.Statistic), page.Decimal(v.Effect, 3), v.ChanceText()+v.Stars(), strconv.Itoa(len(v.Lost)))
		if v.Refused != "" {
			cells[4], cells[5] = page.Cell{Text: "refused: " + v.Refused, Tone: page.Warn}, page.Cell{}
		}
	}
	table.Folded = len(table.Rows) > 20
	heat := heatMaps(tests)
	figure := &page.Figure{
		Caption: "Effects by test and statistic, in the direction of the stereotype: those of distances have their sign reversed. * p < .01, ** .001, *** .0001, **** .00001, where p counts the partition that was found too; an empty cell was refused.",
		Plots:   heat, Small: len(heat) > 1,
	}
	s.Blocks = slices.Concat([]page.Block{{Figure: figure}}, table.Blocks(), m.beforeAndAfter(tests), lost(tests))
	return s
}

// heatMaps show the effects of each measure.
func heatMaps(tests [][]Row) []page.Plot {
	end := 2.0 // of the colours: what sets of one size can reach
	for _, v := range slices.Concat(tests...) {
		if e := math.Abs(float64(v.Effect)); e > end { // NaN is not
			end = e
		}
	}
	var plots []page.Plot
	for i := 0; i < len(tests[0]); {
		m := tests[0][i].Measure
		heat := &page.HeatMap{
			Title: "Effects by " + string(m), Heading: string(m), Desc: "Effects in the direction of the stereotype; the numbers stand in the table below.",
			Diverging: true, Low: -end, High: end,
		}
		next := i
		for ; next < len(tests[0]) && tests[0][next].Measure == m; next++ {
			heat.Columns = append(heat.Columns, string(tests[0][next].Statistic))
		}
		for _, t := range tests {
			heat.Rows = append(heat.Rows, t[0].label())
			var values []float64
			var texts []string
			for _, v := range t[i:next] {
				text := ""
				if v.Refused == "" {
					text = page.Decimal(v.oriented(), 2) + v.Stars()
				}
				values, texts = append(values, v.oriented()), append(texts, text)
			}
			heat.Values, heat.Texts = append(heat.Values, values), append(heat.Texts, texts)
		}
		plots, i = append(plots, heat), next
	}
	return plots
}

// label names a test.
func (r Row) label() string {
	if r.About == "" {
		return r.Name
	}
	return r.Name + ": " + r.About
}

// oriented is the effect in the direction of the stereotype, and the magnitude
// where there is none.
func (r Row) oriented() float64 {
	switch {
	case r.Statistic == Optimum:
		return math.Abs(float64(r.Effect))
	case r.Measure != Cosine:
		return -float64(r.Effect)
	}
	return float64(r.Effect)
}

// beforeAndAfter shows the effects on private vectors beside the raw ones.
func (m Model) beforeAndAfter(tests [][]Row) []page.Block {
	if m.Guarantee == nil {
		return nil
	}
	dots := &page.Dots{
		Title: "Raw and private effects", Desc: "By the first measure and statistic; all stand in the table below.",
		Axis: page.Axis{Label: fmt.Sprintf("effect by %s %s", tests[0][0].Measure, tests[0][0].Statistic)}, Keys: []string{"raw", "private, with 95 % of draws"},
		Levels: []page.Level{{Name: "no association", Value: 0}},
	}
	table := &page.Table{Caption: "Raw and private effects", Head: page.Heads("test", "measure", "statistic", "#raw", "#private", "#lowest 2.5 % below", "#highest 2.5 % above", "#p < .01 in % of draws")}
	for _, t := range tests {
		for i, v := range t {
			e := v.Private.Effect.Estimate()
			table.Add(v.label(), string(v.Measure), string(v.Statistic), page.Decimal(v.Effect, 3), page.Decimal(e.Value, 3), page.Decimal(e.Low, 3), page.Decimal(e.High, 3), page.Decimal(100*v.Private.Significant, 0))
			if i == 0 && v.Refused == "" && !math.IsNaN(float64(e.Value)) {
				dots.Rows = append(dots.Rows, page.Row{Name: v.label(), Bound: math.NaN(), Marks: []page.Mark{
					{Key: 0, Value: float64(v.Effect), Low: math.NaN(), High: math.NaN(), Tip: "raw " + page.Decimal(v.Effect, 3)},
					{Key: 1, Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High), Tip: "private " + page.Decimal(e.Value, 3)},
				}})
			}
		}
	}
	table.Folded = len(table.Rows) > 20
	blocks := []page.Block{{Heading: "Before and after"}, {Warning: page.Sentence(bias.SimulatedNote)}, {Note: page.Sentence(bias.Promise(m.Guarantee, "one word's vector"))}}
	if len(dots.Rows) > 0 {
		dots.Axis.Low, dots.Axis.High = page.Around(dotValues(dots), -1000, 1000)
		blocks = append(blocks, page.Block{Figure: &page.Figure{Caption: fmt.Sprintf("Effects on raw vectors, and on private ones over %s: the bar holds 95 %% of them.", page.Plural(tests[0][0].Private.Effect.Draws, "draw", "draws")), Plots: []page.Plot{dots}}})
	}
	return append(blocks, table.Blocks()...)
}

// dotValues lists what the axis must hold.
func dotValues(d *page.Dots) []float64 {
	values := []float64{0}
	for _, r := range d.Rows {
		for _, m := range r.Marks {
			values = append(values, m.Value, m.Low, m.High)
		}
	}
	return slices.DeleteFunc(values, math.IsNaN)
}

// lost lists the words that were left out.
func lost(tests [][]Row) []page.Block {
	var list []page.Item
	for _, t := range tests {
		for _, s := range t[0].Sets {
			for _, l := range s.Losses() {
				list = append(list, page.Item{Name: fmt.Sprintf("test %d, set %s%s", t[0].Test, s.Set, l.Kind), Text: fmt.Sprintf("%d of %d: %s", len(l.Words), s.Size, SomeWords(l.Words))})
			}
		}
		for _, n := range t[0].Notes {
			list = append(list, page.Item{Name: fmt.Sprintf("test %d", t[0].Test), Text: n})
		}
	}
	if len(list) == 0 {
		return []page.Block{{Note: "No word was lost."}}
	}
	return []page.Block{{Heading: "Words left out"}, {List: list}}
}

// summary shows how many tests are significant.
func (r *Report) summary() page.Section {
	table := &page.Table{Caption: "Summary", Head: page.Heads("measure", "statistic")}
	for _, name := range r.modelNames() {
		table.Head = append(table.Head, page.Column{Name: name, Number: true})
	}
	for _, line := range r.SummaryRows() {
		table.Add(line...)
	}
	return page.Section{
		Title: "Summary", Meaning: "Tests with p below .01, the partition that was found counted too, of those that were not refused, and the mean and deviation of the magnitudes of effects: whether the choice of a measure drives the answer.",
		Blocks: table.Blocks(),
	}
}

// how says how to read the numbers.
func (s Settings) how() page.Section {
	deviation := "with N−1"
	if s.Population {
		deviation = "with N"
	}
	list := []page.Item{
		{Name: "effect", Text: "the mean association of X less that of Y, in deviations over both, " + deviation + "; a stereotype is positive by cosine and negative by a distance"},
		{Name: "p", Text: fmt.Sprintf("the share of partitions of the target words with a greater difference, in the direction of the stereotype unless it says two-sided; with counts where all were looked at, else (k+1)/(N+1) of %d drawn with seed %d", s.Samples, s.Seed)},
		{Name: "significance", Text: "stars and counts are by the p that counts partitions as great as the one that was found too, itself among them, which is never 0"},
		{Name: "optimum", Text: "the least difference over all pairs of attributes, which has no direction, so that its p is two-sided"},
		{Name: "mahalanobis", Text: "by " + string(s.Covariance) + map[bool]string{false: ", with a covariance for each attribute set: where they differ in scale, that difference rules the result", true: ", with one covariance within both attribute sets"}[s.Pooled]},
		{Name: "not measured", Text: "harm, and privacy: no test here is a guarantee"},
	}
	return page.Section{Title: "How to read it", Blocks: []page.Block{{List: list}}}
}

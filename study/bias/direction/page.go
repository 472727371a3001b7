package direction

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
	"sotto/study/bias"
)

// Page shows the report; made says by what.
func (r *Report) Page(made string) page.Page {
	return page.Page{Title: "The direction of gender", Sentence: r.sentence(), Made: made, Verdicts: r.Verdicts(), Sections: evidence.BeforePlain(r.Sections(), r.Release)}
}

// Verdicts say of each language whether it has a direction.
func (r *Report) Verdicts() (all []page.Verdict) {
	for _, l := range r.Languages {
		all = append(all, l.verdict())
	}
	return all
}

// Sections are those of the page that have something to show.
func (r *Report) Sections() []page.Section {
	return slices.DeleteFunc([]page.Section{
		r.defining(), r.means(), r.confidence(), r.forms(), r.professions(), r.correlation(), r.drops(), r.release(), r.words(),
	}, func(s page.Section) bool { return len(s.Blocks) == 0 })
}

func (l LanguageResult) verdict() page.Verdict {
	if l.Refused != "" {
		return page.Verdict{Tone: page.Bad, Label: "refused", Text: l.Label() + ": " + l.Refused}
	}
	found := "no professions"
	if !math.IsNaN(float64(l.DirectBias)) {
		found = fmt.Sprintf("DirectBias %s, random %s", page.Decimal(l.DirectBias, 3), page.Decimal(l.Random, 3))
	}
	text := fmt.Sprintf("%s: confidence %s from %d of %d pairs; %s", l.Label(), page.Decimal(l.Confidence, 3), l.Pairs, l.PairsWanted, found)
	return page.Verdict{Tone: page.Good, Label: "a direction", Text: text}
}

func (r *Report) sentence() string {
	found := 0
	for _, l := range r.Languages {
		if l.Refused == "" {
			found++
		}
	}
	switch {
	case len(r.Languages) != 1:
		return fmt.Sprintf("%d of %d languages have a direction of gender.", found, len(r.Languages))
	case found == 0:
		return "The first component of the defining pairs is not a direction of gender."
	}
	return fmt.Sprintf("Professions lie %s along the direction of gender on average, where a random direction would have %s.",
		page.Decimal(r.Languages[0].DirectBias, 3), page.Decimal(r.Languages[0].Random, 3))
}

// marked is the name of a language, with a mark if its scores were forced.
func (l LanguageResult) marked() string {
	if l.Refused != "" {
		return l.Label() + " (not a gender direction)"
	}
	return l.Label()
}

// scoreEnd is where the axes of all scores end: the same on the whole page, so
// that bars can be compared.
func (r *Report) scoreEnd() float64 {
	for _, l := range r.Languages {
		if slices.ContainsFunc(l.Defining, func(d DefiningScore) bool { return math.Abs(float64(d.Score)) > 0.5 }) {
			return 1
		}
		for _, p := range l.Professions {
			if slices.ContainsFunc(p.Forms, func(f FormScore) bool { return math.Abs(float64(f.Score)) > 0.5 }) {
				return 1
			}
		}
	}
	return 0.5
}

// drawn is a figure with the table of its numbers, nothing without plots.
func drawn(f *page.Figure, t *page.Table) []page.Block {
	if len(f.Plots) == 0 {
		return nil
	}
	return append([]page.Block{{Figure: f}}, t.Blocks()...)
}

// listed is a table, nothing without rows.
func listed(t *page.Table) []page.Block {
	if len(t.Rows) == 0 {
		return nil
	}
	return t.Blocks()
}

// genderBars are bars to both sides.
func genderBars(end float64, title string, groups ...page.BarGroup) *page.Bars {
	return &page.Bars{
		Title: title, Desc: "Bars to the right are female, to the left male.", Axis: page.Axis{Label: "score", Low: -end, High: end},
		Decimals: 2, Left: "male", Right: "female", Groups: groups,
	}
}

// defining is figure 1 of the paper.
func (r *Report) defining() page.Section {
	s := page.Section{Title: "Defining words", Meaning: "The score of each defining word: its cosine with the direction. Female words should lie to the right, male ones to the left."}
	figure := &page.Figure{Caption: "Defining words by language.", Small: true}
	table := &page.Table{Caption: "Scores of defining words", Head: page.Heads("language", "pair", "word", "gender", "#score"), Folded: true}
	for _, l := range r.Languages {
		group := page.BarGroup{}
		for _, d := range l.Defining {
			name := d.Word
			if english := d.english(); english != d.Word {
				name += " (" + english + ")"
			}
			group.Bars = append(group.Bars, page.Bar{Name: name, Value: float64(d.Score)})
			cells := table.Add(l.Label(), d.Pair, d.Word, genderNames[d.Gender], page.Decimal(d.Score, 3))
			if d.Opposed {
				cells[4].Text += ", of the other gender"
				cells[4].Tone = page.Warn
			}
		}
		if len(group.Bars) > 0 {
			bars := genderBars(r.scoreEnd(), "Defining words, "+l.marked(), group)
			bars.Heading = l.marked()
			figure.Plots = append(figure.Plots, bars)
		}
	}
	s.Blocks = drawn(figure, table)
	return s
}

// english is the part of a pair's name that stands for a word.
func (d DefiningScore) english() string {
	f, m, ok := strings.Cut(d.Pair, "/")
	switch {
	case !ok:
		return d.Pair
	case d.Gender == Female:
		return f
	}
	return m
}

// The genders of words and of forms, as they are shown.
var (
	genderNames = map[Gender]string{Female: "female", Male: "male", Neutral: "neutral"}
	formNames   = map[Gender]string{Female: "feminine forms", Male: "masculine forms", Neutral: "neutral forms"}
)

// means is figure 2.
func (r *Report) means() page.Section {
	s := page.Section{Title: "Female and male words", Meaning: "The mean score of the female and of the male defining words."}
	var groups []page.BarGroup
	table := &page.Table{Caption: "Mean scores of defining words", Head: page.Heads("language", "#female words", "#male words"), Folded: true}
	for _, l := range r.Languages {
		if len(l.Defining) > 0 {
			groups = append(groups, page.BarGroup{Name: l.marked(), Bars: []page.Bar{
				{Name: "female words", Value: float64(l.Female)}, {Name: "male words", Value: float64(l.Male)},
			}})
			table.Add(l.marked(), page.Decimal(l.Female, 3), page.Decimal(l.Male, 3))
		}
	}
	if len(groups) > 0 {
		bars := genderBars(r.scoreEnd(), "Mean scores of defining words by language", groups...)
		s.Blocks = drawn(&page.Figure{Caption: "Mean score of defining words.", Plots: []page.Plot{bars}}, table)
	}
	return s
}

// confidence is figure 3.
func (r *Report) confidence() page.Section {
	s := page.Section{Title: "Confidence", Meaning: "The share of variance that the first component explains, less that of the second. The greater it is, the surer it is that there is one direction."}
	bars := &page.Bars{Title: "Confidence by language", Desc: "Difference of the shares of the first two components.", Axis: page.Axis{Label: "confidence", Low: 0, High: 1}, Decimals: 2}
	group := page.BarGroup{}
	table := &page.Table{Caption: "Components", Head: page.Heads("language", "#pairs", "#first", "#second", "#confidence", "direction")}
	for _, l := range r.Languages {
		group.Bars = append(group.Bars, page.Bar{Name: l.Label(), Value: float64(l.Confidence)})
		share := func(i int) string {
			if i < len(l.Explained) {
				return page.Decimal(l.Explained[i], 3)
			}
			return page.Undefined
		}
		cells := table.Add(l.Label(), fmt.Sprintf("%d of %d", l.Pairs, l.PairsWanted), share(0), share(1), page.Decimal(l.Confidence, 3), "yes")
		if l.Refused != "" {
			cells[5] = page.Cell{Text: "no: " + l.Refused, Tone: page.Bad}
		}
	}
	bars.Groups = []page.BarGroup{group}
	s.Blocks = drawn(&page.Figure{Caption: "Difference of the first and the second component.", Plots: []page.Plot{bars}}, table)
	return s
}

// forms is figure 4: forms by gender, where there are any.
func (r *Report) forms() page.Section {
	s := page.Section{Title: "Forms of professions", Meaning: "Scores of feminine, masculine and neutral forms. That feminine forms score female is grammar, not prejudice."}
	for _, l := range r.Languages {
		figure := &page.Figure{Caption: l.marked() + ": forms by their gender.", Small: true}
		for _, g := range []Gender{Female, Male, Neutral} {
			group := page.BarGroup{}
			for _, p := range l.Professions {
				for _, f := range p.Forms {
					if f.Gender == g {
						group.Bars = append(group.Bars, page.Bar{Name: strings.TrimSuffix(f.Word, fmt.Sprintf(" (%s)", g)), Value: float64(f.Score)})
					}
				}
			}
			if len(group.Bars) > 0 {
				title := l.marked() + ", " + formNames[g]
				bars := genderBars(r.scoreEnd(), title, group)
				bars.Heading = title
				figure.Plots = append(figure.Plots, bars)
			}
		}
		if len(figure.Plots) > 1 {
			s.Blocks = append(s.Blocks, page.Block{Figure: figure})
		}
	}
	if len(s.Blocks) == 0 {
		return s
	}
	table := &page.Table{Caption: "Forms", Head: page.Heads("language", "profession", "form", "gender", "#score", "#count"), Folded: true}
	for _, l := range r.Languages {
		for _, p := range l.Professions {
			for _, f := range p.Forms {
				count := "none"
				if !math.IsNaN(float64(f.Count)) {
					count = fmt.Sprint(float64(f.Count))
				}
				table.Add(l.Label(), p.Name, f.Word, genderNames[f.Gender], page.Decimal(f.Score, 3), count)
			}
		}
	}
	s.Blocks = append(s.Blocks, table.Blocks()...)
	return s
}

// professions is figure 5: bars for one language, a matrix for several.
func (r *Report) professions() page.Section {
	s := page.Section{Title: "Professions", Meaning: "The score of each profession, the mean of its forms. Weights of forms: " + r.Weightings() + "."}
	table := &page.Table{Caption: "Scores of professions", Head: page.Heads("profession"), Folded: true}
	heat := &page.HeatMap{Title: "Professions by language", Desc: "Scores, female positive, male negative.", Decimals: 2, Diverging: true}
	group := page.BarGroup{}
	var shown []map[string]float64 // the scores of each language that has some
	for _, l := range r.Languages {
		scores := map[string]float64{}
		for _, p := range l.Professions {
			scores[p.Name] = float64(p.Score)
			if !math.IsNaN(scores[p.Name]) && !slices.Contains(heat.Rows, p.Name) {
				heat.Rows = append(heat.Rows, p.Name)
			}
		}
		if l.Scored() > 0 {
			shown, heat.Columns = append(shown, scores), append(heat.Columns, l.marked())
			table.Head = append(table.Head, page.Column{Name: l.marked(), Number: true})
		}
	}
	if len(shown) == 0 {
		return s
	}
	for _, name := range heat.Rows {
		row, cells := []float64(nil), []string{name}
		for _, scores := range shown {
			v, ok := scores[name]
			if !ok {
				v = math.NaN()
			}
			row, cells = append(row, v), append(cells, page.Decimal(v, 3))
		}
		heat.Values = append(heat.Values, row)
		group.Bars = append(group.Bars, page.Bar{Name: name, Value: row[0]})
		table.Add(cells...)
	}
	figure := &page.Figure{Caption: "Professions: female positive, male negative.", Plots: []page.Plot{heat}}
	if len(shown) == 1 {
		slices.SortStableFunc(group.Bars, func(a, b page.Bar) int { return cmp.Compare(b.Value, a.Value) })
		figure.Plots[0] = genderBars(r.scoreEnd(), "Scores of professions, "+heat.Columns[0], group)
	}
	s.Blocks = drawn(figure, table)
	return s
}

// Weightings says how forms were weighted, each way once.
func (r *Report) Weightings() string {
	var ways []string
	for _, l := range r.Languages {
		if l.Weighting != "" && !slices.Contains(ways, l.Weighting) {
			ways = append(ways, l.Weighting)
		}
	}
	return strings.Join(ways, "; ")
}

// correlation is figure 6.
func (r *Report) correlation() page.Section {
	s := page.Section{Title: "Languages compared", Meaning: "Pearson's correlation of the professions' scores between languages, clustered by average linkage of 1 − r."}
	c := r.Correlation
	if c == nil || len(c.Clustered) < 2 {
		return s
	}
	heat := &page.HeatMap{Title: "Correlation between languages", Desc: "Pearson's correlation of scores, with a tree of clusters.", Decimals: 2, Low: -1, High: 1, Diverging: true}
	table := &page.Table{Caption: "Correlations", Head: page.Heads("language", "language", "#correlation", "#professions shared"), Folded: true}
	for _, i := range c.Clustered {
		heat.Rows = append(heat.Rows, r.Languages[i].Label())
		var row []float64
		for _, j := range c.Clustered {
			row = append(row, float64(c.R[i][j]))
			if i < j {
				table.Add(r.Languages[i].Label(), r.Languages[j].Label(), page.Decimal(c.R[i][j], 3), fmt.Sprint(c.Shared[i][j]))
			}
		}
		heat.Values = append(heat.Values, row)
	}
	heat.Columns = heat.Rows
	for _, m := range c.Merges {
		heat.RowTree = append(heat.RowTree, page.Merge{A: m.A, B: m.B, Height: max(0, m.Height)})
	}
	heat.ColumnTree = heat.RowTree
	s.Blocks = drawn(&page.Figure{Caption: "Correlation of professions' scores.", Plots: []page.Plot{heat}}, table)
	for i, l := range r.Languages {
		if !slices.Contains(c.Clustered, i) {
			s.Blocks = append(s.Blocks, page.Block{Note: l.Label() + " is left out: it has no correlation with all the others."})
		}
	}
	return s
}

func (r *Report) drops() page.Section {
	s := page.Section{Title: "Without each pair", Meaning: "What becomes of the direction without one pair. Alignment is the cosine between the pair's difference and the direction of the others. The suspect raises the confidence most by its absence, and turns the direction farthest or agrees least."}
	table := &page.Table{Caption: "Drop one pair", Head: page.Heads("language", "without", "#confidence", "#turns by, degrees", "#alignment", "#change of DirectBias", "suspect")}
	for _, l := range r.Languages {
		for _, d := range l.Drop {
			cells := table.Add(l.Label(), d.Pair, page.Decimal(d.Confidence, 3), page.Decimal(d.Angle, 1), page.Decimal(d.Alignment, 3), page.Decimal(d.DirectBiasChange, 4), "")
			if d.Pair == l.Suspect {
				cells[6] = page.Cell{Text: "suspect", Tone: page.Warn}
			}
		}
	}
	s.Blocks = listed(table)
	return s
}

// release compares raw and private vectors.
func (r *Report) release() page.Section {
	s := page.Section{Title: "Before and after release", Meaning: "The same measures when each word's vector is released through the mechanism: mean and 95 % of draws. A DirectBias at that of random vectors, as long and released alike, says that nothing is left of the direction, not that professions are free of it."}
	if r.Release == nil {
		return s
	}
	table := &page.Table{Caption: "Before and after", Head: page.Heads("language", "measure", "#raw", "#private", "#random vectors released alike")}
	for _, l := range r.Languages {
		a := l.After
		if a == nil {
			continue
		}
		table.Add(l.Label(), "DirectBias", page.Decimal(l.DirectBias, 4), a.DirectBias.Text("%.4f"), a.Null.Text("%.4f"))
		table.Add(l.Label(), "confidence", page.Decimal(l.Confidence, 3), a.Confidence.Text("%.3f"), "")
		table.Add(l.Label(), "cosine with the raw direction", "1", a.Agreement.Text("%.3f"), a.NullAgreement.Text("%.3f"))
		table.Add(l.Label(), "draws refused", "", page.Decimal(100*a.Refused, 0)+" %", "")
	}
	s.Blocks = append([]page.Block{{Note: bias.Promise(r.Release, "one word's vector")}, {Warning: page.Sentence(bias.SimulatedNote)}}, table.Blocks()...)
	for _, l := range r.Languages {
		if l.After != nil && len(l.After.Professions) > 0 {
			s.Blocks = append(s.Blocks, l.professionsAfter()...)
		}
	}
	if r.Release.True == dp.Infinite {
		s.Blocks = append(s.Blocks, page.Block{Warning: "This release promises nothing."})
	}
	return s
}

// professionsAfter shows the professions of a language raw and private.
func (l LanguageResult) professionsAfter() []page.Block {
	dots := &page.Dots{Title: "Professions raw and private, " + l.Label(), Desc: "Scores, female positive.", Axis: page.Axis{Label: "score"}, Keys: []string{"raw", "private, with 95 % of draws"}}
	table := &page.Table{Caption: l.Label() + ": professions raw and private", Head: page.Heads("profession", "#raw", "#private"), Folded: true}
	for _, p := range l.After.Professions {
		if math.IsNaN(float64(p.After.Mean)) {
			continue
		}
		row := page.Row{Name: p.Name, Bound: math.NaN()}
		if !math.IsNaN(float64(p.Before)) {
			row.Marks = append(row.Marks, page.Mark{Key: 0, Value: float64(p.Before), Low: math.NaN(), High: math.NaN()})
		}
		after := p.After.Estimate()
		row.Marks = append(row.Marks, page.Mark{Key: 1, Value: float64(after.Value), Low: float64(after.Low), High: float64(after.High)})
		dots.Rows = append(dots.Rows, row)
		table.Add(p.Name, page.Decimal(p.Before, 3), p.After.Text("%.3f"))
	}
	figure := &page.Figure{Caption: l.Label() + ": professions raw and private."}
	if len(dots.Rows) > 0 {
		figure.Plots = []page.Plot{dots}
	}
	return drawn(figure, table)
}

// words says what was lost and what is ambiguous.
func (r *Report) words() page.Section {
	s := page.Section{Title: "Words", Meaning: "Words that have no vector, and words that also mean something else."}
	table := &page.Table{Caption: "Lost words", Head: page.Heads("language", "of", "word", "gender", "reason")}
	for _, l := range r.Languages {
		for _, x := range l.Lost {
			table.Add(l.Label(), x.Name, x.Word, genderNames[x.Gender], x.Reason)
		}
	}
	s.Blocks = listed(table)
	for _, l := range r.Languages {
		var items []page.Item
		for _, n := range l.Notes {
			items = append(items, page.Item{Name: l.Label(), Text: n})
		}
		if items != nil {
			s.Blocks = append(s.Blocks, page.Block{List: items})
		}
	}
	return s
}

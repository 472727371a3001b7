package page_test

import (
	"fmt"
	"math"
	"slices"

	"sotto/evidence/page"
)

var nan = math.NaN()

// frontier is a chart of ten named series with intervals below a limit.
func frontier() *page.Chart {
	p := &page.Chart{
		Title: "Accuracy against ε", Desc: "Ten methods below the limit.", Named: true,
		X: page.Axis{Label: "ε (text-level), logarithmic", Log: true}, Y: page.Axis{Label: "accuracy on the test part", Percent: true},
		LimitName: "impossible at this ε",
		Levels:    []page.Level{{Name: "unprotected 78.8 %", Value: 0.788}, {Name: "always the commonest class 50.0 %", Value: 0.5}},
	}
	limit := func(epsilon float64) float64 { return math.Exp(epsilon) / (1 + math.Exp(epsilon)) }
	for e := 0.4; e < 10.1; e *= 1.05 {
		p.Limit = append(p.Limit, page.Point{X: e, Y: limit(e)})
	}
	for i, name := range []string{"auto", "label RR", "ε-split RR", "DPNR honest", "FEDERATE honest", "LDPNN honest", "PRIVEMB", "codebook k-RR", "PrivUnit", "L2-Laplace"} {
		s := page.Series{Name: name, Runs: [][]page.Dot{nil}}
		for _, e := range []float64{0.5, 1, 2, 4, 8} {
			y := 0.5 + (limit(e)-0.5)*0.56*(1-0.09*float64(i))
			s.Runs[0] = append(s.Runs[0], page.Dot{X: e, Y: y, Low: y - 0.012, High: y + 0.012, Tip: fmt.Sprintf("%s at ε = %g: %s", name, e, page.Decimal(y, 3))})
		}
		p.Series = append(p.Series, s)
	}
	return p
}

var languages = []string{"English", "Chinese", "Spanish", "Arabic", "German", "French", "Farsi", "Urdu", "Wolof"}

// words is signed bars in nine panels.
func words() *page.Bars {
	p := &page.Bars{
		Title: "Defining words", Desc: "Scores of words on the gender direction.", Left: "male", Right: "female", Decimals: 2,
		Axis: page.Axis{Label: "cosine with the gender direction", Low: -1, High: 1},
	}
	names := []string{"woman", "man", "Geschäftsfrau", "ابنة", "مرد", "她", "mère", "می\u200cخواهم", "boy"}
	for i, l := range languages {
		g := page.BarGroup{Name: l}
		for k, n := range names[:5+i%5] {
			v := math.Sin(float64(3*i + 2*k))
			b := page.Bar{Name: n, Value: v, Low: nan, High: nan}
			if k == 2 {
				b.Low, b.High = v-0.2, min(1, v+0.2)
			}
			if k == 4 && i == 7 {
				b.Value = nan
			}
			g.Bars = append(g.Bars, b)
		}
		p.Groups = append(p.Groups, g)
	}
	return p
}

// confidence is bars of one colour.
func confidence() *page.Bars {
	p := &page.Bars{Title: "Confidence", Desc: "By language.", Heading: "First component less the second", Axis: page.Axis{Label: "difference of explained variance", Percent: true}, Decimals: 1}
	var g page.BarGroup
	for i, l := range languages {
		g.Bars = append(g.Bars, page.Bar{Name: l, Value: 0.05 + 0.07*float64(i)})
	}
	p.Groups = []page.BarGroup{g}
	return p
}

// correlation is a matrix with trees, and one undefined row.
func correlation() *page.HeatMap {
	p := &page.HeatMap{
		Title: "Correlation between languages", Desc: "Pearson's r over professions.", Rows: slices.Clone(languages), Columns: slices.Clone(languages),
		Decimals: 2, Low: -1, High: 1, Diverging: true,
	}
	for i := range languages {
		row := make([]float64, len(languages))
		for k := range row {
			row[k] = math.Cos(float64(i-k) * 0.7)
			if (i == 8 || k == 8) && i != k {
				row[k] = nan
			}
		}
		p.Values = append(p.Values, row)
	}
	p.RowTree = []page.Merge{{0, 4, 0.1}, {2, 5, 0.15}, {9, 10, 0.3}, {3, 6, 0.35}, {12, 7, 0.5}, {11, 13, 0.8}, {14, 1, 0.9}, {15, 8, 1.2}}
	p.ColumnTree = p.RowTree
	return p
}

// effects is a matrix of one sign with texts of its own.
func effects() *page.HeatMap {
	p := &page.HeatMap{Title: "Effect sizes", Desc: "Tests by measure.", Heading: "word2vec", Decimals: 2}
	for i := range 10 {
		p.Columns = append(p.Columns, fmt.Sprintf("%d", i+1))
	}
	for r, m := range []string{"cosine mean", "cosine median", "euclidean mean", "manhattan optimum", "mahalanobis Ledoit–Wolf, mean"} {
		p.Rows = append(p.Rows, m)
		var values []float64
		var texts []string
		for i := range 10 {
			v := 0.2*float64(i) - 0.1*float64(r)
			values, texts = append(values, v), append(texts, page.Decimal(v, 2)+"**"[:i%3])
		}
		p.Values, p.Texts = append(p.Values, values), append(p.Texts, texts)
	}
	return p
}

// plane is two groups of points.
func plane() *page.Scatter {
	p := &page.Scatter{Title: "Vectors", Desc: "By group.", Heading: "Vectors", Keys: []string{"one", "other"}}
	for i := range 60 {
		g := i % 2
		p.Points = append(p.Points, page.Point{X: math.Sin(float64(i)) + 2*float64(g), Y: math.Cos(float64(i * i))})
		p.Groups = append(p.Groups, g)
	}
	return p
}

// rows is dots that reach below zero.
func rows() *page.Dots {
	p := &page.Dots{Title: "Effects", Desc: "With intervals.", Axis: page.Axis{Label: "effect size"}, Keys: []string{"raw", "private"}, Levels: []page.Level{{Name: "none", Value: 0}}}
	for i := range 4 {
		v := float64(i) - 1.5
		p.Rows = append(p.Rows, page.Row{Name: fmt.Sprintf("test %d", i+1), Marks: []page.Mark{
			{Key: 0, Value: v, Low: nan, High: nan, Tip: "raw"}, {Key: 1, Value: v / 2, Low: v/2 - 0.3, High: v/2 + 0.3, Tip: "private"},
		}})
	}
	return p
}

// everything is a page with each kind of block and plot.
func everything() page.Page {
	t := &page.Table{Caption: "Effects", Head: page.Heads("test", "#effect", "verdict")}
	t.Add("flowers and insects", "1.54", "found")[2].Tone = page.Bad
	t.Add("instruments and weapons", "1.63", "not found")[2].Tone = page.Good
	figure := func(caption string, plots ...page.Plot) page.Block {
		return page.Block{Figure: &page.Figure{Caption: caption, Plots: plots}}
	}
	return page.Page{
		Title: "Everything", Sentence: "Two of ten tests show p = 0.01 in 20 % of draws.", Made: "Written by a test.",
		Verdicts: []page.Verdict{{Tone: page.Bad, Label: "found", Text: "test 1"}, {Tone: page.Warn, Label: "refused", Text: "test 10"}},
		Sections: []page.Section{
			{ID: "tests", Title: "Tests", Meaning: "What is associated with what.", Source: "a test", Blocks: append(t.Blocks(),
				page.Block{Heading: "Notes"}, page.Block{Note: "A note."}, page.Block{Warning: "a warning."},
				page.Block{List: []page.Item{{Name: "Words", Text: "25"}, {Text: "no name"}}}, page.Block{Heading: "Specification", Code: "{\n  \"tests\": 10\n}"},
				figure("Effect sizes; ** is p < .001.", effects()), figure("Before and after.", rows()))},
			{Title: "Direction", Blocks: []page.Block{figure("Defining words.", words()), figure("Confidence.", confidence()), figure("Correlation.", correlation())}},
			{Title: "Frontier", Blocks: []page.Block{figure("Accuracy.", frontier()), {Figure: &page.Figure{Plots: []page.Plot{plane(), plane()}, Small: true}}}},
		},
	}
}

package reproduce

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/promise/dp"
)

// sheet collects the lines and tables of a result, for a terminal and a page
// alike.
type sheet []part

// part is a line or, with rows, a table whose first row is its head.
type part struct {
	line string
	rows [][]string
}

func (s *sheet) table(rows [][]string) { *s = append(*s, part{rows: rows}) }

func (s *sheet) line(format string, args ...any) {
	*s = append(*s, part{line: fmt.Sprintf(format, args...)})
}

// printSheet writes what a result shows, with its notes.
func printSheet(w io.Writer, r shown) error {
	var s sheet
	r.show(&s)
	if len(r.head().Notes) > 0 {
		s.line("")
	}
	for _, n := range r.head().Notes {
		s.line("note: %s", n)
	}
	b := layout.NewBuffer(w)
	for _, p := range s {
		if p.rows == nil {
			b.WriteString(p.line + "\n")
			continue
		}
		t := layout.NewTable(b).Headed()
		for _, row := range p.rows {
			t.Cells(row...)
		}
		t.Flush() //nolint:errcheck // it goes to memory
	}
	return b.Flush()
}

func percent(v measure.Number) string { return (100 * v).Text("%.1f") }

// printed renders a published percentage with the digits that it has.
func printed(v measure.Number) string { return (100 * v).Text("%.2f") }

func fraction(v measure.Number) string { return v.Text("%.3f") }

func seeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// plusMinus renders a mean with its deviation over seeds, if there is one.
func plusMinus(mean, deviation measure.Number, render func(measure.Number) string) string {
	if math.IsNaN(float64(deviation)) {
		return render(mean)
	}
	return render(mean) + " ± " + render(deviation)
}

func interval(value, low, high measure.Number, render func(measure.Number) string) string {
	low, high = measure.Holding(value, low, high)
	return render(low) + "–" + render(high)
}

func short(v measure.Number) string { return v.Text("%.3g") }

// figures renders what others measured, in percent or as fractions.
func figures(all []Figure, render func(measure.Number) string) string {
	parts := each(all, func(f Figure) string {
		same := ""
		if f.Same {
			same = ", ours"
		}
		return fmt.Sprintf("%s (%s%s)", render(measure.Number(f.Value)), f.Encoder, same)
	})
	return cmp.Or(strings.Join(parts, "; "), "-")
}

// sources says once where the figures are from and how they differ.
func (s *sheet) sources(all []Figure) {
	for _, f := range all {
		text := fmt.Sprintf("%s: %s", f.Encoder, f.Source)
		if f.Differs != "" {
			text += "; differs: " + f.Differs
		}
		if !slices.ContainsFunc(*s, func(p part) bool { return p.line == text }) {
			s.line("%s", text)
		}
	}
}

// Print implements [Result].
func (r *STSB) Print(w io.Writer) error { return printSheet(w, r) }

func (r *STSB) show(p *sheet) {
	p.line("STS-B: Spearman correlation of cosine similarity with people's scores, 95 %% interval behind\n")
	rows := [][]string{{"ENCODER", "DIM", "VALIDATION", "", "TEST", "", "KNOWN ON TEST"}}
	var all []Figure
	for _, e := range r.Encoders {
		rows = append(rows, []string{
			e.Encoder, fmt.Sprint(e.Dim), fraction(e.Validation.Spearman), interval(e.Validation.Spearman, e.Validation.Low, e.Validation.High, fraction),
			fraction(e.Test.Spearman), interval(e.Test.Spearman, e.Test.Low, e.Test.High, fraction), figures(e.Published, fraction),
		})
		all = append(all, e.Published...)
	}
	p.table(rows)
	p.line("")
	p.sources(all)
}

// Print implements [Result].
func (r *SentEval) Print(w io.Writer) error { return printSheet(w, r) }

func (r *SentEval) show(p *sheet) {
	p.line("SentEval: accuracy in percent of a linear model on the test part, over %s\n", seeds(r.Seeds))
	rows := [][]string{{"SET", "ENCODER", "DIM", "ROWS", "TEST", "MAJORITY", "ACCURACY", "95 %", "NEAREST PUBLISHED"}}
	var all []Figure
	for _, a := range r.Rows {
		rows = append(rows, []string{
			a.Set, a.Encoder, fmt.Sprint(a.Dim), fmt.Sprint(a.Train), fmt.Sprint(a.Test), percent(a.Majority),
			plusMinus(a.Accuracy, a.Deviation, percent), interval(a.Accuracy, a.Low, a.High, percent), figures(a.Published, printed),
		})
		all = append(all, a.Published...)
	}
	p.table(rows)
	p.line("")
	p.sources(all)
}

// cells are the columns that all releases share.
func (r Release) cells() []string {
	if r.True == nil {
		return []string{r.Variant, "-", fmt.Sprint(r.M), "-", "-", "-"}
	}
	claimed := epsilon(*r.Claimed)
	if r.Delta > 0 {
		claimed += fmt.Sprintf(", δ = %g", r.Delta)
	}
	proved := epsilon(*r.True)
	if !r.honest() {
		proved += " !"
	}
	return []string{r.Variant, r.Beta.Text("%.2f"), fmt.Sprint(r.M), claimed, proved, string(r.Unit)}
}

func epsilon(e dp.Epsilon) string { return fmt.Sprintf("%.4g", float64(e)) }

// head returns the titles of the columns that all releases share, and more.
func head(more ...string) []string {
	return append([]string{"VARIANT", "β", "m", "CLAIMED ε", "TRUE ε", "UNIT"}, more...)
}

// Print implements [Result].
func (r *PrivEmb) Print(w io.Writer) error { return printSheet(w, r) }

func (r *PrivEmb) show(p *sheet) {
	p.line("PRIVEMB with %s, %d dimensions, over %s; a true ε with ! is above the claim", r.Encoder, r.Dim, seeds(r.Seeds))
	p.line("\nexperiments 1 and 2: %d×%d pairs of words, mean distance %s, mean |inner product| %s, τ = %.3g", r.Words/2, r.Words/2, short(r.Distance), short(r.Inner), r.Tau)
	rows := [][]string{head("DISTANCE OFF BY", "LARGEST", "BOUND", "INNER PRODUCT OFF BY", "LARGEST", "BOUND")}
	for _, v := range r.Pairs {
		rows = append(rows, append(v.cells(), append(v.Distance.cells(), v.Inner.cells()...)...))
	}
	p.table(rows)
	p.line("\nexperiment 3: opinion of a word by a linear support vector machine, %d words of each; a fifth to test", r.Opinions)
	rows = [][]string{head("ACCURACY %", "95 %", "AUC")}
	for _, v := range r.Opinion {
		rows = append(rows, append(v.cells(), plusMinus(v.Accuracy, v.Deviation, percent), interval(v.Accuracy, v.Low, v.High, percent), plusMinus(v.AUC, v.AUCDeviation, fraction)))
	}
	p.table(rows)
	p.line("\nexperiment 4: classification by logistic regression")
	rows = [][]string{append([]string{"SET", "RELEASED"}, head("TRAIN %", "TEST %", "95 %", "MAJORITY %", "PAPER: TRAIN %", "TEST %")...)}
	for _, v := range r.Tasks {
		train, test := "-", "-"
		if f := v.Published; f != nil {
			train, test = printed(measure.Number(f.Train))+" ("+f.Name+")", printed(measure.Number(f.Test))
		}
		rows = append(rows, append([]string{v.Set, string(v.Of)}, append(v.cells(), percent(v.Train), plusMinus(v.Test, v.Deviation, percent),
			interval(v.Test, v.Low, v.High, percent), percent(v.Majority), train, test)...))
	}
	p.table(rows)
}

func (m Miss) cells() []string {
	bound := short(m.Bound)
	if !m.Within {
		bound += " passed"
	}
	return []string{plusMinus(m.Mean, m.Deviation, short), short(m.Max), bound}
}

package bias

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"sotto/bias/weat"
	"sotto/internal/cli/term"
	"sotto/measure"
)

// print writes the report to standard output, unless a file went there.
func (o *weatOptions) print(r *weatReport, std term.Streams) error {
	if o.csv == "-" || o.html == "-" {
		return nil
	}
	if o.json {
		return term.PrintJSON(std.Out, r)
	}
	var b strings.Builder
	for i, m := range r.Models {
		if i > 0 {
			b.WriteByte('\n')
		}
		printWeatModel(&b, m)
		if o.table {
			printWeatTable(&b, r.of(m.Name))
		} else {
			printWeatRows(&b, r.of(m.Name))
		}
		printWeatPrivate(&b, r.of(m.Name), m)
		printWeatNotes(&b, r.of(m.Name))
	}
	if o.table {
		printWeatSummary(&b, r)
	}
	_, err := io.WriteString(std.Out, b.String())
	return err
}

// of returns the rows of a model.
func (r *weatReport) of(model string) []weatRow {
	return slices.DeleteFunc(slices.Clone(r.Tests), func(t weatRow) bool { return t.Model != model })
}

// byTest divides rows, which are in order, by their tests.
func byTest(rows []weatRow) [][]weatRow {
	var all [][]weatRow
	for i, r := range rows {
		if i == 0 || r.Test != rows[i-1].Test {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

func printWeatModel(b *strings.Builder, m weatModel) {
	fmt.Fprintf(b, "%s: vectors of %d numbers", term.Plain(m.Name), m.Dim)
	if c := m.Counts; c != nil {
		fmt.Fprintf(b, "; %d words taken from %d rows", c.Words, c.Rows)
		if c.Duplicates > 0 {
			fmt.Fprintf(b, ", %d rows of words that had one left out", c.Duplicates)
		}
		if c.Absent > 0 {
			fmt.Fprintf(b, ", %d rows without numbers left out", c.Absent)
		}
	}
	b.WriteString("\n\n")
}

// printWeatRows prints a line for each test, measure and statistic.
func printWeatRows(b *strings.Builder, rows []weatRow) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TEST\tWORDS\tMEASURE\tSTATISTIC\tEFFECT\tP\tLOST") //nolint:errcheck // w is a buffer
	for _, r := range rows {
		about := r.About
		if about == "" {
			about = r.Name
		}
		found, chance := term.Number(r.Effect, "%.3f"), chanceText(r)
		if r.Refused != "" {
			found, chance = "refused", "-"
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%d\n", r.Test, term.Plain(about), r.Measure, r.Statistic, found, chance, len(r.Lost)) //nolint:errcheck // see above
	}
	w.Flush() //nolint:errcheck // see above
}

// chanceText renders p, with the counts where they say more.
func chanceText(r weatRow) string {
	text := fmt.Sprintf("%.2g", float64(r.P))
	if r.Exact {
		text += fmt.Sprintf(" (%d of %d)", r.Greater, r.Partitions)
	}
	if r.TwoSided {
		text += " two-sided"
	}
	return text
}

// printWeatTable prints the magnitudes of effects, a line for each test, as in
// table 4 of Azarpanah and Farhadloo.
func printWeatTable(b *strings.Builder, rows []weatRow) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	tests := byTest(rows)
	over, names := "", "TEST"
	for i, v := range tests[0] {
		over, names = over+"\t", names+"\t"+strings.ToUpper(string(v.Statistic))
		if i == 0 || v.Measure != tests[0][i-1].Measure {
			over += string(v.Measure)
		}
	}
	fmt.Fprintln(w, over)  //nolint:errcheck // w is a buffer
	fmt.Fprintln(w, names) //nolint:errcheck // see above
	for _, t := range tests {
		line := strconv.Itoa(t[0].Test)
		for _, v := range t {
			line += "\t" + magnitude(v)
		}
		fmt.Fprintln(w, line) //nolint:errcheck // see above
	}
	w.Flush() //nolint:errcheck // see above
	b.WriteString("magnitudes of effects; * p < .01, ** .001, *** .0001, **** .00001, where p counts the partition that was found too; - refused\n")
}

func magnitude(r weatRow) string {
	if r.Refused != "" {
		return "-"
	}
	return term.Number(measure.Number(math.Abs(float64(r.Effect))), "%.2f") + weat.Stars(float64(r.Inclusive))
}

// printWeatSummary prints how many tests are significant, and the mean and
// deviation of effects, as in table 3 of the same.
func printWeatSummary(b *strings.Builder, r *weatReport) {
	fmt.Fprintf(b, "\nsignificant tests at .01 (p with the partition that was found), and mean and deviation of the magnitudes of effects\n\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := "MEASURE\tSTATISTIC"
	for _, m := range r.Models {
		head += "\t" + term.Plain(m.Name)
	}
	fmt.Fprintln(w, head) //nolint:errcheck // w is a buffer
	variants := len(r.Summaries) / len(r.Models)
	for v := range variants {
		line := string(r.Summaries[v].Measure) + "\t" + string(r.Summaries[v].Statistic)
		for m := range r.Models {
			line += "\t" + r.Summaries[m*variants+v].text()
		}
		fmt.Fprintln(w, line) //nolint:errcheck // see above
	}
	w.Flush() //nolint:errcheck // see above
}

func (s weatSummary) text() string {
	return fmt.Sprintf("%d of %d (%s, %s)", s.Significant, s.Tests, term.Number(s.Mean, "%.2f"), term.Number(s.Deviation, "%.2f"))
}

// printWeatPrivate prints what is left on private vectors.
func printWeatPrivate(b *strings.Builder, rows []weatRow, m weatModel) {
	if m.Guarantee == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n", promiseText(m.Guarantee))
	of := "one draw, which has no interval"
	if draws := rows[0].Private.Effect.Draws; draws > 1 {
		of = fmt.Sprintf("mean of %d draws, and their 2.5th and 97.5th percentile", draws)
	}
	fmt.Fprintf(b, "effects on private vectors: %s\n%s\n\n", of, simulated)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TEST\tMEASURE\tSTATISTIC\tRAW\tPRIVATE\tp < .01 IN") //nolint:errcheck // w is a buffer
	for _, r := range rows {
		if r.Refused != "" {
			fmt.Fprintf(w, "%d\t%s\t%s\trefused\n", r.Test, r.Measure, r.Statistic) //nolint:errcheck // see above
			continue
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s %%\n", r.Test, r.Measure, r.Statistic, term.Number(r.Effect, "%.3f"), r.Private.Effect.text("%.3f"), term.Number(100*r.Private.Significant, "%.0f")) //nolint:errcheck // see above
	}
	w.Flush() //nolint:errcheck // see above
}

// printWeatNotes lists lost words and what else to know.
func printWeatNotes(out *strings.Builder, rows []weatRow) {
	b := new(strings.Builder)
	for _, t := range byTest(rows) {
		for _, line := range refusals(t) {
			fmt.Fprintf(b, "test %d: %s\n", t[0].Test, line)
		}
		for _, s := range t[0].Sets {
			if len(s.Lost) > 0 {
				fmt.Fprintf(b, "test %d: set %s lost %d of %d: %s\n", t[0].Test, s.Set, len(s.Lost), s.Size, someWords(s.Lost))
			}
			if len(s.Zero) > 0 {
				fmt.Fprintf(b, "test %d: set %s lost %d of %d, whose vectors are zero: %s\n", t[0].Test, s.Set, len(s.Zero), s.Size, someWords(s.Zero))
			}
			if len(s.Repeated) > 0 {
				fmt.Fprintf(b, "test %d: set %s lost %d of %d, which are the same row as another word: %s\n", t[0].Test, s.Set, len(s.Repeated), s.Size, someWords(s.Repeated))
			}
		}
		for _, n := range t[0].Notes {
			fmt.Fprintf(b, "test %d: %s\n", t[0].Test, n)
		}
	}
	if b.Len() > 0 {
		out.WriteString("\n" + b.String())
	}
}

// refusals says why variants of a test were refused, each reason once.
func refusals(test []weatRow) []string {
	var lines []string
	for _, v := range test {
		line := "refused: " + v.Refused
		if v.Refused != "" && v.Refused != test[0].Refused {
			line = fmt.Sprintf("%s %s: %s", v.Measure, v.Statistic, line)
		}
		if v.Refused != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// someWords joins words, the first few of many.
func someWords(words []string) string {
	const most = 12
	var all []string
	for _, w := range words[:min(most, len(words))] {
		all = append(all, term.Plain(w))
	}
	text := strings.Join(all, ", ")
	if len(words) > most {
		text += fmt.Sprintf(" and %d more", len(words)-most)
	}
	return text
}

// writeWeatCSV writes a line for each row.
func writeWeatCSV(out io.Writer, r *weatReport) error {
	w := csv.NewWriter(out)
	head := []string{
		"model", "test", "name", "about", "measure", "statistic", "effect", "sum", "p", "p_inclusive", "stars", "two_sided", "exact", "partitions", "greater", "equal", "lost", "refused",
		"private_effect", "private_low", "private_high", "private_significant",
	}
	if err := w.Write(head); err != nil {
		return err
	}
	value := func(n measure.Number) string {
		if math.IsNaN(float64(n)) {
			return ""
		}
		return strconv.FormatFloat(float64(n), 'g', -1, 64)
	}
	for _, t := range r.Tests {
		private := []string{"", "", "", ""}
		if p := t.Private; p != nil {
			private = []string{value(p.Effect.Mean), value(p.Effect.Low), value(p.Effect.High), value(p.Significant)}
		}
		row := []string{
			t.Model, strconv.Itoa(t.Test), t.Name, t.About, string(t.Measure), string(t.Statistic), value(t.Effect), value(t.Sum), value(t.P), value(t.Inclusive), weat.Stars(float64(t.Inclusive)),
			strconv.FormatBool(t.TwoSided), strconv.FormatBool(t.Exact), strconv.Itoa(t.Partitions), strconv.Itoa(t.Greater), strconv.Itoa(t.Equal),
			strings.Join(t.Lost, " "), t.Refused,
		}
		if err := w.Write(append(row, private...)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

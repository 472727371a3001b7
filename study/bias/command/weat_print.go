package bias

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/study/bias"
	"sotto/study/bias/weat"
)

// printWeat prints results, or with table the magnitudes of effects, and the
// summary.
func printWeat(b *layout.Buffer, r *weat.Report, table bool) {
	for i, m := range r.Models {
		if i > 0 {
			b.WriteByte('\n')
		}
		tests := r.Of(m.Name)
		printWeatModel(b, m)
		if table {
			printWeatTable(b, tests)
		} else {
			printWeatRows(b, tests)
		}
		if m.Guarantee != nil {
			printWeatPrivate(b, tests, m)
		}
		printWeatNotes(b, tests)
	}
	if table {
		printWeatSummary(b, r)
	}
}

func printWeatModel(b *layout.Buffer, m weat.Model) {
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
func printWeatRows(b *layout.Buffer, tests [][]weat.Row) {
	lines := []string{"TEST\tWORDS\tMEASURE\tSTATISTIC\tEFFECT\tP\tLOST"}
	for _, r := range slices.Concat(tests...) {
		about := r.About
		if about == "" {
			about = r.Name
		}
		found, chance := r.Effect.Text("%.3f"), r.ChanceText()
		if r.Refused != "" {
			found, chance = "refused", "-"
		}
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%d", r.Test, term.Plain(about), r.Measure, r.Statistic, found, chance, len(r.Lost)))
	}
	columns(b, lines...)
}

// printWeatTable prints the magnitudes of effects, a line for each test, as in
// table 4 of Azarpanah and Farhadloo.
func printWeatTable(b *layout.Buffer, tests [][]weat.Row) {
	over, names := "", "TEST"
	for i, v := range tests[0] {
		over, names = over+"\t", names+"\t"+strings.ToUpper(string(v.Statistic))
		if i == 0 || v.Measure != tests[0][i-1].Measure {
			over += string(v.Measure)
		}
	}
	lines := []string{over, names}
	for _, t := range tests {
		line := strconv.Itoa(t[0].Test)
		for _, v := range t {
			magnitude := "-"
			if v.Refused == "" {
				magnitude = measure.Number(math.Abs(float64(v.Effect))).Text("%.2f") + v.Stars()
			}
			line += "\t" + magnitude
		}
		lines = append(lines, line)
	}
	columns(b, lines...)
	b.WriteString("magnitudes of effects; * p < .01, ** .001, *** .0001, **** .00001, where p counts the partition that was found too; - refused\n")
}

// printWeatSummary prints how many tests are significant, and the mean and
// deviation of effects, as in table 3 of the same.
func printWeatSummary(b *layout.Buffer, r *weat.Report) {
	fmt.Fprintf(b, "\nsignificant tests at .01 (p with the partition that was found), and mean and deviation of the magnitudes of effects\n\n")
	lines := []string{"MEASURE\tSTATISTIC"}
	for _, m := range r.Models {
		lines[0] += "\t" + term.Plain(m.Name)
	}
	for _, row := range r.SummaryRows() {
		lines = append(lines, strings.Join(row, "\t"))
	}
	columns(b, lines...)
}

// printWeatPrivate prints what is left on private vectors.
func printWeatPrivate(b *layout.Buffer, tests [][]weat.Row, m weat.Model) {
	of := "one draw, which has no interval"
	if draws := tests[0][0].Private.Effect.Draws; draws > 1 {
		of = fmt.Sprintf("mean of %d draws, and their 2.5th and 97.5th percentile", draws)
	}
	fmt.Fprintf(b, "\n%s\neffects on private vectors: %s\n%s\n\n", bias.Promise(m.Guarantee, "one word's vector"), of, bias.SimulatedNote)
	lines := []string{"TEST\tMEASURE\tSTATISTIC\tRAW\tPRIVATE\tp < .01 IN"}
	for _, r := range slices.Concat(tests...) {
		rest := "refused"
		if r.Refused == "" {
			rest = fmt.Sprintf("%s\t%s\t%s %%", r.Effect.Text("%.3f"), r.Private.Effect.Text("%.3f"), (100 * r.Private.Significant).Text("%.0f"))
		}
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s\t%s", r.Test, r.Measure, r.Statistic, rest))
	}
	columns(b, lines...)
}

// printWeatNotes lists lost words and what else to know.
func printWeatNotes(b *layout.Buffer, tests [][]weat.Row) {
	var lines []string
	for _, t := range tests {
		notes := refusals(t)
		for _, s := range t[0].Sets {
			for _, l := range s.Losses() {
				var words []string
				for _, w := range l.Words {
					words = append(words, term.Plain(w))
				}
				notes = append(notes, fmt.Sprintf("set %s lost %d of %d%s: %s", s.Set, len(l.Words), s.Size, l.Why, weat.SomeWords(words)))
			}
		}
		for _, n := range append(notes, t[0].Notes...) {
			lines = append(lines, fmt.Sprintf("test %d: %s\n", t[0].Test, n))
		}
	}
	if len(lines) > 0 {
		b.WriteString("\n" + strings.Join(lines, ""))
	}
}

// refusals says why variants of a test were refused, each reason once.
func refusals(test []weat.Row) []string {
	var lines []string
	for _, v := range test {
		line := "refused: " + v.Refused
		if v.Refused != test[0].Refused {
			line = fmt.Sprintf("%s %s: %s", v.Measure, v.Statistic, line)
		}
		if v.Refused != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

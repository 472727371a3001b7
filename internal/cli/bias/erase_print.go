package bias

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"sotto/bias/erase"
	"sotto/internal/cli/term"
	"sotto/measure"
)

// show prints the report, to standard error if the vectors went to standard
// output.
func (o *eraseOptions) show(r eraseReport, std term.Streams) error {
	out := std.Out
	if o.out == "-" {
		out = std.Err
	}
	if o.json {
		return term.PrintJSON(out, r)
	}
	var b strings.Builder
	o.describe(&b, r)
	if r.Probes != nil {
		b.WriteByte('\n')
		r.tabulate(&b)
	}
	if c := r.Clusters; c != nil {
		fmt.Fprintf(&b, "\nclusters of %d rows agree with their classes by V-measure %.3f before and %.3f after\n", c.Rows, c.Before, c.After)
	}
	for _, t := range r.Weat {
		fmt.Fprintf(&b, "association test %s, %s: ", t.Test, t.About)
		if t.Refused != "" {
			fmt.Fprintf(&b, "refused: %s\n", t.Refused)
			continue
		}
		fmt.Fprintf(&b, "effect %s (p %s) before and %s (p %s) after\n", term.Number(t.Before, "%.2f"), smallText(t.BeforeP), term.Number(t.After, "%.2f"), smallText(t.AfterP))
	}
	if p := r.Private; p != nil {
		thing := "one word's vector"
		if r.Changes == nil {
			thing = "one row"
		}
		fmt.Fprintf(&b, "\nprivate: %s\n%s\n%s\n", promiseOf(p.Guarantee, thing), p.Note, p.SimulatedNote)
		fmt.Fprintf(&b, "intervals of private rows are the 2.5th and 97.5th percentile of %d draws; of the others, 95 %% Clopper–Pearson\n", p.Raw.Linear.Draws)
	}
	fmt.Fprintf(&b, "\n%s\n", r.Privacy)
	_, err := fmt.Fprint(out, b.String())
	return err
}

// smallText renders a p to four decimals, none of which may be 0 and mean less.
func smallText(p measure.Number) string {
	if p < 0.00005 {
		return "< 0.0001"
	}
	return term.Number(p, "%.4f")
}

// describe says what was removed from what.
func (o *eraseOptions) describe(b *strings.Builder, r eraseReport) {
	fmt.Fprintf(b, "%s removed %d of %d directions from %d vectors, written to %s\n", r.Method, r.RankRemoved, r.Dim, r.Rows, r.Out)
	if c := r.Concept; c != nil {
		var sizes []string
		for i, name := range c.Classes {
			if i == 8 && len(c.Classes) > 10 {
				sizes = append(sizes, fmt.Sprintf("%d more classes", len(c.Classes)-i))
				break
			}
			sizes = append(sizes, fmt.Sprintf("%d %s", c.Rows[i], name))
		}
		fmt.Fprintf(b, "concept: %s; %s", c.From, strings.Join(sizes, ", "))
		if c.Lost > 0 {
			fmt.Fprintf(b, "; %d words of the list have no vector", c.Lost)
		}
		if c.Unknown > 0 {
			fmt.Fprintf(b, "; %d rows without a class", c.Unknown)
		}
		use := "fit the eraser"
		if r.Method == erase.MethodHard {
			use = "are left aside"
		}
		fmt.Fprintf(b, "\nrows: %d %s, %d fit probes, %d score them\n", c.ForEraser, use, c.ForProbes, c.ForScore)
	}
	if r.Note != "" {
		fmt.Fprintf(b, "note: %s\n", r.Note)
	}
	if d := r.Direction; d != nil {
		fmt.Fprintf(b, "direction: %d defining pairs, confidence %s\n", d.Pairs, term.Number(d.Confidence, "%.2f"))
	}
	if c := r.Changes; c != nil && r.Method == erase.MethodHard {
		fmt.Fprintf(b, "words: %d kept, %d pairs equalised, %d pairs lost\n", c.Kept, c.Pairs, c.LostPairs)
	}
	if n := len(r.Iterations); n > 0 {
		first, last := r.Iterations[0], r.Iterations[n-1]
		fmt.Fprintf(b, "classifiers: %d; accuracy on rows held out %.3f for the first, %.3f for the last, majority %.3f\n", n, first.Accuracy, last.Accuracy, last.Majority)
	}
	if r.Saved != "" {
		fmt.Fprintf(b, "eraser: %s\n", r.Saved)
	}
}

// tabulate prints the readings.
func (r eraseReport) tabulate(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "VECTORS\tLINEAR PROBE\tBALANCED\tMLP, %d UNITS\tBALANCED\tMAJORITY\n", r.Probes.Units) //nolint:errcheck // to memory
	cell := func(v erase.Reading) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", v.Accuracy, v.Low, v.High) }
	row := func(name string, v erase.Readings) {
		fmt.Fprintf(w, "%s\t%s\t%.3f\t%s\t%.3f\t%.3f\n", name, cell(v.Linear), v.Linear.Balanced, cell(v.MLP), v.MLP.Balanced, v.Linear.Majority) //nolint:errcheck // to memory
	}
	row("raw", r.Probes.Before)
	row("erased", r.Probes.After)
	if same := r.Probes.SameRows; same != nil {
		fmt.Fprintf(w, "erased, probe fitted to the eraser's rows\t%s\t%.3f\t\t\t%.3f\n", cell(*same), same.Balanced, same.Majority) //nolint:errcheck // to memory
	}
	if p := r.Private; p != nil {
		private := func(name string, v erasedDraws) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.3f\n", name, v.Linear.text("%.3f"), term.Number(v.LinearBalanced.Mean, "%.3f"), //nolint:errcheck // to memory
				v.MLP.text("%.3f"), term.Number(v.MLPBalanced.Mean, "%.3f"), v.Majority)
		}
		private("private", p.Raw)
		private("erased, then private", p.Erased)
	}
	w.Flush() //nolint:errcheck // to memory
}

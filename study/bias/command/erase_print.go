package bias

import (
	"fmt"
	"strings"

	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// printErase prints a report for a person.
func printErase(b *layout.Buffer, r *erase.Report) {
	printErased(b, r)
	if r.Probes != nil {
		lines := []string{fmt.Sprintf("\nVECTORS\tLINEAR PROBE\tBALANCED\tMLP, %d UNITS\tBALANCED\tMAJORITY", r.Probes.Units)}
		for _, l := range r.Lines() {
			lines = append(lines, strings.Join(l, "\t"))
		}
		columns(b, lines...)
	}
	if c := r.Clusters; c != nil {
		fmt.Fprintf(b, "\nclusters of %d rows agree with their classes by V-measure %.3f before and %.3f after\n", c.Rows, c.Before, c.After)
	}
	for _, t := range r.Weat {
		fmt.Fprintf(b, "association test %s, %s: ", t.Test, t.About)
		if t.Refused != "" {
			fmt.Fprintf(b, "refused: %s\n", t.Refused)
			continue
		}
		fmt.Fprintf(b, "effect %s (p %s) before and %s (p %s) after\n", t.Before.Text("%.2f"), smallText(t.BeforeP), t.After.Text("%.2f"), smallText(t.AfterP))
	}
	if p := r.Private; p != nil {
		fmt.Fprintf(b, "\nprivate: %s\n%s\n%s\n", bias.Promise(p.Guarantee, r.Thing()), p.Note, p.SimulatedNote)
		fmt.Fprintf(b, "intervals of private rows are the 2.5th and 97.5th percentile of %d draws; of the others, 95 %% Clopper–Pearson\n", p.Raw.Linear.Draws)
	}
	fmt.Fprintf(b, "\n%s\n", r.Privacy)
}

// smallText renders a p to four decimals, none of which may be 0 and mean less.
func smallText(p measure.Number) string {
	if p < 0.00005 {
		return "< 0.0001"
	}
	return p.Text("%.4f")
}

// printErased says what was removed from what.
func printErased(b *layout.Buffer, r *erase.Report) {
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
		fmt.Fprintf(b, "direction: %d defining pairs, confidence %s\n", d.Pairs, d.Confidence.Text("%.2f"))
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

package attack

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/learn/attack"
	"sotto/promise/dp"
)

// printResult prints for a person.
func printResult(out io.Writer, r *attack.Result) error {
	b := layout.NewBuffer(out)
	switch {
	case r.Kind != attack.Attribute:
		printFindings(b, r)
	case r.Models == nil:
		printInference(b, r.Source, r)
	}
	for i, m := range r.Models {
		if i > 0 {
			b.WriteByte('\n')
		}
		printInference(b, fmt.Sprintf("%s, seed %d", cmp.Or(m.Folder, r.Source), m.Seed), m)
	}
	return b.Flush()
}

func stated(r *attack.Result) string {
	if r.Guarantee == nil {
		return "no guarantee is stated"
	}
	return "stated: " + r.Guarantee.String()
}

// printInference prints what attackers learnt of an attribute.
func printInference(b *layout.Buffer, source string, r *attack.Result) {
	first := r.Findings[0]
	fmt.Fprintf(b, "%s: %s (%d values), %d rows to fit, %d to score; %s\n\n", term.Plain(source), term.Plain(first.Target), r.Classes, first.Leakage.RowsFitted, first.Rows, stated(r))
	t := term.NewTable(b, "ATTACKER", "ACCURACY %", "95 % INTERVAL", "LIMIT %", "MAJORITY %", "BALANCED %", "AUC", "MDL kbit", "COMPRESSION", "VERDICT").
		Spare("COMPRESSION", "MDL kbit", "BALANCED %", "AUC", "MAJORITY %", "95 % INTERVAL")
	for _, f := range r.Findings {
		kbit, compression := "-", "-"
		if d := f.Description; d != nil {
			kbit, compression = fmt.Sprintf("%.2f", d.Kbit), d.Compression.Text("%.3f")
		}
		t.Row(f.Attacker, term.Percent(f.Value), term.Percent(f.Low)+" to "+term.Percent(f.High), term.Limit(f.Limit), term.Percent(f.Baseline),
			term.Percent(measure.Number(f.Leakage.Balanced)), f.Leakage.AUC.Text("%.3f"), kbit, compression, verdictOf(b, f))
	}
	t.Flush() //nolint:errcheck // b is a buffer
	b.WriteByte('\n')
	if d := first.Description; d != nil {
		fmt.Fprintf(b, "MDL: description length of %s given the vectors, %s code; whoever knows nothing takes %.2f kbit\n", term.Plain(first.Target), d.Coding, d.Uniform/1024)
	}
	switch {
	case r.Refuted:
		fmt.Fprintf(b, layout.Bad(b, "the stated ε is refuted")+": no attacker of one release at ε = %v is right more often than in %s %% of cases\n", r.Guarantee.Epsilon, term.Limit(first.Limit))
	case !r.Limited():
		b.WriteString("limit: not known; it needs a text-level ε with δ = 0\n")
	default:
		b.WriteString("limit: no attacker of one release exceeds it at the stated ε; that these did not is no proof of ε\n")
	}
}

// printFindings leaves out the columns that say nothing.
func printFindings(b *layout.Buffer, a *attack.Result) {
	fmt.Fprintf(b, "%s: %s; %s\n\n", a.Kind, term.Plain(a.Source), stated(a))
	model := slices.ContainsFunc(a.Findings, func(f attack.Finding) bool { return f.Model != "" })
	noise := slices.ContainsFunc(a.Findings, func(f attack.Finding) bool { return f.Noise != "" })
	// row adds the cells of models and of several releases, where there are any.
	t := term.NewTable(b).Headed().Spare("ROWS", "BASELINE", "95 % INTERVAL", "NOISE", "TARGET")
	row := func(name, releases, kind any, cells ...any) {
		if noise {
			cells = slices.Insert(cells, 3, releases, kind)
		}
		if model {
			cells = slices.Insert(cells, 0, name)
		}
		t.Row(cells...)
	}
	row("MODEL", "RELEASES", "NOISE", "ATTACKER", "TARGET", "METRIC", "VALUE", "95 % INTERVAL", "BASELINE", "LIMIT", "ROWS", "VERDICT")
	for _, f := range a.Findings {
		show := func(v measure.Number) string { return finding(f.Metric, v) }
		row(term.Plain(f.Model), f.Releases, f.Noise, f.Attacker, term.Plain(f.Target), f.Metric, show(f.Value), show(f.Low)+" to "+show(f.High),
			show(f.Baseline), limit(f.Metric, f.Limit), f.Rows, verdictOf(b, f))
	}
	t.Flush() //nolint:errcheck // b is a buffer
	b.WriteByte('\n')
	for _, n := range a.Notes {
		fmt.Fprintln(b, "note:", term.Plain(n))
	}
	switch {
	case a.Refuted:
		fmt.Fprintln(b, layout.Bad(b, "the stated ε is refuted")+": at that ε no attacker exceeds the limit beyond chance")
	case a.Guarantee != nil && !a.Limited() && a.Guarantee.Unit == dp.Text && a.Guarantee.Delta == 0:
		fmt.Fprintln(b, "limit: none is known for what was measured")
	case a.Guarantee != nil && !a.Limited():
		fmt.Fprintln(b, "limit: not known; it needs a text-level ε with δ = 0")
	case a.Guarantee != nil:
		fmt.Fprintln(b, "limit: no attacker exceeds it at the stated ε; that these did not is no proof of ε")
	}
}

// finding renders shares in percent and other numbers as they are.
func finding(metric string, v measure.Number) string {
	switch metric {
	case "auc", "cosine", "relative error":
		return v.Text("%.3f")
	}
	return (100 * v).Text("%.2f %%")
}

// limit renders what a number cannot exceed.
func limit(metric string, v measure.Number) string {
	if metric != "accuracy" || math.IsNaN(float64(v)) {
		return finding(metric, v)
	}
	return term.Limit(v) + " %"
}

func verdictOf(b *layout.Buffer, f attack.Finding) string {
	switch {
	case f.Refutes:
		return layout.Bad(b, "refutes the stated ε")
	case math.IsNaN(float64(f.Limit)):
		return "-"
	case f.Value > f.Limit:
		return layout.Doubtful(b, "above the limit")
	}
	return "within the limit"
}

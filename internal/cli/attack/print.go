package attack

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"sotto/dp"
	"sotto/experiment"
	"sotto/internal/cli/term"
	"sotto/measure"
	"sotto/report/evidence"
)

// reportAttempt prints what an attack found, and returns errNo if that refutes
// the guarantee.
func reportAttempt(out io.Writer, a *experiment.Attempt, asJSON bool) error {
	var err error
	if asJSON {
		err = term.PrintJSON(out, evidence.Attempt{Format: evidence.AttemptFormat, Attempt: a})
	} else {
		err = printAttempt(out, a)
	}
	if err == nil && a.Refuted {
		err = term.ErrNo
	}
	return err
}

// printAttempt prints for a person, without the columns that say nothing.
func printAttempt(out io.Writer, a *experiment.Attempt) error {
	var b strings.Builder
	stated := "no guarantee is stated"
	if a.Guarantee != nil {
		stated = "stated: " + a.Guarantee.String()
	}
	fmt.Fprintf(&b, "%s: %s; %s\n\n", a.Kind, term.Plain(a.Source), stated)
	model := slices.ContainsFunc(a.Findings, func(f experiment.Finding) bool { return f.Model != "" })
	noise := slices.ContainsFunc(a.Findings, func(f experiment.Finding) bool { return f.Noise != "" })
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	cells := []string{"ATTACKER", "TARGET", "METRIC", "VALUE", "95 % INTERVAL", "BASELINE", "LIMIT", "ROWS", "VERDICT"}
	fmt.Fprintln(t, strings.Join(withCells(cells, model, "MODEL", noise, "RELEASES", "NOISE"), "\t")) //nolint:errcheck // t writes to a buffer
	for _, f := range a.Findings {
		cells := []string{
			f.Attacker, term.Plain(f.Target), f.Metric, finding(f.Metric, f.Value), finding(f.Metric, f.Low) + " to " + finding(f.Metric, f.High),
			finding(f.Metric, f.Baseline), finding(f.Metric, f.Limit), fmt.Sprint(f.Rows), verdictOf(f),
		}
		fmt.Fprintln(t, strings.Join(withCells(cells, model, term.Plain(f.Model), noise, fmt.Sprint(f.Releases), f.Noise), "\t")) //nolint:errcheck // see above
	}
	t.Flush() //nolint:errcheck // see above
	b.WriteByte('\n')
	for _, n := range a.Notes {
		fmt.Fprintln(&b, "note:", term.Plain(n))
	}
	switch {
	case a.Refuted:
		fmt.Fprintln(&b, "the stated ε is refuted: at that ε no attacker exceeds the limit beyond chance")
	case a.Guarantee != nil && limitless(a.Findings) && a.Guarantee.Unit == dp.Text && a.Guarantee.Delta == 0:
		fmt.Fprintln(&b, "limit: none is known for what was measured")
	case a.Guarantee != nil && limitless(a.Findings):
		fmt.Fprintln(&b, "limit: not known; it needs a text-level ε with δ = 0")
	case a.Guarantee != nil:
		fmt.Fprintln(&b, "limit: no attacker exceeds it at the stated ε; that these did not is no proof of ε")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// withCells puts further cells before the value, where they are wanted.
func withCells(cells []string, model bool, name string, noise bool, releases, kind string) []string {
	if noise {
		cells = slices.Insert(cells, 3, releases, kind)
	}
	if model {
		cells = slices.Insert(cells, 0, name)
	}
	return cells
}

func limitless(all []experiment.Finding) bool {
	return !slices.ContainsFunc(all, func(f experiment.Finding) bool { return !math.IsNaN(float64(f.Limit)) })
}

// finding renders shares in percent and other numbers as they are.
func finding(metric string, v measure.Number) string {
	switch metric {
	case "auc", "cosine", "relative error":
		return term.Number(v, "%.3f")
	}
	return term.Number(100*v, "%.2f %%")
}

func verdictOf(f experiment.Finding) string {
	switch {
	case f.Refutes:
		return "refutes the stated ε"
	case math.IsNaN(float64(f.Limit)):
		return "-"
	case f.Value > f.Limit:
		return "above the limit"
	}
	return "within the limit"
}

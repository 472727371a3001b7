package learn

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
)

// printResult prints a result for a person.
func printResult(out io.Writer, r *experiment.Result, dir string) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "%s: %s from %s, %d rows to train, %d to validate, %d to test\n", r.Data.Name, labelsOf(r.Data), sourceOf(r), r.Rows.Train, r.Rows.Validation, r.Rows.Test)
	for _, n := range r.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	b.WriteByte('\n')
	printConfigurations(b, r.Configurations)
	printBalance(b, r.Configurations)
	printLabels(b, r.Configurations)
	printFrontier(b, r)
	printFootnotes(b, r.Configurations, r.Data.Attribute, r.Reference)
	if len(r.Configurations) > len(selected(r.Configurations)) {
		fmt.Fprintf(b, "* selected: %s\n", selection(r.Spec.Threshold))
	}
	if dir != "" {
		fmt.Fprintf(b, "models and results: %s\n", dir)
	}
	return b.Flush()
}

// labelsOf names the labels.
func labelsOf(d model.DataRecord) string {
	names := []string{d.Label}
	for _, l := range d.More {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// printLabels tells of each label where there are several, and of those unseen in
// training.
func printLabels(w io.Writer, all []experiment.Configuration) {
	if len(all) == 0 || len(all[0].Mean.Labels)+len(all[0].Mean.Unknown) == 0 {
		return
	}
	t := term.NewTable(w, "\nMETHOD", "LABEL", "ACCURACY %", "COMMONEST CLASS %", "MACRO-F1 %", "BALANCED %", "RECALL %")
	for _, c := range all {
		for i, l := range slices.Concat(c.Mean.Labels, c.Mean.Unknown) {
			name := l.Name
			if i >= len(c.Mean.Labels) {
				name += " (unknown in training)"
			}
			f1, balanced, recall := balance(l.Balance, nil)
			t.Row(describe(c), name, term.Percent(l.Accuracy), term.Percent(l.Majority), f1, balanced, recall)
		}
	}
	t.Flush() //nolint:errcheck // w is a buffer
}

// selection says how a configuration was selected.
func selection(threshold float64) string {
	if threshold <= 0 {
		return "the best validation accuracy"
	}
	return fmt.Sprintf("the smallest TPR gap within %v points of the best validation accuracy", threshold)
}

func sourceOf(r *experiment.Result) string {
	if r.Data.Encoder == "" {
		return "its columns"
	}
	text := "texts encoded by " + string(r.Data.Encoder)
	if f := r.Data.File; f != nil && len(f.Numbers) > 0 {
		text += " beside " + strings.Join(f.Numbers, ", ")
	}
	return text
}

func selected(all []experiment.Configuration) []experiment.Configuration {
	return slices.DeleteFunc(slices.Clone(all), func(c experiment.Configuration) bool { return !c.Selected })
}

// printConfigurations prints the table.
func printConfigurations(w io.Writer, all []experiment.Configuration) {
	t := term.NewTable(w, "METHOD", "CLAIMED ε", "TRUE ε", "ACCURACY %", "TPR GAP", "LEAKAGE %", "LIMIT %", "YARDSTICK %", "SECONDS").
		Spare("SECONDS", "YARDSTICK %", "TPR GAP", "CLAIMED ε", "LIMIT %")
	grid := len(all) > len(selected(all))
	for _, c := range all {
		mark := ""
		if grid && c.Selected {
			mark = " *"
		}
		if len(c.Seeds) == 0 {
			t.Row(describe(c), "not trained")
			continue
		}
		m, d := c.Mean, c.Deviation
		t.Row(describe(c)+mark, claimed(m), proved(m), plusMinus(m.Accuracy, d.Accuracy), plusMinus(m.Gap, d.Gap), leakage(c),
			term.Limit(m.Limit), term.Percent(m.Yardstick), m.Seconds.Text("%.1f"))
	}
	t.Flush() //nolint:errcheck // w is a buffer
}

// describe names a configuration for a person.
func describe(c experiment.Configuration) string {
	parts := []string{c.Method}
	if c.Mechanism != "" && c.Mechanism != c.Method {
		parts = append(parts, c.Mechanism)
	}
	switch {
	case c.Statement != nil:
		parts = append(parts, c.Statement.Variant)
	case c.Variant != "":
		parts = append(parts, c.Variant)
	}
	if c.Lambda != 0 {
		parts = append(parts, fmt.Sprintf("λ=%v", c.Lambda))
	}
	if c.Dim != 0 {
		parts = append(parts, fmt.Sprintf("D=%d", c.Dim))
	}
	return strings.Join(parts, " ")
}

func claimed(s experiment.Score) string {
	if s.Claimed == nil {
		return "-"
	}
	return s.Claimed.String()
}

// proved renders the true ε, with its unit where it is not text-level and δ
// where there is one.
func proved(s experiment.Score) string {
	if s.True == nil {
		return "-"
	}
	text := s.True.String()
	if s.Delta != 0 {
		text += fmt.Sprintf(", δ = %.4g", s.Delta)
	}
	if s.Unit != dp.Text && s.Unit != "" {
		text += " (" + string(s.Unit) + ")"
	}
	return text
}

func plusMinus(mean, deviation measure.Number) string {
	return (100 * mean).PlusMinus(100*deviation, "%.2f")
}

// leakage renders the attack with what no attacker can exceed.
func leakage(c experiment.Configuration) string {
	text := plusMinus(c.Mean.Leakage, c.Deviation.Leakage)
	if best := c.Strongest(); best.Mean > c.Mean.Leakage {
		text = term.Percent(best.Mean) + " (" + best.Attacker + ")"
	}
	if text == "-" || math.IsNaN(float64(c.Mean.AttackLimit)) {
		return text
	}
	return text + " ≤ " + term.Limit(c.Mean.AttackLimit)
}

// printFootnotes says what the columns mean and what the numbers rest on.
func printFootnotes(w io.Writer, all []experiment.Configuration, attribute string, reference measure.Number) {
	lines := []string{"limit: no classifier of one release is right more often on average at the true ε (text-level, δ = 0); a sample can lie above it by chance"}
	if !math.IsNaN(float64(reference)) {
		lines = append(lines, fmt.Sprintf("yardstick: an unprotected model (%s %%) whose answer alone is released at the true ε", term.Percent(reference)))
	}
	if slices.ContainsFunc(all, func(c experiment.Configuration) bool { return c.Mean.Balance != nil }) {
		lines = append(lines, balanceMeaning)
	}
	for _, c := range all {
		if len(c.Seeds) > 0 && attribute != "" {
			lines = append(lines, fmt.Sprintf("leakage: a perceptron guesses %s from the releases, ≤ what any attacker reaches at most; whoever sees nothing has %s %%", attribute, term.Percent(c.Mean.Majority)))
			break
		}
	}
	told := map[string]bool{}
	for _, c := range all {
		if c.Channel != nil {
			text := c.Channel.Tells()
			if v := c.Channel.Compared; v != nil {
				text = fmt.Sprintf("%s: %s; that costs %.2f points on the validation rows, %.2f %% in place of %.2f %% with --channel fitted", c.Name(), text, 100*(v.Fitted-v.Public), 100*v.Public, 100*v.Fitted)
			}
			if !told[text] {
				told[text] = true
				lines = append(lines, text)
			}
		}
		if c.Statement != nil && !c.Statement.Honest() && !told[c.Statement.Reason] {
			told[c.Statement.Reason] = true
			lines = append(lines, fmt.Sprintf("%s %s: the claim is false: %s", c.Mechanism, c.Statement.Variant, c.Statement.Reason))
		}
		if c.Coverage != "" && !told[c.Coverage] {
			told[c.Coverage] = true
			lines = append(lines, c.Coverage)
		}
		if c.Person != nil && !told[c.Person.String()] {
			told[c.Person.String()] = true
			lines = append(lines, fmt.Sprintf("%s: if each row is released once, the guarantee is %v", c.Name(), *c.Person))
		}
	}
	lines = append(lines, "the noise of training and measuring comes from the seed, and protects nobody")
	fmt.Fprintln(w, "\n"+strings.Join(lines, "\n")) //nolint:errcheck // w is a buffer
}

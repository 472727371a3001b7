package learn

import (
	"fmt"
	"io"
	"strings"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/learn/experiment"
)

// printBalance tells how each configuration does when all classes count alike.
// That of several labels stands with each of them.
func printBalance(w io.Writer, all []experiment.Configuration) {
	var t *term.Table
	for _, c := range all {
		if c.Mean.Balance == nil || len(c.Mean.Labels) > 0 {
			continue
		}
		if t == nil {
			t = term.NewTable(w, "\nMETHOD", "MACRO-F1 %", "BALANCED %", "RECALL %")
		}
		f1, balanced, recall := balance(c.Mean.Balance, c.Deviation.Balance)
		t.Row(describe(c), f1, balanced, recall)
	}
	if t != nil {
		t.Flush() //nolint:errcheck // w is a buffer
	}
}

// fewClasses is up to how many classes the recall of each is printed.
const fewClasses = 4

// balance renders the measures in which classes count alike: the recall of each
// class where there are few, else the smallest.
func balance(m, deviation *measure.Balance) (f1, balanced, recall string) {
	if m == nil {
		return "-", "-", "-"
	}
	if deviation == nil {
		deviation = &measure.Balance{MacroF1: measure.Undefined, Balanced: measure.Undefined}
	}
	f1, balanced = plusMinus(m.MacroF1, deviation.MacroF1), plusMinus(m.Balanced, deviation.Balanced)
	var each []string
	least := ""
	for _, r := range m.Recalls {
		if least == "" && r.Value <= m.Least {
			least = " (class " + term.Plain(r.Class) + ")"
		}
		each = append(each, term.Plain(r.Class)+" "+term.Percent(r.Value))
	}
	if len(each) > 0 && len(each) <= fewClasses {
		return f1, balanced, strings.Join(each, ", ")
	}
	return f1, balanced, fmt.Sprintf("%s at the least%s", term.Percent(m.Least), least)
}

// balanceMeaning is the footnote of these columns.
const balanceMeaning = "macro-F1, balanced: all classes count alike, however rare; balanced is the mean of their recalls, the share of a class that is told"

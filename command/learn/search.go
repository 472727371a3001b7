package learn

import (
	"fmt"
	"math"
	"strings"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/promise/mech"
)

// printFrontier prints what the method auto tried, what it gave, and how far
// from the limit the best of it is.
func printFrontier(w *layout.Buffer, r *experiment.Result) {
	f, h := r.Frontier, r.Headline
	if f == nil || h == nil {
		return
	}
	measured := "VALIDATION %"
	if !f.Objective.Plain() {
		measured = "VALIDATION " + strings.ToUpper(f.Objective.String()) + " %"
	}
	t := term.NewTable(w, "\nTRIED", "RELEASE", measured, "SECONDS")
	for _, trial := range f.Searched {
		release, mark := "-", ""
		if trial.Mechanism != "" && trial.Dim > 0 {
			release = fmt.Sprintf("%d numbers", trial.Dim)
			if mech.VariantOf(mech.Params{Mechanism: trial.Mechanism}).Form == mech.FormCode {
				release = fmt.Sprintf("1 of %d codes", trial.Dim)
			}
		}
		if trial.Chosen {
			mark = " *"
		}
		result := fmt.Sprintf("%.2f", 100*trial.Accuracy)
		if !f.Objective.Plain() {
			result = "-" // a model of the trusted side is chosen by its probabilities
			if len(trial.Values) > 0 {
				result = fmt.Sprintf("%.2f", 100*trial.Value)
			}
		}
		if len(trial.Scores) > 1 {
			result += fmt.Sprintf(" (%d seeds)", len(trial.Scores))
		}
		if trial.Failed != "" {
			result = "failed: " + trial.Failed
		}
		t.Row(trial.Name+mark, release, result, fmt.Sprintf("%.1f", trial.Seconds))
	}
	t.Flush() //nolint:errcheck // w is a buffer
	fmt.Fprintf(w, "* chosen, and trained on all rows; %.0f seconds in all\n\n", f.Seconds)
	limit := float64(h.Limit)
	if !math.IsNaN(limit) {
		fmt.Fprintf(w, "at ε = %.6g: %.2f %% of the answers are right; an estimated %.2f %% is the most that any release allows of what the unprotected model (%.2f %%) knows\n",
			float64(f.True), 100*float64(h.Accuracy), 100*limit, 100*float64(h.NonPrivate))
	}
	if m := r.Mean.Balance; !f.Objective.Plain() && m != nil {
		fmt.Fprintf(w, "sought: %s; macro-F1 is %s %%, balanced accuracy %s %%", f.Objective, term.Percent(m.MacroF1), term.Percent(m.Balanced))
		if m.Limit != nil {
			fmt.Fprintf(w, " of at most %s %% that any release at this ε has on average", term.Limit(*m.Limit))
		}
		fmt.Fprintln(w)
	}
	if f.Advice != "" {
		fmt.Fprintln(w, f.Advice)
	}
	fmt.Fprintln(w)
}

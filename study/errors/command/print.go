package errors

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/promise/noise"
	failing "sotto/study/errors"
)

// shownFeatures is how many features a terminal lists.
const shownFeatures = 15

// printErrors prints a result for a person.
func printErrors(out io.Writer, r *failing.Result) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "%s: %d answers, %d of them wrong, %s %%", term.Plain(r.Source), r.Rows, r.Errors, term.Percent(r.Rate))
	if r.LeftOut > 0 {
		fmt.Fprintf(b, "; %d rows without a label were left out", r.LeftOut)
	}
	fmt.Fprint(b, "\n\n")
	printCohorts(b, r)
	if h := r.HeatMap; h != nil {
		fmt.Fprintf(b, "\nwrong in %%, of rows: %s from top to bottom, %s from left to right\n\n", term.Plain(h.Rows.Feature), term.Plain(h.Columns.Feature))
		printHeat(b, h)
	}
	if r.Privacy != nil {
		printLoss(b, r.Privacy)
	}
	printRankers(b, r)
	printFeatures(b, r)
	if len(r.NoFeatures) > 0 {
		fmt.Fprintln(b)
	}
	for _, a := range r.NoFeatures {
		fmt.Fprintf(b, "%s is no feature: %s\n", a.Name, a.Why)
	}
	return b.Flush()
}

func interval(low, high measure.Number) string {
	return term.Percent(low) + " to " + term.Percent(high)
}

func printCohorts(b *layout.Buffer, r *failing.Result) {
	t := term.NewTable(b, "COHORT", "ROWS", "WRONG %", "SHARE OF ERRORS %", "HELD OUT %", "95 % INTERVAL")
	for _, c := range r.Cohorts {
		t.Row(term.Plain(c.Rule), c.Size, term.Percent(c.ErrorRate), term.Percent(c.Share), term.Percent(c.HeldOut.ErrorRate), interval(c.HeldOut.Low, c.HeldOut.High))
	}
	t.Flush() //nolint:errcheck // b is a buffer
}

func printHeat(b *layout.Buffer, h *failing.HeatMap) {
	head := []any{""}
	for _, name := range h.Columns.Names {
		head = append(head, name)
	}
	t := term.NewTable(b, head...)
	for i, line := range h.Cells {
		row := []any{h.Rows.Names[i]}
		for _, c := range line {
			if c.Rows == 0 {
				row = append(row, "-")
				continue
			}
			row = append(row, fmt.Sprintf("%.0f of %d", 100*float64(c.ErrorRate), c.Rows))
		}
		t.Row(row...)
	}
	t.Flush() //nolint:errcheck // as above
}

func printLoss(b *layout.Buffer, l *failing.Loss) {
	fmt.Fprintf(b, "\nwhat privacy costs: accuracy %s %% before and %s %% after", term.Percent(l.Before), term.Percent(l.After))
	if l.Guarantee != nil {
		fmt.Fprintf(b, ", %v a release", l.Guarantee)
	} else if l.Epsilon != nil {
		fmt.Fprintf(b, ", at ε = %v as stated", *l.Epsilon)
	}
	fmt.Fprint(b, "\n\n")
	t := term.NewTable(b, "COHORT", "ROWS", "BEFORE %", "AFTER %", "LOSS, POINTS", "HELD OUT", "INTERVAL")
	for _, c := range append([]failing.LossOf{l.All}, l.Cohorts...) {
		t.Row(term.Plain(c.Rule), c.Size, term.Percent(c.Before), term.Percent(c.After), term.Percent(c.Loss), term.Percent(c.HeldOut.Loss), interval(c.HeldOut.Low, c.HeldOut.High))
	}
	t.Flush() //nolint:errcheck // as above
	fmt.Fprintf(b, "\nintervals: %s\n", l.Interval)
}

// shownK are the numbers of texts that a terminal shows.
var shownK = []int{10, 20, 50, 100, 200, 500}

func printRankers(b *layout.Buffer, r *failing.Result) {
	if len(r.Rankers) == 0 {
		fmt.Fprintf(b, "\nrankers were not judged: %s\n", r.Absent[0].Why)
		return
	}
	what := "rows as they are"
	if r.Balance {
		what = "as many right as wrong answers"
	}
	fmt.Fprintf(b, "\nwho finds errors: %s into %d rows to learn from and %d to rank, %s; mean ± deviation between splits\n\n", page.Plural(r.Splits, "split", "splits"), r.Train, r.Test, what)
	head := []any{"RANKER", "AUC"}
	for _, k := range shownK {
		if k <= r.Test {
			head = append(head, fmt.Sprintf("P@%d", k))
		}
	}
	t := term.NewTable(b, head...)
	for _, k := range r.Rankers {
		row := []any{k.Name, k.AUC.PlusMinus(k.AUCSD, "%.3f")}
		for _, n := range shownK {
			if p, ok := k.PAt[strconv.Itoa(n)]; ok {
				row = append(row, p.Mean.PlusMinus(p.SD, "%.2f"))
			}
		}
		t.Row(row...)
	}
	t.Flush() //nolint:errcheck // as above
	for _, a := range r.Absent {
		fmt.Fprintf(b, "%s is not here: %s\n", a.Name, a.Why)
	}
	for _, c := range r.Tests {
		if c.Measure == "auc" && c.A == failing.Forest && r.Splits > 1 { // one split tests nothing
			fmt.Fprintf(b, "AUC of %s − %s: %s (95 %% interval %s to %s, p = %s; Nadeau and Bengio's test)\n",
				c.A, c.B, c.Difference.Text("%+.3f"), c.Low.Text("%+.3f"), c.High.Text("%+.3f"), c.P.Text("%.3g"))
		}
	}
}

func printFeatures(b *layout.Buffer, r *failing.Result) {
	if len(r.Features) == 0 {
		return
	}
	fmt.Fprint(b, "\nwhat the forest goes by: how much its AUC falls when a feature is permuted\n\n")
	t := term.NewTable(b, "FEATURE", "GROUP", "IMPORTANCE", "ROWS", "WRONG WITH IT %", "WITHOUT %")
	for _, f := range r.Features[:min(len(r.Features), shownFeatures)] {
		t.Row(term.Plain(f.Name), term.Plain(f.Group), f.Importance.Text("%.4f"), f.Rows, term.Percent(f.With), term.Percent(f.Without))
	}
	t.Flush() //nolint:errcheck // as above
}

// write writes the files that were asked for.
func (o *errorsOptions) write(std term.Streams, in *input, r *failing.Result) error {
	if o.rulesOut != "" {
		if err := term.WriteWhole(o.rulesOut, std.Out, func(w io.Writer) error { return failing.WriteRules(w, r.Rules()) }); err != nil {
			return err
		}
	}
	if o.cohortsOut == "" {
		return nil
	}
	return term.WriteWhole(o.cohortsOut, std.Out, func(w io.Writer) error { return writeCohorts(w, in, r) })
}

// writeCohorts writes the id of every row with its cohort, and with that of the tree of
// losses if there is one.
func writeCohorts(w io.Writer, in *input, r *failing.Result) error {
	type place struct {
		number int
		rule   string
	}
	errs, losses := make([]place, len(in.wrong)), make([]place, len(in.wrong))
	for k, c := range r.Cohorts {
		for _, i := range c.Rows() {
			errs[i] = place{k + 1, c.Rule}
		}
	}
	head := []string{"id", "wrong", "cohort", "rule"}
	if r.Privacy != nil {
		head = append(head, "loss_cohort", "loss_rule")
		for k, c := range r.Privacy.Cohorts {
			for _, i := range c.Rows() {
				losses[i] = place{k + 1, c.Rule}
			}
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(head); err != nil {
		return err
	}
	for i, e := range errs {
		id := strconv.Itoa(in.places[i])
		if in.ids != nil {
			id = in.ids[i]
		}
		row := []string{id, strconv.FormatBool(in.wrong[i]), strconv.Itoa(e.number), e.rule}
		if r.Privacy != nil {
			row = append(row, strconv.Itoa(losses[i].number), losses[i].rule)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// release prints the counts of rules under ε, and nothing else of the rows.
func (o *errorsOptions) release(std term.Streams, in *input, x *failing.Features, rules []failing.Rule) error {
	r, err := failing.Release(rules, x, in.wrong, failing.ReleaseOptions{Epsilon: o.epsilon, Persons: in.persons, PerPerson: o.rowsPerPerson}, noise.Crypto())
	if err != nil {
		return err
	}
	if note := in.called.Note(o.person); note != "" { // for who releases: no ε covers it
		if _, err = fmt.Fprintln(std.Err, "note: "+note); err != nil {
			return err
		}
	}
	return term.Show(std.Out, o.json, r, printReleased)
}

func printReleased(out io.Writer, r *failing.Released) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "released with ε = %v between %s; Laplace noise of scale %.3g on each count\n\n", r.Epsilon, r.Neighbours, r.Scale)
	t := term.NewTable(b, "RULE", "RIGHT", "WRONG", "WRONG %")
	for _, c := range r.Counts {
		t.Row(term.Plain(c.Rule), c.Right, c.Wrong, term.Percent(c.ErrorRate))
	}
	t.Flush() //nolint:errcheck // b is a buffer
	fmt.Fprintf(b, "\nassuming: %s\n", r.Assumption)
	return b.Flush()
}

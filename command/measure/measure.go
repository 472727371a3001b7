// Package measure holds the command measure, which judges predictions and releases that others made.
package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/evidence"
	"sotto/internal/layout"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newMeasure(std)}
}

func newMeasure(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{Use: "measure", Short: "Measure predictions that any model made, and what releases still tell"}, newMeasureFairness(std), newMeasureRetrieval(std))
}

// fairnessOptions are the flags of "sotto measure fairness".
type fairnessOptions struct {
	predictions       string
	in, id            string // where labels and groups are, if not beside the predictions
	label, prediction string
	groups            []string
	measure.Bootstrap
	workers int
	json    bool
}

func newMeasureFairness(std term.Streams) *cobra.Command {
	var o fairnessOptions
	c := &cobra.Command{
		Use:   "fairness",
		Short: "Compare how groups are served: accuracy, selection, TPR, FPR and their gaps",
		Long: `Read a label, a prediction and a group for each row, from CSV with a line of
names or from JSON lines, and compare the groups, with bootstrap intervals. Any
text may be a class or a group. Rows without a label or group are left out and
counted; a row without a prediction counts as wrong.

With --in, labels and groups are columns of a file of your own, of any format that
"sotto train --in" takes. Its rows are those of the predictions by the column that
--id names in both, or in the same order without --id.

Give several columns to --group, and each is measured, and their intersection.
A cell without rows is "not defined", never 0.`,
		Example: `  sotto measure fairness --predictions predictions.csv
  sotto measure fairness --predictions p.jsonl --label y --prediction answer --group sex,race --json
  sotto measure fairness --predictions answers.csv --in reviews.csv --id key --label rating --group city`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runFairness(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.predictions, "predictions", "", "file of predictions, - for standard input")
	fs.StringVar(&o.in, "in", "", "file of your own that holds labels and groups (default: they stand beside the predictions)")
	fs.StringVar(&o.id, "id", "", "column of --in and of the predictions that tells which rows belong together (default: their order does)")
	fs.StringVar(&o.label, "label", "label", "column of the true label")
	fs.StringVar(&o.prediction, "prediction", "prediction", "column of the predicted label")
	fs.StringSliceVar(&o.groups, "group", []string{"group"}, "column of the group; several are separated by commas")
	fs.IntVar(&o.Resamples, "resamples", 1000, "number of resamples of the bootstrap")
	fs.Uint64Var(&o.Seed, "seed", 0, "seed of the bootstrap (default 0)")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runFairness(ctx context.Context, o fairnessOptions, std term.Streams) error {
	if o.predictions == "" {
		return errors.New("want --predictions, a file with the columns label, prediction and group")
	}
	if len(o.groups) == 0 {
		return errors.New("want --group, the column of the group")
	}
	for k, name := range o.groups {
		if slices.Contains(o.groups[:k], name) {
			return fmt.Errorf("--group names %q twice, must name each column once", name)
		}
	}
	var err error
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	c, err := o.columns(std.In)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	report, err := term.While(std.Err, "measuring", func() (*evidence.Fairness, error) { return o.compare(c) })
	if err != nil {
		return err
	}
	if o.json {
		return term.PrintJSON(std.Out, report)
	}
	b := layout.NewBuffer(std.Out)
	for _, a := range report.Attributes {
		printFairness(b, a.Attribute, a.Fairness)
		b.WriteByte('\n')
	}
	printFairness(b, strings.Join(o.groups, cross), report.Fairness)
	return b.Flush()
}

// cross joins the names of groups that intersect.
const cross = " × "

// compare measures each attribute, and the intersection of several.
func (o *fairnessOptions) compare(c term.Columns) (*evidence.Fairness, error) {
	ids, classes := term.NumberValues(c[0], c[1])
	predicted := make([]bool, len(classes)+1) // the last stands for what is missing
	for _, y := range ids[1] {
		predicted[(y+len(predicted))%len(predicted)] = true
	}
	if !slices.ContainsFunc(ids[0], func(y int) bool { return y >= 0 && predicted[y] }) {
		return nil, fmt.Errorf("%s: labels and predictions have no value in common, must name the same classes", o.predictions)
	}
	pool := nn.NewPool(o.workers)
	with := func(what string, group []int, groups []string) (*measure.Fairness, error) {
		f, err := measure.CompareGroups(pool, measure.Outcomes{Want: ids[0], Got: ids[1], Group: group, Classes: classes, Groups: groups}, o.Bootstrap)
		if err != nil {
			return nil, fmt.Errorf("%s: by %s: %w", o.predictions, what, err)
		}
		return f, nil
	}
	report := &evidence.Fairness{
		Format: evidence.FairnessFormat, Source: o.predictions,
		Columns: evidence.Columns{Label: o.label, Prediction: o.prediction, Group: o.groups},
	}
	var sizes []int
	var values [][]int
	all := []string{""} // the names of the intersection
	for k, column := range c[2:] {
		group, names := term.NumberValues(column)
		if len(all)*max(len(names), 1) > 1<<20 {
			return nil, fmt.Errorf("%s: the groups have more than %d intersections, must be fewer", o.predictions, 1<<20)
		}
		sizes, values, all = append(sizes, len(names)), append(values, group[0]), product(all, names)
		if len(o.groups) > 1 {
			f, err := with(o.groups[k], group[0], names)
			if err != nil {
				return nil, err
			}
			report.Attributes = append(report.Attributes, evidence.AttributeFairness{Attribute: o.groups[k], Fairness: f})
		}
	}
	var err error
	report.Fairness, err = with(strings.Join(o.groups, cross), measure.Intersect(sizes, values...), all)
	return report, err
}

// product joins each name with each of more.
func product(names, more []string) []string {
	var joined []string
	for _, a := range names {
		for _, b := range more {
			if a != "" {
				b = a + cross + b
			}
			joined = append(joined, b)
		}
	}
	return joined
}

// printFairness prints a comparison for a person.
func printFairness(w io.Writer, what string, f *measure.Fairness) {
	kept := ""
	if f.Stratified {
		kept = ", which keep the size of each group, as one is small"
	}
	fmt.Fprintf(w, "by %s: %d rows, %d left out; 95 %% intervals from %d resamples%s\n\n", term.Plain(what), f.Rows, f.LeftOut, f.Bootstrap.Resamples, kept) //nolint:errcheck // w is a buffer
	t := term.NewTable(w, "GROUP", "ROWS", "ACCURACY %", "CLASS", "SELECTION %", "TPR %", "FPR %")
	for _, g := range f.Groups {
		name, rows, accuracy := term.Plain(g.Name), fmt.Sprint(g.Rows), shareText(g.Accuracy)
		for _, c := range g.Classes {
			t.Row(name, rows, accuracy, term.Plain(c.Class), shareText(c.Selection), shareText(c.TPR), shareText(c.FPR))
			name, rows, accuracy = "", "", ""
		}
	}
	t.Flush()       //nolint:errcheck // see above
	fmt.Fprintln(w) //nolint:errcheck // see above
	t.Row("MEASURE", "VALUE", "95 % INTERVAL")
	row := func(name string, e measure.Estimate) {
		t.Row(name, e.Value.Text("%.4f"), intervalText(e, 1, "%.4f"))
	}
	row("macro-F1, all classes alike", *f.MacroF1)
	row("balanced accuracy, all classes alike", *f.Balanced)
	row("smallest recall of a class", *f.Least)
	row("accuracy, best group − worst", f.Difference)
	row("demographic parity difference", f.ParityDifference)
	row("demographic parity ratio", f.ParityRatio)
	row("equalised odds difference", f.OddsDifference)
	for _, c := range f.Classes {
		if c.TPRGap != nil {
			row(fmt.Sprintf("TPR gap of %s, %s − %s", term.Plain(c.Overall.Class), term.Plain(f.Groups[0].Name), term.Plain(f.Groups[1].Name)), *c.TPRGap)
		} else {
			row("TPR difference of "+term.Plain(c.Overall.Class), c.TPRDifference)
		}
	}
	row(fmt.Sprintf("GRMS over %d of %d classes", f.ClassesDefined, len(f.Classes)), f.GRMS)
	row("sum of |group − all|, RMS over classes", f.DeviationRMS)
	t.Flush() //nolint:errcheck // see above
}

// shareText renders a share with its counts and interval.
func shareText(s measure.Share) string {
	if s.Rows == 0 {
		return "not defined (0 rows)"
	}
	return fmt.Sprintf("%s (%d/%d; %s)", term.Percent(s.Value), s.Hits, s.Rows, intervalText(s.Estimate, 100, "%.1f"))
}

func intervalText(e measure.Estimate, scale measure.Number, format string) string {
	if e.Resamples == 0 {
		return "not defined"
	}
	return (scale * e.Low).Text(format) + " to " + (scale * e.High).Text(format)
}

package learn

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/internal/atomicfile"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/learn/plan"
)

// planOptions are the flags of "sotto plan".
type planOptions struct {
	spec experiment.Spec
	name string // of the rows of a file
	ask  plan.Ask
	run  plan.Options
	html string
	all  bool
	json bool
}

// unplanned are the settings of a training that a plan decides itself, or that
// codes do not have.
var unplanned = []string{
	"methods", "mechanism", "variant", "alone", "epsilons", "lambdas", "delta", "bits", "clip", "orthogonality", "iterations",
	"selected", "fair", "anneal", "seeds", "threshold", "unknown", "reserve",
}

func (o *planOptions) addFlags(fs *pflag.FlagSet) {
	SpecFlags(fs, &o.spec, &o.name, unplanned...)
	fs.Float64Var(&o.ask.Target, "target", 0, "accuracy that is wanted, as a share such as 0.8, of which the least ε is found (default: none)")
	fs.Float64SliceVar(&o.ask.Grid, "grid", nil, "values of ε, fixed before looking at the data, of which --target takes the least that suffices, separated by commas (default: every hundredth)")
	fs.Float64SliceVar(&o.ask.Epsilons, "epsilon", nil, "ε to be answered exactly; several are separated by commas")
	fs.IntVar(&o.ask.Use.TextsPerDay, "texts-per-day", 0, "number of different texts of one user that are released in a day (default: not said)")
	fs.IntVar(&o.ask.Use.Days, "days", 0, "number of days over which --texts-per-day adds up (default 30)")
	fs.Float64Var(&o.ask.Use.Daily, "daily-epsilon", 0, "ε that one user may spend in a day (default: not said)")
	fs.Float64Var(&o.ask.Use.Delta, "delta", 0, "δ at which a user's releases are composed (default 1e-6)")
	fs.IntVar(&o.run.Rows, "rows", 0, fmt.Sprintf("number of rows to train on at most; test rows stay (default %d)", plan.MostRows))
	fs.StringVar(&o.html, "html", "", "file for a page with a chart, - for standard output")
	fs.BoolVar(&o.all, "all", false, "print every point of the curve")
	fs.IntVar(&o.run.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

func newPlan(std term.Streams) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan",
		Short: "Say which ε an accuracy needs, and what each ε gives, before training for it",
		Long: `Train one model without protection and compute, from it, what a release of its
answers gives at every ε: accuracy, macro-F1, the recall of the smallest class, the
most that an attacker can learn, and the limit that no release exceeds.

Nothing is drawn: accuracies are expected over the noise, on the test part. At the
same seed they are those that "sotto train --method codes" measures with the same
--channel, public unless you say fitted; --method auto may do a little better.

--target 0.8 finds the least ε that reaches 80 %, or says why none does. That ε is
itself a function of private labels, which no ε covers: fix a few values before you
look, as in --grid 1,2,4,8, and it tells little more of them than which value it is.

With --texts-per-day a user's releases are added up, by their sum and by the optimal
composition; --daily-epsilon says how many texts it pays for and, with
--texts-per-day and without --epsilon, takes the ε that each text may have.`,
		Example: `  sotto plan --in reviews.csv --text review --label rating --target 0.8
  sotto plan --in reviews.csv --text review --label rating --target 0.8 --grid 1,2,4,8
  sotto plan --data airline --epsilon 4 --texts-per-day 20
  sotto plan --data sst2 --texts-per-day 10 --daily-epsilon 8 --html plan.html`,
		Args:    term.None,
		PreRunE: term.NoZeros("split-seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := SettleSpec(c.Flags(), &o.spec, o.name); err != nil {
				return err
			}
			return runPlan(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// runPlan prints a plan to standard output.
func runPlan(ctx context.Context, o planOptions, std term.Streams) error {
	if o.html == "-" && o.json {
		return fmt.Errorf("--html is - and --json is given, must be one of them on standard output")
	}
	if o.html != "" && o.html != "-" {
		if err := atomicfile.ProbeFile(o.html); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	bar := term.NewProgress(std.Err, "loading")
	o.run.Progress = func(e plan.Event) {
		bar.Describe(e.Step)
		bar.Set(int64(1000*e.Done), 1000)
	}
	r, err := plan.Make(ctx, o.spec, o.ask, o.run)
	bar.Finish()
	if err != nil {
		return err
	}
	if o.html != "" {
		write := func(w io.Writer) error { return page.HTML(w, r.Page()) }
		if err := term.WriteWhole(o.html, std.Out, write); err != nil || o.html == "-" {
			return err
		}
	}
	return term.Show(std.Out, o.json, r, func(out io.Writer, r *plan.Result) error { return printPlan(out, r, o.all) })
}

// short renders a share with one digit.
func short(v measure.Number) string { return (100 * v).Text("%.1f") }

// shown are the values of ε that a table for people has.
var shown = []float64{0.5, 1, 2, 3, 4, 6, 8, 12, 16}

func printPlan(out io.Writer, r *plan.Result, all bool) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "%s\n\n", r.Sentence)
	var chart strings.Builder
	if err := r.Draw(&chart); err != nil {
		return err
	}
	if columns := b.Columns(); columns == 0 || layout.Widest(chart.String()) <= columns { // a chart cannot be folded
		b.WriteString(chart.String() + "\n")
	}
	t := term.NewTable(b, "ε", "ACCURACY %", "95 % INTERVAL", "MACRO-F1", "BALANCED", "SMALLEST", "LIMIT", "LEAKAGE ≤")
	worthless := false
	for _, at := range tabled(r, all) {
		epsilon := fmt.Sprint(at.Epsilon)
		if !at.Better {
			epsilon, worthless = epsilon+" *", true
		}
		t.Row(epsilon, short(at.Accuracy), short(at.Low)+" to "+short(at.High), short(at.MacroF1), short(at.Balanced), short(at.Smallest), short(at.Limit), term.Limit(at.LeakageLimit))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if worthless {
		b.WriteString("* no better than naming the commonest class\n")
	}
	for _, list := range [][]string{r.Uses(), r.Meaning(), r.Notes} {
		for _, text := range list {
			fmt.Fprintf(b, "\n%s", text)
		}
	}
	b.WriteByte('\n')
	return b.Flush()
}

// tabled returns the points to print: what was asked for and found, and others
// around them, in order.
func tabled(r *plan.Result, all bool) []plan.Point {
	points := slices.Clone(r.Asked)
	if r.Reached != nil {
		points = append(points, *r.Reached)
	}
	for _, at := range r.Curve {
		if all || slices.Contains(shown, at.Epsilon) {
			points = append(points, at)
		}
	}
	slices.SortStableFunc(points, func(x, y plan.Point) int { return cmp.Compare(x.Epsilon, y.Epsilon) })
	return slices.CompactFunc(points, func(x, y plan.Point) bool { return x.Epsilon == y.Epsilon })
}

package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/study/reproduce/frontier"
)

// frontierOptions are the flags of "sotto reproduce frontier".
type frontierOptions struct {
	frontier.Options
	shard string // i/n
	show  bool   // computes nothing
	drawn
	json bool
}

func (o *frontierOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Store, "out", "", "folder of finished experiments, which are re-used (default: frontier in $SOTTO_RESULTS, or in sotto/results in the user's cache)")
	fs.StringSliceVar(&o.Only, "only", nil, "tasks, or parts, separated by commas (default: all)")
	fs.StringSliceVar(&o.Methods, "methods", nil, "methods, separated by commas (default: all)")
	fs.StringVar(&o.Encoder, "encoder", "", "transformer of the methods that take one: minilm or the folder of another of the BERT family (default: minilm)")
	fs.IntVar(&o.TuneEpochs, "tune-epochs", 0, "passes over the texts of methods -tuned at most (default: 3, and up to 15 of few rows)")
	fs.Float64SliceVar(&o.Epsilons, "epsilon", nil, "values of ε, separated by commas (default: 0.5,1,2,4,8)")
	fs.IntVar(&o.Seeds, "seeds", 0, "number of seeds (default: 5, and 1 with --quick)")
	fs.IntVar(&o.Limit, "limit", 0, "number of rows to train on at most, with a quarter as many to validate and to test (default: the task's own number)")
	fs.BoolVar(&o.Quick, "quick", false, "take 600 rows, 3 epochs, 1 seed, ε = 1 and 4, for a look in minutes that is no result")
	fs.StringVar(&o.shard, "shard", "", "i/n to compute every n-th experiment from the i-th, so that n processes share one --out")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.show, "show", false, "compute nothing and show what the folder holds so far")
	o.drawn.addFlags(fs)
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

func newReproduceFrontier(std term.Streams) *cobra.Command {
	var o frontierOptions
	c := &cobra.Command{
		Use:   "frontier",
		Short: "Measure accuracy against ε: auto, the other methods at the same true ε, and the limit",
		Long: `Measure accuracy against ε for each task and method, with five seeds, and hold
the results against the aims that were set for the method auto.

Tasks, by part (--only takes either):
` + frontierTasks() + `
Methods:
` + frontierMethods() + `
Methods named -frozen learn from the vectors of a transformer as it comes, and
those named -tuned from one that was first trained by the labels, anew for each
seed: that takes minutes to hours a task. Without minilm (sotto encoder get minilm)
they are left out.

Each task, method and ε is one experiment, kept in --out and computed once;
Ctrl-C keeps what was trained, and the same command goes on from there. Several
processes share the work of one --out with --shard 1/n to n/n; each prints what
the folder holds when it is done. Data sets that are absent are named and left
out. Noise comes from seeds here and protects nobody.`,
		Example: `  sotto reproduce frontier --quick --only reviews-later,adult
  sotto reproduce frontier --out frontier --shard 3/16 --workers 1
  sotto reproduce frontier --out frontier --only celeba-5 --html celeba.html`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runFrontier(c.Context(), o, std) },
	}
	o.addFlags(c.Flags())
	return c
}

func frontierTasks() string {
	var b strings.Builder
	for _, t := range frontier.Tasks() {
		fmt.Fprintf(&b, "  %-8s %-16s %s", t.Part, t.Name, strings.Join(t.Labels, ", "))
		if len(t.Unknown) > 0 {
			fmt.Fprintf(&b, "; unknown: %s", strings.Join(t.Unknown, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func frontierMethods() string {
	var b strings.Builder
	for _, m := range frontier.Methods() {
		fmt.Fprintf(&b, "  %-11s %s\n", m.Name, m.Title)
	}
	return b.String()
}

// runFrontier computes what is missing, and shows what there is.
func runFrontier(ctx context.Context, o frontierOptions, std term.Streams) error {
	if err := o.complete(); err != nil {
		return err
	}
	if err := term.CanWrite(o.paths()...); err != nil {
		return err
	}
	err := o.compute(ctx, std)
	if errors.Is(err, experiment.ErrInterrupted) || ctx.Err() != nil {
		return errors.New("interrupted; what was trained is in the folder, and the same command goes on from there")
	}
	r, also := frontier.Collect(ctx, o.Options)
	if also != nil { // most often for the reason that nothing could be computed
		return cmp.Or(err, also)
	}
	return errors.Join(err, o.put(r, std)) // what could not be computed is told after what could
}

// compute fills the store, unless only what it holds is to be shown.
func (o *frontierOptions) compute(ctx context.Context, std term.Streams) error {
	if o.show {
		return nil
	}
	bar := term.NewProgress(std.Err, "loading")
	defer bar.Finish()
	o.Progress = func(e frontier.Event) { showFrontier(std.Err, bar, e) }
	return frontier.Compute(ctx, o.Options)
}

// put writes the result everywhere it was asked for, files first.
func (o *frontierOptions) put(r *frontier.Result, std term.Streams) error {
	if err := o.write("frontier", r.Page(), frontierCharts(r), std); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r *frontier.Result) error { return r.Print(w) })
}

// complete fills in what needs more than a flag.
func (o *frontierOptions) complete() error {
	var err error
	if o.Store, err = storeOf(o.Store, "frontier"); err != nil {
		return err
	}
	if o.shard != "" {
		if n, err := fmt.Sscanf(o.shard+" end", "%d/%d end", &o.Shard, &o.Shards); n != 2 || err != nil {
			return fmt.Errorf("shard is %.40q, must be i/n, such as 3/16", o.shard)
		}
	}
	return nil
}

// showFrontier tells a terminal of each step, and anything else of each
// experiment that is done.
func showFrontier(w io.Writer, bar *term.Progress, e frontier.Event) {
	if bar.Shown() {
		bar.Describe(strings.TrimSuffix(e.Job+": "+e.Step, ": "))
		bar.Set(int64(100*(float64(e.Done)+e.Share)), int64(100*e.Total))
		return
	}
	if e.Step == "" {
		how := "done"
		if e.Found {
			how = "found"
		}
		fmt.Fprintf(w, "%d of %d: %s: %s\n", e.Done, e.Total, e.Job, how) //nolint:errcheck // that words cannot be written harms no result
	}
}

// frontierCharts returns the charts that have something to show, by name.
func frontierCharts(r *frontier.Result) map[string]*page.Chart {
	all := map[string]*page.Chart{}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		for k, c := range t.Charts() {
			if len(c.Series) == 0 {
				continue
			}
			name := t.Name
			if t.Part == frontier.Later {
				name += []string{"-unknown", "-known"}[k]
			}
			all[name] = c
		}
	}
	return all
}

package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/reproduce"
	"sotto/study/reproduce/unseen"
)

// unseenOptions are the flags of "sotto reproduce unseen".
type unseenOptions struct {
	unseen.Options
	drawn
	out  string
	json bool
}

func newReproduceUnseen(std term.Streams) *cobra.Command {
	var o unseenOptions
	c := &cobra.Command{
		Use:   "unseen",
		Short: "Measure what releases tell of questions nobody had asked when they were made",
		Long: `Measure what releases tell of questions that they know nothing of: cells of public
texts beside what else there is at the same ε, and raw vectors.

Tasks:
` + unseenTasks() + `
Methods:
` + unseenMethods() + `
Each text is released once, without any label. A linear model is fitted to
releases of the training part and judged on those of the test part. The cells of
"cells" are made of sets outside the tasks, which the result lists.

Vectors are kept in --store and re-used: MiniLM takes some ten minutes on two
cores for the first five tasks, and half an hour for all. Noise comes from seeds
here and protects nobody.`,
		Example: `  sotto reproduce unseen --only trec --encoder default --seeds 1
  sotto reproduce unseen --only trec,sst2,subj,cr,snips --epsilon 8 --encoder minilm --json
  sotto reproduce unseen --out unseen.json --html unseen.html`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runUnseen(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringSliceVar(&o.Only, "only", nil, "tasks, separated by commas (default: all)")
	fs.StringSliceVar(&o.Methods, "methods", nil, "methods, separated by commas (default: all)")
	fs.Float64SliceVar(&o.Epsilons, "epsilon", nil, "values of ε, separated by commas (default: 1,2,4,8)")
	fs.StringSliceVar(&o.Encoders, "encoder", nil, "encoders, separated by commas (default: minilm,default)")
	fs.IntVar(&o.Seeds, "seeds", 0, "number of seeds of cells and noise (default: 5)")
	fs.IntVar(&o.Limit, "limit", 0, "number of rows to train on at most, and of a public set, with a quarter as many to validate and to test (default: all)")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.StringVar(&o.Store, "store", "", "folder of vectors, which are re-used (default: unseen in $SOTTO_RESULTS, or in sotto/results in the user's cache)")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	o.addFlags(fs)
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func unseenTasks() string {
	var b strings.Builder
	for _, t := range unseen.Tasks() {
		fmt.Fprintf(&b, "  %-10s  %s\n", t.Name, t.About)
	}
	return b.String()
}

func unseenMethods() string {
	var b strings.Builder
	for _, m := range unseen.Methods() {
		fmt.Fprintf(&b, "  %-13s  %s\n", m.Name, m.About)
	}
	return b.String()
}

func runUnseen(ctx context.Context, o unseenOptions, std term.Streams) (err error) {
	if err = term.CanWrite(append(o.paths(), term.Named("--out", o.out))...); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	if o.Store, err = storeOf(o.Store, "unseen"); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "loading")
	var last reproduce.Event
	o.Progress = func(e unseen.Event) {
		now := reproduce.Event{Job: e.Job, Done: e.Done, Total: e.Total}
		showWork(std.Err, bar, last, now)
		last = now
	}
	r, err := unseen.Run(ctx, o.Options)
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written, but vectors are in the store")
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		if err = term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err = o.write("unseen", r.Page(), r.Charts(), std); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r *unseen.Result) error { return r.Print(w) })
}

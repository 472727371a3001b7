package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/reproduce/aec"
)

// aecOptions are the flags of "sotto reproduce aec".
type aecOptions struct {
	aec.Options
	out  string
	json bool
}

func newReproduceAEC(std term.Streams) *cobra.Command {
	var o aecOptions
	c := &cobra.Command{
		Use:   "aec",
		Short: "Find a classifier's errors by readable features as the paper of AEC does, beside its figures",
		Long: `Reproduce the case of Misra, Liu and Mahmud, Accountable Error Characterization (TrustNLP
2021): a classifier of sentiment is trained on sentences about films and asked about
tweets to airlines, and a forest of features that people can read tells which of its
answers are wrong. The paper has one split; here the means over 20 stand beside it,
with their deviations.

The base is trained twice: as a small convolution over GloVe vectors with weights of
classes, as in the paper, and as a linear model of words. For each the table has the
share of errors among the first 10 to 50 by each ranker, what is left without each
kind of features, what each kind is worth, which published top features are among
ours, and examples with the words that speak for an error.

The answers of a base are kept in --store and re-used; --again trains anew. Data:
sst5, airline and glove of SOTTO_DATA. Which tweets the paper took is not said: as
many of each class are drawn by a seed from those that stand there once.`,
		Example: `  sotto reproduce aec --quick
  sotto reproduce aec --splits 50 --out aec.json`,
		Args:    term.None,
		PreRunE: term.NoZeros("seed"),
		RunE:    func(c *cobra.Command, _ []string) error { return runAEC(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.IntVar(&o.Splits, "splits", 0, "number of splits into four fifths to learn from and one to test (default 20, and 5 with --quick)")
	fs.BoolVar(&o.Quick, "quick", false, "take a quarter of the tweets, 5 splits and no ablation, for a look in a minute that is no result")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of bases, splits and forests")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.StringVar(&o.Store, "store", "", "folder of what bases answered, which is re-used (default: aec in $SOTTO_RESULTS, or in sotto/results in the user's cache)")
	fs.BoolVar(&o.Again, "again", false, "train the bases again also if the store has their answers")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runAEC(ctx context.Context, o aecOptions, std term.Streams) (err error) {
	if err = term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	if o.Store, err = storeOf(o.Store, "aec"); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "loading")
	o.Progress = func(done, total int, words string) {
		bar.Describe(words)
		bar.Set(int64(done), int64(total))
	}
	r, err := aec.Run(ctx, o.Options)
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written, but what bases answered is in the store")
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r *aec.Result) error { return r.Print(w) })
}

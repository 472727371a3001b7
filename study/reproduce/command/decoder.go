package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/reproduce/decoder"
)

// decoderOptions are the flags of "sotto reproduce rule-decoder".
type decoderOptions struct {
	decoder.Options
	out  string
	json bool
}

func newReproduceDecoder(std term.Streams) *cobra.Command {
	var o decoderOptions
	c := &cobra.Command{
		Use:   "rule-decoder",
		Short: "Tell relations and write the rules that explain them as the paper of the rule decoder does, beside its figures",
		Long: `Reproduce the tables of Tang and Surdeanu, Interpretability Rules (TrustNLP 2021), on public
sets of relations: rules alone; a network that is trained on what rules match, and one on
rules and labels, each with classifier and decoder together and without either; and the
same by the share of rules, 20 to 100 percent. Of each, precision, recall and F1 of the
relations on the test part and BLEU of the rules, as means over five seeds; and whether
training both together is better than either alone, with an interval over seeds.

The paper's data is licensed: its figures stand beside ours as those of other data. Rules
are learnt from the training part. A training takes minutes, and there are fifty of them
for each set; each is kept in --store and re-used, so that Ctrl-C loses little, and the
same command goes on from there. Data: glove and the sets of SOTTO_DATA.`,
		Example: `  sotto reproduce rule-decoder --quick --data biographies
  sotto reproduce rule-decoder --data conll04 --seeds 5 --out conll04.json`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runDecoder(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringSliceVar(&o.Data, "data", nil, "sets of relations: biographies, conll04, fewrel or semeval2010; several are separated by commas (default: biographies,conll04)")
	fs.IntVar(&o.Seeds, "seeds", 0, "number of trainings of each line (default 5, and 1 with --quick)")
	fs.IntVar(&o.Epochs, "epochs", 0, "epochs of each training (default: as many as make --steps, and 2 with --quick)")
	fs.IntVar(&o.Steps, "steps", 0, "about so many steps of 50 pairs in each training, where --epochs does not say how long it is (default: 2,160)")
	fs.Float64Var(&o.Rate, "rate", 0, "rate of learning; fewer steps want a larger one (default: 0.001)")
	fs.IntVar(&o.Rows, "rows", 0, "most pairs that are learnt from (default: all, and 300 with --quick)")
	fs.BoolVar(&o.Quick, "quick", false, "take 300 pairs, 2 epochs and one seed, for a look in minutes that is no result")
	fs.IntVar(&o.Workers, "workers", 0, "trainings at a time, one on each core (default: all cores); results do not depend on it")
	fs.StringVar(&o.Store, "store", "", "folder of finished trainings, which are re-used (default: rule-decoder in $SOTTO_RESULTS, or in sotto/results in the user's cache)")
	fs.BoolVar(&o.Again, "again", false, "train also what the store has")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runDecoder(ctx context.Context, o decoderOptions, std term.Streams) (err error) {
	if err = term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	if o.Workers, err = term.Workers(o.Workers); err != nil {
		return err
	}
	if o.Store, err = storeOf(o.Store, "rule-decoder"); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "loading")
	o.Progress = func(done, total int, words string) {
		bar.Describe(words)
		bar.Set(int64(done), int64(total))
	}
	r, err := decoder.Run(ctx, o.Options)
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written, but finished trainings are in the store, and the same command goes on from there")
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r *decoder.Result) error { return r.Print(w) })
}

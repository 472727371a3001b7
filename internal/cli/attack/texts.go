package attack

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/dataset"
	"sotto/dp"
	"sotto/encode/catalogue"
	"sotto/experiment"
	"sotto/internal/cli/term"
	"sotto/mech"
)

// attemptFlags are the flags of the attacks that make releases of texts
// themselves.
type attemptFlags struct {
	term.MechanismFlags
	term.TextFlags
	texts           string
	data, attribute string
	encoder         string
	rows            int
	claim           float64
	seed            uint64
	workers         int
	json            bool
}

// addFlags takes the mechanism's flags as they are, but for --seed, which here
// is the attack's: that of the public codewords or projection is --public-seed.
func (o *attemptFlags) addFlags(fs *pflag.FlagSet, rows int) {
	fs.StringVar(&o.texts, "texts", "", "file of texts, - for standard input")
	o.TextFlags.AddFlags(fs)
	fs.StringVar(&o.data, "data", "", "data set whose texts are attacked, instead of --texts (see sotto data list)")
	fs.StringVar(&o.encoder, "encoder", "", "encoder that makes the vectors (see sotto encoder list; default: default)")
	fs.IntVar(&o.rows, "rows", rows, "number of texts to take at most, drawn by the seed; -1 for all")
	fs.Float64Var(&o.claim, "claim", 0, "text-level ε to hold the findings against (default: what is proved of the mechanism)")
	fs.Uint64Var(&o.seed, "seed", 0, "seed of the texts taken, of the noise and of the attackers (default 0)")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	o.MechanismFlags.AddFlags(own)
	own.VisitAll(func(x *pflag.Flag) {
		if x.Name == "seed" {
			x.Name = "public-seed"
		}
		fs.AddFlag(x)
	})
	term.Widths(fs, "as the encoder makes them")
}

// newAttempt makes the command of such an attack.
func newAttempt(std term.Streams, c *cobra.Command, o *attemptFlags, rows int, run func(context.Context, *experiment.Corpus, mech.Mechanism, experiment.AttemptOptions) (*experiment.Attempt, error)) *cobra.Command {
	c.Long += "\n\n" + `Releases are simulated: their noise comes from --seed. What is found is held
against what is proved of the mechanism, or against --claim.

Exit codes: 0 the attack is done; 1 the stated ε is refuted; 2 wrong use or bad
input.

` + term.MechanismList()
	c.ValidArgsFunction = term.CompleteMechanism
	c.RunE = func(c *cobra.Command, args []string) error {
		refused := []string(nil)
		if len(args) == 0 {
			refused = append(o.Names(), "claim")
		}
		for k, name := range refused {
			if name == "seed" {
				refused[k] = "public-seed"
			}
		}
		if err := term.RefuseFlags(c.Flags(), "without a mechanism", refused...); err != nil {
			return err
		}
		return runAttempt(c.Context(), *o, args, std, run)
	}
	o.addFlags(c.Flags(), rows)
	return c
}

func runAttempt(ctx context.Context, o attemptFlags, args []string, std term.Streams, run func(context.Context, *experiment.Corpus, mech.Mechanism, experiment.AttemptOptions) (*experiment.Attempt, error)) error {
	bar := term.NewProgress(std.Err, "attacking")
	defer bar.Finish()
	options := experiment.AttemptOptions{Seed: o.seed, Workers: o.workers, Progress: bar.Set}
	switch {
	case o.workers < 0:
		return fmt.Errorf("--workers is %d, must be at least 1", o.workers)
	case len(args) > 0 && !(o.Epsilon > 0):
		return errors.New("want --epsilon, the ε of each release")
	case o.claim != 0 && !(o.claim > 0):
		return fmt.Errorf("--claim is %v, must be positive", o.claim)
	case o.claim != 0:
		options.Claim = claim(o.claim)
	}
	corpus, done, err := o.corpus(ctx, std.In, options)
	if err != nil {
		return err
	}
	defer done() //nolint:errcheck // nothing is written that its error could spoil
	var m mech.Mechanism
	if len(args) > 0 {
		if m, err = o.mechanism(args[0], corpus.X.Cols); err != nil {
			return err
		}
	}
	a, err := run(ctx, corpus, m, options)
	if err != nil {
		return err
	}
	bar.Finish()
	return reportAttempt(std.Out, a, o.json)
}

// claim is a text-level ε as a guarantee.
func claim(epsilon float64) *dp.Guarantee {
	return &dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)}
}

// corpus reads and encodes the texts. What it returns ends the encoder.
func (o *attemptFlags) corpus(ctx context.Context, stdin io.Reader, options experiment.AttemptOptions) (*experiment.Corpus, func() error, error) {
	switch {
	case (o.texts == "") == (o.data == ""):
		return nil, nil, errors.New("want --texts or --data, one of them")
	case o.data != "" && (o.InFormat != "" || o.Column != "" || o.NoHeader):
		return nil, nil, errors.New("--in-format, --column and --no-header have no meaning with --data")
	case o.texts != "" && o.attribute != "":
		return nil, nil, errors.New("--attribute has no meaning with --texts, which have none")
	}
	name := o.encoder
	if name == "" {
		name = "default"
	}
	e, err := catalogue.Open(ctx, name, dataset.Dir())
	if err != nil {
		return nil, nil, err
	}
	done := term.CloserOf(e)
	var c *experiment.Corpus
	if o.data != "" {
		c, err = experiment.DataCorpus(ctx, o.data, o.attribute, e, o.rows, options)
	} else {
		var texts []string
		if texts, err = o.TextFlags.All(o.texts, stdin); err == nil && len(texts) == 0 {
			err = fmt.Errorf("%s has no texts, must hold at least one", o.texts)
		}
		if err == nil {
			c, err = experiment.NewCorpus(ctx, o.texts, texts, e, o.rows, options)
		}
	}
	if err == nil && c.Texts == nil && o.encoder != "" {
		err = fmt.Errorf("%s is a table, so --encoder has no meaning", o.data)
	}
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return c, done, nil
}

// mechanism makes the mechanism for vectors of that many numbers. One that
// promises nothing is no error: nothing leaves.
func (o *attemptFlags) mechanism(name string, width int) (mech.Mechanism, error) {
	p, err := o.Resolve(name)
	if err != nil {
		return nil, err
	}
	return mech.New(p.Fit(width))
}

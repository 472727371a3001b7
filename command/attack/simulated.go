package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/learn/attack"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// simulatedFlags are the flags of the attacks that make releases of texts
// themselves.
type simulatedFlags struct {
	common
	term.MechanismFlags
	term.TextFlags
	texts, in       string
	data, attribute string
	encoder         string
	rows            int
	claim           float64
}

// addFlags takes the mechanism's flags as they are, but for --seed, which here
// is the attack's: that of the public codewords or projection is --public-seed.
func (o *simulatedFlags) addFlags(fs *pflag.FlagSet, rows int) {
	fs.StringVar(&o.texts, "texts", "", "file of texts, - for standard input")
	fs.StringVar(&o.in, "in", "", "file of your own whose column --text is attacked, instead of --texts")
	o.TextFlags.AddFlags(fs)
	fs.StringVar(&o.data, "data", "", "data set whose texts are attacked, instead of --texts (see sotto data list)")
	fs.StringVar(&o.encoder, "encoder", "", "encoder that makes the vectors (see sotto encoder list; default: default)")
	fs.IntVar(&o.rows, "rows", rows, "number of texts to take at most, drawn by the seed; -1 for all")
	fs.Float64Var(&o.claim, "claim", 0, "text-level ε to hold the findings against (default: what is proved of the mechanism)")
	o.common.addFlags(fs, "the texts taken, of the noise and of the attackers", "")
	o.AddFlagsBesideSeed(fs)
	term.Widths(fs, "as the encoder makes them")
}

// newSimulated makes the command of such an attack.
func newSimulated(std term.Streams, info attack.Info) *cobra.Command {
	var o simulatedFlags
	c := &cobra.Command{Use: string(info.Kind) + " MECHANISM --epsilon ε", ValidArgsFunction: term.CompleteMechanism}
	c.Args = func(_ *cobra.Command, args []string) error { return term.OneMechanism(args) }
	if !info.Needs.Mechanism {
		c.Use, c.Args = string(info.Kind)+" [MECHANISM --epsilon ε]", cobra.MaximumNArgs(1)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.check(c.Flags(), args); err != nil {
			return err
		}
		e, err := catalogue.Open(c.Context(), catalogue.Said(cmp.Or(o.encoder, "default")), dataset.Dir())
		if err != nil {
			return err
		}
		defer term.CloserOf(e)() //nolint:errcheck // nothing is written that its error could spoil
		return o.run(c.Context(), info.Kind, func(options *attack.Options) (t attack.Target, err error) {
			t.Corpus, err = o.corpus(c.Context(), e, std.In, *options)
			if err == nil && len(args) > 0 {
				t.Mechanism, err = o.mechanism(args[0], t.Corpus.X.Cols)
			}
			return t, err
		}, std)
	}
	o.addFlags(c.Flags(), info.Rows)
	if info.Infers {
		c.Flags().StringVar(&o.attribute, "attribute", "", "attribute to infer: of the data set, the first by default, or a column of --in")
	}
	describe(c, info.Kind, &o.Options, `Releases are simulated: their noise comes from --seed. What is found is held
against what is proved of the mechanism, or against --claim.

Exit codes: 0 the attack is done; 1 the stated ε is refuted; 2 wrong use or bad
input.`, term.MechanismList())
	return c
}

// check refuses flags that do not go together.
func (o *simulatedFlags) check(fs *pflag.FlagSet, args []string) error {
	var refused []string
	if len(args) == 0 {
		refused = append(o.NamesBesideSeed(), "claim")
	}
	if err := term.RefuseFlags(fs, "without a mechanism", refused...); err != nil {
		return err
	}
	switch {
	case o.Workers < 0:
		return fmt.Errorf("--workers is %d, must be at least 1", o.Workers)
	case len(args) > 0 && !(o.Epsilon > 0):
		return errors.New("want --epsilon, the ε of each release")
	case o.claim != 0 && !(o.claim > 0):
		return fmt.Errorf("--claim is %v, must be positive", o.claim)
	case o.sources() != 1:
		return errors.New("want --texts, --in or --data, one of them")
	case o.in != "" && o.Text == "":
		return errors.New("want --text, the column of --in that holds the texts")
	case o.data != "" && (o.Text != "" || o.Given()):
		return errors.New("--text, --in-format, --delimiter, --encoding and --no-header have no meaning with --data")
	case o.texts != "" && o.attribute != "":
		return errors.New("--attribute has no meaning with --texts, which have none")
	case o.claim != 0:
		o.Claim = claim(o.claim)
	}
	return nil
}

// sources is how many places of texts are named.
func (o *simulatedFlags) sources() int {
	n := 0
	for _, path := range []string{o.texts, o.in, o.data} {
		if path != "" {
			n++
		}
	}
	return n
}

// claim is a text-level ε as a guarantee.
func claim(epsilon float64) *dp.Guarantee {
	return &dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)}
}

// corpus reads and encodes the texts.
func (o *simulatedFlags) corpus(ctx context.Context, e encode.Source, stdin io.Reader, options attack.Options) (*attack.Corpus, error) {
	if o.data != "" {
		c, err := attack.DataCorpus(ctx, o.data, o.attribute, e, o.rows, options)
		if err == nil && c.Texts == nil && o.encoder != "" {
			err = fmt.Errorf("%s is a table, so --encoder has no meaning", o.data)
		}
		return c, err
	}
	if o.in != "" {
		return o.ofFile(ctx, e, options)
	}
	texts, err := o.All(o.texts, stdin)
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("%s has no texts, must hold at least one", o.texts)
	}
	if err != nil {
		return nil, err
	}
	return attack.NewCorpus(ctx, o.texts, texts, e, o.rows, options)
}

// ofFile reads and encodes the texts of a file of one's own, with the attribute
// if there is one. What is found is printed and stored, and does not say where the
// file lies.
func (o *simulatedFlags) ofFile(ctx context.Context, e encode.Source, options attack.Options) (*attack.Corpus, error) {
	read, err := o.TableFlags.Options()
	if err != nil {
		return nil, err
	}
	names := []string{o.Text}
	if o.attribute != "" {
		names = append(names, o.attribute)
	}
	c, err := term.TableColumns(o.in, read, names...)
	if err != nil {
		return nil, err
	}
	if o.attribute == "" {
		return attack.NewCorpus(ctx, own.Name, c[0], e, o.rows, options)
	}
	ids, classes := term.NumberValues(c[1])
	if len(classes) < 2 {
		return nil, fmt.Errorf("%s: --attribute %s has %d values, must have at least two", o.in, o.attribute, len(classes))
	}
	return attack.NewCorpusOf(ctx, own.Name, c[0], dataset.Column{Name: o.attribute, Classes: classes, IDs: ids[0]}, e, o.rows, options)
}

// mechanism makes the mechanism for vectors of that many numbers. One that
// promises nothing is no error: nothing leaves.
func (o *simulatedFlags) mechanism(name string, width int) (mech.Mechanism, error) {
	o.Encoder = cmp.Or(o.encoder, "default")
	p, err := o.Resolve(name)
	if err != nil {
		return nil, err
	}
	return mech.New(p.Fit(width))
}

package attack

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/dp"
	"sotto/experiment"
	"sotto/internal/cli/term"
	"sotto/internal/vecfile"
)

// entityOptions are the flags of "sotto attack entities".
type entityOptions struct {
	model                  string
	vectors, attributes    string
	vectorColumn, metadata string
	column                 []string
	epsilon                float64
	stated                 *dp.Guarantee // by --epsilon; nil if it is absent
	seed                   uint64
	workers                int
	json                   bool
}

func newAttackEntities(std term.Streams) *cobra.Command {
	var o entityOptions
	c := &cobra.Command{
		Use:   "entities",
		Short: "Guess which names or other things stand in the texts behind released vectors",
		Long: `Guess several yes-or-no attributes, such as whether a person is named, each by
itself: by a linear attacker, by one of two layers of 512 units, as in the DPNR
paper, and by the reference perceptron (100 units) on centred vectors, from which
noise that is the same in all coordinates is gone. For each there are the accuracy,
beside what no attacker exceeds at the stated ε, the accuracy on rows without and
with it (the paper's Table 5) and F1, and for all together F1, of which the
paper's Table 4 has 1−F.

With --model, attackers are fitted to simulated releases of the validation part and
scored on those of the test part, for every attribute of the data set that has two
values. With --vectors, half of the rows fits and half scores; --attributes holds
the columns, which must have two values. The one called 1, true, yes, present or
named means present, else the rarer one.

Exit codes: 0 the attack is done; 1 the stated ε is refuted; 2 wrong use or bad
input.`,
		Example: `  sotto attack entities --model ag
  sotto attack entities --vectors private.npy --attributes named.csv --column bush,kerry`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := term.RefuseZeros(c.Flags(), "seed", "epsilon"); err != nil {
				return err
			}
			var err error
			if o.stated, err = statedEpsilon(c.Flags(), o.epsilon); err != nil {
				return err
			}
			return runAttackEntities(c.Context(), o, std)
		},
	}
	f := c.Flags()
	f.StringVar(&o.model, "model", "", `folder that "sotto train --out" made`)
	f.StringVar(&o.vectors, "vectors", "", "file of released vectors: jsonl, csv, npy or parquet")
	f.StringVar(&o.attributes, "attributes", "", "file with the attributes of each row, - for standard input")
	f.StringSliceVar(&o.column, "column", nil, "columns of the attributes, separated by commas (default: the only column)")
	f.StringVar(&o.vectorColumn, "vector-column", "", "list column that holds the vectors, for a Parquet file with several")
	f.StringVar(&o.metadata, "metadata", "", "file that says what is promised (default: VECTORS.privacy.json, if there is one)")
	f.Float64Var(&o.epsilon, "epsilon", 0, "text-level ε that is stated of each vector (default: the file's or the model's)")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the split and of the attackers (default 0)")
	f.IntVar(&o.workers, "workers", 0, "cores to use, one attacker each (default: all)")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runAttackEntities(ctx context.Context, o entityOptions, std term.Streams) error {
	if err := o.check(); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "attacking")
	defer bar.Finish()
	options := experiment.AttemptOptions{Seed: o.seed, Workers: o.workers, Progress: bar.Set}
	var a *experiment.Attempt
	var err error
	if o.model != "" {
		options.Claim = o.stated
		a, err = experiment.AttackEntityModels(ctx, o.model, options)
	} else {
		a, err = o.attackVectors(ctx, options, std.In)
	}
	if err != nil {
		return err
	}
	bar.Finish()
	return reportAttempt(std.Out, a, o.json)
}

func (o *entityOptions) check() error {
	files := o.vectors != "" || o.attributes != ""
	switch {
	case files == (o.model != ""):
		return errors.New("want --vectors and --attributes, or --model")
	case o.model != "" && (o.metadata != "" || o.vectorColumn != "" || o.column != nil):
		return errors.New("--metadata, --vector-column and --column have no meaning with --model")
	case files && (o.vectors == "" || o.attributes == ""):
		return errors.New("want both --vectors and --attributes")
	case o.stated != nil && o.metadata != "":
		return errors.New("--epsilon and --metadata both state a guarantee, must be one of them")
	}
	return nil
}

func (o *entityOptions) attackVectors(ctx context.Context, options experiment.AttemptOptions, stdin io.Reader) (*experiment.Attempt, error) {
	g, err := statedGuarantee(o.vectors, o.metadata, o.stated)
	if err != nil {
		return nil, err
	}
	x, err := readMatrix(o.vectors, vecfile.Options{Column: o.vectorColumn})
	if err != nil {
		return nil, err
	}
	wanted := o.column
	if wanted == nil {
		wanted = []string{""}
	}
	c, err := term.OpenColumns(o.attributes, stdin, wanted...)
	if err != nil {
		return nil, err
	}
	if len(c[0]) != x.Rows {
		return nil, fmt.Errorf("%s has %d rows after its line of names, must be those of %s, %d; a missing value is written as \"\"", o.attributes, len(c[0]), o.vectors, x.Rows)
	}
	all, notes, err := entitiesOf(c, wanted)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.attributes, err)
	}
	a, err := experiment.AttackEntities(ctx, o.vectors, x, all, g, options)
	if err != nil {
		return nil, err
	}
	a.Notes = append(a.Notes, notes...)
	return a, nil
}

// entitiesOf makes an entity of each column, and says what means present.
func entitiesOf(c term.Columns, wanted []string) ([]experiment.Entity, []string, error) {
	var all []experiment.Entity
	var notes []string
	for k, values := range c {
		ids, names := term.NumberValues(values)
		name := wanted[k]
		if name == "" {
			name = "attribute"
		}
		e, value, err := experiment.NewEntity(name, names, ids[0])
		if err != nil {
			return nil, nil, err
		}
		all = append(all, e)
		notes = append(notes, fmt.Sprintf("present means that %s is %q", name, value))
	}
	return all, notes, nil
}

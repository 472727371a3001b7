package explain

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/study/explain/decoy"
)

// plantOptions are the flags of "sotto explain plant".
type plantOptions struct {
	rowsFlags
	decoys     []string
	out, clean string
	seed       uint64
}

func newPlant(std term.Streams) *cobra.Command {
	var o plantOptions
	c := &cobra.Command{
		Use:   "plant",
		Short: "Write training rows with a planted shortcut, to train any model on",
		Long: `Plant decoys in the training rows of a data set, as "sotto explain benchmark" does, and
write them as CSV with the columns text, label and split; --clean writes the same rows as
they came. Train a model on each with "sotto train", and hand both to the benchmark with
--clean-model and --model, beside the same --decoy and --seed and the clean file as --in.

One training row of ten is marked validation, which is planted too. Test rows are as they
came in both. The files hold your texts.`,
		Example: `  sotto explain plant --data sst2 --decoy deletion:movie:negative --out planted.csv --clean clean.csv
  sotto train --in planted.csv --text text --label label --split split --method auto --epsilon 8 --out planted`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return runPlant(c.Context(), o, c.Flags(), std) },
	}
	fs := c.Flags()
	o.add(fs)
	fs.StringArrayVar(&o.decoys, "decoy", nil, "what to plant, such as deletion:movie:negative; may be given several times")
	fs.Uint64Var(&o.seed, "seed", 0, "seed of what is planted (default 0)")
	fs.StringVar(&o.out, "out", "", "CSV file to write, with the planted rows")
	fs.StringVar(&o.clean, "clean", "", "CSV file to write, with the rows as they came (default: none)")
	return c
}

func runPlant(ctx context.Context, o plantOptions, fs *pflag.FlagSet, std term.Streams) error {
	if o.out == "" {
		return errors.New("want --out, the file for the planted rows")
	}
	if err := term.RefuseSame(term.Named("--in", o.in), term.Named("--out", o.out), term.Named("--clean", o.clean)); err != nil {
		return err
	}
	if err := term.CanWrite(term.Named("--out", o.out), term.Named("--clean", o.clean)); err != nil {
		return err
	}
	decoys, err := decoy.ParseAll(o.decoys)
	if err != nil {
		return err
	}
	data, err := o.load(ctx, fs, usual)
	if err != nil {
		return err
	}
	planted, err := decoy.Plant(data, decoys, o.seed)
	if err != nil {
		return err
	}
	if err = writeParts(std.Out, o.out, data, planted.Part, planted.From); err != nil {
		return err
	}
	if o.clean != "" {
		if err = writeParts(std.Out, o.clean, data, data.Train, nil); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(std.Err, "planted %s: %d training rows of %d\n", strings.Join(o.decoys, " and "), len(planted.Texts), len(data.Train.Texts))
	return err
}

// writeParts writes training and test rows as CSV. A row is marked validation by its place
// among the rows as they came, so that both files agree on it.
func writeParts(stdout io.Writer, path string, data decoy.Data, train decoy.Part, from []int) error {
	return term.WriteWhole(path, stdout, func(w io.Writer) error {
		c := csv.NewWriter(w)
		if err := c.Write([]string{"text", "label", "split"}); err != nil {
			return err
		}
		put := func(rows decoy.Part, part func(i int) dataset.Part) error {
			for i, s := range rows.Texts {
				if err := c.Write([]string{s, data.Classes[rows.Labels[i]], string(part(i))}); err != nil {
					return err
				}
			}
			return nil
		}
		err := put(train, func(i int) dataset.Part {
			if from != nil {
				i = from[i]
			}
			if i%10 == 9 {
				return dataset.Validation
			}
			return dataset.Train
		})
		if err == nil {
			err = put(data.Test, func(int) dataset.Part { return dataset.Test })
		}
		c.Flush()
		return errors.Join(err, c.Error())
	})
}

package relation

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/relation/marks"
	"sotto/study/relation/rule"
)

// evaluateOptions are the flags of "sotto relations evaluate".
type evaluateOptions struct {
	model, data, part, out string
	workers                int
	json                   bool
}

func newEvaluate(std term.Streams) *cobra.Command {
	var o evaluateOptions
	c := &cobra.Command{
		Use:   "evaluate",
		Short: "Measure a model on a data set: relations, and the rules that explain them",
		Long: `Measure a model that sotto relations train made on a part of a data set, between the
entities that it gives: precision, recall and F1 of relations, over all and by relation; how
near the rules that it writes are to those that match, as BLEU; and where the rules come
from that are shown: written by the model and faithful, which means that they match the
sentence with both arguments; the nearest stored rule that does; or none.

The mean of F1 is the official measure of SemEval-2010: over nine relations, which are
right only with their direction. Where pairs of the part stand in other parts, too, it also
measures without them.`,
		Example: `  sotto relations evaluate --model semeval --data semeval2010
  sotto relations evaluate --model conll --data conll04 --part dev --json`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), std) },
	}
	fs := c.Flags()
	fs.StringVar(&o.model, "model", "", "folder of a model that sotto relations train made")
	fs.StringVar(&o.data, "data", "", "data set: biographies, conll04, fewrel or semeval2010, or a FILE.jsonl of your own")
	fs.StringVar(&o.part, "part", "test", "part of the data set to measure on: train, dev or test")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.StringVar(&o.out, "out", "", "file to write the result to, for sotto report and sotto gate")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func (o *evaluateOptions) run(ctx context.Context, std term.Streams) (err error) {
	part, ok := dataset.ParsePart(o.part)
	switch {
	case o.model == "" || o.data == "":
		return errors.New("--model and --data must be given")
	case !ok:
		return fmt.Errorf("--part is %q, must be train, dev or test", o.part)
	}
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	if err = term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	m, err := openModel(o.model)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *joint.Model:
		m.Workers = o.workers
	case *marks.Model:
		m.Workers = o.workers
	}
	set, err := prepare(ctx, o.data, o.workers, std)
	if err != nil {
		return err
	}
	options := judge.ModelOptions{Part: part, Model: "a model"}
	if x, ok := m.(interface{ Rules() *rule.File }); ok {
		options.Rules = x.Rules()
	}
	if x, ok := m.(fmt.Stringer); ok {
		options.Model = x.String()
	}
	r, err := judge.MeasureModel(ctx, m, set, options)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, showOutcome)
}

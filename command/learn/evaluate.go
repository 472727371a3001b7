package learn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/text/encode/catalogue"
)

func newEvaluate(std term.Streams) *cobra.Command {
	var in experiment.Path
	var workers int
	var asJSON bool
	var verify string
	c := &cobra.Command{
		Use:   "evaluate DIR",
		Short: "Measure stored models again, next to the limit that their ε sets",
		Long: `Load the models of a folder that "sotto train --out" made, or one of them, and
measure them on the test part of their data: accuracy with its interval, fairness
and leakage, next to the true ε and the accuracy that it allows at most.

A model that is damaged, or states another guarantee than its mechanism has, is
refused, and so is data that is not what the model was trained on. Where a file of
your own lies is stored nowhere, so it must be given again; which of its columns
are what is in the model.`,
		Example: `  sotto evaluate adult --json
  sotto evaluate mine --in reviews.csv`,
		Args:    term.One("folder of models", ""),
		PreRunE: term.NoZeros(),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := term.While(std.Err, "evaluating", func() (*experiment.Evaluation, error) {
				return evaluate(c.Context(), args[0], verify, in, workers)
			})
			if err != nil {
				return err
			}
			return term.Show(std.Out, asJSON, e, printEvaluation)
		},
	}
	c.Flags().Var(&in, "in", "file of your own that the models were trained on")
	term.AddVerify(c.Flags(), &verify, "DIR")
	term.AddModelEncoder(c.Flags())
	c.Flags().IntVar(&workers, "workers", 0, "cores to use (default: all)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// evaluate evaluates, by copies of what was verified where the models must be signed.
func evaluate(ctx context.Context, dir, verify string, in experiment.Path, workers int) (*experiment.Evaluation, error) {
	key, err := term.CheckingKey(verify)
	if err != nil {
		return nil, err
	}
	if key == nil {
		return experiment.Evaluate(ctx, dir, in, workers)
	}
	folder, err := model.OpenSigned(*key, dir, false, experiment.SpecFile, experiment.ReferenceDir)
	if err != nil {
		return nil, err
	}
	e, err := experiment.Evaluate(catalogue.Only(ctx, folder.Copies()), folder.Dir, in, workers)
	if err = errors.Join(folder.Name(err), folder.Close()); err != nil {
		return nil, err
	}
	e.Dir = dir
	return e, nil
}

func printEvaluation(out io.Writer, e *experiment.Evaluation) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "%s: %s of %s, %d test rows\n\n", e.Dir, e.Data.Label, e.Data.Name, e.Rows.Test)
	for _, c := range e.Models {
		printSeeds(b, c)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(b, "\nnote: %s\n", n)
	}
	printBalance(b, e.Models)
	printLabels(b, e.Models)
	printFootnotes(b, e.Models, e.Data.Attribute, e.Reference)
	return b.Flush()
}

// printSeeds prints one configuration with all its seeds.
func printSeeds(w io.Writer, c experiment.Configuration) {
	fmt.Fprintf(w, "%s, claimed ε %s, true ε %s\n", describe(c), claimed(c.Mean), proved(c.Mean)) //nolint:errcheck // w is a buffer
	t := term.NewTable(w, "SEED", "ACCURACY %", "95 % INTERVAL", "TPR GAP", "LEAKAGE %", "LIMIT %", "YARDSTICK %", "NOTE").Spare("YARDSTICK %", "LIMIT %", "95 % INTERVAL")
	for _, s := range c.Seeds {
		note := ""
		if s.Interrupted {
			note = fmt.Sprintf("interrupted, epoch %d", s.Epoch)
		}
		t.Row(s.Seed, term.Percent(s.Accuracy), term.Percent(s.Low)+" to "+term.Percent(s.High),
			term.Percent(s.Gap), term.Percent(s.Leakage), term.Limit(s.Limit), term.Percent(s.Yardstick), note)
	}
	interval := "-"
	if !math.IsNaN(float64(c.Interval[0])) {
		interval = term.Percent(c.Interval[0]) + " to " + term.Percent(c.Interval[1])
	}
	m, d := c.Mean, c.Deviation
	t.Row("mean", plusMinus(m.Accuracy, d.Accuracy), interval, plusMinus(m.Gap, d.Gap), leakage(c), term.Limit(m.Limit), term.Percent(m.Yardstick), "")
	t.Flush() //nolint:errcheck // see above
}

// Package learn holds train, plan, evaluate and demo, the commands that train models and judge them.
package learn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/experiment"
	"sotto/text/encode/catalogue"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newTrain(std), newPlan(std), newEvaluate(std), newDemo(std)}
}

// trainOptions are the flags of "sotto train".
type trainOptions struct {
	spec experiment.Spec
	name string // of the rows of a file
	run  experiment.Options
	json bool
	sign string
}

func (o *trainOptions) addFlags(fs *pflag.FlagSet) {
	SpecFlags(fs, &o.spec, &o.name)
	fs.StringVar(&o.run.Out, "out", "", "folder for models and results (default: keep nothing)")
	term.AddSign(fs, &o.sign, "the folder of --out is signed when all of it is there")
	fs.BoolVar(&o.run.Resume, "resume", false, "continue with what --out holds")
	fs.IntVar(&o.run.Pictures, "pictures", 0, "number of texts to lay out in the plane, before release and after, for sotto report (default: none)")
	fs.IntVar(&o.run.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

func newTrain(std term.Streams) *cobra.Command {
	var o trainOptions
	var methods strings.Builder
	for _, m := range experiment.Methods() {
		fmt.Fprintf(&methods, "  %-14s %s", m.Name, m.About)
		if len(m.Mechanisms) > 1 {
			fmt.Fprintf(&methods, " (%s)", strings.Join(m.Mechanisms, ", "))
		}
		methods.WriteByte('\n')
	}
	c := &cobra.Command{
		Use:   "train",
		Short: "Train a method on a data set and measure what it gives and leaks",
		Long: `Train methods with several seeds, and a grid of ε, λ and dim, side by side on all
cores; measure accuracy, fairness and leakage; and print them beside the claimed
and the true ε and the accuracy that no release at that ε can exceed.

Methods, with the mechanisms they can take where there is a choice:
` + methods.String() + `
Noise is the honest one unless --variant names a published one, whose true ε is
then printed, with the honest variant trained beside it. Ctrl-C keeps what was
trained so far in --out, and --resume goes on from there with the same result.

--sign writes a list of all files of --out with their SHA-256, and its signature.`,
		Example: `  sotto train --method federate --epsilon 8
  sotto train --in reviews.csv --text review --label rating --method auto --epsilon 4 --out mine
  sotto train --data adult --method unconstrained,noise,federate --epsilon 8 --seeds 5
  sotto train --data adult --method federate --variant released --epsilon 8 --seeds 5 --out adult
  sotto train --data imdb --encoder glove --method ldpnn --mechanism ome --epsilon 1 --lambda 100`,
		Args:    term.None,
		PreRunE: term.NoZeros("relaxation", "split-seed"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := SettleSpec(c.Flags(), &o.spec, o.name); err != nil {
				return err
			}
			o.spec = o.spec.Fresh()
			return runTrain(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	return c
}

// runTrain trains, and prints the result to standard output and what a person
// should know of the work to standard error.
func runTrain(ctx context.Context, o trainOptions, std term.Streams) error {
	if o.spec.Threshold == 0 {
		o.spec.Threshold = -1 // which means 0 there
	}
	if o.sign != "" && o.run.Out == "" {
		return errors.New("--sign signs the folder of --out, must be given with one")
	}
	key, err := term.SigningKey(o.sign, std.Err) // an hour is too late to ask for a password
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "loading")
	if o.spec.In != "" { // a file that nobody has seen before: an hour is too late to hear of it
		o.run.Notes = func(notes []string) {
			for _, n := range notes {
				fmt.Fprintf(std.Err, "note: %s\n", n) //nolint:errcheck // that words cannot be written harms no result
			}
		}
	}
	o.run.Progress = func(e experiment.Event) { showTraining(std.Err, bar, e) }
	o.run.Reference = true
	r, err := experiment.Run(ctx, o.spec, o.run)
	bar.Finish()
	if errors.Is(err, experiment.ErrInterrupted) {
		err = errors.New(afterInterrupt(o.run.Out))
	}
	if r == nil {
		return err
	}
	if err == nil && key != nil { // what is interrupted is not signed
		err = key.SignFolder(o.run.Out, term.FolderComment)
	}
	return errors.Join(term.Show(std.Out, o.json, r, func(out io.Writer, r *experiment.Result) error { return printResult(out, r, o.run.Out) }), err)
}

func afterInterrupt(out string) string {
	if out == "" {
		return "interrupted; nothing was kept, because no --out was given"
	}
	return fmt.Sprintf("interrupted; the best of each training so far is in %s; the same command with --resume goes on", out)
}

// showTraining tells a terminal of each epoch, and anything else of the end of
// each training.
func showTraining(w io.Writer, bar *term.Progress, e experiment.Event) {
	text := fmt.Sprintf("%s: epoch %d of %d, loss %.4f, accuracy %.2f %%", e.Job, e.At.Epoch, e.At.Epochs, e.At.Loss, 100*e.At.Accuracy)
	if t := e.Tuning; t != nil {
		what := "the encoder"
		if e.Job != catalogue.TunedDir { // one of several, each with a folder of its own
			what = e.Job
		}
		text = fmt.Sprintf("tuning %s: epoch %d of %d, step %d of %d, loss %.4f", what, t.Epoch, t.Epochs, t.Step, t.Steps, t.Loss)
		if t.Trying != "" {
			text = "long texts: trying the rule " + t.Trying
		}
		if t.Accuracy > 0 {
			text += fmt.Sprintf(", accuracy %.2f %%", 100*t.Accuracy)
		}
	}
	switch t := e.Trial; {
	case t != nil && t.Failed != "":
		text = fmt.Sprintf("%s: tried %s: failed", e.Job, t.Name)
	case t != nil:
		text = fmt.Sprintf("%s: tried %s: %.2f %%", e.Job, t.Name, 100*t.Accuracy)
	}
	if bar.Shown() {
		bar.Describe(text)
		bar.Set(int64(1000*e.Done), 1000)
	} else if e.Trial != nil || e.Tuning == nil && e.At.Epoch == e.At.Epochs || e.Tuning != nil && e.Tuning.Ended {
		fmt.Fprintln(w, text) //nolint:errcheck // that words cannot be written harms no result
	}
}

package vectors

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/text/encode/distill"
)

// runDistillTask teaches the answers of a tuned encoder to a table.
func runDistillTask(c *cobra.Command, o distillOptions, std term.Streams) error {
	for _, name := range []string{"teacher", "wordnet"} {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is given, must not be with --task", name)
		}
	}
	texts, release, err := o.begin()
	if err != nil {
		return err
	}
	defer release()
	bar := term.NewProgress(std.Err, "texts")
	report, student, err := experiment.Distill(c.Context(), o.task, o.in, experiment.DistillOptions{
		TaskSettings: distill.TaskSettings{Student: o.student, Dim: o.Dim, Rate: o.Rate, Epochs: o.Epochs, Seed: o.Seed, Name: o.Name, Notice: o.Notice},
		Parent:       o.parent, Texts: texts, Variants: o.variants, Workers: o.workers,
		Progress: tellDistill(std.Err, bar, "loss on the validation part"),
	})
	bar.Finish()
	if err != nil {
		return err
	}
	if err = student.Save(o.out); err != nil {
		return err
	}
	return term.Show(std.Out, o.json, report, func(out io.Writer, r *experiment.DistillReport) error { return printDistilled(out, r, o.out) })
}

// printDistilled prints what was measured.
func printDistilled(out io.Writer, r *experiment.DistillReport, path string) error {
	b := layout.NewBuffer(out)
	t := term.NewTable(b, "ENCODER", "ACCURACY %", "95 % INTERVAL", "TEXTS A SECOND")
	row := func(name string, s *experiment.DistillScore, speed float64) {
		if s == nil {
			t.Row(name, "-", "it is not here", "")
			return
		}
		fast := ""
		if speed > 0 {
			fast = fmt.Sprintf("%.0f", speed)
		}
		t.Row(name, fmt.Sprintf("%.2f", 100*s.Accuracy), fmt.Sprintf("[%.2f, %.2f]", 100*s.Low, 100*s.High), fast)
	}
	row("before it was tuned", r.Frozen, 0)
	row("tuned", &r.Tuned, r.Speed.Tuned)
	row("built-in table", &r.Before, 0)
	row("distilled", &r.Distilled, r.Speed.Distilled)
	t.Flush() //nolint:errcheck // b is a buffer
	fmt.Fprintf(b, "\nDistilling gains the table %+.2f points", 100*r.GainSmall)
	if r.Frozen != nil {
		fmt.Fprintf(b, ", where tuning gained the transformer %+.2f", 100*float64(r.GainLarge))
	}
	if !math.IsNaN(float64(r.Kept)) {
		fmt.Fprintf(b, ": it keeps %.0f %% of that gain", 100*float64(r.Kept))
	}
	if !math.IsNaN(float64(r.Closed)) {
		fmt.Fprintf(b, ".\nIt closes %.0f %% of the distance between the built-in table and the tuned transformer", 100*float64(r.Closed))
	}
	fmt.Fprintf(b, ".\n%s: %d numbers a vector, %.1f MB, on one core %.0f times as fast.\n", path, r.Settings.Dim, float64(r.Bytes)/1e6, r.Speed.Distilled/r.Speed.Tuned)
	return b.Flush()
}

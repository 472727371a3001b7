package influence

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/influence"
)

// swapOptions are the flags of "sotto influence swap".
type swapOptions struct {
	askFlags
	top      int
	at       int
	evaluate bool
}

func newSwap(std term.Streams) *cobra.Command {
	var o swapOptions
	c := &cobra.Command{
		Use:   "swap",
		Short: "Find words that flip the answer in the place of others",
		Long: `Read a text from standard input and print, for each word, those of the same part of
speech in whose place the student gives another answer, the surest first. The teacher
is asked about each: "yes" if it flips, too.

With --evaluate, no text is read: the validation texts are gone through, and the
lengths of lists and the shares that the teacher confirms are printed.`,
		Example: `  echo "a dull film with a brilliant cast" | sotto influence swap
  sotto influence swap --evaluate --json`,
		Args:    term.None,
		PreRunE: term.NoZeros("at"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.evaluate {
				if err := term.RefuseFlags(c.Flags(), "with --evaluate", "at"); err != nil {
					return err
				}
				return runSwapExam(c.Context(), o, std)
			}
			if err := term.RefuseFlags(c.Flags(), "without --evaluate", "in"); err != nil {
				return err
			}
			return runSwap(c.Context(), o, std)
		},
	}
	fs := c.Flags()
	o.add(fs)
	o.addData(fs)
	fs.IntVar(&o.top, "top", 10, "number of replacements of each word at most, −1 for all")
	fs.IntVar(&o.at, "at", -1, "byte of the text whose word alone is replaced (default: all words)")
	fs.BoolVar(&o.evaluate, "evaluate", false, "measure replacements on the validation texts")
	return c
}

func runSwap(ctx context.Context, o swapOptions, std term.Streams) error {
	s, text, err := o.about(ctx, std)
	if err != nil {
		return err
	}
	found, err := s.Counterfactuals(ctx, text, influence.SwapOptions{Top: o.top, At: o.at})
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, found, func(w io.Writer, x *influence.Counterfactuals) error {
		t := term.NewTable(w, "WORD", "PART OF SPEECH", "INSTEAD", "THEN", "SURE", "CONFIRMED")
		for _, l := range x.Words {
			for _, swap := range l.Swaps {
				yes := "no"
				if swap.Confirmed {
					yes = "yes"
				}
				t.Row(term.Plain(l.Text), l.POS, term.Plain(swap.Word), swap.Prediction, fmt.Sprintf("%.3f", swap.Probability), yes)
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\nThe teacher says %s, and confirms %d of %d replacements.\n", x.Prediction, x.Confirmed, x.Checked)
		return err
	})
}

func runSwapExam(ctx context.Context, o swapOptions, std term.Streams) error {
	report, err := o.examine(ctx, std, func(s *influence.Student, d *influence.Data, r *influence.Report, told influence.Options) (err error) {
		r.Swaps, err = s.ExamineSwaps(ctx, d, d.Validation, o.top, told)
		return err
	})
	if err != nil {
		return err
	}
	return term.Show(std.Out, o.json, report, func(w io.Writer, r *influence.Report) error {
		x := r.Swaps
		t := term.NewTable(w, "OVER CONTEXTS", "LEAST", "QUARTER", "MEDIAN", "THREE QUARTERS", "MOST")
		row := func(name string, q [5]float64, format string, by float64) {
			cells := []any{name}
			for _, v := range q {
				cells = append(cells, strings.TrimSuffix(fmt.Sprintf(format, by*v), ".0"))
			}
			t.Row(cells...)
		}
		row("length of a list", x.Sizes, "%.1f", 1)
		row("confirmed %", x.Accuracies, "%.1f", 100)
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%d of %d texts have a word that can be replaced to flip them: %d words and %d replacements, of which the teacher confirms %s %%. The mean over words is %s %% (95 %% interval %s to %s).\n",
			x.Flipped, x.Texts, x.Contexts, x.Swaps, percent(x.Accuracy), percent(x.Mean), percent(x.Low), percent(x.High))
		return err
	})
}

package reproduce

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/study/link/xer"
)

// xerOptions are the flags of "sotto reproduce xer".
type xerOptions struct {
	xer.Options
	out  string
	json bool
}

func newReproduceXER(std term.Streams) *cobra.Command {
	var o xerOptions
	c := &cobra.Command{
		Use:   "xer",
		Short: "Divide graphs of scored pairs as the paper of xER does, beside its figures",
		Long: `Reproduce the tables of Vadrevu and others, xER (TrustNLP 2021), which divides graphs of
scored pairs into entities: its real graphs by clique partitioning, set packing,
hierarchical clustering and connected components side by side; and graphs drawn as it
describes those of ECB+, which is not to be had, at its sizes and thresholds, with
all cliques against maximal ones and the time of each phase.

Real graphs are looked for in the folder er_graphs of SOTTO_DATA, and left out, with a
word, where they are not.`,
		Example: `  sotto reproduce xer --quick
  sotto reproduce xer --seeds 10 --out xer.json`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runXER(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.IntVar(&o.Seeds, "seeds", 0, "number of graphs of each kind that are drawn (default 5)")
	fs.BoolVar(&o.Quick, "quick", false, "draw the graphs of 46 and 49 nodes alone, for seconds in place of minutes")
	fs.Int64Var(&o.Work, "work", 0, "most steps of the search of each component (default 3e8, some seconds)")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runXER(ctx context.Context, o xerOptions, std term.Streams) error {
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	o.Data = os.Getenv("SOTTO_DATA")
	bar := term.NewProgress(std.Err, "drawing")
	o.Progress = func(done, total int, words string) {
		bar.Describe(words)
		bar.Set(int64(done), int64(total))
	}
	r, err := xer.Run(ctx, o.Options)
	bar.Finish()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r xer.Result) error { return r.Print(w) })
}

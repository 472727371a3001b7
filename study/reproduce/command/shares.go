package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/evidence/page"
	"sotto/internal/atomicfile"
	"sotto/study/reproduce/shares"
)

// sharesOptions are the flags of "sotto reproduce shares".
type sharesOptions struct {
	shares.Options
	out, pictures string
	json          bool
}

func newReproduceShares(std term.Streams) *cobra.Command {
	var o sharesOptions
	c := &cobra.Command{
		Use:   "shares",
		Short: "Show how common intents and complaints are over time, from private answers",
		Long: `Draw users of several periods from CLINC150 (150 intents) and from tweets to airlines
(reasons of complaints), let each release one answer at a small ε, and print how far
the shares that many releases tell are from the true ones, beside those of raw answers
and by two releases: sets of labels (subset) and single labels (krr).

The shares of intents over months are simulated; those of complaints are those of the
days of the data. Users and noise are drawn by seeds, so that this can be repeated; the
noise protects nobody here.`,
		Example: `  sotto reproduce shares
  sotto reproduce shares --only airline --epsilon 2 --users 5000 --json
  sotto reproduce shares --out shares.json --pictures pictures`,
		Args:    term.None,
		PreRunE: term.NoZeros(),
		RunE:    func(c *cobra.Command, _ []string) error { return runShares(c.Context(), o, std) },
	}
	fs := c.Flags()
	fs.StringSliceVar(&o.Only, "only", nil, "data sets, separated by commas: "+strings.Join(shares.Names(), ", ")+" (default: all)")
	fs.IntVar(&o.Users, "users", 10_000, "users of each period")
	fs.Float64Var(&o.Epsilon, "epsilon", 1, "ε of each release")
	fs.IntVar(&o.Seeds, "seeds", 5, "number of times that users and noise are drawn")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.StringVar(&o.pictures, "pictures", "", "also write the charts as SVG files into this folder, which must exist")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runShares(ctx context.Context, o sharesOptions, std term.Streams) error {
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "releasing")
	o.Progress = func(done, total int) { bar.Set(int64(done), int64(total)) }
	r, err := shares.Run(ctx, o.Options)
	bar.Finish()
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	if o.pictures != "" {
		if err = drawShares(o.pictures, r); err != nil {
			return fmt.Errorf("--pictures: %w", err)
		}
	}
	if o.out != "" {
		if err = term.WriteJSON(o.out, r); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r *shares.Result) error { return r.Print(w) })
}

// drawShares writes each chart into a folder.
func drawShares(dir string, r *shares.Result) error {
	for _, s := range r.Sets {
		for i, p := range s.Charts(r) {
			path := filepath.Join(dir, fmt.Sprintf("shares-%s-%d.svg", s.Data, i+1))
			if err := atomicfile.Write(path, func(w io.Writer) error { return page.SVG(w, p) }); err != nil {
				return err
			}
		}
	}
	return nil
}

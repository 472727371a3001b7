// Package reproduce holds the command reproduce, which prints published tables beside ours.
package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/experiment"
	"sotto/study/reproduce"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newReproduce(std)}
}

// reproduceOptions are the flags of "sotto reproduce".
type reproduceOptions struct {
	reproduce.Options
	out  string
	json bool
}

func (o *reproduceOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Encoders, "encoder", nil, "encoder for stsb, senteval and privemb: default, minilm, glove, hash, hash:N or a path; several, separated by commas, stand side by side (default: the table's own)")
	term.AddEncoderRoots(fs)
	fs.BoolVar(&o.Quick, "quick", false, "take fewer rows, settings and seeds, for less than two minutes on two cores")
	fs.IntVar(&o.Seeds, "seeds", 0, "number of splits or draws of noise (default: the table's own)")
	fs.IntVar(&o.Workers, "workers", 0, "cores to use (default: all); results do not depend on it")
	fs.StringVar(&o.Store, "store", "", "folder of finished runs, which are re-used (default: $SOTTO_RESULTS, or sotto/results in the user's cache)")
	fs.BoolVar(&o.Again, "again", false, "train again also what the store has")
	fs.StringVar(&o.out, "out", "", "also write the result to this file, as JSON")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// tables lists the tables as help shows them.
var tables = sync.OnceValue(func() string {
	var b strings.Builder
	for _, t := range reproduce.Titles() {
		fmt.Fprintf(&b, "  %-15s %s\n                  (%s)\n", t.Name, t.About, t.Paper)
	}
	return b.String()
})

func newReproduce(std term.Streams) *cobra.Command {
	var o reproduceOptions
	c := &cobra.Command{
		Use:   "reproduce NAME|FILE.json",
		Short: "Reproduce published tables, beside the published figures",
		Long: `Reproduce published tables on the data sets of sotto data, beside the figures
that were published for the same encoder, or for the nearest one:

` + tables() + `
All but the first three are declared by files, and a file of your own that ends in
.json does as well: published value, ours in the published variant with its true
ε, and ours at the honest ε, side by side. Their runs are kept in --store and
re-used; Ctrl-C keeps what was trained, and the same command goes on from there.

Accuracy against ε, of our own best release beside all other methods, is a
command with flags of its own: sotto reproduce frontier. So are graphs of who is
the same: sotto reproduce xer; errors that are found by features: sotto reproduce
aec; shares of answers from many private ones: sotto reproduce shares; questions
that releases know nothing of: sotto reproduce unseen; and relations with the rules
that explain them: sotto reproduce rule-decoder.

Noise comes from seeds here, so that a table can be repeated; it protects nobody.
A result is written whole at the end or not at all.`,
		Example: `  sotto reproduce list
  sotto reproduce stsb --encoder default,minilm
  sotto reproduce senteval --encoder glove,minilm --out senteval.json
  sotto reproduce privemb --quick --json
  sotto reproduce federate-adult --out adult.json
  sotto reproduce my-table.json --store ./results
  sotto reproduce frontier --quick`,
		Args:    cobra.ExactArgs(1),
		PreRunE: term.NoZeros(),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, files cobra.ShellCompDirective) {
			for _, t := range reproduce.List() {
				names = append(names, t.Name+"\t"+t.About)
			}
			return names[:len(names)*max(0, 1-len(args))], cobra.ShellCompDirectiveDefault // a file declares a table, too
		},
		RunE: func(c *cobra.Command, args []string) error { return runReproduce(c.Context(), args[0], o, std) },
	}
	o.addFlags(c.Flags())
	c.AddCommand(newReproduceList(std), newReproduceFrontier(std), newReproduceXER(std), newReproduceAEC(std), newReproduceShares(std), newReproduceUnseen(std), newReproduceDecoder(std))
	return c
}

func newReproduceList(std term.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tables and the data that each needs",
		Args:  term.None,
		RunE: func(*cobra.Command, []string) error {
			return term.Show(std.Out, asJSON, append(reproduce.List(), apart()...), printTables)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// apart are the tables that are commands with flags of their own.
func apart() []reproduce.Info {
	return []reproduce.Info{
		{Name: "frontier", About: "accuracy against ε of auto beside the other methods and the limit", Encoders: []string{}, Data: []string{}},
		{Name: "xer", About: "who is the same in graphs of scored pairs, proved, beside set packing, hierarchical clustering and components", Paper: "Vadrevu and others, xER, TrustNLP 2021", Encoders: []string{}, Data: []string{"er_graphs"}},
		{Name: "unseen", About: "what releases tell of questions nobody had asked when they were made", Encoders: []string{"minilm", "default"}, Data: []string{}},
		{Name: "rule-decoder", About: "relations told by rules and networks, with the rules that explain them", Paper: "Tang and Surdeanu, Interpretability Rules, TrustNLP 2021", Encoders: []string{}, Data: []string{"biographies", "conll04", "glove"}},
		{Name: "aec", About: "errors of a classifier that readable features find", Encoders: []string{}, Data: []string{}},
		{Name: "shares", About: "shares of intents and complaints over time, from private answers and from raw ones", Encoders: []string{}, Data: []string{"clinc150", "airline"}},
	}
}

func printTables(out io.Writer, all []reproduce.Info) error {
	t := term.NewTable(out, "NAME", "ENCODERS", "DATA", "WHAT").Spare("ENCODERS", "DATA")
	for _, i := range all {
		t.Row(i.Name, strings.Join(i.Encoders, ", "), strings.Join(i.Data, ", "), i.About)
	}
	return t.Flush()
}

// runReproduce makes a table and writes it when it is complete.
func runReproduce(ctx context.Context, name string, o reproduceOptions, std term.Streams) error {
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "loading")
	var last reproduce.Event
	o.Progress = func(e reproduce.Event) {
		showWork(std.Err, bar, last, e)
		last = e
	}
	r, err := reproduce.Run(ctx, name, o.Options)
	bar.Finish()
	if err != nil {
		if errors.Is(err, experiment.ErrInterrupted) {
			return errors.New("interrupted; what was trained is in the store, and the same command goes on from there")
		}
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted; nothing was written")
		}
		return err
	}
	if o.out != "" {
		if err := term.WriteJSON(o.out, r); err != nil {
			return err
		}
	}
	return term.Show(std.Out, o.json, r, func(w io.Writer, r reproduce.Result) error { return r.Print(w) })
}

// showWork tells a terminal of each piece of work, and anything else of each
// tenth of a stage.
func showWork(w io.Writer, bar *term.Progress, last, e reproduce.Event) {
	if bar.Shown() {
		bar.Describe(e.Job)
		bar.Set(int64(e.Done), int64(e.Total))
		return
	}
	before := last.Done
	if last.Total != e.Total || last.Done >= e.Done { // another stage
		before = 0
	}
	if tenth := func(done int) int { return 10 * done / e.Total }; tenth(e.Done) > tenth(before) {
		fmt.Fprintf(w, "%d of %d: %s\n", e.Done, e.Total, e.Job) //nolint:errcheck // that words cannot be written harms no result
	}
}

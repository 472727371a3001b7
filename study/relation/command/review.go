package relation

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/study/relation/judge"
)

// reviewOptions are the flags of "sotto relations review".
type reviewOptions struct {
	model, data, part, out, marked, result string
	size                                   int
	seed                                   uint64
	json                                   bool
}

func newReview(std term.Streams) *cobra.Command {
	var o reviewOptions
	c := &cobra.Command{
		Use:   "review",
		Short: "Sample rules that a model shows beside relations, for a person to mark, and count the marks",
		Long: `Ask a person whether rules explain relations.

First, --out writes a sheet: a sample of the relations that a model tells on a part of a
data set, each with its sentence, both arguments marked, and the rule that is shown beside
it. Open it in a spreadsheet and fill in the column mark of each row: explains if the rule
says why the relation holds, nearly if it says a part of why, not if it does not. Whether
the data agrees with the relation is not told. The sheet holds sentences of the data; what
begins with =, +, - or @ has an apostrophe before it, since spreadsheets would take it for
a formula.

Then, --marked counts: the shares of the three marks with exact intervals of 95 percent,
by relation and by where rules are from. A sheet that lacks rows or marks, or was changed
in another column, is refused.`,
		Example: `  sotto relations review --model DIR --data conll04 --out sheet.csv
  sotto relations review --marked sheet.csv --result review.json`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.marked != "" {
				if err := term.RefuseFlags(c.Flags(), "with --marked", "model", "data", "part", "out", "size", "seed"); err != nil {
					return err
				}
				return o.count(c.Context(), std)
			}
			if err := term.RefuseFlags(c.Flags(), "without --marked", "result"); err != nil {
				return err
			}
			return o.sample(c.Context(), std)
		},
	}
	fs := c.Flags()
	fs.StringVar(&o.model, "model", "", "folder of a model that sotto relations train made")
	fs.StringVar(&o.data, "data", "", "data set to sample from: biographies, conll04, fewrel or semeval2010, or a FILE.jsonl of your own")
	fs.StringVar(&o.part, "part", "test", "part of the data set to sample from: train, dev or test")
	fs.StringVar(&o.out, "out", "", "file to write the sheet to, as CSV")
	fs.IntVar(&o.size, "size", 176, "rows of the sheet at most")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	fs.StringVar(&o.marked, "marked", "", "sheet to count, with a mark in each row")
	fs.StringVar(&o.result, "result", "", "file to write the counts to, for sotto report and sotto gate")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// drawn is what is said of a sheet that was written.
type drawn struct {
	Sheet     string `json:"sheet"`
	Rows      int    `json:"rows"`
	Told      int    `json:"relations_told"`
	Explained int    `json:"with_a_rule"`
}

func (o *reviewOptions) sample(ctx context.Context, std term.Streams) error {
	part, ok := dataset.ParsePart(o.part)
	switch {
	case o.model == "" || o.data == "" || o.out == "":
		return errors.New("--model, --data and --out must be given to draw a sheet, or --marked to count one")
	case !ok:
		return fmt.Errorf("--part is %q, must be train, dev or test", o.part)
	case o.size < 1:
		return fmt.Errorf("--size is %d, must be at least 1", o.size)
	}
	if err := term.CanWrite(term.Named("--out", o.out)); err != nil {
		return err
	}
	m, err := openModel(o.model)
	if err != nil {
		return err
	}
	set, err := prepare(ctx, o.data, 0, std)
	if err != nil {
		return err
	}
	all := set.Part(part)
	told, err := m.Judge(ctx, all)
	if err != nil {
		return err
	}
	s, err := judge.SampleSheet(all, told, judge.SheetOptions{Data: set.Name, Size: o.size, Seed: o.seed})
	if err != nil {
		return err
	}
	if err := term.WriteWhole(o.out, std.Out, func(w io.Writer) error { return writeSheet(w, s.Rows()) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return term.Show(std.Out, o.json, &drawn{o.out, len(s.Rows()), s.Told, s.Explained}, func(w io.Writer, d *drawn) error {
		_, err := fmt.Fprintf(w, "%s has %d of %d relations that were told with a rule, of %d that were told.\nFill in the column mark with explains, nearly or not, and count with\n  sotto relations review --marked %s\n", d.Sheet, d.Rows, d.Explained, d.Told, d.Sheet)
		return err
	})
}

// writeSheet writes the rows of a sheet as CSV.
func writeSheet(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	out.Write(judge.SheetColumns()) //nolint:errcheck // Flush tells
	for _, row := range rows {
		var cells []string
		for _, field := range row {
			cells = append(cells, term.Cell(field))
		}
		out.Write(cells) //nolint:errcheck // see above
	}
	out.Flush()
	return out.Error()
}

func (o *reviewOptions) count(ctx context.Context, std term.Streams) error {
	if err := term.CanWrite(term.Named("--result", o.result)); err != nil {
		return err
	}
	rows, err := table.Fields(ctx, o.marked, table.Options{}, judge.SheetColumns()...)
	if err != nil {
		return fmt.Errorf("--marked: %w", err)
	}
	r, err := judge.CountSheet(rows)
	if err != nil {
		return fmt.Errorf("--marked: %w", err)
	}
	if o.result != "" {
		if err := term.WriteJSON(o.result, r); err != nil {
			return fmt.Errorf("--result: %w", err)
		}
	}
	return term.Show(std.Out, o.json, r, showReview)
}

// showReview prints counts for people.
func showReview(w io.Writer, r *judge.SheetResult) error {
	t := term.NewTable(w, "in percent, with intervals of 95 %", "rows", judge.Explains, judge.Nearly, judge.Not)
	row := func(name string, s judge.SheetShares) {
		t.Row(name, s.Rows, s.Explains.Percent(), s.Nearly.Percent(), s.Not.Percent())
	}
	for _, n := range r.Relations {
		row(n.Name, n.SheetShares)
	}
	for _, n := range r.Sources {
		row("rules "+n.Name, n.SheetShares)
	}
	row("all", r.SheetShares)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nPublished for TACRED, 176 rules that a network wrote: 33.5 explain, 31.3 nearly, 26.1 not.")
	return err
}

package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/inspect"
	"sotto/data/table"
	"sotto/internal/layout"
)

// inspectOptions are the flags of "sotto data inspect".
type inspectOptions struct {
	term.TableFlags
	look    inspect.Options
	skipBad bool
	json    bool
}

func (o *inspectOptions) addFlags(fs *pflag.FlagSet) {
	o.AddFlags(fs)
	fs.StringVar(&o.look.Split, "split", "", "column of the parts, such as train and test, across which texts are looked for")
	fs.StringVar(&o.look.Person, "person", "", "column that says whose row it is, so that rows a person are counted")
	fs.IntVar(&o.look.Show, "show", 0, "number of rows to print as they are understood, texts and all (default: none, because texts are private)")
	fs.BoolVar(&o.skipBad, "skip-bad", false, "leave out bad rows and count them, instead of stopping at the first")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

func newInspect(std term.Streams) *cobra.Command {
	var o inspectOptions
	c := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Say what a file of your own holds, column by column",
		Long: `Read a file of your own, or a folder with a text a file, and say how it is
understood: its columns, what each looks like (text, class, number, id, person,
date, constant, empty), how many different values it has, how classes are
balanced, which texts stand twice, and what is suspicious, such as a column that
counts the rows or repeats another. The last lines are commands that train on it.

The file is CSV with any delimiter, TSV, JSON lines, Parquet, text with labels or
without, or a folder; compressed by gzip or Zstandard or not; in UTF-8, UTF-16 or
Windows-1252. All this is found out unless flags say it. It is read in constant
memory, however large it is.

Names of columns and of classes are printed. Texts are not, unless --show asks
for rows.`,
		Example: `  sotto data inspect reviews.csv
  sotto data inspect reviews.csv --split part --person user --json
  sotto data inspect export.txt --delimiter ';' --encoding windows-1252 --show 3`,
		Args: term.One("file or folder", ", or - for standard input"),
		RunE: func(c *cobra.Command, args []string) error { return runInspect(c.Context(), o, args[0], std) },
	}
	o.addFlags(c.Flags())
	return c
}

// inspected is what "sotto data inspect --json" prints.
type inspected struct {
	*inspect.Report
	Commands []string `json:"commands,omitempty"` // that plan for the file and train on it
}

func runInspect(ctx context.Context, o inspectOptions, path string, std term.Streams) error {
	options, err := o.Options()
	if err != nil {
		return err
	}
	options.SkipBad = o.skipBad
	var r *table.Reader
	if path == "-" {
		r, err = table.New(std.In, options)
	} else {
		r, err = table.Open(path, options)
	}
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "reading")
	o.look.Progress = func(rows int64) { bar.Set(rows, -1) }
	report, err := inspect.Run(ctx, r, o.look)
	bar.Finish()
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	if path == "-" {
		path = "FILE" // which training reads more than once
	}
	v := inspected{report, report.Commands(path, o.Flags()...)}
	return term.Show(std.Out, o.json, v, func(out io.Writer, v inspected) error { return printInspected(out, v, o.look.Show) })
}

func printInspected(out io.Writer, v inspected, show int) error {
	b := layout.NewBuffer(out)
	fmt.Fprintf(b, "%s of %s, %s; sha256 %.12s…\n", several(int(v.Rows), "row"), v.Format, several(len(v.Columns), "column"), v.SHA256)
	for _, n := range v.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	b.WriteByte('\n')
	t := term.NewTable(b, "COLUMN", "KIND", "DISTINCT", "EMPTY", "WHAT")
	for _, c := range v.Columns {
		distinct := fmt.Sprint(c.Distinct)
		if c.Estimate {
			distinct = "about " + distinct
		}
		t.Row(named(c), c.Kind, distinct, c.Empty, about(c))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteByte('\n')
	printPeople(b, v.Report)
	for _, w := range v.Warnings {
		fmt.Fprintf(b, "warning: %s\n", w)
	}
	printRows(b, v.Report)
	if show == 0 {
		b.WriteString("No text is shown, because texts are private: --show 3 prints three rows.\n")
	}
	if len(v.Commands) > 0 {
		fmt.Fprintf(b, "\nWhat to do with it:\n  %s\n", strings.Join(v.Commands, "\n  "))
	}
	return b.Flush()
}

// several counts things.
func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// printPeople prints the parts and the persons, if there are any.
func printPeople(b *layout.Buffer, r *inspect.Report) {
	if len(r.Parts) > 0 {
		fmt.Fprintf(b, "parts: %s\n", balance(r.Parts))
	}
	if p := r.Persons; p != nil {
		least, nobody := "", ""
		if p.Estimate {
			least = "at least "
		}
		if p.Nobody > 0 {
			nobody = fmt.Sprintf("; %d rows are of nobody", p.Nobody)
		}
		if p.Joined > 0 {
			nobody += fmt.Sprintf("; %d names were joined with another that differs in capitals, spaces or the form of letters alone", p.Joined)
		}
		fmt.Fprintf(b, "persons: %d by column %q; the most rows of one are %s%d, and half have %d or fewer%s\n", p.Persons, p.Column, least, p.Most, p.Median, nobody)
	}
}

// printRows prints the rows that were asked for, a value a line.
func printRows(b *layout.Buffer, r *inspect.Report) {
	for i, row := range r.Examples {
		fmt.Fprintf(b, "\nrow %d\n", i+1)
		for k, v := range row {
			fmt.Fprintf(b, "  %s: %s\n", named(r.Columns[k]), shorten(term.Plain(v), 300))
		}
	}
}

// named renders the name of a column.
func named(c inspect.Column) string {
	switch {
	case c.Name == "":
		return "(no name)"
	case c.Wordy():
		return "(a text for a name)"
	}
	return shorten(term.Plain(c.Name), 30)
}

// about says what matters of a column of its kind.
func about(c inspect.Column) string {
	switch c.Kind {
	case inspect.Text:
		return fmt.Sprintf("%.1f words in the mean", c.Words)
	case inspect.Class:
		return balance(c.Classes)
	case inspect.Number:
		return fmt.Sprintf("from %.6g to %.6g, %.6g in the mean", c.Numbers.Min, c.Numbers.Max, c.Numbers.Mean)
	default:
		return ""
	}
}

// balance renders the largest classes and their shares.
func balance(classes []inspect.Share) string {
	const most = 4
	var b strings.Builder
	for i, c := range classes {
		if i == most {
			fmt.Fprintf(&b, ", … (%d classes, the smallest has %.2g %%)", len(classes), 100*classes[len(classes)-1].Share)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.1f %%", shorten(term.Plain(c.Name), 20), 100*c.Share)
	}
	return b.String()
}

// shorten cuts what is too long for a line.
func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

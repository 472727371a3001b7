// Package vectors holds privatize, encode, tokens and encoder, the commands that make vectors.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/data/vecfile"
	"sotto/internal/version"
	"sotto/learn/release"
	"sotto/promise/mech"
	"sotto/text"
)

// Commands returns the commands of this group.
func Commands(std term.Streams, types text.Types) []*cobra.Command {
	return []*cobra.Command{newPrivatize(std), newEncode(std, types), newBind(std), newEncoder(std), newCells(std), newTokens(std), newMask(std, types)}
}

// privatizeOptions are the flags of "sotto privatize".
type privatizeOptions struct {
	outFlags
	column string
	header bool
}

func newPrivatize(std term.Streams) *cobra.Command {
	var o privatizeOptions
	c := &cobra.Command{
		Use:   "privatize MECHANISM",
		Short: "Make a file of vectors private",
		Long: `Release each vector of a file through a mechanism: JSON lines, CSV, NPY or
Parquet, in constant memory. The output appears whole or not at all. What is
promised stands beside it in OUT.privacy.json, and inside a Parquet file.

A bad row (NaN, wrong width, not a number, outside the mechanism's domain) stops
the run, and nothing is released; --skip-bad leaves such rows out and counts
them. No row changes how another is read: the format is that of the name, the first
line of CSV is a row unless --header says that it holds names, and --skip-bad needs
--dim where the file does not say how many numbers a row has. Keys and columns that are no vector never reach the output.

` + term.MechanismList(),
		Example: `  sotto privatize laplace-l1 --epsilon 8 --in vectors.npy --out private.npy
  sotto privatize codebook --epsilon 4 --in - --out - --format jsonl <in >out`,
		ValidArgsFunction: term.CompleteMechanism,
		RunE: func(c *cobra.Command, args []string) error {
			if err := term.OneMechanism(args); err != nil {
				return err
			}
			if err := term.RefuseFlags(c.Flags(), ""); err != nil {
				return err
			}
			return runPrivatize(c.Context(), o, args[0], std)
		},
	}
	c.Flags().StringVar(&o.in, "in", "-", "file of vectors, - for standard input")
	c.Flags().StringVar(&o.column, "column", "", "list column that holds the vectors, for a Parquet file with several")
	c.Flags().BoolVar(&o.header, "header", false, "take the first line of CSV for names, and not for a row")
	o.addFlags(c.Flags(), "as in the file")
	c.Flags().Lookup("format").Usage = "format of the vectors if no file name tells: jsonl, csv, npy or parquet; standard output takes the input's"
	return c
}

// privatizeSummary is what "sotto privatize --json" prints.
type privatizeSummary struct {
	release.Summary
	Out      string      `json:"out"`
	Metadata string      `json:"metadata,omitempty"`
	Dropped  int         `json:"dropped"`           // kinds of keys or columns left behind, at most 32 counted
	Columns  []string    `json:"columns,omitempty"` // their names in a Parquet file
	Record   mech.Record `json:"record"`
	hint     string
}

func runPrivatize(ctx context.Context, o privatizeOptions, name string, std term.Streams) (err error) {
	if o.workers, err = term.Workers(o.workers); err != nil {
		return err
	}
	r, format, err := o.open(std.In, name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	o.Encoder = term.EncoderOf(o.in)
	m, err := o.releaser(name, r.Width(), "the input has")
	if err != nil {
		return err
	}
	record := mech.NewRecord(m, "sotto "+version.Short())
	sink, err := term.NewSink(o.out)
	if err != nil {
		return err
	}
	defer sink.Abort()
	sink.Shared()
	summary := privatizeSummary{Out: o.out, Record: record, hint: measure.KeptHint(m, "sotto encode")}
	if summary.Summary, err = o.stream(ctx, r, sink, format, m, &summary.Record, std.Err); err != nil {
		return err
	}
	if err := sink.Appear(o.side(term.PrivacyEnd), func(b mech.Binding) ([]byte, error) {
		b.Rows = summary.Rows
		summary.Record.Binding = b
		return summary.Record.JSON()
	}, std.Out); err != nil {
		return err
	}
	summary.Metadata = o.side(term.PrivacyEnd)
	summary.Dropped = len(r.Dropped())
	if r.Format() == vecfile.Parquet {
		summary.Columns = r.Dropped() // a schema; the keys of JSON lines may be data
	}
	return o.report(summary, std)
}

// open opens the input of a mechanism and decides the output's format.
func (o *privatizeOptions) open(stdin io.Reader, mechanism string) (*vecfile.Reader, vecfile.Format, error) {
	inFormat, err := o.formatOf(o.in, "--in")
	if err != nil {
		return nil, "", err
	}
	outFormat := inFormat
	if o.out != "-" || o.format != "" {
		if outFormat, err = o.formatOf(o.out, "--out"); err != nil {
			return nil, "", err
		}
	}
	if err = o.apart(); err != nil {
		return nil, "", err
	}
	if !o.skipBad {
		mechanism = "" // a row of another width is an error that says more
	}
	options := vecfile.Options{Format: inFormat, Width: o.Width(mechanism), Column: o.column, SkipBad: o.skipBad, Declared: true, Header: o.header}
	var r *vecfile.Reader
	if o.in == "-" {
		options.Name = "stdin"
		r, err = vecfile.NewReader(stdin, options)
	} else {
		r, err = vecfile.Open(o.in, options)
	}
	if err != nil {
		return nil, "", err
	}
	if r.Width() == 0 {
		name := o.in
		if name == "-" {
			name = "stdin"
		}
		return nil, "", errors.Join(fmt.Errorf("%s: no vector was found, must hold at least one", name), r.Close())
	}
	return r, outFormat, nil
}

// formatOf takes a format from a file name, else from --format.
func (o *privatizeOptions) formatOf(path, flag string) (vecfile.Format, error) {
	if path != "-" {
		f, err := vecfile.ByName(path)
		if err == nil || o.format == "" {
			return f, err
		}
	}
	if o.format == "" {
		return "", fmt.Errorf("want --format: %s is a stream, whose name does not tell", flag)
	}
	return vecfile.ParseFormat(o.format)
}

// apart refuses flags that name one file twice.
func (o *privatizeOptions) apart() error {
	if o.metadata == "-" {
		return errors.New("--metadata is -, must be a file")
	}
	return term.RefuseSame(term.Named("--in", o.in), term.Named("--out", o.out), term.Named("the metadata", o.side(term.PrivacyEnd)), term.Named("--vocabulary", o.File("vocabulary")), term.Named("--cells", o.File("cells")))
}

// stream does the work between an opened input and an opened output, and completes the
// record by what is known of the rows then: a Parquet file holds it, too.
func (o *privatizeOptions) stream(ctx context.Context, r *vecfile.Reader, sink *term.Sink, format vecfile.Format, m mech.Mechanism, record *mech.Record, stderr io.Writer) (release.Summary, error) {
	_, width := m.Shape()
	w, err := vecfile.NewWriter(sink.File, format, vecfile.WriterOptions{
		Width: width, Float32: r.Float32(), Header: r.Header(),
	})
	if err != nil {
		return release.Summary{}, err
	}
	bar := term.NewProgress(stderr, "privatizing")
	defer bar.Finish()
	sum, err := release.Run(ctx, r, w, m, release.Options{
		Workers: o.workers, SkipBad: o.skipBad, Progress: func(rows int64) { bar.Set(rows, r.Rows()) },
	})
	if err != nil {
		return sum, err
	}
	record.Guarantee.Assumptions, record.Rows = leftOut(record.Guarantee.Assumptions, sum.Skipped), sum.Rows
	said, err := record.JSON()
	if err != nil {
		return sum, err
	}
	w.Describe("sotto.privacy", string(said))
	return sum, w.Close()
}

// report tells the user what was released.
func (o *privatizeOptions) report(s privatizeSummary, std term.Streams) error {
	text := fmt.Sprintf("released %d rows, each with %v", s.Rows, s.Record.Guarantee)
	if s.Skipped > 0 {
		text += fmt.Sprintf("; left out %d bad rows", s.Skipped)
	}
	switch {
	case len(s.Columns) > 0:
		text += fmt.Sprintf("; left behind the columns %q", s.Columns)
	case s.Dropped > 0:
		text += "; left behind all keys but the vector's"
	}
	text += caution(s.Record)
	if s.hint != "" {
		text += "\n" + s.hint
	}
	return o.show(s, text, std)
}

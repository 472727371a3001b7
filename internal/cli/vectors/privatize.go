// Package vectors holds privatize, encode, tokens and encoder, the commands that make vectors.
package vectors

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"sotto/dp"
	"sotto/internal/cli/term"
	"sotto/internal/release"
	"sotto/internal/vecfile"
	"sotto/mech"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newPrivatize(std), newEncode(std), newEncoder(std), newTokens(std)}
}

// privatizeOptions are the flags of "sotto privatize".
type privatizeOptions struct {
	term.MechanismFlags
	in, out    string
	format     string
	column     string
	metadata   string
	skipBad    bool
	notPrivate bool
	workers    int
	json       bool
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
them. Keys and columns that are no vector never reach the output.

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
	c.Flags().StringVar(&o.out, "out", "-", "file to write, - for standard output")
	c.Flags().StringVar(&o.format, "format", "", "format of the vectors if no file name tells: jsonl, csv, npy or parquet; standard output takes the input's")
	c.Flags().StringVar(&o.column, "column", "", "list column that holds the vectors, for a Parquet file with several")
	c.Flags().StringVar(&o.metadata, "metadata", "", "file for what is promised (default OUT.privacy.json)")
	c.Flags().BoolVar(&o.skipBad, "skip-bad", false, "leave bad rows out and count them")
	c.Flags().BoolVar(&o.notPrivate, "i-know-this-is-not-private", false, "allow a variant whose ε is infinite")
	c.Flags().IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	c.Flags().BoolVar(&o.json, "json", false, "print the summary as JSON, to standard error if the vectors go to standard output")
	o.AddFlags(c.Flags())
	term.Widths(c.Flags(), "as in the file")
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
}

func runPrivatize(ctx context.Context, o privatizeOptions, name string, std term.Streams) error {
	workers, err := term.Workers(o.workers)
	if err != nil {
		return err
	}
	o.workers = workers
	r, format, err := o.open(std.In)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	m, err := releaser(&o.MechanismFlags, name, r.Width(), "the input has", o.notPrivate)
	if err != nil {
		return err
	}
	record := mech.NewRecord(m, "sotto "+term.Version())
	text, err := record.JSON()
	if err != nil {
		return err
	}
	sink, err := term.NewSink(o.out)
	if err != nil {
		return err
	}
	defer sink.Abort()
	summary := privatizeSummary{Out: o.out, Record: record}
	if summary.Summary, err = o.stream(ctx, r, sink, format, m, text, std.Err); err != nil {
		return err
	}
	summary.Record.Rows = summary.Rows
	if text, err = summary.Record.JSON(); err != nil {
		return err
	}
	if err := sink.Appear(o.side(), text, std.Out); err != nil {
		return err
	}
	summary.Metadata = o.side()
	summary.Dropped = len(r.Dropped())
	if r.Format() == vecfile.Parquet {
		summary.Columns = r.Dropped() // a schema; the keys of JSON lines may be data
	}
	return o.report(summary, std)
}

// open opens the input and decides the output's format.
func (o *privatizeOptions) open(stdin io.Reader) (*vecfile.Reader, vecfile.Format, error) {
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
	width := o.Dim
	if o.InputDim > 0 {
		width = o.InputDim
	}
	options := vecfile.Options{Format: inFormat, Width: width, Column: o.column, SkipBad: o.skipBad}
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
	return term.RefuseSame(term.Named("--in", o.in), term.Named("--out", o.out), term.Named("the metadata", o.side()), term.Named("--vocabulary", o.VocabularyFile))
}

// releaser makes the mechanism for rows of a width, and refuses one that promises
// nothing unless notPrivate says that the user knows. Whose the rows are stands in
// the error.
func releaser(f *term.MechanismFlags, name string, width int, whose string, notPrivate bool) (mech.Mechanism, error) {
	p, err := f.Resolve(name)
	if err != nil {
		return nil, err
	}
	if p.Epsilon == 0 {
		return nil, errors.New("want --epsilon, the ε of each release")
	}
	m, err := mech.New(p.Fit(width))
	if err != nil {
		return nil, err
	}
	if in, _ := m.Shape(); in != width {
		return nil, fmt.Errorf("%s takes rows of %d numbers, but %s %d", name, in, whose, width)
	}
	if m.Guarantee().Epsilon == dp.Infinite && !notPrivate {
		return nil, fmt.Errorf("%s %s promises nothing: %s; to release all the same, say --i-know-this-is-not-private", name, m.Profile().Variant, m.Profile().Reason)
	}
	return m, nil
}

// stream does the work between an opened input and an opened output.
func (o *privatizeOptions) stream(ctx context.Context, r *vecfile.Reader, sink *term.Sink, format vecfile.Format, m mech.Mechanism, record []byte, stderr io.Writer) (release.Summary, error) {
	_, width := m.Shape()
	w, err := vecfile.NewWriter(sink.File, format, vecfile.WriterOptions{
		Width: width, Float32: r.Float32(), Header: r.Header(), Metadata: map[string]string{"sotto.privacy": string(record)},
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
	return sum, w.Close()
}

// side returns the path of the side file, "" for none.
func (o *privatizeOptions) side() string {
	if o.metadata == "" && o.out != "-" {
		return o.out + ".privacy.json"
	}
	return o.metadata
}

// report tells the user what was released.
func (o *privatizeOptions) report(s privatizeSummary, std term.Streams) error {
	if o.json {
		out := std.Out
		if o.out == "-" {
			out = std.Err
		}
		return term.PrintJSON(out, s)
	}
	g := s.Record.Guarantee
	text := fmt.Sprintf("released %d rows, each with %v", s.Rows, g)
	if s.Skipped > 0 {
		text += fmt.Sprintf("; left out %d bad rows", s.Skipped)
	}
	switch {
	case len(s.Columns) > 0:
		text += fmt.Sprintf("; left behind the columns %q", s.Columns)
	case s.Dropped > 0:
		text += "; left behind all keys but the vector's"
	}
	if g.Epsilon > s.Record.Claimed*(1+1e-6) {
		text += fmt.Sprintf("\nwarning: the ε asked for was %v: %s", s.Record.Claimed, s.Record.Reason)
	}
	for _, a := range g.Assumptions {
		text += "\nassuming: " + a
	}
	_, err := fmt.Fprintln(std.Err, text)
	return err
}

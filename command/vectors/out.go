package vectors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// outFlags are the flags of the commands that write a file of vectors.
type outFlags struct {
	term.MechanismFlags
	in, out, format, metadata string
	skipBad, notPrivate       bool
	workers                   int
	json                      bool
}

// addFlags declares all but --in; width is how wide the mechanism's input is.
func (o *outFlags) addFlags(fs *pflag.FlagSet, width string) {
	fs.StringVar(&o.out, "out", "-", "file to write, - for standard output")
	fs.StringVar(&o.format, "format", "", "format to write if the file's name does not tell: jsonl, csv, npy or parquet (default jsonl)")
	fs.StringVar(&o.metadata, "metadata", "", "file for what is promised (default OUT.privacy.json)")
	fs.BoolVar(&o.skipBad, "skip-bad", false, "leave bad rows out and count them")
	fs.BoolVar(&o.notPrivate, "i-know-this-is-not-private", false, "allow a variant whose ε is infinite")
	fs.IntVar(&o.workers, "workers", 0, "cores to use (default: all)")
	fs.BoolVar(&o.json, "json", false, "print the summary as JSON, to standard error if the vectors go to standard output")
	o.AddFlags(fs)
	term.Widths(fs, width)
}

// releaser makes the mechanism for rows of a width, and refuses one that promises
// nothing unless the user knows. Whose the rows are stands in the error.
func (o *outFlags) releaser(name string, width int, whose string) (mech.Mechanism, error) {
	p, err := o.Resolve(name)
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
	if m.Guarantee().Epsilon == dp.Infinite && !o.notPrivate {
		return nil, fmt.Errorf("%s %s promises nothing: %s; to release all the same, say --i-know-this-is-not-private", name, m.Profile().Variant, m.Profile().Reason)
	}
	return m, nil
}

// side returns the path of the file beside the vectors, "" for none.
func (o *outFlags) side(end string) string {
	if o.metadata == "" && o.out != "-" {
		return o.out + end
	}
	return o.metadata
}

// show tells what was done: in a script's words where the vectors are not, or in
// a person's.
func (o *outFlags) show(summary any, text string, std term.Streams) error {
	switch {
	case o.json && o.out == "-":
		return term.PrintJSON(std.Err, summary)
	case o.json:
		return term.PrintJSON(std.Out, summary)
	}
	_, err := fmt.Fprintln(std.Err, text)
	return err
}

// leftOut adds to assumptions that rows were left out for what they hold.
func leftOut(assumptions []string, rows int64) []string {
	if rows == 0 {
		return assumptions
	}
	return append(slices.Clone(assumptions), fmt.Sprintf("%d rows were left out for their content; that a row is missing is visible, and not covered by ε", rows))
}

// caution is what must be said of a release beside its guarantee.
func caution(r mech.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nagainst: %s\nfor: %s", r.Against, r.Scope)
	if r.Guarantee.Epsilon > r.Claimed*(1+1e-6) {
		fmt.Fprintf(&b, "\nwarning: the ε asked for was %v: %s", r.Claimed, r.Reason)
	}
	for _, a := range r.Guarantee.Assumptions {
		b.WriteString("\nassuming: " + a)
	}
	return b.String()
}

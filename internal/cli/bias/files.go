package bias

import (
	"errors"
	"io"
	"strings"

	"sotto/internal/cli/term"
)

// outputs are the files that a command writes. Each is begun before the work,
// so that a path that cannot be written to is known at once, and they appear
// together, so that a run that fails leaves none.
type outputs []output

type output struct {
	*term.Sink
	path  string
	write func(io.Writer) error
}

// begin starts a file that is written at the end, - for standard output and ""
// for none.
func (f *outputs) begin(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	s, err := term.NewSink(path)
	if err == nil {
		*f = append(*f, output{s, path, write})
	}
	return err
}

// finish writes all files and makes them appear. Then it prints a report, unless
// a file went to standard output.
func (f outputs) finish(std term.Streams, json bool, report any, text func(*strings.Builder)) error {
	for _, o := range f {
		if err := o.write(o.File); err != nil {
			return err
		}
	}
	taken := false
	for _, o := range f {
		if err := o.Commit(std.Out); err != nil {
			return err
		}
		taken = taken || o.path == "-"
	}
	if taken {
		return nil
	}
	return printReport(std.Out, json, report, text)
}

// abort removes those that did not appear.
func (f *outputs) abort() {
	for _, o := range *f {
		o.Abort()
	}
}

// printReport prints a report as JSON or as text.
func printReport(out io.Writer, json bool, report any, text func(*strings.Builder)) error {
	if json {
		return term.PrintJSON(out, report)
	}
	var b strings.Builder
	text(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// refuseBoth refuses two things to be printed on standard output: of files, which
// are printed if they are -, and JSON.
func refuseBoth(json bool, files ...term.NamedPath) error {
	taken := ""
	if json {
		taken = "--json"
	}
	for _, f := range files {
		if f.Path != "-" {
			continue
		}
		if taken != "" {
			return errors.New(taken + " and " + f.Flag + " both go to standard output, one must not")
		}
		taken = f.Flag
	}
	return nil
}

package bias

import (
	"errors"
	"io"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/mech"
)

// outputs are the files that a command writes. Each is begun before the work,
// so that a path that cannot be written to is known at once, and they appear
// together, so that a run that fails leaves none.
type outputs []output

type output struct {
	*term.Sink
	path  string
	write func(io.WriteSeeker) error
	side  string // path of what is said of it, "" for none
	note  func(mech.Binding) ([]byte, error)
}

// begin starts a file that is written at the end, - for standard output and ""
// for none.
func (f *outputs) begin(path string, write func(io.WriteSeeker) error) error {
	if path == "" {
		return nil
	}
	s, err := term.NewSink(path)
	if err == nil {
		*f = append(*f, output{Sink: s, path: path, write: write})
	}
	return err
}

// finish writes all files and makes them appear. Then it prints a report on
// standard output, or to otherwise if a file went there, nil for nowhere.
func (f outputs) finish(std term.Streams, otherwise io.Writer, json bool, report any, text func(*layout.Buffer)) error {
	for _, o := range f {
		if err := o.write(o.File); err != nil {
			return err
		}
	}
	out := std.Out
	for _, o := range f {
		if err := o.Appear(o.side, o.note, std.Out); err != nil {
			return err
		}
		if o.path == "-" {
			out = otherwise
		}
	}
	switch {
	case out == nil:
		return nil
	case json:
		return term.PrintJSON(out, report)
	}
	b := layout.NewBuffer(out)
	text(b)
	return b.Flush()
}

// abort removes those that did not appear.
func (f *outputs) abort() {
	for _, o := range *f {
		o.Abort()
	}
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

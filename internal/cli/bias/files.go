package bias

import (
	"errors"
	"io"

	"sotto/internal/cli/term"
)

// outputs are the files that a command writes. Each is begun before the work,
// so that a path that cannot be written to is known at once, and they appear
// together, so that a run that fails leaves none.
type outputs struct{ sinks []*term.Sink }

// begin starts a file, - for standard output; nil for "".
func (f *outputs) begin(path string) (*term.Sink, error) {
	if path == "" {
		return nil, nil
	}
	s, err := term.NewSink(path)
	if err == nil {
		f.sinks = append(f.sinks, s)
	}
	return s, err
}

// commit makes all files appear.
func (f *outputs) commit(stdout io.Writer) error {
	for _, s := range f.sinks {
		if err := s.Commit(stdout); err != nil {
			return err
		}
	}
	return nil
}

// abort removes those that did not appear.
func (f *outputs) abort() {
	for _, s := range f.sinks {
		s.Abort()
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

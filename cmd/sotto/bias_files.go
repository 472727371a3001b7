package main

import (
	"errors"
	"io"
)

// biasFiles are the files that a command writes. Each is begun before the work,
// so that a path that cannot be written to is known at once, and they appear
// together, so that a run that fails leaves none.
type biasFiles struct{ sinks []*sink }

// begin starts a file, - for standard output; nil for "".
func (f *biasFiles) begin(path string) (*sink, error) {
	if path == "" {
		return nil, nil
	}
	s, err := newSink(path)
	if err == nil {
		f.sinks = append(f.sinks, s)
	}
	return s, err
}

// fill writes what a file is to hold, if it was begun.
func (s *sink) fill(write func(w io.Writer) error) error {
	if s == nil {
		return nil
	}
	return write(s.file)
}

// commit makes all files appear.
func (f *biasFiles) commit(stdout io.Writer) error {
	for _, s := range f.sinks {
		if err := s.commit(stdout); err != nil {
			return err
		}
	}
	return nil
}

// abort removes those that did not appear.
func (f *biasFiles) abort() {
	for _, s := range f.sinks {
		s.abort()
	}
}

// refuseBoth refuses two things to be printed on standard output: of files, which
// are printed if they are -, and JSON.
func refuseBoth(json bool, files ...namedPath) error {
	taken := ""
	if json {
		taken = "--json"
	}
	for _, f := range files {
		if f.path != "-" {
			continue
		}
		if taken != "" {
			return errors.New(taken + " and " + f.flag + " both go to standard output, one must not")
		}
		taken = f.flag
	}
	return nil
}

// writeWhole writes a file that appears when it is complete.
func writeWhole(path string, stdout io.Writer, write func(w io.Writer) error) error {
	to, err := newSink(path)
	if err != nil {
		return err
	}
	defer to.abort()
	if err = write(to.file); err != nil {
		return err
	}
	return to.commit(stdout)
}

package rowfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
)

// Input is where a reader gets its bytes, and what it must close in the end.
type Input struct {
	io.Reader
	At *io.SectionReader // the same bytes, if they can be read anywhere; else nil

	closers []func() error
}

// NewInput finds out whether in can be read anywhere: a regular file can, as
// stdin is when the shell redirects one, and so can memory.
func NewInput(in io.Reader) *Input {
	p := &Input{Reader: in}
	switch in := in.(type) {
	case *bytes.Reader:
		p.At = io.NewSectionReader(in, in.Size()-int64(in.Len()), int64(in.Len()))
	case *os.File:
		info, err := in.Stat()
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		if pos, err := in.Seek(0, io.SeekCurrent); err == nil {
			p.At = io.NewSectionReader(in, pos, max(info.Size()-pos, 0))
		}
	}
	return p
}

// OnClose makes Close call f.
func (p *Input) OnClose(f func() error) { p.closers = append(p.closers, f) }

// Spool makes the input one that can be read anywhere, copying it to a
// temporary file if need be.
func (p *Input) Spool() error {
	if p.At != nil {
		return nil
	}
	f, err := os.CreateTemp("", "sotto-*.spool") // mode 0600
	if err != nil {
		return err
	}
	// Where an open file can be removed, a crash leaves nothing behind.
	gone := os.Remove(f.Name()) == nil
	p.OnClose(func() error {
		if gone {
			return f.Close()
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	})
	n, err := io.Copy(f, p.Reader)
	if err != nil {
		return err
	}
	p.At = io.NewSectionReader(f, 0, n)
	return nil
}

// Close calls what OnClose was given, the last first and each once.
func (p *Input) Close() error {
	var err error
	for _, f := range slices.Backward(p.closers) {
		err = errors.Join(err, f())
	}
	p.closers = nil
	return err
}

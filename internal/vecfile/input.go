package vecfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// input is where a reader gets its bytes, and what it must close in the end.
type input struct {
	io.Reader
	at      *io.SectionReader // the same bytes, if they can be read anywhere
	closers []func() error
}

// newInput finds out whether in can be read anywhere: a regular file can, as
// stdin is when the shell redirects one, and so can memory.
func newInput(in io.Reader) *input {
	p := &input{Reader: in}
	switch in := in.(type) {
	case *bytes.Reader:
		p.at = io.NewSectionReader(in, in.Size()-int64(in.Len()), int64(in.Len()))
	case *os.File:
		info, err := in.Stat()
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		if pos, err := in.Seek(0, io.SeekCurrent); err == nil {
			p.at = io.NewSectionReader(in, pos, max(info.Size()-pos, 0))
		}
	}
	return p
}

// size returns the number of bytes, or -1 if only reading them can tell.
func (p *input) size() int64 {
	if p.at == nil {
		return -1
	}
	return p.at.Size()
}

// spool makes the input one that can be read anywhere, copying it to a
// temporary file if need be.
func (p *input) spool() error {
	if p.at != nil {
		return nil
	}
	f, err := os.CreateTemp("", "sotto-*.spool") // mode 0600
	if err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	// Where an open file can be removed, a crash leaves nothing behind.
	gone := os.Remove(f.Name()) == nil
	p.closers = append(p.closers, func() error {
		if gone {
			return f.Close()
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	})
	n, err := io.Copy(f, p.Reader)
	if err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	p.at = io.NewSectionReader(f, 0, n)
	return nil
}

// close runs the closers once, the last first.
func (p *input) close() error {
	var err error
	for i := len(p.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, p.closers[i]())
	}
	p.closers = nil
	return err
}

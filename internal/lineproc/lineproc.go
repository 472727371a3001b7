// Package lineproc runs programs that answer lines with lines, and ends them
// with all that they started.
//
// It is apart because it starts processes in one way on Unix and in another on Windows.
package lineproc

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"time"
)

// MaxLine is the size of the longest line that is read, in bytes.
const MaxLine = 64 << 20

// Process is a running program. It is used by one goroutine.
type Process struct {
	In    io.WriteCloser
	Lines chan Line // closed when there are no more
	cmd   *exec.Cmd
}

// Line is what a program wrote.
type Line struct {
	Text []byte
	Long bool // longer than may be, so that there is no text; it is the last
}

// Alone makes a program that is yet to be started lead a group of its own, all of
// which ends when the program's context does.
func Alone(cmd *exec.Cmd) {
	inGroup(cmd)
	cmd.Cancel = func() error { endGroup(cmd); return nil }
}

// Start starts a program. A last line without an end is one if tail is set.
func Start(cmd *exec.Cmd, tail bool) (*Process, error) {
	p := &Process{cmd: cmd, Lines: make(chan Line, 1)}
	inGroup(cmd) // so that what it started ends with it
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { p.Kill(); return nil }
	}
	var err error
	if p.In, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out, tail)
	return p, nil
}

// read hands over what the program writes, line by line.
func (p *Process) read(out io.Reader, tail bool) {
	defer close(p.Lines)
	in := bufio.NewReaderSize(out, 1<<16)
	var text []byte
	for {
		b, err := in.ReadSlice('\n')
		if len(text)+len(b) > MaxLine {
			p.Lines <- Line{Long: true}
			return
		}
		text = append(text, b...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil:
			p.Lines <- Line{Text: text}
			text = nil
		default:
			if tail && len(text) > 0 {
				p.Lines <- Line{Text: text}
			}
			return
		}
	}
}

// Kill ends the program and whatever it started.
func (p *Process) Kill() { endGroup(p.cmd) }

// More reports whether the program has written a line that nothing asked for.
func (p *Process) More() bool {
	select {
	case _, more := <-p.Lines:
		return more
	default:
		return false
	}
}

// End closes the input and kills the program if it has not ended after some
// time. It returns whether lines came that nothing asked for, and how it ended,
// which is an error also where it ended well.
func (p *Process) End(grace time.Duration) (more bool, err error) {
	p.In.Close() //nolint:errcheck // a broken pipe is what ends it
	if grace == 0 {
		p.Kill()
	} else {
		defer time.AfterFunc(grace, p.Kill).Stop()
	}
	for range p.Lines { // until the reader has left
		more = true
	}
	if err = p.cmd.Wait(); err == nil {
		err = errors.New("exit status 0")
	}
	return more, err
}

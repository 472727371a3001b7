package encode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync/atomic"
	"time"
)

var (
	errEnded = errors.New("has ended")
	errMore  = errors.New("wrote more lines than it was sent, must write one for each")
)

// process is a running program of a [Command]. It is used by one goroutine.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan line // closed when there are no more
}

// line is what a program wrote.
type line struct {
	text []byte
	long bool // longer than may be; it is the last
}

// startProcess starts a program.
func startProcess(args []string) (*process, error) {
	p := &process{cmd: exec.Command(args[0], args[1:]...), lines: make(chan line, 1)}
	inGroup(p.cmd) // so that what it started ends with it
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("encode: command %s cannot be started: %w", args[0], err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("encode: command %s cannot be started: %w", args[0], err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("encode: command %s cannot be started: %w", args[0], err)
	}
	p.in = in
	go p.read(out)
	return p, nil
}

// read hands over what the program writes, line by line.
func (p *process) read(out io.Reader) {
	defer close(p.lines)
	in := bufio.NewReaderSize(out, 1<<16)
	for {
		var text []byte
		for {
			b, err := in.ReadSlice('\n')
			if len(text)+len(b) > maxAnswer {
				p.lines <- line{long: true}
				return
			}
			text = append(text, b...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return // a line without an end is none
			}
		}
		p.lines <- line{text: text}
	}
}

// ask writes texts and hands each answer to use, which may refuse it. It returns
// how many were good. After an error the process is of no use.
func (p *process) ask(ctx context.Context, texts []string, limit time.Duration, use func(i int, v []float64) (reason string)) (answered int, err error) {
	if p.more() {
		return 0, errMore
	}
	var late atomic.Bool
	timer := time.AfterFunc(limit, func() { late.Store(true); endGroup(p.cmd) })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { endGroup(p.cmd) })
	defer stop()
	written := make(chan error, 1)
	go func() { written <- p.write(texts) }()
	for answered < len(texts) && err == nil {
		timer.Reset(limit)
		if err = p.answer(answered, use); err == nil {
			answered++
		}
	}
	if err != nil {
		endGroup(p.cmd) // so that nobody waits for it to read
	}
	// Who answers every text and then does not read them all runs into the timer.
	if failed := <-written; err == nil && failed != nil {
		err = errEnded
	}
	switch {
	case late.Load():
		return answered, fmt.Errorf("gave no answer within %v: it must write a line for each line it reads, and flush it", limit)
	case err == nil && p.more():
		return answered, errMore
	case err == nil && !stop():
		return answered, ctx.Err()
	}
	return answered, err
}

// more reports whether the program has written a line that nothing asked for.
func (p *process) more() bool {
	select {
	case _, more := <-p.lines:
		return more
	default:
		return false
	}
}

// write sends a line for each text.
func (p *process) write(texts []string) error {
	w := bufio.NewWriterSize(p.in, 1<<16)
	for _, s := range texts {
		b, err := json.Marshal(s) // bytes that are not UTF-8 become a symbol
		if err != nil {
			return err
		}
		w.Write(b)
		w.WriteByte('\n')
	}
	return w.Flush()
}

// answer reads one answer.
func (p *process) answer(i int, use func(i int, v []float64) (reason string)) error {
	l, ok := <-p.lines
	if !ok {
		return errEnded
	}
	if l.long {
		return fmt.Errorf("gave an answer %d of more than %d bytes, must give fewer", i+1, maxAnswer)
	}
	var v []float64
	if json.Unmarshal(l.text, &v) != nil { // what it says may quote the line
		return fmt.Errorf("gave an answer %d that is not a JSON array of finite numbers like [1,2.5], must be", i+1)
	}
	if reason := use(i, v); reason != "" {
		return fmt.Errorf("gave an answer %d that %s", i+1, reason)
	}
	return nil
}

// end closes the input and kills the process if it has not ended after some
// time. It returns whether lines came that nothing asked for, and how it ended.
func (p *process) end(grace time.Duration) (more bool, err error) {
	p.in.Close() //nolint:errcheck // a broken pipe is what ends it
	if grace == 0 {
		endGroup(p.cmd)
	} else {
		timer := time.AfterFunc(grace, func() { endGroup(p.cmd) })
		defer timer.Stop()
	}
	for range p.lines { // until the reader has left
		more = true
	}
	if err = p.cmd.Wait(); err == nil {
		err = errors.New("exit status 0")
	}
	return more, err
}

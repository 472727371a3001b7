package encode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"time"

	"sotto/internal/lineproc"
)

var (
	errEnded = errors.New("has ended")
	errMore  = errors.New("wrote more lines than it was sent, must write one for each")
)

// process is a running program of a [Command]. It is used by one goroutine.
type process struct{ *lineproc.Process }

// startProcess starts a program.
func startProcess(args []string) (process, error) {
	p, err := lineproc.Start(exec.Command(args[0], args[1:]...), false)
	if err != nil {
		return process{}, fmt.Errorf("encode: command %s cannot be started: %w", args[0], err)
	}
	return process{p}, nil
}

// ask writes texts and hands each answer to use, which may refuse it. It returns
// how many were good. After an error the process is of no use.
func (p process) ask(ctx context.Context, texts []string, limit time.Duration, use func(i int, v []float64) (reason string)) (answered int, err error) {
	if p.More() {
		return 0, errMore
	}
	var late atomic.Bool
	timer := time.AfterFunc(limit, func() { late.Store(true); p.Kill() })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { p.Kill() })
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
		p.Kill() // so that nobody waits for it to read
	}
	// Who answers every text and then does not read them all runs into the timer.
	if failed := <-written; err == nil && failed != nil {
		err = errEnded
	}
	switch {
	case late.Load():
		return answered, fmt.Errorf("gave no answer within %v: it must write a line for each line it reads, and flush it", limit)
	case err == nil && p.More():
		return answered, errMore
	case err == nil && !stop():
		return answered, ctx.Err()
	}
	return answered, err
}

// write sends a line for each text.
func (p process) write(texts []string) error {
	w := bufio.NewWriterSize(p.In, 1<<16)
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
func (p process) answer(i int, use func(i int, v []float64) (reason string)) error {
	l, ok := <-p.Lines
	if !ok {
		return errEnded
	}
	if l.Long {
		return fmt.Errorf("gave an answer %d of more than %d bytes, must give fewer", i+1, maxAnswer)
	}
	var v []float64
	if json.Unmarshal(l.Text, &v) != nil { // what it says may quote the line
		return fmt.Errorf("gave an answer %d that is not a JSON array of finite numbers like [1,2.5], must be", i+1)
	}
	if reason := use(i, v); reason != "" {
		return fmt.Errorf("gave an answer %d that %s", i+1, reason)
	}
	return nil
}

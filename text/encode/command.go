package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sotto/compute/nn"
)

// CommandConfig says how to use a [Command]. The zero value is usual.
type CommandConfig struct {
	Dim       int           // length of the vectors; 0 means that the program is asked, with the text "a"
	Timeout   time.Duration // for one answer; 0 means five minutes, in which it may load a model
	Processes int           // that may run side by side; 0 means 1
}

// Command gets vectors from a program on this machine. The program reads a JSON
// string from each line of its standard input, the text, and writes to standard
// output a line with a JSON array of numbers, the vector, for each in order; it
// must flush its output when no more input is waiting. It is started once and
// kept between calls, ends at the end of its input, and is killed with all that
// it started when a context is done.
//
// The program sees every text: it is on the trusted side. What it writes to
// standard error is thrown away, because it may quote a text; to see it, run the
// program by hand. No error shows a text or what the program wrote. Whether
// equal texts give equal bits is up to the program.
type Command struct {
	args   []string
	config CommandConfig
	dim    int

	mu   sync.Mutex // guards idle
	idle []process
}

var _ BatchEncoder = (*Command)(nil)

// commandChunk is how many texts a process gets at a time.
const commandChunk = 256

// NewCommand starts the program args[0] with the arguments that follow, without
// a shell, and asks it for the length of its vectors unless that is given.
func NewCommand(ctx context.Context, args []string, c CommandConfig) (*Command, error) {
	if len(args) == 0 || args[0] == "" {
		return nil, errors.New("encode: command is empty, must be a program and its arguments")
	}
	if c.Dim < 0 || c.Dim > maxForeignDim || c.Timeout < 0 || c.Processes < 0 {
		return nil, fmt.Errorf("encode: dim, timeout or processes of the command is negative, or dim above %d, must not be", maxForeignDim)
	}
	c.Timeout, c.Processes = cmp.Or(c.Timeout, 5*time.Minute), cmp.Or(c.Processes, 1)
	m := &Command{args: args, config: c, dim: c.Dim}
	if m.dim == 0 {
		err := m.ask(ctx, []string{probeText}, func(_ int, v []float64) (reason string) {
			m.dim = len(v)
			return take(nil, v)
		})
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// openCommand makes a command from its name.
func openCommand(ctx context.Context, line string) (*Command, error) {
	return NewCommand(ctx, strings.Fields(line), CommandConfig{})
}

// Name implements [Source]. [Open] makes the command from it again if none of
// its arguments holds a space.
func (m *Command) Name() string { return "command:" + strings.Join(m.args, " ") }

// Dim implements [Source].
func (m *Command) Dim() int { return m.dim }

// EncodeBatch implements [BatchEncoder].
func (m *Command) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	checkShape(dst, len(texts), m.dim)
	if err := checkWorkers(workers); err != nil {
		return err
	}
	return inChunks(ctx, len(texts), commandChunk, min(workers, m.config.Processes), func(ctx context.Context, lo, hi int) error {
		return m.ask(ctx, texts[lo:hi], func(i int, v []float64) string { return take(dst.Row(lo+i), v) })
	})
}

// Close ends the processes that wait for texts. It returns an error if one has
// written more lines than it was sent: then vectors may belong to other texts,
// and none of them should be used. The command itself can be used again.
func (m *Command) Close() error {
	m.mu.Lock()
	idle := m.idle
	m.idle = nil
	m.mu.Unlock()
	var err error
	for _, p := range idle {
		// How it ends is its own affair: all answers are read.
		if more, _ := p.End(time.Second); more {
			err = fmt.Errorf("encode: command %s %w", m.args[0], errMore)
		}
	}
	return err
}

// ask gives texts to a process and its answers to use, which may refuse one.
func (m *Command) ask(ctx context.Context, texts []string, use func(i int, v []float64) (reason string)) error {
	for {
		p, used, err := m.process()
		if err != nil {
			return err
		}
		answered, err := p.ask(ctx, texts, m.config.Timeout, use)
		if err == nil {
			m.mu.Lock()
			m.idle = append(m.idle, p)
			m.mu.Unlock()
			return nil
		}
		_, status := p.End(0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errEnded) && used && answered == 0:
			continue // it ended while nothing was asked; another may go on
		case errors.Is(err, errEnded):
			return fmt.Errorf("encode: command %s ended after %d of %d answers with %w; what it wrote to standard error is not shown, because it may quote a text",
				m.args[0], answered, len(texts), status)
		}
		return fmt.Errorf("encode: command %s %w", m.args[0], err)
	}
}

// process returns one that waits for texts, and whether it was used before.
func (m *Command) process() (p process, used bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.idle); n > 0 {
		p, m.idle = m.idle[n-1], m.idle[:n-1]
		return p, true, nil
	}
	p, err = startProcess(m.args)
	return p, false, err
}

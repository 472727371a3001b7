package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// answerTime is how long a foreign mechanism may take for one release.
const answerTime = 30 * time.Second

// Foreign returns the target for a mechanism outside this program, whose
// samplers open makes: [Command] or [Endpoint].
func Foreign(d Domain, open func(ctx context.Context) (Sampler, error)) (Target, error) {
	if err := d.Validate(); err != nil {
		return Target{}, err
	}
	t := Target{Open: open, Pairs: d.Pairs(), Foreign: true}
	if d.Dim >= 3 {
		t.Recovery = &Recovery{Dim: d.Dim, Low: d.Low, High: d.High}
	}
	return t, nil
}

// request and answer are the lines that a foreign mechanism reads and writes.
type request struct {
	X []float64 `json:"x"`
}

type answer struct {
	Y     *[]float64 `json:"y"`
	Error *string    `json:"error"`
}

// parseAnswer reads {"y":[…]}, or {"error":"…"} for a refusal.
func parseAnswer(line []byte) (Release, error) {
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return Release{}, fmt.Errorf(`audit: the answer is no JSON object like {"y":[1,2]}: %w`, err)
	}
	switch {
	case a.Y != nil && a.Error == nil:
		return Release{Y: *a.Y}, nil
	case a.Error != nil && a.Y == nil:
		return Release{Refused: true}, nil
	}
	return Release{}, errors.New(`audit: the answer has neither "y" nor "error", or both; must have one`)
}

// Command returns samplers that run a shell command, write one line
// {"x":[…]} to it and read one line {"y":[…]}, again and again. A command that
// ends after an answer is started anew for the next one.
func Command(command string) func(ctx context.Context) (Sampler, error) {
	return func(ctx context.Context) (Sampler, error) {
		s := &commandSampler{command: command}
		if err := s.start(ctx); err != nil {
			return nil, err
		}
		return s, nil
	}
}

type commandSampler struct {
	command  string
	process  *exec.Cmd
	in       io.WriteCloser
	lines    chan []byte
	words    *lastWords // of standard error
	answered bool       // since the start
}

func (s *commandSampler) start(ctx context.Context) error {
	s.process = exec.CommandContext(ctx, "sh", "-c", s.command)
	s.process.WaitDelay = time.Second
	inGroup(s.process) // so that what the shell started ends with it
	s.words = new(lastWords)
	s.process.Stderr = s.words
	var err error
	if s.in, err = s.process.StdinPipe(); err != nil {
		return fmt.Errorf("audit: the command could not be started: %w", err)
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return fmt.Errorf("audit: the command could not be started: %w", err)
	}
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("audit: the command could not be started: %w", err)
	}
	s.lines, s.answered = make(chan []byte, 1), false
	go func(lines chan<- []byte) {
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(make([]byte, 1<<16), 64<<20)
		for scanner.Scan() {
			lines <- bytes.Clone(scanner.Bytes())
		}
	}(s.lines)
	return nil
}

func (s *commandSampler) Sample(ctx context.Context, x []float64) (Release, error) {
	for {
		line, err := s.ask(ctx, x)
		if err != nil {
			return Release{}, err
		}
		if line != nil {
			s.answered = true
			return parseAnswer(line)
		}
		// The command has ended.
		once := s.answered
		if err := s.end(); !once {
			return Release{}, fmt.Errorf("audit: the command ended without an answer%s: %w", s.words, ended(err))
		}
		if err := s.start(ctx); err != nil {
			return Release{}, err
		}
	}
}

// ended turns how a command ended into an error: it may have ended well, only
// without an answer.
func ended(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}

// ask writes a request and returns the answer's line, nil if the command ended.
func (s *commandSampler) ask(ctx context.Context, x []float64) ([]byte, error) {
	body, err := json.Marshal(request{x})
	if err != nil {
		return nil, fmt.Errorf("audit: a request could not be written: %w", err)
	}
	select {
	case line := <-s.lines:
		if line != nil {
			return nil, errors.New("audit: the command wrote more lines than it was sent, must write one for each")
		}
		return nil, nil // it has ended
	default:
	}
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	// Writing fails if the command has ended, which reading tells too, and
	// blocks if it does not read.
	go s.in.Write(append(body, '\n')) //nolint:errcheck // see above
	select {
	case line := <-s.lines:
		return line, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fmt.Errorf("audit: the command gave no answer within %v: it must write one line for each line it reads, and flush it", answerTime)
	}
}

// end waits for the command, which is killed if it does not end by itself.
func (s *commandSampler) end() error {
	s.in.Close() //nolint:errcheck // a broken pipe is what ends it
	timer := time.AfterFunc(time.Second, func() { endGroup(s.process) })
	defer timer.Stop()
	for range s.lines { // drain, so that the reader ends before Wait
	}
	return s.process.Wait()
}

// Close ends the command. How it ends is its own affair: all answers are read.
func (s *commandSampler) Close() error {
	s.end() //nolint:errcheck // see above
	return nil
}

// lastWords keeps the end of what a command wrote to standard error.
type lastWords struct{ text []byte }

func (w *lastWords) Write(p []byte) (int, error) {
	const most = 500
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-most):]
	return len(p), nil
}

func (w *lastWords) String() string {
	if len(w.text) == 0 {
		return ""
	}
	return " (its last words: " + strings.TrimSpace(string(w.text)) + ")"
}

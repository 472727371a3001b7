package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"sotto/internal/lineproc"
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
	*lineproc.Process
	command  string
	words    *lastWords // of standard error
	answered bool       // since the start
}

func (s *commandSampler) start(ctx context.Context) (err error) {
	c := exec.CommandContext(ctx, "sh", "-c", s.command)
	s.words, s.answered = new(lastWords), false
	c.WaitDelay, c.Stderr = time.Second, s.words
	if s.Process, err = lineproc.Start(c, true); err != nil {
		return fmt.Errorf("audit: the command could not be started: %w", err)
	}
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
		if _, err := s.End(time.Second); !s.answered {
			return Release{}, fmt.Errorf("audit: the command ended without an answer%s: %w", s.words, err)
		}
		if err := s.start(ctx); err != nil {
			return Release{}, err
		}
	}
}

// ask writes a request and returns the answer's line, nil if the command ended.
func (s *commandSampler) ask(ctx context.Context, x []float64) ([]byte, error) {
	body, err := json.Marshal(request{x})
	if err != nil {
		return nil, fmt.Errorf("audit: a request could not be written: %w", err)
	}
	if s.More() {
		return nil, errors.New("audit: the command wrote more lines than it was sent, must write one for each")
	}
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	// Writing fails if the command has ended, which reading tells too, and
	// blocks if it does not read.
	go s.In.Write(append(body, '\n')) //nolint:errcheck // see above
	select {
	case line := <-s.Lines:
		return line.Text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, fmt.Errorf("audit: the command gave no answer within %v: it must write one line for each line it reads, and flush it", answerTime)
	}
}

// Close ends the command. How it ends is its own affair: all answers are read.
func (s *commandSampler) Close() error {
	s.End(time.Second) //nolint:errcheck // see above
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

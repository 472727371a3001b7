package term

import (
	"errors"
	"io"
)

// Texts that are worked on before any of them is printed: as many as fit the
// workers, and not more than some bytes.
const (
	textsAWorker = 16
	bytesAtOnce  = 4 << 20
)

// Batches reads texts some at a time and lets do work on them, behind the number of
// those before. It tells progress and, at the end, how many texts seem to be in another
// language, and what that means for them.
func Batches(next func() (string, error), workers int, words io.Writer, foreign string, do func(texts []string, before int64) error) error {
	bar := NewProgress(words, "texts")
	defer bar.Finish()
	var languages Languages
	for done := int64(0); ; {
		texts, end := some(next, workers)
		for _, t := range texts {
			languages.Add(t)
		}
		if err := do(texts, done); err != nil {
			return err
		}
		done += int64(len(texts))
		bar.Set(done, 0)
		if end == nil {
			continue
		}
		if !errors.Is(end, io.EOF) {
			return end
		}
		if note := languages.Note(foreign); note != "" {
			Complain(words, note)
		}
		return nil
	}
}

// some returns the next texts, and the error behind them.
func some(next func() (string, error), workers int) (texts []string, end error) {
	for size := 0; len(texts) < textsAWorker*workers && size < bytesAtOnce; {
		t, err := next()
		if err != nil {
			return texts, err
		}
		texts, size = append(texts, t), size+len(t)
	}
	return texts, nil
}

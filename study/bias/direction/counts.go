package direction

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sotto/study/bias"
)

// Counts say how often words occur, by which the forms of a profession are
// weighted.
type Counts map[string]float64

// Of returns the count of a word, or of the first of its spellings that has
// one.
func (c Counts) Of(word string) (float64, bool) {
	for _, s := range bias.Spellings(norm.NFC.String(word)) {
		if n, ok := c[s]; ok {
			return n, true
		}
	}
	return 0, false
}

// ParseCounts reads counts, one word a line: the word, a tab or a comma, and the
// count, a number that is not negative. A first line whose count is the word
// count or frequency names the columns. Empty lines are left out, and the counts
// of a word that stands there twice add up. Errors name the line and do not
// quote it.
func ParseCounts(r io.Reader) (Counts, error) {
	c := Counts{}
	s := bufio.NewScanner(r)
	for line := 1; s.Scan(); line++ {
		text := strings.TrimPrefix(strings.TrimRight(s.Text(), " \r"), "\ufeff")
		word, count := split(text)
		if blank(text) || line == 1 && slices.Contains(headings, strings.ToLower(strings.Trim(count, `"`))) {
			continue
		}
		if err := c.add(word, count); err != nil {
			return nil, fmt.Errorf("direction: line %d: %w", line, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("direction: the counts cannot be read: %w", err)
	}
	if len(c) == 0 {
		return nil, errors.New("direction: there are no counts, must be at least one")
	}
	return c, nil
}

// headings are what a first line calls the column of counts.
var headings = []string{"count", "counts", "freq", "frequency", "n"}

// split divides a line at its tab, or else at its last comma, so that a word may
// hold commas.
func split(text string) (word, count string) {
	i := strings.IndexByte(text, '\t')
	if i < 0 {
		i = strings.LastIndexByte(text, ',')
	}
	if i < 0 {
		return "", ""
	}
	word = strings.TrimSpace(text[:i])
	if len(word) > 1 && word[0] == '"' && word[len(word)-1] == '"' {
		word = strings.ReplaceAll(word[1:len(word)-1], `""`, `"`)
	}
	return word, strings.TrimSpace(text[i+1:])
}

func (c Counts) add(word, count string) error {
	if !readable(word) {
		return errors.New("it does not begin with a word and a tab or comma")
	}
	n, err := strconv.ParseFloat(count, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) || strings.Trim(count, "0123456789.+eE-") != "" {
		return errors.New("its count is not a number from 0")
	}
	word = norm.NFC.String(word)
	if c[word] += n; math.IsInf(c[word], 0) {
		return errors.New("the counts of its word add up to infinity, must be finite")
	}
	return nil
}

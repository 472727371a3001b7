package text

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// maxLine is the size in bytes of the longest line of a list.
const maxLine = 1 << 16

// MaskList is a list of words and patterns that a user wants masked. It does not
// change and may be used by several goroutines.
type MaskList struct {
	words    map[string]bool // folded
	patterns []*regexp.Regexp
}

// ParseMaskList reads a list with one entry a line: a word, or a regular
// expression between slashes in the syntax of package [regexp]. Empty lines and
// those that begin with # are skipped.
//
//	# what my friends are called
//	Zaphod
//	/(?i)planet \w+/
//
// A word is one as [Words] finds them. Case, accents and other marks that take
// no space of their own make no difference, so Zoe finds ZOË however the Ë is
// written: a list rather masks too much. A pattern finds what it matches, case
// and all, and masks every word of which it matches a part.
//
// An error names the line and does not quote it.
func ParseMaskList(r io.Reader) (*MaskList, error) {
	l := &MaskList{words: map[string]bool{}}
	if err := eachLine(r, l.add); err != nil {
		return nil, fmt.Errorf("text: mask list: %w", err)
	}
	return l, nil
}

// Words returns the number of words.
func (l *MaskList) Words() int { return len(l.words) }

// Patterns returns the number of patterns.
func (l *MaskList) Patterns() int { return len(l.patterns) }

// add adds the entry of a line.
func (l *MaskList) add(line string) error {
	if expr, ok := strings.CutPrefix(line, "/"); ok {
		expr, ok = strings.CutSuffix(expr, "/")
		if !ok || expr == "" {
			return errors.New("begins with a slash, must be an expression between two")
		}
		p, err := regexp.Compile(expr)
		if err != nil {
			// The error itself quotes the expression.
			if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
				return fmt.Errorf("is no regular expression: %s", bad.Code)
			}
			return errors.New("is no regular expression")
		}
		l.patterns = append(l.patterns, p)
		return nil
	}
	spans := Spans(line)
	if len(spans) != 1 || spans[0] != (Span{0, len(line)}) {
		return fmt.Errorf("has %d words and perhaps other characters, must be one word or a /pattern/", len(spans))
	}
	l.words[string(foldWord(nil, line))] = true
	return nil
}

// inFolds reports whether a set of folded words has a word.
func inFolds(set map[string]bool, word string) bool {
	if len(set) == 0 {
		return false
	}
	var few [64]byte // spares most words an allocation
	return set[string(foldWord(few[:0], word))]
}

// Find implements [Masker]: the words that are listed, and those of which a
// pattern matches a part.
func (l *MaskList) Find(s string) []Found {
	words := Spans(s)
	types := make([]Type, len(words))
	for i, word := range words {
		if inFolds(l.words, s[word.Start:word.End]) {
			types[i] = Listed
		}
	}
	for _, p := range l.patterns {
		for _, match := range p.FindAllStringIndex(s, -1) {
			if match[0] == match[1] {
				continue // matches nothing, if within a word
			}
			first := sort.Search(len(words), func(i int) bool { return words[i].End > match[0] })
			for i := first; i < len(words) && words[i].Start < match[1]; i++ {
				types[i] = cmp.Or(types[i], Pattern)
			}
		}
	}
	var found []Found
	for i, t := range types {
		if t != "" {
			found = append(found, Found{Span: words[i], Type: t})
		}
	}
	return found
}

// Rule implements [Masker]: it has the SHA-256 of words and patterns.
func (l *MaskList) Rule() string {
	entries := slices.Collect(maps.Keys(l.words))
	for _, p := range l.patterns {
		entries = append(entries, "/"+p.String()+"/")
	}
	return "list " + digest(entries)
}

// digest is the SHA-256 of the entries of a list, none of which has a line
// break, in whichever order they come.
func digest(entries []string) string {
	slices.Sort(entries)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(entries, "\n"))))
}

// eachLine calls add for each line that is neither empty nor a comment, without
// the space around it, and gives errors the number of the line.
func eachLine(r io.Reader, add func(line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // a byte order mark
		}
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d is not UTF-8", n)
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := add(line); err != nil {
			return fmt.Errorf("line %d %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

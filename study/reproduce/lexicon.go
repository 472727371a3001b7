package reproduce

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
	"sotto/text"
)

// ReadLexicon reads a list of words, one a line, in lower case. Lines that are
// empty or begin with a semicolon are skipped, and so are entries that are not
// one whole word, such as "a+" or "two-faced", and words seen before.
func ReadLexicon(r io.Reader) ([]string, error) {
	var words []string
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		entry := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(entry, ";") || !isWord(entry) || seen[entry] {
			continue
		}
		seen[entry] = true
		words = append(words, entry)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reproduce: the list of words cannot be read: %w", err)
	}
	return words, nil
}

// isWord reports whether s is one word, written as encoders look it up.
func isWord(s string) bool {
	for word := range text.Words(s) {
		return word == s
	}
	return false
}

// loadLexicon reads the lists of Hu and Liu: words that blame and words that
// praise. The few words that stand in both count in neither.
func loadLexicon(dir string) (lists [2][]string, err error) {
	for i, name := range []string{"negative-words.txt", "positive-words.txt"} {
		f, _, err := regular.Open(filepath.Join(dir, "opinion_lexicon", name), regular.Most)
		if err != nil {
			return lists, fmt.Errorf("reproduce: opinion_lexicon, the opinion words of Hu and Liu (KDD 2004), is not complete: %w", err)
		}
		lists[i], err = ReadLexicon(f)
		f.Close() //nolint:errcheck // it was read
		if err != nil {
			return lists, err
		}
	}
	return [2][]string{without(lists[0], lists[1]), without(lists[1], lists[0])}, nil
}

// without returns the values that are not among the others.
func without[T comparable](values, others []T) []T {
	in := make(map[T]bool, len(others))
	for _, v := range others {
		in[v] = true
	}
	return slices.DeleteFunc(slices.Clone(values), func(v T) bool { return in[v] })
}

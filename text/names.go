package text

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NameList finds words that look like names, by their capital letters and by a
// list of first names. It does not change and may be used by several goroutines.
// The zero value has an empty list.
//
// A word is taken for a name if it begins with a capital letter and is either on
// the list, or does not begin a sentence and has a small letter, too. A sentence
// begins with the text, behind one of . ! ? … : or a line break, and with an
// opening quotation mark; but not behind the stop of an initial or of a title
// such as Dr. A few words that are names, too, such as Will and May, count only
// where no sentence begins.
//
// This is a rule of thumb for English. It also masks days, months, brands and
// headlines, and all nouns of German. It misses a name that is written in small
// letters, that begins a sentence and is not on the list, or whose script has no
// capital letters. No guarantee rests on it.
type NameList struct {
	names map[string]bool // folded
}

// ParseNames reads a list of first names, one a line. Empty lines and those that
// begin with # are skipped; of a name of several words, each counts. Case and
// accents make no difference. An error names the line and does not quote it.
func ParseNames(r io.Reader) (*NameList, error) {
	n := &NameList{names: map[string]bool{}}
	err := eachLine(r, func(line string) error {
		for _, span := range Spans(line) {
			n.names[string(foldWord(nil, line[span.Start:span.End]))] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("text: list of names: %w", err)
	}
	return n, nil
}

// Names returns the number of names on the list.
func (n *NameList) Names() int { return len(n.names) }

// Find implements [Masker].
func (n *NameList) Find(s string) []Found {
	var found []Found
	words := Spans(s)
	for i, span := range words {
		word := s[span.Start:span.End]
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) && !unicode.IsTitle(r) {
			continue
		}
		if n.listed(word) || mixed(word) && !beginsSentence(s, words, i) {
			found = append(found, Found{Span: span, Type: Name})
		}
	}
	return found
}

// Rule implements [Masker]: it has the SHA-256 of the names, or says that there
// are none.
func (n *NameList) Rule() string {
	if len(n.names) == 0 {
		return "names capitals"
	}
	return "names " + digest(slices.Collect(maps.Keys(n.names)))
}

// ordinary are words that lists of first names have, too, but that mostly mean
// something else where they begin a sentence.
var ordinary = []string{"any", "even", "far", "had", "may", "my", "saw", "say", "see", "way", "will"}

// listed reports whether a word, or what owns what follows it, is on the list
// and no ordinary word.
func (n *NameList) listed(word string) bool {
	if contains(ordinary, word) {
		return false
	}
	return inFolds(n.names, word) || inFolds(n.names, owner(word))
}

// owner returns a word without the ending of a possessive.
func owner(word string) string {
	for _, ending := range []string{"'s", "’s", "'S", "’S"} {
		if rest, ok := strings.CutSuffix(word, ending); ok {
			return rest
		}
	}
	return word
}

// mixed reports whether a word that begins with a capital letter has a small
// one, too, and is not "I" with a verb.
func mixed(word string) bool {
	word = owner(word)
	if strings.HasPrefix(word, "I'") || strings.HasPrefix(word, "I’") {
		return false
	}
	return strings.ContainsFunc(word, unicode.IsLower)
}

// beginsSentence reports whether a word begins a sentence. A dropped word before
// it is no title, and does not tell either.
func beginsSentence(s string, words []Span, i int) bool {
	gap := s[:words[i].Start]
	if i > 0 {
		gap = gap[words[i-1].End:]
	}
	if dropped := strings.LastIndex(gap, dropMark); dropped >= 0 {
		gap = gap[dropped+len(dropMark):]
	} else if i == 0 {
		return true
	} else if abbreviated(s[words[i-1].Start:words[i-1].End]) {
		gap = strings.TrimPrefix(gap, ".")
	}
	last, _ := utf8.DecodeLastRuneInString(gap)
	return strings.ContainsAny(gap, ".!?…:\n\r\u2028\u2029。！？") || strings.ContainsRune("\"'“„‘«", last)
}

// titles stand before names, with a stop that ends no sentence.
var titles = []string{
	"capt", "col", "dr", "gen", "gov", "hon", "jr", "lt", "maj", "mr", "mrs", "ms",
	"prof", "rep", "rev", "sen", "sgt", "sr", "st",
}

// abbreviated reports whether a stop behind a word belongs to it.
func abbreviated(word string) bool {
	return utf8.RuneCountInString(word) == 1 || contains(titles, word)
}

// contains reports whether a list has a word, in any case.
func contains(list []string, word string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.EqualFold(w, word) })
}

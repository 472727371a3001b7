// Package lexicon looks words up in lists that say what they are about: how
// positive they are, which emotion they carry, which of many topics they belong
// to. Several lists are built in, each under its own licence, and users bring
// others in the formats of NRC's EmoLex and of plain tables.
//
// It says what words mean on the whole and not in a sentence; [Sentiment], which
// goes by the rules of VADER, sees negations and emphasis. The smallest use is
//
//	l, err := lexicon.Open("empath")
//	…
//	for _, e := range l.Look("nurse") {
//		… // e.Category is health, and others
//	}
package lexicon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/text"
)

// Info says what a lexicon is and whose.
type Info struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	Licence string `json:"licence"`
	Source  string `json:"source"`
}

// Lexicon is categories of words. It does not change and may be used by several
// goroutines.
type Lexicon struct {
	Info
	categories []string
	words      map[string][]Entry
}

// Entry is a category to which a word belongs, and how much. Weights are those of
// the lexicon: 1 where it has none, a valence, or a score.
type Entry struct {
	Category string  `json:"category"`
	Weight   float64 `json:"weight"`
}

// Categories returns the categories, in the order of the lexicon.
func (l *Lexicon) Categories() []string { return slices.Clone(l.categories) }

// Words returns how many words there are.
func (l *Lexicon) Words() int { return len(l.words) }

// Look returns what a word belongs to, by the first of the given forms that the
// lexicon has, such as the word and its lemma; nil if it has none. Case makes no
// difference.
func (l *Lexicon) Look(forms ...string) []Entry {
	for _, form := range forms {
		if found, ok := l.words[lower(form)]; ok {
			return found
		}
	}
	return nil
}

// Total is what a text has of a category.
type Total struct {
	Category string  `json:"category"`
	Words    int     `json:"words"`  // of the text that belong to it
	Weight   float64 `json:"weight"` // of those words together
}

// Count adds up what words belong to, each given by its forms as [Lexicon.Look]
// takes them: a total for each category that any of them has, the one with most
// words first.
func (l *Lexicon) Count(words [][]string) []Total {
	at := map[string]int{}
	var all []Total
	for _, forms := range words {
		for _, e := range l.Look(forms...) {
			i, ok := at[e.Category]
			if !ok {
				i = len(all)
				at[e.Category] = i
				all = append(all, Total{Category: e.Category})
			}
			all[i].Words++
			all[i].Weight += e.Weight
		}
	}
	slices.SortFunc(all, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Words, a.Words), strings.Compare(a.Category, b.Category))
	})
	return all
}

// CountText is [Lexicon.Count] of the words of a text.
func (l *Lexicon) CountText(s string) []Total {
	var words [][]string
	for word := range text.Words(s) {
		words = append(words, []string{word})
	}
	return l.Count(words)
}

// lower returns a word as it is looked up.
func lower(word string) string {
	return strings.ReplaceAll(strings.ToLower(word), "’", "'")
}

// maxWord is the size in bytes of the longest word of a lexicon.
const maxWord = 256

// add adds a category of a word. The last weight counts where one is repeated.
func (l *Lexicon) add(word, category string, weight float64) error {
	switch {
	case word == "" || len(word) > maxWord || !utf8.ValidString(word):
		return fmt.Errorf("has a word of %d bytes, must have one of 1 to %d in UTF-8", len(word), maxWord)
	case category == "" || len(category) > maxWord || !utf8.ValidString(category):
		return fmt.Errorf("has a category of %d bytes, must have one of 1 to %d in UTF-8", len(category), maxWord)
	case !(weight >= -1e9 && weight <= 1e9):
		return fmt.Errorf("has the weight %v, must have one between -1e9 and 1e9", weight)
	}
	word = lower(word)
	entries := l.words[word]
	if i := slices.IndexFunc(entries, func(e Entry) bool { return e.Category == category }); i >= 0 {
		entries[i].Weight = weight
		return nil
	}
	if !slices.Contains(l.categories, category) {
		l.categories = append(l.categories, category)
	}
	l.words[word] = append(entries, Entry{category, weight})
	return nil
}

package influence

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Vocabulary is the words that could stand in place of others, by part of speech, the
// commonest first.
type Vocabulary map[string][]string

// fewest is how often a word must occur to be one that could stand for others.
const fewest = 2

// NewVocabulary returns the words of the texts to learn from, each under the part of
// speech that it has most often.
func NewVocabulary(d *Data) Vocabulary {
	counts := map[string]map[string]int{}
	for _, row := range d.Train {
		for _, w := range d.Words[row] {
			word := strings.ToLower(d.Texts[row][w.Start:w.End])
			if !spelt(word) {
				continue
			}
			if counts[word] == nil {
				counts[word] = map[string]int{}
			}
			counts[word][w.POS]++
		}
	}
	total, v := map[string]int{}, Vocabulary{}
	for word, tags := range counts {
		for _, n := range tags {
			total[word] += n
		}
		if total[word] < fewest {
			continue
		}
		tag := slices.MinFunc(slices.Sorted(maps.Keys(tags)), func(a, b string) int { return cmp.Compare(tags[b], tags[a]) })
		v[tag] = append(v[tag], word)
	}
	for _, words := range v {
		slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(total[b], total[a]), cmp.Compare(a, b)) })
	}
	return v
}

// spelt reports whether a word has letters, and hyphens or apostrophes at most beside
// them.
func spelt(word string) bool {
	letters := false
	for _, r := range word {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case r != '-' && r != '\'' && r != '’':
			return false
		}
	}
	return letters
}

// Of returns the part of speech that a word is listed under, "" if it is not.
func (v Vocabulary) Of(word string) string {
	for _, tag := range slices.Sorted(maps.Keys(v)) {
		if slices.Contains(v[tag], strings.ToLower(word)) {
			return tag
		}
	}
	return ""
}

// Len returns how many words there are.
func (v Vocabulary) Len() int {
	n := 0
	for _, words := range v {
		n += len(words)
	}
	return n
}

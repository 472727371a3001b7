package cells

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sotto/text"
)

// wordsAbout is how many words say what a cell is about.
const wordsAbout = 4

// commonWord is in how many texts a word stands once if it is too common to tell anything.
const commonWord = 30

// About returns for each cell the words of its public texts that stand out most
// against all texts, separated by commas: those with the largest n·ln(n/e), where n of
// the cell's texts have the word and e would have it if it were as common as elsewhere.
// Words that every thirtieth text has, such as "the", say nothing and are left out.
func (s *Set) About(texts []string) []string {
	in := make([]map[string]int, len(s.Centres))
	for c := range in {
		in[c] = map[string]int{}
	}
	everywhere, total := map[string]int{}, 0
	for i, t := range texts {
		if s.Of[i] < 0 {
			continue
		}
		total++
		for word := range distinct(t) {
			everywhere[word]++
			in[s.Of[i]][word]++
		}
	}
	about := make([]string, len(in))
	for c, words := range in {
		type scored struct {
			word  string
			score float64
		}
		var all []scored
		for word, n := range words {
			expected := float64(everywhere[word]) / float64(total) * float64(s.Texts[c])
			if n > 1 && float64(n) > expected && everywhere[word]*commonWord < total {
				all = append(all, scored{word, float64(n) * math.Log(float64(n)/expected)})
			}
		}
		slices.SortFunc(all, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.word, b.word))
		})
		var best []string
		for _, w := range all[:min(wordsAbout, len(all))] {
			best = append(best, w.word)
		}
		about[c] = strings.Join(best, ", ")
	}
	return about
}

// distinct returns the words of a text that can say something: those of three letters
// and more.
func distinct(t string) map[string]bool {
	words := map[string]bool{}
	for w := range text.Words(t) {
		if len([]rune(w)) >= 3 && !strings.ContainsAny(w, "0123456789'’") {
			words[w] = true
		}
	}
	return words
}

// Examples returns for each cell the public text nearest to its centre, cut to what a
// person reads at a glance.
func (s *Set) Examples(texts []string) []string {
	const long = 120
	examples := make([]string, len(s.Example))
	for c, i := range s.Example {
		examples[c] = texts[i]
		if runes := []rune(texts[i]); len(runes) > long {
			examples[c] = string(runes[:long]) + "…"
		}
	}
	return examples
}

package lexicon

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Score is how positive a text is.
type Score struct {
	// Compound is between -1 and 1. Its authors call a text positive from 0.05 on,
	// and negative from -0.05 down.
	Compound float64 `json:"compound"`
	// The shares of words that are positive, neutral and negative, by their weight.
	Positive float64 `json:"positive"`
	Neutral  float64 `json:"neutral"`
	Negative float64 `json:"negative"`
}

// What the rules of VADER add to a valence, as its authors measured it.
const (
	boost       = 0.293 // of a word such as very
	capitals    = 0.733 // of a word in capital letters among others that are not
	negation    = -0.74 // times the valence behind not
	exclamation = 0.292 // of each exclamation mark, up to four
	question    = 0.18  // of each of two or three question marks
	questions   = 0.96  // of more
)

// valences are those of the words of VADER.
var valences = sync.OnceValues(func() (map[string]float64, error) {
	l, err := Open("vader")
	if err != nil {
		return nil, err
	}
	all := make(map[string]float64, len(l.words))
	for word, entries := range l.words {
		all[word] = entries[0].Weight
	}
	return all, nil
})

// emoji are the names of emoji, which are words for VADER.
var emoji = sync.OnceValues(func() (map[rune]string, error) {
	all := map[rune]string{}
	return all, lines("emoji.tsv.gz", func(fields []string) error {
		if r, size := utf8.DecodeRuneInString(fields[0]); len(fields) == 2 && size == len(fields[0]) {
			all[r] = fields[1]
		}
		return nil
	})
})

// Sentiment returns how positive an English text is by the lexicon and the rules of
// VADER: what precedes a word turns it round, strengthens or weakens it, and what
// follows "but" counts more. It sees words between spaces and emoji, is best for a
// sentence, and is right about many and not about all.
//
// Reference: Hutto and Gilbert, VADER, ICWSM 2014, as released in version 3.3.2.
// Where two words before and behind "but" have the same valence the release may
// weigh the wrong one; here each counts by its place.
func Sentiment(s string) (Score, error) {
	known, err := valences()
	if err != nil {
		return Score{}, err
	}
	names, err := emoji()
	if err != nil {
		return Score{}, err
	}
	s = strings.TrimSpace(spelt(s, names))
	v := sentence{known: known}
	for word := range strings.FieldsSeq(s) {
		word = bare(word)
		v.words, v.lower = append(v.words, word), append(v.lower, strings.ToLower(word))
	}
	loud := 0
	for _, word := range v.words {
		if isUpper(word) {
			loud++
		}
	}
	v.mixed = loud > 0 && loud < len(v.words)
	return v.score(emphasis(s)), nil
}

// spelt puts names in the place of emoji.
func spelt(s string, names map[rune]string) string {
	var b strings.Builder
	space := true
	for _, r := range s {
		name, ok := names[r]
		if !ok {
			b.WriteRune(r)
			space = r == ' '
			continue
		}
		if !space {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		space = false
	}
	return b.String()
}

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// bare returns a word without the punctuation around it, unless so little is left
// that it may be a face such as :).
func bare(word string) string {
	if inner := strings.Trim(word, punctuation); utf8.RuneCountInString(inner) > 2 {
		return inner
	}
	return word
}

// isUpper reports whether a word has capital letters and no small ones.
func isUpper(word string) bool {
	return strings.ContainsFunc(word, unicode.IsUpper) && !strings.ContainsFunc(word, unicode.IsLower)
}

// emphasis is what the punctuation of a text adds.
func emphasis(s string) float64 {
	e := exclamation * float64(min(4, strings.Count(s, "!")))
	switch n := strings.Count(s, "?"); {
	case n > 3:
		e += questions
	case n > 1:
		e += question * float64(n)
	}
	return e
}

// sentence is a text as the rules see it.
type sentence struct {
	known map[string]float64
	words []string
	lower []string
	mixed bool // some words, and not all, are in capital letters
}

// score adds the words up.
func (v *sentence) score(emphasis float64) Score {
	if len(v.words) == 0 {
		return Score{}
	}
	but := -1
	var sum, positive, negative, neutral float64
	each := make([]float64, len(v.words))
	for i := range v.words {
		each[i] = v.valence(i)
		if but < 0 && v.lower[i] == "but" {
			but = i
		}
	}
	for i, x := range each {
		switch {
		case but >= 0 && i < but:
			x *= 0.5
		case but >= 0 && i > but:
			x *= 1.5
		}
		sum += x
		switch {
		case x > 0:
			positive += x + 1
		case x < 0:
			negative += 1 - x
		default:
			neutral++
		}
	}
	sum += sign(sum) * emphasis
	switch {
	case positive > negative:
		positive += emphasis
	case positive < negative:
		negative += emphasis
	}
	all := positive + negative + neutral
	return Score{
		Compound: round(sum/math.Sqrt(sum*sum+15), 4),
		Positive: round(positive/all, 3), Neutral: round(neutral/all, 3), Negative: round(negative/all, 3),
	}
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func round(x float64, digits int) float64 {
	unit := math.Pow10(digits)
	return math.RoundToEven(x*unit) / unit
}

// at returns the word that stands some places before another, in lower case; "" if
// there is none.
func (v *sentence) at(i int) string {
	if i < 0 || i >= len(v.lower) {
		return ""
	}
	return v.lower[i]
}

// valence is what a word adds, by itself and by the words around it.
func (v *sentence) valence(i int) float64 {
	word := v.lower[i]
	x, ok := v.known[word]
	if _, boosts := boosters[word]; boosts || !ok || word == "kind" && v.at(i+1) == "of" {
		return 0
	}
	own := x
	if _, next := v.known[v.at(i+1)]; word == "no" && next {
		x = 0 // it turns the next word round
	}
	if v.at(i-1) == "no" || v.at(i-2) == "no" || v.at(i-3) == "no" && (v.at(i-1) == "or" || v.at(i-1) == "nor") {
		x = own * negation
	}
	if v.mixed && isUpper(v.words[i]) {
		if x > 0 {
			x += capitals
		} else {
			x -= capitals
		}
	}
	for back := 1; back <= 3 && back <= i; back++ {
		if _, valent := v.known[v.lower[i-back]]; valent {
			continue
		}
		x += v.boosted(i-back, x) * []float64{1, 0.95, 0.9}[back-1]
		x = v.negated(i, back, x)
		if back == 3 {
			x = v.phrase(i, x)
		}
	}
	if v.at(i-1) == "least" && (i == 1 || v.at(i-2) != "at" && v.at(i-2) != "very") {
		if _, valent := v.known["least"]; !valent {
			x *= negation
		}
	}
	return x
}

// boosted is what a word before one of some valence adds to it.
func (v *sentence) boosted(i int, x float64) float64 {
	by, ok := boosters[v.lower[i]]
	if !ok {
		return 0
	}
	if x < 0 {
		by = -by
	}
	if v.mixed && isUpper(v.words[i]) {
		if x > 0 {
			by += capitals
		} else {
			by -= capitals
		}
	}
	return by
}

// negated is the valence of a word behind one that may turn it round.
func (v *sentence) negated(i, back int, x float64) float64 {
	this := func(word string) bool { return word == "so" || word == "this" }
	one, two, three := v.at(i-1), v.at(i-2), v.at(i-3)
	switch {
	case back == 2 && two == "never" && this(one),
		back == 3 && (three == "never" && this(two) || this(one)):
		return x * 1.25
	case back == 2 && two == "without" && one == "doubt",
		back == 3 && three == "without" && (two == "doubt" || one == "doubt"):
		return x
	}
	if word := v.lower[i-back]; negations[word] || strings.Contains(word, "n't") {
		return x * negation
	}
	return x
}

// phrase is the valence of a word within one of a few phrases.
func (v *sentence) phrase(i int, x float64) float64 {
	join := func(from, to int) string {
		if from < 0 || to >= len(v.lower) {
			return ""
		}
		return strings.Join(v.lower[from:to+1], " ")
	}
	for _, p := range []string{join(i-1, i), join(i-2, i), join(i-2, i-1), join(i-3, i-1), join(i-3, i-2)} {
		if special, ok := phrases[p]; ok {
			x = special
			break
		}
	}
	for _, p := range []string{join(i, i+1), join(i, i+2)} {
		if special, ok := phrases[p]; ok {
			x = special
		}
	}
	for _, p := range []string{join(i-3, i-1), join(i-3, i-2), join(i-2, i-1)} {
		x += boosters[p]
	}
	return x
}

// Package guess says in which language a text is: by its script, and for the Latin
// script by which letters follow each other.
//
// It is a guess, and a rough one for a few words. It knows English, French, German,
// Italian, Portuguese and Spanish well, and Finnish and Swedish by their commonest
// words; a text in another language of the Latin script is taken for what it looks
// like, or for none of them. Of other scripts it names the language that is written
// in them most. The smallest use is
//
//	if g := guess.Of(s); !g.English() {
//		… // g.Language is de
//	}
package guess

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unknown is the language of a text that tells nothing, such as "123" or "ok".
const Unknown = "und"

// English is the code of English.
const English = "en"

// Guess is in which language a text may be.
type Guess struct {
	// Language is a code of ISO 639-1, or Unknown.
	Language string `json:"language"`
	// Confidence is between 0 and 1: of what the package knows, not of all
	// languages there are.
	Confidence float64 `json:"confidence"`
}

// English reports whether the text is not known to be in another language: nothing
// speaks against English where nothing is known.
func (g Guess) English() bool {
	return g.Language == English || g.Language == Unknown || !(g.Confidence >= sure)
}

// sure is the confidence from which on a text counts as not in English: of 2,001
// English sentences 98 are taken for something else, and 24 with this much.
const sure = 0.9

// sample is how many bytes of a text are looked at: more tells no more.
const sample = 600

// least is how many letters a text must have to tell anything.
const least = 8

// Of guesses the language of a text by its beginning.
func Of(s string) Guess {
	if len(s) > sample {
		s = s[:sample]
	}
	language, share, latin := byScript(s)
	if language != "" {
		return Guess{language, share}
	}
	if latin < least {
		return Guess{Unknown, 0}
	}
	m, err := builtin()
	if err != nil { // which a test excludes
		return Guess{Unknown, 0}
	}
	return m.of(s)
}

// scripts are those in which one language is written more than others.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
}{
	{unicode.Han, "zh"},
	{unicode.Hiragana, "ja"},
	{unicode.Katakana, "ja"},
	{unicode.Hangul, "ko"},
	{unicode.Arabic, "ar"},
	{unicode.Cyrillic, "ru"},
	{unicode.Greek, "el"},
	{unicode.Hebrew, "he"},
	{unicode.Devanagari, "hi"},
	{unicode.Thai, "th"},
	{unicode.Bengali, "bn"},
	{unicode.Tamil, "ta"},
	{unicode.Telugu, "te"},
	{unicode.Gujarati, "gu"},
	{unicode.Gurmukhi, "pa"},
	{unicode.Kannada, "kn"},
	{unicode.Malayalam, "ml"},
	{unicode.Sinhala, "si"},
	{unicode.Georgian, "ka"},
	{unicode.Armenian, "hy"},
	{unicode.Ethiopic, "am"},
	{unicode.Khmer, "km"},
	{unicode.Lao, "lo"},
	{unicode.Myanmar, "my"},
	{unicode.Tibetan, "bo"},
}

// byScript returns the language of the commonest script and its share of the letters
// that are not Latin, which names and addresses are everywhere; "" if the commonest is
// the Latin one or nothing is known of it, and how many letters are Latin. Where there
// is any kana, Chinese characters are Japanese.
func byScript(s string) (language string, share float64, latin int) {
	var counts [64]int
	letters := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < 0x250 || unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for i, script := range scripts {
			if unicode.Is(script.table, r) {
				counts[i]++
				break
			}
		}
	}
	if kana := counts[1] + counts[2]; kana > 0 {
		counts[1], counts[0], counts[2] = kana+counts[0], 0, 0
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if counts[best] <= latin {
		return "", 0, latin
	}
	return scripts[best].language, float64(counts[best]) / float64(letters-latin), latin
}

// of guesses by which letters follow each other.
func (m *model) of(s string) Guess {
	sum := make([]float64, len(m.languages))
	seen := 0
	for gram := range grams(s) {
		if row, ok := m.grams[gram]; ok {
			seen++
			for l := range sum {
				sum[l] -= float64(row[l]) * unit
			}
		}
	}
	if seen == 0 {
		return Guess{Unknown, 0}
	}
	best := 0
	for l := range sum {
		if sum[l] > sum[best] {
			best = l
		}
	}
	// Grams overlap, so that each letter is counted about four times.
	total := 0.0
	for _, x := range sum {
		total += math.Exp((x - sum[best]) / overlap)
	}
	g := Guess{m.languages[best], 1 / total}
	if g.Confidence < half {
		g.Language = Unknown
	}
	return g
}

const (
	overlap = 4   // grams of one letter
	half    = 0.5 // of all confidence is needed to name a language
)

// maxWord is the size in bytes of the longest word that tells something.
const maxWord = 60

// grams returns the runs of one to four letters of the words of a text, in lower
// case, with a space at the ends of each word. Words with digits or signs in them,
// such as addresses, and endless ones tell nothing of a language.
func grams(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsSeq(s) {
			word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
			if word == "" || len(word) > maxWord || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) {
				continue
			}
			if !each(" "+strings.ToLower(strings.ToValidUTF8(word, ""))+" ", yield) {
				return
			}
		}
	}
}

// each yields the runs of a word.
func each(word string, yield func(string) bool) bool {
	var starts [4]int // of the letters behind which the run ends, the last one first
	have := 0
	for i, r := range word {
		copy(starts[1:], starts[:3])
		starts[0] = i
		have = min(have+1, 4)
		end := i + utf8.RuneLen(r)
		for n := range have {
			if run := word[starts[n]:end]; run != " " && !yield(run) {
				return false
			}
		}
	}
	return true
}

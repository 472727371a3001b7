package parse

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// lemmas find the dictionary form of a word by rules that were learnt: one for
// each tag and ending, and exceptions for whole words.
type lemmas struct {
	rules map[string]string // a tag and an ending, or a tag and a whole word, to a script
}

// ending is the most characters of an ending that rules look at.
const ending = 6

// script says how a lemma is made of a word: how many characters are taken off
// its end, what is put there, and whether capitals stay. A script is a letter
// K (keep) or L (lower), a letter a for none to z for 25 taken off, and what is
// put there; or it is the lemma itself, behind a =.
func script(form, lemma string) (string, bool) {
	best := ""
	for _, kind := range []string{"L", "K"} {
		base := []rune(form)
		if kind == "L" {
			base = []rune(strings.ToLower(form))
		}
		want, same := []rune(lemma), 0
		for same < len(base) && same < len(want) && base[same] == want[same] {
			same++
		}
		off := len(base) - same
		if off > 25 {
			continue
		}
		if s := kind + string(rune('a'+off)) + string(want[same:]); best == "" || len(s) < len(best) {
			best = s
		}
	}
	return best, best != ""
}

// apply returns what a script makes of a word.
func apply(script, form string) string {
	if len(script) < 2 {
		return form
	}
	if script[0] == '=' {
		return script[1:]
	}
	if script[0] == 'L' {
		form = strings.ToLower(form)
	}
	for off := script[1] - 'a'; off > 0 && form != ""; off-- {
		_, size := utf8.DecodeLastRuneInString(form)
		form = form[:len(form)-size]
	}
	return form + script[2:]
}

// whole is put before a word where a rule is for the word and not for its
// ending.
const whole = "^"

// learnLemmas learns from words with tags and lemmas: for each tag and ending
// the script of most words, where a shorter ending does not give the same, and
// for each word that this gets wrong more often than another script its own.
func learnLemmas(d *language.Document) *lemmas {
	ends, words := map[string]map[string]int{}, map[string]map[written]int{}
	met := map[string]bool{}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		s, found := script(t.Text, t.Lemma)
		if t.Lemma == "" || !found || len(t.Text) > maxWord {
			continue
		}
		low := strings.ToLower(t.Text)
		key := t.XPOS + "\t" + whole + low
		if words[key] == nil {
			words[key] = map[written]int{}
		}
		words[key][written{t.Text, t.Lemma}]++
		if met[key+s] { // a common word has one voice about its ending
			continue
		}
		met[key+s] = true
		length := utf8.RuneCountInString(low)
		for n := 0; n <= min(ending, length) && int(s[1]-'a') < length; n++ { // what leaves nothing of a word is no rule for others
			end := t.XPOS + "\t" + tail(low, n)
			if ends[end] == nil {
				ends[end] = map[string]int{}
			}
			ends[end][s]++
		}
	}
	l := &lemmas{rules: map[string]string{}}
	for _, key := range ordered(ends) {
		if best, n := commonest(ends[key]); n >= 2 || strings.HasSuffix(key, "\t") {
			if tag, end, _ := strings.Cut(key, "\t"); end == "" || l.find(tag, end) != best {
				l.rules[key] = best
			}
		}
	}
	for _, key := range ordered(words) {
		tag, word, _ := strings.Cut(key, "\t")
		if best := exception(words[key], l.find(tag, word[len(whole):])); best != "" {
			l.rules[key] = best
		}
	}
	return l
}

// written is how a word was written, and its lemma.
type written struct{ form, lemma string }

// exception returns the script or, behind a =, the lemma that is right for more
// of what was met of a word than a given script is, or "" if none is.
func exception(met map[written]int, given string) string {
	right := func(script string) (n int) {
		for w, count := range met {
			if apply(script, w.form) == w.lemma {
				n += count
			}
		}
		return n
	}
	best, most := "", right(given)
	for _, w := range slices.SortedFunc(maps.Keys(met), func(a, b written) int {
		return cmp.Or(cmp.Compare(a.form, b.form), cmp.Compare(a.lemma, b.lemma))
	}) {
		own, _ := script(w.form, w.lemma)
		for _, s := range []string{own, "=" + w.lemma} {
			if n := right(s); n > most {
				best, most = s, n
			}
		}
	}
	return best
}

// ordered returns the keys, shorter endings first, so that longer ones are held
// against what is there.
func ordered[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	return keys
}

// commonest returns the script that is met most often, the first of equals in
// the alphabet, and how often it is.
func commonest(counts map[string]int) (string, int) {
	best, most := "", 0
	for s, n := range counts {
		if n > most || n == most && s < best {
			best, most = s, n
		}
	}
	return best, most
}

// find returns the script for a tag and a word in small letters: that of the
// word, or of its longest ending that has one.
func (l *lemmas) find(tag, low string) string {
	var key [64]byte
	if len(tag)+len(low)+2 <= len(key) {
		k := append(append(append(key[:0], tag...), '\t'), whole...)
		if s, found := l.rules[string(append(k, low...))]; found {
			return s
		}
	}
	for n := ending; n >= 0; n-- {
		end := tail(low, n)
		k := append(append(key[:0], tag...), '\t')
		if s, found := l.rules[string(append(k, end...))]; found {
			return s
		}
	}
	return "Ka"
}

// of returns the lemma of a token with tags. What a rule for an ending makes is
// mended where that gives a word that is known.
func (l *lemmas) of(t *language.Token, known func(string) bool) string {
	form := t.Text
	if len(form) > maxWord {
		return form
	}
	if t.UPOS == "PROPN" && shouted(form) && len(form) > 5 { // as names are written elsewhere
		return form
	}
	low := strings.ToLower(form)
	lemma := apply(l.find(t.XPOS, low), form)
	switch {
	case strings.HasPrefix(t.XPOS, "NNP") && lemma != "" && lemma == low && lemma[0] >= 'a' && lemma[0] <= 'z':
		return strings.ToUpper(lemma[:1]) + lemma[1:]
	case mendable[t.XPOS] && len(lemma) > 2 && lemma != low && strings.HasPrefix(low, lemma) && !known(lemma):
		for _, more := range []string{"e", lemma[len(lemma)-1:]} {
			if known(lemma + more) {
				return lemma + more
			}
		}
	}
	return lemma
}

// mendable are the tags of words whose ending may take a letter of the lemma
// with it, such as closed and stopped.
var mendable = map[string]bool{"VBD": true, "VBN": true, "VBG": true, "JJR": true, "JJS": true, "RBR": true}

// shouted tells whether a word is all capitals.
func shouted(s string) bool {
	for _, r := range s {
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

package parse

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/language"
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
// put there.
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
// the commonest script, where a shorter ending does not give the same, and for
// each word that this gets wrong more often than right its own.
func learnLemmas(d *language.Document) *lemmas {
	ends, words := map[string]map[string]int{}, map[string]map[string]int{}
	add := func(to map[string]map[string]int, key, script string) {
		if to[key] == nil {
			to[key] = map[string]int{}
		}
		to[key][script]++
	}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		s, found := script(t.Text, t.Lemma)
		if t.Lemma == "" || !found || len(t.Text) > maxWord {
			continue
		}
		low := strings.ToLower(t.Text)
		for n := range ending + 1 {
			if int(s[1]-'a') >= utf8.RuneCountInString(low) { // nothing is left of the word: no rule for others
				break
			}
			add(ends, t.XPOS+"\t"+tail(low, n), s)
			if n >= utf8.RuneCountInString(low) {
				break
			}
		}
		add(words, t.XPOS+"\t"+whole+low, s)
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
		best, _ := commonest(words[key])
		if tag, word, _ := strings.Cut(key, "\t"); l.find(tag, word[len(whole):]) != best {
			l.rules[key] = best
		}
	}
	return l
}

// ordered returns the keys, shorter endings first, so that longer ones are held
// against what is there.
func ordered(m map[string]map[string]int) []string {
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

// of returns the lemma of a token with tags.
func (l *lemmas) of(t *language.Token) string {
	form := t.Text
	if len(form) > maxWord {
		return form
	}
	if t.UPOS == "PROPN" && shouted(form) && len(form) > 5 { // as names are written elsewhere
		return form
	}
	return apply(l.find(t.XPOS, strings.ToLower(form)), form)
}

// shouted tells whether a word is all capitals.
func shouted(s string) bool {
	for _, r := range s {
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

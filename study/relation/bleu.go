package relation

import (
	"math"
	"strings"
	"unicode"
)

// RuleWords takes a rule apart as its decoder's paper does: runs of letters, digits and _, and
// every other sign but white space and commas.
func RuleWords(rule string) []string {
	var all []string
	from := -1
	end := func(at int) {
		if from >= 0 {
			all = append(all, rule[from:at])
			from = -1
		}
	}
	for at, r := range rule {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if from < 0 {
				from = at
			}
		default:
			if end(at); r != ',' && !unicode.IsSpace(r) {
				all = append(all, string(r))
			}
		}
	}
	end(len(rule))
	return all
}

// longest is how many words the longest sequences have that BLEU counts.
const longest = 4

// BLEU collects texts and what they should have been, and is the corpus measure of Papineni
// and others (ACL 2002) of them: of sequences of one to four words, alike weighed, with
// several references a text and no smoothing. The zero value has collected nothing.
type BLEU struct {
	Texts int

	right, all         [longest]int
	length, references int
}

// Add takes in a text, and its references, at least one.
func (b *BLEU) Add(text []string, references ...[]string) {
	b.Texts++
	b.length += len(text)
	closest := len(references[0])
	for _, r := range references[1:] {
		if d, best := distance(len(r), len(text)), distance(closest, len(text)); d < best || d == best && len(r) < closest {
			closest = len(r)
		}
	}
	b.references += closest
	for n := 1; n <= longest; n++ {
		most := map[string]int{}
		for _, r := range references {
			for key, count := range sequences(r, n) {
				most[key] = max(most[key], count)
			}
		}
		for key, count := range sequences(text, n) {
			b.all[n-1] += count
			b.right[n-1] += min(count, most[key])
		}
	}
}

// Value returns the measure, from 0 to 1; 0 where nothing was collected.
func (b *BLEU) Value() float64 {
	sum := 0.0
	for n := range longest {
		if b.right[n] == 0 {
			return 0
		}
		sum += float64(math.Log(float64(b.right[n])/float64(b.all[n])) / longest)
	}
	if b.length < b.references {
		sum += 1 - float64(b.references)/float64(b.length)
	}
	return math.Exp(sum)
}

// SentenceBLEU returns how alike two texts are, from 0 to 1: BLEU of one against the other
// with one added to the counts of sequences of several words, so that short texts can be
// compared, too.
func SentenceBLEU(text, reference []string) float64 {
	var b BLEU
	b.Add(text, reference)
	sum := 0.0
	for n := range longest {
		right, all := float64(b.right[n]), float64(b.all[n])
		if n > 0 {
			right, all = right+1, all+1
		}
		if right == 0 {
			return 0
		}
		sum += float64(math.Log(right/all) / longest)
	}
	if b.length < b.references {
		sum += 1 - float64(b.references)/float64(b.length)
	}
	return math.Exp(sum)
}

func distance(a, b int) int { return max(a-b, b-a) }

// sequences counts those of n words.
func sequences(words []string, n int) map[string]int {
	all := map[string]int{}
	for at := 0; at+n <= len(words); at++ {
		all[strings.Join(words[at:at+n], "\x00")]++
	}
	return all
}

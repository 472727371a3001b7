package explain

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text"
)

// This part of the package gives away which words an answer hangs on, under differential
// privacy.
//
// An explanation of a text is a release: its words are the text's, and its weights
// follow from them. What is let out here instead is an answer to a public question,
// "which word of this public list speaks most for this class, or against it?", through
// the mechanism codes of package mech. Whatever is computed from the text only ranks
// the answers, and every ranking gives every answer a chance that differs at most by
// e^ε; so the promise is that of the mechanism, between any two texts, whichever
// explainer and model were used. The proof is promise/mech/codes.md; that a deterministic map
// goes before the mechanism changes nothing in it.
//
// The list and the class must be public, that is chosen without looking at the text:
// a class that was predicted from it would be released unpaid. The smallest use is
//
//	m, err := NewReleased([]string{"good", "bad"}, ReleaseOptions{Epsilon: 2})
//	// pay for m.Guarantee(), and only then:
//	told, err := m.Release(explanation, noise.Crypto())

// ReleaseOptions say how much is told. Epsilon must be given.
type ReleaseOptions struct {
	Epsilon float64 // of all that is told of one text
	Top     int     // how many of the strongest words are told, which share ε evenly; 0 means 1
}

// releaseWords releases the strongest words of explanations, of a public list. It does not
// change and is safe for concurrent use.
type releaseWords struct {
	words []string // folded
	place map[string]int
	top   int
	codes *mech.Codes
}

// mostTop bounds into how many parts ε is divided.
const mostTop = 20

// NewReleased makes a release for a public list of words. Case and accents make no
// difference.
func NewReleased(words []string, o ReleaseOptions) (*releaseWords, error) {
	m := &releaseWords{place: map[string]int{}, top: cmp.Or(o.Top, 1)}
	if m.top < 1 || m.top > mostTop {
		return nil, fmt.Errorf("release: top is %d, must be from 1 to %d", m.top, mostTop)
	}
	for _, w := range words {
		if spans := Words(w); len(spans) != 1 || spans[0] != (text.Span{Start: 0, End: len(w)}) {
			return nil, errors.New("release: an entry of the public list is not one word of letters, digits and underscores, must be")
		}
		w = text.Fold(w)
		if _, twice := m.place[w]; twice {
			return nil, errors.New("release: a word stands in the public list twice, must stand there once")
		}
		m.place[w] = len(m.words)
		m.words = append(m.words, w)
	}
	if len(m.words) == 0 {
		return nil, errors.New("release: the public list is empty, must have words")
	}
	var err error
	m.codes, err = mech.NewCodes(mech.Params{Mechanism: "codes", Dim: 2*len(m.words) + 1, Epsilon: o.Epsilon / float64(m.top)})
	return m, err
}

// Guarantee returns what all that is told of one text promises together.
func (m *releaseWords) Guarantee() (dp.Guarantee, error) {
	return dp.Compose(slices.Repeat([]dp.Guarantee{m.codes.Guarantee()}, m.top)...)
}

// Params says by which mechanism each word is told.
func (m *releaseWords) Params() mech.Params { return m.codes.Params() }

// Told is what is let out: a word of the public list, or none.
type Told struct {
	Word   string `json:"word"`             // "" if no word of the list is told
	Speaks string `json:"speaks,omitempty"` // "for" or "against" the class
}

// The sides of a word.
const (
	For     = "for"
	Against = "against"
)

// Release tells the strongest words of an explanation by chance, the strongest one
// likeliest. It is made for every text: one without a word of the list, or without any
// word, for which e is nil, is told like others. Randomness must be that of
// noise.Crypto and the promise be paid for before.
func (m *releaseWords) Release(e *Explanation, src rand.Source) ([]Told, error) {
	strength := m.strength(e)
	ranked := slices.Clone(strength)
	slices.SortStableFunc(ranked, func(a, b strong) int { return cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)) })
	none := 2 * len(m.words)
	told := make([]Told, m.top)
	for i := range told {
		scores := make([]float64, none+1)
		for c := range scores {
			scores[c] = -1
		}
		scores[none] = 0 // behind the words of the text, before all others
		for r, s := range ranked {
			scores[s.code()] = 1 / float64(2+r)
		}
		first := none
		if i < len(ranked) {
			first = ranked[i].code()
		}
		scores[first] = 1
		code, err := m.codes.Pick(scores, src)
		if err != nil {
			return nil, err
		}
		if code < none {
			told[i] = Told{m.words[code/2], []string{For, Against}[code%2]}
		}
	}
	return told, nil
}

// strong is a word of the list that a text has, and what it is worth there.
type strong struct {
	word   int
	weight float64
}

func (s strong) code() int {
	if s.weight < 0 {
		return 2*s.word + 1
	}
	return 2 * s.word
}

// strength adds up what words of the list are worth.
func (m *releaseWords) strength(e *Explanation) []strong {
	if e == nil {
		return nil
	}
	var all []strong
	at := map[int]int{}
	for _, t := range e.Tokens {
		word, listed := m.place[text.Fold(t.Text)]
		if !listed {
			continue
		}
		k, known := at[word]
		if !known {
			k = len(all)
			at[word] = k
			all = append(all, strong{word: word})
		}
		all[k].weight += t.Weight
	}
	return all
}

package gateway

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
)

// This part of the package is the simplest attacker on vectors of texts there is: it knows the
// encoder, and guesses the words whose own vectors point where a vector points. The page
// of a gateway shows what it finds. What it finds can be read; what it does not find may
// still be there for a better one.

// guesser is the attacker. It is safe for concurrent use.
type guesser struct {
	words   []string
	vectors nn.Matrix // of length 1, a row a word
}

// New encodes the words of a vocabulary; nil if the encoder has none of
// them, or cannot be asked for many words in a moment.
func newGuesser(source encode.Source, vocabulary []string) *guesser {
	e, ok := source.(encode.Encoder)
	if !ok {
		return nil
	}
	words := make([]string, 0, len(vocabulary))
	for _, w := range vocabulary {
		if guessable(w) {
			words = append(words, w)
		}
	}
	g := &guesser{vectors: nn.NewMatrix(len(words), e.Dim())}
	for _, w := range words {
		row := g.vectors.Row(len(g.words))
		e.Encode(row, w)
		if n := norm(row); n > 0 && n <= math.MaxFloat32 {
			for j := range row {
				row[j] /= float32(n)
			}
			g.words = append(g.words, w)
		}
	}
	if len(g.words) == 0 {
		return nil
	}
	return g
}

// guessable keeps the whole words of a vocabulary, of at least three letters:
// shorter ones and parts of words say little.
func guessable(w string) bool {
	return utf8.RuneCountInString(w) >= 3 && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) || unicode.IsUpper(r) }) < 0
}

// guessWord is one word that an attacker names.
type guessWord struct {
	Word string `json:"word"`
	Hit  bool   `json:"hit"` // it is in the text
}

// Words returns how many words it chooses from.
func (g *guesser) Words() int { return len(g.words) }

// Nearest returns the n words nearest to a vector by angle, the nearest first,
// and none for zeros, which have no direction. Those of the text s are hits.
func (g *guesser) Nearest(v []float32, n int, s string) []guessWord {
	found := make([]guessWord, 0, n)
	if !(norm(v) > 0) {
		return found
	}
	type scored struct {
		score float64
		word  int
	}
	best := make([]scored, 0, n+1)
	for i := range g.words {
		x := scored{dot(g.vectors.Row(i), v), i}
		at := len(best)
		for at > 0 && x.score > best[at-1].score {
			at--
		}
		if at < n {
			best = slices.Insert(best, at, x)
			best = best[:min(n, len(best))]
		}
	}
	said := map[string]bool{}
	for w := range text.Words(s) {
		said[w] = true
	}
	for _, x := range best {
		w := g.words[x.word]
		found = append(found, guessWord{w, said[w]})
	}
	return found
}

// guessCosine returns that of the angle between two vectors of equal length, and false if
// one of them is 0.
func guessCosine(a, b []float32) (float64, bool) {
	n := norm(a) * norm(b)
	if !(n > 0) {
		return 0, false
	}
	return dot(a, b) / n, true
}

// dot is the inner product of two vectors of equal length.
func dot(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

func norm(v []float32) float64 { return math.Sqrt(dot(v, v)) }

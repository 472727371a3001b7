package records

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"sotto/link/alike"
)

// A value is a field of a record, made comparable.
type value struct {
	text    string             // in lower case, with single spaces, without punctuation
	words   []string           // of the text
	numbers []string           // those of the words that hold a digit
	rare    map[string]float64 // weight of each word: the rarer in its column, the more; squares add up to 1
}

// weigh gives the words of a column their weights: those that few rows have tell the
// most.
func weigh(all [][]value, c int) {
	count := make(map[string]int)
	for _, r := range all {
		seen := make(map[string]bool, len(r[c].words))
		for _, w := range r[c].words {
			if !seen[w] {
				seen[w] = true
				count[w]++
			}
		}
	}
	for i := range all {
		v := &all[i][c]
		v.rare = make(map[string]float64, len(v.words))
		for _, w := range v.words {
			v.rare[w] = math.Log(float64(len(all)+1) / float64(count[w]))
		}
		var sum float64
		for _, w := range slices.Sorted(maps.Keys(v.rare)) { // in order, so that sums are the same on every run
			sum += v.rare[w] * v.rare[w]
		}
		for w := range v.rare {
			v.rare[w] /= math.Sqrt(sum)
		}
	}
}

// cosine is that of the weights of words.
func cosine(a, b value) float64 {
	var sum float64
	last := ""
	for _, w := range a.words {
		if w != last { // a word that stands twice in a row counts once
			sum += a.rare[w] * b.rare[w]
		}
		last = w
	}
	return min(1, sum)
}

// parse makes a field comparable.
func parse(field string) value {
	var b strings.Builder
	space := false
	for _, r := range strings.ToLower(field) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
			continue
		}
		space = space || r != '\'' && r != '.' // o'neil is a word, and so is u.s.
	}
	v := value{text: b.String()}
	v.words = strings.Fields(v.text)
	for _, w := range v.words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			v.numbers = append(v.numbers, w)
		}
	}
	return v
}

// perColumn is how many features a column has.
const perColumn = 7

// featureNames are those of a column.
var featureNames = [perColumn]string{"missing", "equal", "similar spelling", "shared words", "shared numbers", "conflicting numbers", "shared rare words"}

// features compares two values. All are 0 but the first if either is missing.
func features(out []float64, a, b value) {
	clear(out[:perColumn])
	if a.text == "" || b.text == "" {
		out[0] = 1
		return
	}
	if a.text == b.text {
		out[1] = 1
	}
	out[2] = alike.JaroWinkler(a.text, b.text)
	out[3] = overlap(a.words, b.words)
	out[6] = cosine(a, b)
	if len(a.numbers) > 0 && len(b.numbers) > 0 {
		out[4] = overlap(a.numbers, b.numbers)
		if out[4] == 0 {
			out[5] = 1
		}
	}
}

// overlap is the part of all words that two lists share.
func overlap(a, b []string) float64 {
	seen := make(map[string]bool, len(a))
	for _, w := range a {
		seen[w] = true
	}
	shared, others := 0, 0
	counted := make(map[string]bool, len(b))
	for _, w := range b {
		if counted[w] {
			continue
		}
		counted[w] = true
		if seen[w] {
			shared++
		} else {
			others++
		}
	}
	if all := len(seen) + others; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}

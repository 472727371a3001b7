package language

import (
	"cmp"
	"slices"
)

// Phrases returns the phrases of all sentences: each is a word with all that depends on
// it, of several words side by side and not the whole sentence, without punctuation at
// its ends. It is the places of the first token and of the one behind the last; those
// that begin first come first, and of these the longest. Where there is no tree, there
// are none.
func (d *Document) Phrases() [][2]int {
	n := len(d.Tokens)
	within, size := make([][2]int, n), make([]int, n)
	for i := range d.Tokens {
		within[i] = [2]int{i, i + 1}
	}
	for i, t := range d.Tokens {
		// A path to the root has at most n steps, whatever a tree of somebody else's says.
		for at, steps := i, 0; t.DepRel != "" && at >= 0 && at < n && steps < n; at, steps = d.Tokens[at].Head, steps+1 {
			within[at] = [2]int{min(within[at][0], i), max(within[at][1], i+1)}
			size[at]++
		}
	}
	var found [][2]int
	for i, w := range within {
		if d.Tokens[i].Head < 0 || size[i] != w[1]-w[0] { // the sentence, or words with others between them
			continue
		}
		for w[0] < w[1] && d.Tokens[w[0]].UPOS == "PUNCT" {
			w[0]++
		}
		for w[0] < w[1] && d.Tokens[w[1]-1].UPOS == "PUNCT" {
			w[1]--
		}
		if w[1]-w[0] > 1 {
			found = append(found, w)
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	return slices.Compact(found)
}

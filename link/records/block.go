package records

import (
	"slices"
	"strconv"
	"strings"
)

// mostInBlock is how many records may share a key. A key that more share, such as the
// name of a town, tells too little to compare all of them.
const mostInBlock = 60

// keys are what records are compared for: they share a word or a number of a
// column, two words in a row, the beginning of a value, or how its first word sounds.
func keys(record []value) []string {
	var out []string
	for c, v := range record {
		if v.text == "" {
			continue
		}
		column := strconv.Itoa(c)
		add := func(kind, key string) { out = append(out, column+kind+key) }
		add("=", v.text)
		add("^", v.text[:min(len(v.text), 6)])
		for k, w := range v.words {
			if len(w) > 2 {
				add(":", w)
			}
			if k > 0 {
				add("+", v.words[k-1]+" "+w)
			}
		}
		add("~", sound(v.words[0])+strings.Join(v.numbers, " "))
	}
	return out
}

// sound is the Soundex code of a word: its first letter, and classes of the
// consonants after it.
func sound(word string) string {
	const classes = "01230120022455012623010202" // of a to z; 0 for vowels, h, w and y
	out := []byte{word[0]}
	last := byte('0')
	for k := range len(word) {
		c := word[k]
		if c < 'a' || c > 'z' {
			continue
		}
		class := classes[c-'a']
		if k > 0 && class != '0' && class != last && len(out) < 4 {
			out = append(out, class)
		}
		if c != 'h' && c != 'w' {
			last = class
		}
	}
	return string(out)
}

// candidates lists the pairs of records that share a key, once each, in order.
func candidates(all [][]value) [][2]int32 {
	blocks := make(map[string][]int32)
	for i, r := range all {
		for _, k := range keys(r) {
			b := blocks[k]
			if len(b) <= mostInBlock && (len(b) == 0 || b[len(b)-1] != int32(i)) {
				blocks[k] = append(b, int32(i))
			}
		}
	}
	seen := make(map[[2]int32]struct{})
	for _, b := range blocks {
		if len(b) > mostInBlock {
			continue
		}
		for x, i := range b {
			for _, j := range b[x+1:] {
				seen[[2]int32{i, j}] = struct{}{}
			}
		}
	}
	out := make([][2]int32, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return out
}

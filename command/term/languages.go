package term

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sotto/text/guess"
)

// Languages counts in which languages texts are, by a guess, so that a user knows
// where what was made for English was used for something else.
type Languages struct {
	texts  int64
	others map[string]int64
}

// guessed is how many texts are looked at: the first ones tell enough.
const guessed = 1000

// Add counts a text.
func (l *Languages) Add(s string) {
	if l.texts == guessed {
		return
	}
	l.texts++
	if g := guess.Of(s); !g.English() {
		if l.others == nil {
			l.others = map[string]int64{}
		}
		l.others[g.Language]++
	}
}

// Note says which languages there are beside English, and what that means; "" if
// fewer than one text in a hundred is in another, which may be mere misses.
func (l *Languages) Note(means string) string {
	var n int64
	for _, one := range l.others {
		n += one
	}
	if n*100 < l.texts || n == 0 {
		return ""
	}
	codes := slices.SortedFunc(maps.Keys(l.others), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.others[b], l.others[a]), strings.Compare(a, b))
	})
	var each []string
	for _, code := range codes[:min(5, len(codes))] {
		each = append(each, fmt.Sprintf("%d %s", l.others[code], code))
	}
	of := fmt.Sprintf("%d", l.texts)
	if l.texts == guessed {
		of = fmt.Sprintf("the first %d", l.texts)
	}
	return fmt.Sprintf("%d of %s texts are not in English, by a guess (%s): %s", n, of, strings.Join(each, ", "), means)
}

package layout

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// This part of the package finds the name that somebody meant who mistyped one. It is for
// errors that list what there is: the list stays, and the name that is nearest to
// what was given is pointed out.
//
//	return fmt.Errorf("mechanism is %q, must be one of %s%s", name, strings.Join(known, ", "), Hint(name, known))

// Nobody mistypes a name that is longer than this, in characters; what is longer
// was not typed, and is not worth the time.
const longest = 64

// Nearest returns the allowed name that was most likely meant by given, or "" if none
// is near. Capitals do not count. A name is near if few of its characters were left
// out, put in, replaced or swapped with the next, one in three at most, or one if it
// is shorter than that; or if given is how it begins. Of several that are equally
// near it is the first. A name that is allowed already is nearest to itself.
func Nearest(given string, allowed []string) string {
	const beginning = 3 // characters from which on a name may be cut short
	short, best, least := fold(given), "", longest
	if len(short) == 0 || len(short) > longest {
		return ""
	}
	for _, name := range allowed {
		if name == given {
			return name
		}
		full := fold(name)
		if len(full) == 0 || len(full) > longest {
			continue
		}
		d := distance(short, full)
		if len(short) >= beginning && strings.HasPrefix(string(full), string(short)) {
			d = min(d, 1)
		}
		if size := min(len(short), len(full)); d <= max(1, size/3) && d < size && d < least {
			best, least = name, d
		}
	}
	return best
}

// Hint returns how an error ends that has listed the allowed names, such as
// `; did you mean "ome"?`, or "" if none is near.
func Hint(given string, allowed []string) string {
	if name := Nearest(given, allowed); name != "" && name != given {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// fold returns the characters of a name, without regard to capitals. A name that is
// too long to be one, or that is no text, has none.
func fold(s string) []rune {
	if len(s) > longest*utf8.UTFMax || !utf8.ValidString(s) {
		return nil
	}
	return []rune(strings.ToLower(s))
}

// distance returns how many characters must be left out, put in, replaced or swapped
// with the next to get from a to b, of which none is touched twice: the optimal
// string alignment of Damerau and Levenshtein. The table's rows are overwritten,
// because only the last two are looked at.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

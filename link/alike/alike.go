// Package alike compares words and names as people write them: by spelling, by what
// somebody is called for short, and by initials.
//
//	alike.JaroWinkler("martha", "marhta") // 0.961
//	alike.Nicknames("bill", "william")    // true
package alike

// longest is how many letters of a text are compared by spelling.
const longest = 64

// JaroWinkler is the similarity of Jaro, of letters that are shared at about the same
// place and in the same order, raised by Winkler for a common beginning: from 0 to 1.
// Of longer texts the first 64 letters count.
func JaroWinkler(x, y string) float64 {
	a, b := []rune(x), []rune(y)
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	window := max(0, max(len(a), len(b))/2-1)
	used := make([]bool, len(b))
	var matched []rune
	for i, r := range a {
		for j := max(0, i-window); j < min(len(b), i+window+1); j++ {
			if !used[j] && b[j] == r {
				used[j] = true
				matched = append(matched, r)
				break
			}
		}
	}
	if len(matched) == 0 {
		return 0
	}
	moved, k := 0, 0
	for j, r := range b {
		if used[j] {
			if matched[k] != r {
				moved++
			}
			k++
		}
	}
	m := float64(len(matched))
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved)/2)/m) / 3
	same := 0
	for same < min(4, len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return jaro + float64(float64(same)*0.1*(1-jaro))
}

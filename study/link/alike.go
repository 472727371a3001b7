package link

// This part of the package compares words and names as people write them: by spelling, by what
// somebody is called for short, and by initials.
//
//	JaroWinkler("martha", "marhta") // 0.961
//	Nicknames("bill", "william")    // true

// longest is how many letters of a text are compared by spelling.
const longest = 64

// JaroWinkler is the similarity of Jaro, of letters that are shared at about the same
// place and in the same order, raised by Winkler for a common beginning: from 0 to 1.
// Of longer texts the first 64 letters count.
func JaroWinkler(x, y string) float64 {
	if x == y && x != "" {
		return 1
	}
	var left, right [longest]rune
	a, b := runes(&left, x), runes(&right, y)
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	window := max(0, max(len(a), len(b))/2-1)
	var used uint64
	var matched [longest]rune
	found := 0
	for i, r := range a {
		for j := max(0, i-window); j < min(len(b), i+window+1); j++ {
			if b[j] == r && used&(1<<j) == 0 {
				used |= 1 << j
				matched[found] = r
				found++
				break
			}
		}
	}
	if found == 0 {
		return 0
	}
	moved, k := 0, 0
	for j, r := range b {
		if used&(1<<j) != 0 {
			if matched[k] != r {
				moved++
			}
			k++
		}
	}
	m := float64(found)
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(float64(moved)/2))/m) / 3
	same := 0
	for same < min(4, len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return jaro + float64(float64(same)*0.1*(1-jaro))
}

// runes puts the first letters of a text into a place that is there.
func runes(into *[longest]rune, text string) []rune {
	n := 0
	for _, r := range text {
		if n == longest {
			break
		}
		into[n] = r
		n++
	}
	return into[:n]
}

package records

import (
	"slices"
	"strings"

	"sotto/study/link"
)

// What a comparison of two fields finds. All are from 0 to 1, and all but Missing are 0
// where either field is empty.
const (
	Missing       = iota // either field is empty
	Equal                // the same text
	Spelling             // Jaro–Winkler of the whole text
	SharedWords          // of all words, those that both have
	contained            // of the words of the shorter, those that the longer has
	RareWords            // cosine of the weights of words
	Misspelt             // the same, where words that are spelt alike or short forms count, too
	Initials             // words that agree, of which one is the initial of the other
	Nickname             // of given names, unlike forms of one
	Sounds               // of the words of the shorter, those that sound like one of the other
	SharedNumbers        // of all numbers, those that both have
	OtherNumbers         // both have numbers, and share none
	FirstNumber          // the first numbers, such as those of a house, agree
	OtherFirst           // they do not
	SharedCode           // both have a code, such as the number of a model; the rarer it is, the more
	OtherCode            // both have codes, and share none
	Near                 // both are numbers, and near each other
	Far                  // both are numbers, and one is twice the other or more
	SameDate             // both are dates, and the same
	NearDate             // near each other, or day and month have changed places, or a digit differs
	OtherDate            // they are unlike
	Meaning              // cosine of the vectors of an encoder, of rows as a whole
	Different            // taken together: unlike
	weak                 // somewhat alike
	Close                // alike
	VeryClose            // almost the same, or the same
	Count                // how many there are
)

// Names are what people call them.
var Names = [Count]string{
	"missing", "equal", "similar spelling", "shared words", "words contained", "shared rare words", "rare words but for spelling",
	"initials", "short form of a name", "similar sound", "shared numbers", "conflicting numbers", "same first number", "unlike first number",
	"shared code", "conflicting codes", "number near", "number far", "same date", "date near", "conflicting dates", "similar meaning",
	"different", "weakly alike", "alike", "very alike",
}

// Features is what a comparison finds.
type Features [Count]float64

// The least similarity of each level.
const (
	leastWeak      = 0.4
	leastClose     = 0.65
	leastVeryClose = 0.85
)

// leastRare is how rare a code must be to say that two fields are very alike.
const leastRare = 0.75

// Compare fills x with what the comparison of two fields finds, but for their meaning.
func Compare(x *Features, a, b *Value) {
	*x = Features{}
	if a.Text == "" || b.Text == "" {
		x[Missing] = 1
		return
	}
	compareWords(x, a, b)
	compareNumbers(x, a, b)
	if a.Text == b.Text {
		x[Equal], x[Spelling] = 1, 1
		x[Misspelt] = 1
	} else if !a.whole {
		x[Spelling] = link.JaroWinkler(a.Text, b.Text)
		compareSpelling(x, a, b)
	}
	compareCodes(x, a, b)
	like := max(x[Misspelt], 2*(x[Spelling]-0.5))
	switch {
	case x[SharedCode] >= leastRare: // a code says more than the words around it
		like = max(like, leastVeryClose)
	case x[OtherCode] == 1:
		like = min(like, leastVeryClose-0.01)
	}
	if a.date.known && b.date.known {
		same, near := dates(a.date, b.date)
		switch {
		case same:
			x[SameDate], like = 1, 1
		case near:
			x[NearDate], like = 1, min(like, leastVeryClose-0.01)
		default:
			x[OtherDate], like = 1, min(like, leastWeak-0.01)
		}
	}
	switch {
	case like >= leastVeryClose:
		x[VeryClose] = 1
	case like >= leastClose:
		x[Close] = 1
	case like >= leastWeak:
		x[weak] = 1
	default:
		x[Different] = 1
	}
}

// Level is what a comparison comes to as a whole: 0 if a field is missing, then from 1,
// different, to 5, equal.
func (x *Features) Level() int {
	switch {
	case x[Missing] == 1:
		return 0
	case x[Equal] == 1:
		return Levels - 1
	case x[VeryClose] == 1:
		return 4
	case x[Close] == 1:
		return 3
	case x[weak] == 1:
		return 2
	}
	return 1
}

// Levels is how many there are.
const Levels = 6

// compareWords compares sets of words in one pass over both.
func compareWords(x *Features, a, b *Value) {
	shared, cosine := 0, 0.0
	numbersA, numbersB, numbers := 0, 0, 0
	for _, w := range a.words {
		if w.digits {
			numbersA++
		}
	}
	for _, w := range b.words {
		if w.digits {
			numbersB++
		}
	}
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		v, w := &a.words[i], &b.words[j]
		switch {
		case v.id < w.id:
			i++
		case v.id > w.id:
			j++
		default:
			shared++
			cosine += float64(float64(v.weight) * float64(w.weight))
			if v.digits {
				numbers++
			}
			if v.code {
				x[SharedCode] = max(x[SharedCode], float64(v.rarity))
			}
			i++
			j++
		}
	}
	n, m := len(a.words), len(b.words)
	x[SharedWords] = float64(shared) / float64(n+m-shared)
	x[contained] = float64(shared) / float64(min(n, m))
	x[RareWords] = min(1, cosine)
	x[Misspelt] = x[RareWords]
	if numbersA > 0 && numbersB > 0 {
		x[SharedNumbers] = float64(numbers) / float64(numbersA+numbersB-numbers)
		if numbers == 0 {
			x[OtherNumbers] = 1
		}
		if a.first == b.first {
			x[FirstNumber] = 1
		} else {
			x[OtherFirst] = 1
		}
	}
}

// compareNumbers compares fields that are numbers.
func compareNumbers(x *Features, a, b *Value) {
	if !a.numeric || !b.numeric {
		return
	}
	x[Near] = near(a.number, b.number)
	if x[Near] == 0 {
		x[Far] = 1
	}
}

// leastAlike is how alike words are that are taken for one, misspelt.
const leastAlike = 0.88

// compareSpelling compares, of the words that stand first, those that are not shared:
// by spelling, as initials, as short forms and by sound.
func compareSpelling(x *Features, a, b *Value) {
	if len(a.order) > len(b.order) || len(a.order) == len(b.order) && a.Text > b.Text { // whichever comes first
		a, b = b, a
	}
	agreed, initials, sounds, like := 0, 0, 0, 0.0
	var taken, shared [mostWords]bool
	for i := range a.order {
		for j := range b.order {
			if !taken[j] && a.at(i).id == b.at(j).id {
				taken[j], shared[i] = true, true
				agreed++
				sounds++
				break
			}
		}
	}
	for i := range a.order {
		if shared[i] {
			continue
		}
		v := a.at(i)
		best, at, heard := 0.0, -1, false
		for j := range b.order {
			w := b.at(j)
			heard = heard || v.sound != 0 && v.sound == w.sound && len(v.text) > 1
			if taken[j] {
				continue
			}
			if s := likeness(x, v, w); s > best {
				best, at = s, j
			}
		}
		if heard {
			sounds++
		}
		if at < 0 {
			continue
		}
		taken[at] = true
		agreed++
		w := b.at(at)
		if initial(v, w) {
			initials++
		}
		like += float64(float64(v.weight) * float64(w.weight) * best)
	}
	x[Misspelt] = min(1, x[RareWords]+like)
	n := float64(len(a.order))
	x[Sounds] = float64(sounds) / n
	if initials > 0 {
		x[Initials] = float64(agreed) / n
	}
	if len(a.words) == 1 && a.words[0].text == b.acronym || len(b.words) == 1 && b.words[0].text == a.acronym {
		x[Initials] = 1
	}
}

// likeness says how alike two words are that are not the same, and 0 if they are not.
func likeness(x *Features, v, w *word) float64 {
	switch {
	case initial(v, w):
		return 0.5
	case v.digits || w.digits:
		return 0
	case nicknamed(v.nick, w.nick):
		x[Nickname] = 1
		return 0.95
	case len(v.text) < 3 || len(w.text) < 3:
		return 0
	}
	if s := link.JaroWinkler(v.text, w.text); s >= leastAlike {
		return s
	}
	return 0
}

// nicknamed reports whether unlike words are forms of one given name.
func nicknamed(a, b []int) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// initial reports whether one of two words is the first letter of the other.
func initial(v, w *word) bool {
	if len(v.text) > len(w.text) {
		v, w = w, v
	}
	return len(v.text) == 1 && len(w.text) > 1 && !v.digits && v.text[0] == w.text[0]
}

// compareCodes looks for codes that one of the two writes in several words, and says
// where codes conflict.
func compareCodes(x *Features, a, b *Value) {
	if x[SharedCode] > 0 {
		return
	}
	codesA, foundA := codes(x, a, b)
	codesB, foundB := codes(x, b, a)
	if codesA && codesB && !foundA && !foundB {
		x[OtherCode] = 1
	}
}

// codes reports whether a has a code, and whether b has it, in one word or several.
func codes(x *Features, a, b *Value) (some, found bool) {
	for k := range a.words {
		w := &a.words[k]
		if !w.code {
			continue
		}
		some = true
		if b.squeeze != "" && strings.Contains(b.squeeze, w.text) {
			found = true
			x[SharedCode] = max(x[SharedCode], 0.8*float64(w.rarity))
		}
	}
	return some, found
}

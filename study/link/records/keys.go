package records

import "strconv"

// Keys calls add with what a row is found by: rows that share one are compared. They
// are, in each column, the text, how it begins, each word, two words in a row, how it
// sounds with its numbers; and, of two columns, how both sound, in whichever order, so
// that fields which have changed places are found.
func Keys(row []Value, add func(uint64)) {
	var signs []uint64
	for c := range row {
		v := &row[c]
		if v.Text == "" {
			continue
		}
		salt := mix(uint64(c) + 1)
		key := func(kind uint64, text string) { add(mix(hash(text) ^ salt + kind)) }
		key(1, v.Text)
		if len(v.Text) > 6 {
			key(2, v.Text[:6])
		}
		for k := range v.words {
			if w := &v.words[k]; len(w.text) > 2 {
				add(mix(w.id ^ salt + 3))
			}
		}
		for k := 1; k < len(v.order); k++ {
			key(4, v.at(k-1).text+" "+v.at(k).text)
		}
		key(5, Sound(v.at(0).text)+" "+v.first)
		if len(v.order) > 1 {
			key(6, Sound(v.at(len(v.order)-1).text)+" "+v.at(0).text[:1])
		}
		if c < mostCrossed {
			signs = append(signs, v.sign())
		}
	}
	for k, s := range signs {
		for _, t := range signs[:k] {
			add(mix(s + t))
		}
	}
}

// mostCrossed is how many columns are combined two by two.
const mostCrossed = 8

// sign is what a field sounds like: of a date its year, of words how the first sounds,
// short forms as the name, and otherwise the number.
func (v *Value) sign() uint64 {
	if v.date.known {
		return hash("date " + strconv.Itoa(int(v.date.year)) + strconv.Itoa(int(min(v.date.month, v.date.day))))
	}
	w := v.at(0)
	if w.digits {
		return hash(v.first)
	}
	if len(w.nick) > 0 {
		return mix(uint64(w.nick[0]))
	}
	return hash(Sound(w.text))
}

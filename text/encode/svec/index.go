package svec

// index is the table of a file that is being made: what [File.Find] looks into,
// growing.
type index struct {
	letters []byte   // the words, one after the other
	offsets []uint32 // where each begins, and where the last one ends
	slots   []uint64 // as in the file
}

func newIndex() index { return index{offsets: []uint32{0}, slots: make([]uint64, 16)} }

// word returns the word of a row.
func (x *index) word(row int) []byte { return x.letters[x.offsets[row]:x.offsets[row+1]] }

// add makes a row for word, or returns the one that it has.
func (x *index) add(word []byte) (row int, there bool) {
	h := hash(word)
	i := h & uint64(len(x.slots)-1)
	for ; x.slots[i] != 0; i = (i + 1) & uint64(len(x.slots)-1) {
		row = int(uint32(x.slots[i]) - 1)
		if uint32(x.slots[i]>>32) == uint32(h>>32) && string(x.word(row)) == string(word) {
			return row, true
		}
	}
	row = len(x.offsets) - 1
	x.letters = append(x.letters, word...)
	x.offsets = append(x.offsets, uint32(len(x.letters)))
	x.slots[i] = h>>32<<32 | uint64(row+1)
	if 2*len(x.offsets) > len(x.slots) {
		x.grow()
	}
	return row, false
}

// grow doubles the table, so that at least half of it stays free.
func (x *index) grow() {
	x.slots = make([]uint64, 2*len(x.slots))
	mask := uint64(len(x.slots) - 1)
	for row := range len(x.offsets) - 1 {
		h := hash(x.word(row))
		i := h & mask
		for x.slots[i] != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = h>>32<<32 | uint64(row+1)
	}
}

// probes returns the most slots that finding a word looks at.
func (x *index) probes() int {
	most, mask := 1, uint64(len(x.slots)-1)
	for i, s := range x.slots {
		if s != 0 {
			home := hash(x.word(int(uint32(s) - 1)))
			most = max(most, int((uint64(i)-home)&mask)+1)
		}
	}
	return most
}

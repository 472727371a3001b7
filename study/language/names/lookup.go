package names

// lookup is a table from hashes of words to small numbers. Those of a few words
// in a million are the same, which features bear.
type lookup struct {
	keys   []uint32
	values []uint16 // 0 is an empty place
	mask   uint32
	filled int
}

// newLookup returns a table for so many words.
func newLookup(n int) *lookup {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &lookup{keys: make([]uint32, size), values: make([]uint16, size), mask: uint32(size - 1)}
}

// put gives a word a number, which is not 0.
func (t *lookup) put(key uint32, value uint16) {
	i := key & t.mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & t.mask
	}
	if t.values[i] == 0 {
		t.filled++
	}
	t.keys[i], t.values[i] = key, value
}

// find returns the number of a word, or 0.
func (t *lookup) find(key uint32) uint16 {
	for i := key & t.mask; t.values[i] != 0; i = (i + 1) & t.mask {
		if t.keys[i] == key {
			return t.values[i]
		}
	}
	return 0
}

package names

// index is a table from hashes of features to the places of their weights.
type index struct {
	keys []uint32 // in the order of the rows
	slot []uint32 // place of a row + 1, or 0
	mask uint32
}

// newIndex returns the table of features whose rows stand in this order.
func newIndex(keys []uint32) *index {
	size := 16
	for size < 2*len(keys) {
		size *= 2
	}
	x := &index{keys: keys, slot: make([]uint32, size), mask: uint32(size - 1)}
	for row, key := range keys {
		i := key & x.mask
		for x.slot[i] != 0 {
			i = (i + 1) & x.mask
		}
		x.slot[i] = uint32(row) + 1
	}
	return x
}

// find returns the row of a feature, or -1.
func (x *index) find(key uint32) int {
	for i := key & x.mask; x.slot[i] != 0; i = (i + 1) & x.mask {
		if row := x.slot[i] - 1; x.keys[row] == key {
			return int(row)
		}
	}
	return -1
}

package text

// trie holds pieces of words by their bytes, each with its id. The edges of all
// nodes lie in one hash table, so a step costs about one access to memory.
type trie struct {
	edges []edge // a power of two, at most half of them in use
	shift int    // 32 minus the logarithm of len(edges)
	ids   []int32
}

// edge leads from a node, through a byte, to a node. The key is the number of
// the first node, times 256, plus the byte; node 0 is none, so 0 is no key.
type edge struct{ key, to uint32 }

// The nodes from which pieces begin.
const (
	atStart  = 1 // those that begin a word
	atMiddle = 2 // those that go on with one
)

// none is the id of a node that ends no piece.
const none = -1

// newTrie returns an empty trie. It can hold pieces of less than 2²⁴ bytes in
// total, since the number of a node has 24 bits.
func newTrie() *trie {
	const logSize = 10
	return &trie{edges: make([]edge, 1<<logSize), shift: 32 - logSize, ids: []int32{none, none, none}}
}

// grow doubles the table.
func (t *trie) grow() {
	old := t.edges
	t.edges = make([]edge, 2*len(old))
	t.shift--
	for _, e := range old {
		if e.key != 0 {
			*t.slot(e.key) = e
		}
	}
}

// slot returns where the edge with the key is, or would be.
func (t *trie) slot(key uint32) *edge {
	mask := uint32(len(t.edges) - 1)
	// The factor is 2³² divided by the golden ratio, as in Fibonacci hashing.
	for i := key * 0x9e3779b1 >> t.shift; ; i++ {
		if e := &t.edges[i&mask]; e.key == key || e.key == 0 {
			return e
		}
	}
}

// insert gives a piece its id and reports whether it had none.
func (t *trie) insert(root uint32, piece string, id int32) bool {
	node := root
	for i := range len(piece) {
		key := node<<8 | uint32(piece[i])
		e := t.slot(key)
		if e.key == 0 {
			*e = edge{key, uint32(len(t.ids))}
			t.ids = append(t.ids, none)
		}
		if node = e.to; 2*len(t.ids) > len(t.edges) {
			t.grow()
		}
	}
	if t.ids[node] != none {
		return false
	}
	t.ids[node] = id
	return true
}

// longest returns the id and the length of the longest piece with which word
// begins: none and 0 if there is none.
func (t *trie) longest(root uint32, word []byte) (id int32, length int) {
	id = none
	node := root
	for i, c := range word {
		e := t.slot(node<<8 | uint32(c))
		if e.key == 0 {
			break
		}
		node = e.to
		if t.ids[node] != none {
			id, length = t.ids[node], i+1
		}
	}
	return id, length
}

package rowfile

import (
	"encoding/binary"
	"errors"
)

// The metadata of Parquet is Thrift in its compact form. The library that
// decodes it allocates as many elements as a list claims to have and recurses
// as deep as it is nested, so that one wrong byte can exhaust the memory or
// the stack, which no recover catches. So everything is walked over once,
// with bounds, before the library sees it.

const (
	maxThriftDepth = 32
	maxThriftList  = 1 << 20
)

// ErrDamaged is returned by [Footer] for bytes that no writer writes.
var ErrDamaged = errors.New("metadata is damaged")

// The types of the compact form.
const (
	tStop, tTrue, tFalse, tByte = 0, 1, 2, 3
	tInt16, tInt32, tInt64      = 4, 5, 6
	tDouble, tBinary            = 7, 8
	tList, tSet, tStruct, tUUID = 9, 10, 12, 13
)

// walker moves over a value. Once something is not as it must be, bad is set and
// nothing more is read.
type walker struct {
	b   []byte
	i   int
	bad bool
	// visit, if set, is told of each integer and its path: the number of its
	// field behind those of the fields around it, 0 standing for an element.
	visit func(path []int16, v int64)
	path  []int16
}

// structure moves over a struct.
func (w *walker) structure() {
	w.nest(func() {
		for head := w.byte(); head != tStop; head = w.byte() {
			id := &w.path[len(w.path)-1]
			if delta := head >> 4; delta != 0 {
				*id += int16(delta)
			} else {
				*id = int16(w.varint())
			}
			if typ := head & 15; typ != tTrue && typ != tFalse { // there the type is the value
				w.value(typ)
			}
		}
	})
}

// nest runs walk one level deeper. Structs and lists nest alike.
func (w *walker) nest(walk func()) {
	if w.bad = w.bad || len(w.path) == maxThriftDepth; !w.bad {
		w.path = append(w.path, 0)
		walk()
		w.path = w.path[:len(w.path)-1]
	}
}

// value moves over a value that is not a field's boolean.
func (w *walker) value(typ byte) {
	switch typ {
	case tTrue, tFalse, tByte:
		w.skip(1)
	case tInt16, tInt32, tInt64:
		if v := w.varint(); !w.bad && w.visit != nil {
			w.visit(w.path, v)
		}
	case tDouble:
		w.skip(8)
	case tUUID:
		w.skip(16)
	case tBinary:
		w.skip(w.uvarint())
	case tList, tSet:
		w.list()
	case tStruct:
		w.structure()
	default:
		w.bad = true // nothing in Parquet has a map
	}
}

func (w *walker) list() {
	head := w.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = w.uvarint()
	}
	w.bad = w.bad || n > maxThriftList
	w.nest(func() {
		for ; n > 0 && !w.bad; n-- {
			w.value(head & 15)
		}
	})
}

// byte returns the next byte, or that of the end of a struct if there is none.
func (w *walker) byte() byte {
	if w.skip(1); w.bad {
		return tStop
	}
	return w.b[w.i-1]
}

func (w *walker) skip(n uint64) {
	if w.bad = w.bad || n > uint64(len(w.b)-w.i); !w.bad {
		w.i += int(n)
	}
}

func (w *walker) uvarint() uint64 {
	v, n := binary.Uvarint(w.b[w.i:])
	w.bad = w.bad || n <= 0
	w.i += max(n, 0)
	return v
}

// varint is a whole number with the sign in its lowest bit.
func (w *walker) varint() int64 {
	v := w.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

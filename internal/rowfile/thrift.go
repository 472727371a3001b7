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

// walker moves over a value.
type walker struct {
	b []byte
	i int
	// visit, if set, is told of each integer and its path: the number of its
	// field behind those of the fields around it, 0 standing for an element.
	visit func(path []int16, v int64)
	path  []int16
}

// structure moves over a struct.
func (w *walker) structure() error {
	if len(w.path) == maxThriftDepth {
		return ErrDamaged
	}
	w.path = append(w.path, 0)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	for {
		head, err := w.byte()
		if err != nil || head == tStop {
			return err
		}
		id := &w.path[len(w.path)-1]
		if delta := head >> 4; delta != 0 {
			*id += int16(delta)
		} else {
			v, err := w.varint()
			if err != nil {
				return err
			}
			*id = int16(v)
		}
		if typ := head & 15; typ == tTrue || typ == tFalse {
			continue // the type is the value
		} else if err := w.value(typ); err != nil {
			return err
		}
	}
}

// value moves over a value that is not a field's boolean.
func (w *walker) value(typ byte) error {
	switch typ {
	case tTrue, tFalse, tByte:
		return w.skip(1)
	case tInt16, tInt32, tInt64:
		v, err := w.varint()
		if err == nil && w.visit != nil {
			w.visit(w.path, v)
		}
		return err
	case tDouble:
		return w.skip(8)
	case tUUID:
		return w.skip(16)
	case tBinary:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case tList, tSet:
		return w.list()
	case tStruct:
		return w.structure()
	}
	return ErrDamaged // nothing in Parquet has a map
}

func (w *walker) list() error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	if n > maxThriftList {
		return ErrDamaged
	}
	if len(w.path) == maxThriftDepth { // lists of lists nest as well
		return ErrDamaged
	}
	w.path = append(w.path, 0)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	for range n {
		if err := w.value(head & 15); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) byte() (byte, error) {
	if w.i >= len(w.b) {
		return 0, ErrDamaged
	}
	w.i++
	return w.b[w.i-1], nil
}

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.b)-w.i) {
		return ErrDamaged
	}
	w.i += int(n)
	return nil
}

func (w *walker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.b[w.i:])
	if n <= 0 {
		return 0, ErrDamaged
	}
	w.i += n
	return v, nil
}

func (w *walker) varint() (int64, error) {
	v, n := binary.Varint(w.b[w.i:])
	if n <= 0 {
		return 0, ErrDamaged
	}
	w.i += n
	return v, nil
}

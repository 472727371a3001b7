package ledger

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// decoder takes a record apart. After a failure it returns zeros, so that its
// callers ask once, at the end.
type decoder struct {
	rest   []byte
	failed bool
}

// recordOpen begins a record, at its tag.
func recordOpen(src []byte) (d decoder, tag byte, err error) {
	if len(src) < checksum+2 {
		return d, 0, fmt.Errorf("%w: it ends too soon", ErrRecordDamaged)
	}
	return decoder{rest: src[checksum+1:]}, src[checksum], nil
}

// close returns how many bytes of src the record had, if its checksum is right.
func (d *decoder) close(src []byte) (int, error) {
	n := len(src) - len(d.rest)
	if d.failed || binary.LittleEndian.Uint32(src) != crc32.Checksum(src[checksum:n], castagnoli) {
		return 0, fmt.Errorf("%w: it is not what was written", ErrRecordDamaged)
	}
	return n, nil
}

func (d *decoder) fail() { d.rest, d.failed = nil, true }

func (d *decoder) bytes(n int) []byte {
	if n > len(d.rest) {
		d.fail()
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// amount is an integer that is not negative.
func (d *decoder) amount() int64 {
	v := d.unsigned()
	if v > math.MaxInt64 {
		d.fail()
		return 0
	}
	return int64(v)
}

// delta is the time since the record before.
func (d *decoder) delta() int64 { return d.amount() }

func (d *decoder) part() []byte {
	n := d.unsigned()
	if n > longest {
		d.fail()
		return nil
	}
	return d.bytes(int(n))
}

func (d *decoder) means() *means {
	epsilon, delta := d.amount(), d.amount()
	mechanism := append([]byte(nil), d.part()...)
	return NewMeans(mechanism, append([]byte(nil), d.part()...), epsilon, delta)
}

package ledger

import (
	"encoding/binary"
	"fmt"
)

// carriedRecord is what a ledger keeps of entries that were archived: one of its parts
// is set.
type carriedRecord struct {
	Paid *paidRecord
	Sum  *sumRecord
	Cut  *cutRecord
}

// paidRecord is what is kept of a spend: under which name, what for, and by which entry.
type paidRecord struct {
	Seq        uint64
	Name, Seal [16]byte
}

// Sum is what a subject was granted and has spent in a window.
type sumRecord struct {
	Subject                                                string
	Window                                                 int64
	GrantedEpsilon, GrantedDelta, SpentEpsilon, SpentDelta int64
}

// Cut is where the archive ends.
type cutRecord struct {
	Seq, Spends uint64
	At, Window  int64
	Hash        [32]byte
	// Budget and Secret are the lines of the last ones, without their hashes; the
	// second may be missing.
	Budget, Secret []byte
}

// appendPaid appends what is kept of a spend, behind that with another number.
func appendPaid(dst []byte, before uint64, p *paidRecord) []byte {
	start := len(dst)
	dst = binary.AppendUvarint(begin(dst, tagPaid), p.Seq-before)
	return end(append(append(dst, p.Name[:]...), p.Seal[:]...), start)
}

// AppendSum appends a sum.
func (c *Coder) AppendSum(dst []byte, s *sumRecord) []byte {
	start := len(dst)
	id := c.subjectIDs[s.Subject]
	dst = binary.AppendUvarint(begin(dst, tagSum), uint64(id))
	if id == 0 {
		dst = appendPart(dst, s.Subject)
	}
	dst = binary.AppendVarint(dst, s.Window)
	for _, v := range []int64{s.GrantedEpsilon, s.GrantedDelta, s.SpentEpsilon, s.SpentDelta} {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	return end(dst, start)
}

// AppendNames appends the records that number all subjects and means again.
func (c *Coder) AppendNames(dst []byte) []byte {
	for _, name := range c.subjects {
		start := len(dst)
		dst = end(appendPart(begin(dst, tagSubject), name), start)
	}
	for _, m := range c.means {
		dst = appendMeans(dst, m)
	}
	return dst
}

// appendCut appends where the archive ends.
func appendCut(dst []byte, cut *cutRecord) []byte {
	start := len(dst)
	dst = binary.AppendUvarint(begin(dst, tagCut), cut.Seq)
	dst = binary.AppendUvarint(dst, cut.Spends)
	dst = binary.AppendVarint(dst, cut.At)
	dst = binary.AppendVarint(dst, cut.Window)
	dst = append(dst, cut.Hash[:]...)
	return end(appendPart(appendPart(dst, cut.Budget), cut.Secret), start)
}

// NextCarried reads what src begins with of what was carried, and returns its
// length. A cut sets the coder behind it. Names leave the answer empty.
func (c *Coder) NextCarried(src []byte, before uint64) (n int, got carriedRecord, err error) {
	d, tag, err := recordOpen(src)
	if err != nil {
		return 0, got, err
	}
	switch tag {
	case tagSubject, tagMeans:
		n, _, err = c.Next(src, new(Record))
		return n, got, err
	case tagPaid:
		got.Paid = d.paid(before)
	case tagSum:
		got.Sum = &sumRecord{Subject: c.subject(&d), Window: d.signed()}
		for _, v := range []*int64{&got.Sum.GrantedEpsilon, &got.Sum.GrantedDelta, &got.Sum.SpentEpsilon, &got.Sum.SpentDelta} {
			*v = d.amount()
		}
	case tagCut:
		cut := &cutRecord{Seq: d.unsigned(), Spends: d.unsigned(), At: d.signed(), Window: d.signed()}
		copy(cut.Hash[:], d.bytes(32))
		cut.Budget, cut.Secret = append([]byte(nil), d.part()...), append([]byte(nil), d.part()...)
		got.Cut = cut
	default:
		return 0, got, fmt.Errorf("%w: its kind is %d", ErrRecordDamaged, tag)
	}
	if n, err = d.close(src); err == nil && got.Cut != nil {
		c.at, c.window = got.Cut.At, got.Cut.Window
	}
	return n, got, err
}

// isPaid reports whether src begins with what is kept of a spend, and reads it.
// Its number is not known.
func isPaid(src []byte) (*paidRecord, bool, error) {
	d, tag, err := recordOpen(src)
	if err != nil || tag != tagPaid {
		return nil, false, err
	}
	p := d.paid(0)
	_, err = d.close(src)
	return p, true, err
}

func (d *decoder) paid(before uint64) *paidRecord {
	p := &paidRecord{Seq: before + d.unsigned()}
	copy(p.Name[:], d.bytes(16))
	copy(p.Seal[:], d.bytes(16))
	return p
}

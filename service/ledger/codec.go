package ledger

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The first byte of a record, after its checksum. A subject and a means take the
// next number of their kind, from 1.
const (
	tagSubject = 1 + iota
	tagMeans
	tagSpend   // in the window of the spend before it
	tagSpendIn // in another window
	tagOther
	tagSum  // what one subject has spent in a window, as it is carried over a cut
	tagPaid // what is kept of a spend whose entry was archived
	tagCut  // where the archive ends
)

// maxSpend is how many bytes a spend has at most that refers to its subject.
const maxSpend = checksum + 1 + 4*binary.MaxVarintLen64 + 64

const (
	checksum = 4
	// longest bounds what the length of a part may claim, so that no damage
	// makes a reader ask for memory.
	longest = 1 << 20
)

// NewMeans returns means that a [Coder] recognises by their content.
func NewMeans(mechanism, guarantee []byte, epsilon, delta int64) *means {
	m := &means{Mechanism: mechanism, Guarantee: guarantee, Epsilon: epsilon, Delta: delta}
	m.content = string(m.append(nil))
	return m
}

func (m *means) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Epsilon))
	dst = binary.AppendUvarint(dst, uint64(m.Delta))
	dst = appendPart(dst, m.Mechanism)
	return appendPart(dst, m.Guarantee)
}

func appendPart[T []byte | string](dst []byte, part T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// Coder writes and reads records in their order: some refer to those before.
// The zero value is at the beginning.
type Coder struct {
	// Literal writes subjects out instead of numbering them, for records that
	// are read one by one.
	Literal bool

	subjects   []string
	subjectIDs map[string]uint32
	means      []*means
	meansIDs   map[string]uint32
	at, window int64
}

// codeState is a place to which [Coder.Back] goes back.
type codeState struct {
	subjects, means int
	at, window      int64
}

// State returns where the coder is.
func (c *Coder) State() codeState { return codeState{len(c.subjects), len(c.means), c.at, c.window} }

// Back forgets what came after a state.
func (c *Coder) Back(s codeState) {
	for _, name := range c.subjects[s.subjects:] {
		delete(c.subjectIDs, name)
	}
	for _, m := range c.means[s.means:] {
		delete(c.meansIDs, m.content)
	}
	c.subjects, c.means, c.at, c.window = c.subjects[:s.subjects], c.means[:s.means], s.at, s.window
}

// At returns the time and the window of the last record.
func (c *Coder) At() (at, window int64) { return c.at, c.window }

// Reset goes back to the beginning of time, and keeps the names.
func (c *Coder) Reset() { c.at, c.window = 0, 0 }

// Subject returns the number of a subject, 0 if it has none.
func (c *Coder) Subject(name string) uint32 { return c.subjectIDs[name] }

// Subjects returns the names of all subjects, in the order of their numbers.
func (c *Coder) Subjects() []string { return c.subjects }

// Means returns the number of means, and whether they got it now.
func (c *Coder) Means(m *means) (id uint32, fresh bool) {
	if id = c.meansIDs[m.content]; id != 0 {
		return id, false
	}
	return c.addMeans(m), true
}

// AllMeans returns all means, in the order of their numbers.
func (c *Coder) AllMeans() []*means { return c.means }

func (c *Coder) addMeans(m *means) uint32 {
	if c.meansIDs == nil {
		c.meansIDs = map[string]uint32{}
	}
	c.means = append(c.means, m)
	c.meansIDs[m.content] = uint32(len(c.means))
	return uint32(len(c.means))
}

func (c *Coder) addSubject(name string) {
	if c.subjectIDs == nil {
		c.subjectIDs = map[string]uint32{}
	}
	c.subjects = append(c.subjects, name)
	c.subjectIDs[name] = uint32(len(c.subjects))
}

// begin leaves room for a checksum, which end fills in.
func begin(dst []byte, tag byte) []byte { return append(dst, 0, 0, 0, 0, tag) }

func end(dst []byte, start int) []byte {
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+checksum:], castagnoli))
	return dst
}

// Append appends a record to dst, after the subject and the means that it is
// the first to name. It returns where in dst the record itself begins.
func (c *Coder) Append(dst []byte, r *Record) (out []byte, start int) {
	if r.Means == nil {
		start = len(dst)
		dst = binary.AppendUvarint(begin(dst, tagOther), uint64(r.At-c.at))
		c.at = r.At
		return end(appendPart(dst, r.Other), start), start
	}
	subject := c.subjectIDs[r.Subject]
	if subject == 0 && !c.Literal {
		dst = c.AppendSubject(dst, r.Subject)
		subject = uint32(len(c.subjects))
	}
	means, fresh := c.Means(r.Means)
	if fresh {
		dst = appendMeans(dst, r.Means)
	}
	start = len(dst)
	tag := byte(tagSpend)
	if r.Window != c.window {
		tag = tagSpendIn
	}
	dst = binary.AppendUvarint(begin(dst, tag), uint64(r.At-c.at))
	if tag == tagSpendIn {
		dst = binary.AppendVarint(dst, r.Window)
	}
	dst = binary.AppendUvarint(dst, uint64(subject))
	if subject == 0 {
		dst = appendPart(dst, r.Subject)
	}
	dst = binary.AppendUvarint(dst, uint64(means))
	dst = append(append(dst, r.Key[:]...), r.Check[:]...)
	c.at, c.window = r.At, r.Window
	return end(dst, start), start
}

// AppendSubject numbers a subject.
func (c *Coder) AppendSubject(dst []byte, name string) []byte {
	start := len(dst)
	c.addSubject(name)
	return end(appendPart(begin(dst, tagSubject), name), start)
}

// appendMeans appends the record that numbers means.
func appendMeans(dst []byte, m *means) []byte {
	start := len(dst)
	return end(m.append(begin(dst, tagMeans)), start)
}

// Next reads the record that src begins with into r, and returns its length. It
// reports entry = false for a record that only numbers a subject or means. The
// record's bytes are of src.
func (c *Coder) Next(src []byte, r *Record) (n int, entry bool, err error) {
	d, tag, err := recordOpen(src)
	if err != nil {
		return 0, false, err
	}
	switch tag {
	case tagSubject:
		name := string(d.part())
		if n, err = d.close(src); err == nil {
			if c.subjectIDs[name] != 0 {
				return 0, false, fmt.Errorf("%w: a subject has two numbers", ErrRecordDamaged)
			}
			c.addSubject(name)
		}
		return n, false, err
	case tagMeans:
		m := d.means()
		if n, err = d.close(src); err == nil {
			if c.meansIDs[m.content] != 0 {
				return 0, false, fmt.Errorf("%w: means have two numbers", ErrRecordDamaged)
			}
			c.addMeans(m)
		}
		return n, false, err
	case tagOther:
		*r = Record{At: c.at + d.delta(), Other: d.part()}
		if n, err = d.close(src); err == nil {
			c.at = r.At
		}
		return n, true, err
	case tagSpend, tagSpendIn:
		at, window := c.at+d.delta(), c.window
		if tag == tagSpendIn {
			window = d.signed()
		}
		c.spend(&d, r)
		r.At, r.Window = at, window
		if n, err = d.close(src); err == nil {
			c.at, c.window = r.At, r.Window
		}
		return n, true, err
	}
	return 0, false, fmt.Errorf("%w: its kind is %d", ErrRecordDamaged, tag)
}

// Paid reads a spend that src begins with apart from those around it: its time
// and its window may not be known.
func (c *Coder) Paid(src []byte, r *Record) error {
	d, tag, err := recordOpen(src)
	if err != nil {
		return err
	}
	if tag != tagSpend && tag != tagSpendIn {
		return fmt.Errorf("%w: it is no spend", ErrRecordDamaged)
	}
	d.delta()
	if tag == tagSpendIn {
		d.signed()
	}
	c.spend(&d, r)
	_, err = d.close(src)
	return err
}

// subject reads a name, or the number of one.
func (c *Coder) subject(d *decoder) string {
	id := d.unsigned()
	switch {
	case id == 0:
		return string(d.part())
	case id <= uint64(len(c.subjects)):
		return c.subjects[id-1]
	}
	d.fail()
	return ""
}

// spend reads what follows the time of a spend.
func (c *Coder) spend(d *decoder, r *Record) {
	r.Other = nil
	r.Subject = c.subject(d)
	if means := d.unsigned(); means != 0 && means <= uint64(len(c.means)) {
		r.Means = c.means[means-1]
	} else {
		d.fail()
	}
	copy(r.Key[:], d.bytes(32))
	copy(r.Check[:], d.bytes(32))
}

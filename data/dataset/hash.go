package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Hash returns the SHA-256 of what the set holds, in hexadecimal, for the
// manifest of a result: rows, texts, features, labels, attributes, targets and
// split, with the names of classes and features. The name of the set and its
// notes do not count. The same content has the same hash on every machine.
func (s *Set) Hash() string {
	h := sha256.New()
	d := digest{bufio.NewWriter(h)}
	d.text("sotto dataset 1")
	d.number(s.Rows)
	d.texts(s.Text)
	d.texts(s.Second)
	d.number(s.Width)
	d.texts(s.FeatureNames)
	d.number(len(s.Features))
	for _, x := range s.Features {
		d.bits(uint64(math.Float32bits(x)))
	}
	d.column(s.Label)
	d.number(len(s.Target))
	for _, x := range s.Target {
		d.bits(math.Float64bits(x))
	}
	d.columns(s.Attributes)
	d.number(len(s.Split))
	for _, p := range s.Split {
		d.text(string(p))
	}
	if len(s.More) > 0 { // else the bytes are those of before there were several
		d.columns(s.More)
	}
	d.Flush() //nolint:errcheck // a hash never fails to write
	return hex.EncodeToString(h.Sum(nil))
}

// digest hashes values so that two different sequences never give the same
// bytes: each string and list is preceded by its length.
type digest struct{ *bufio.Writer }

func (d digest) bits(x uint64) { d.Write(binary.LittleEndian.AppendUint64(d.AvailableBuffer(), x)) }

func (d digest) number(n int) { d.bits(uint64(n)) }

func (d digest) text(s string) {
	d.number(len(s))
	d.WriteString(s)
}

func (d digest) texts(list []string) {
	d.number(len(list))
	for _, s := range list {
		d.text(s)
	}
}

func (d digest) columns(list []Column) {
	d.number(len(list))
	for _, c := range list {
		d.column(c)
	}
}

func (d digest) column(c Column) {
	d.text(c.Name)
	d.texts(c.Classes)
	d.number(len(c.IDs))
	for _, id := range c.IDs {
		d.number(id)
	}
}

package ledger

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// filePage is a transaction on a file.
type filePage struct {
	tx   *bbolt.Tx
	last *Entry // that was appended in it
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// keyOf is a subject, its length before it, and something of it.
func keyOf(subject string, rest []byte) []byte {
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(subject))), subject...), rest...)
}

func (a account) bytes() []byte { return keyOf(a.subject, number(uint64(a.window))) }
func (p payment) bytes() []byte { return keyOf(p.subject, p.key[:]) }

func (p *filePage) head() (*Entry, error) {
	if p.last != nil {
		return p.last, nil
	}
	k, line := p.tx.Bucket(logBucket).Cursor().Last()
	if k == nil {
		return nil, nil
	}
	return parseAt(k, line)
}

// parseAt reads the entry of a row of the log.
func parseAt(key, line []byte) (*Entry, error) {
	e, err := ParseEntry(line)
	if err == nil && !bytes.Equal(key, number(e.Seq)) {
		return nil, damaged("entry %d stands in another's place", e.Seq)
	}
	return e, err
}

func (p *filePage) append(e *Entry, line []byte) error {
	seq := number(e.Seq)
	if err := p.put(logBucket, seq, line); err != nil {
		return err
	}
	p.last = e
	switch e.Kind {
	case KindSpend:
		return p.put(keyBucket, payment{e.Subject, e.Key}.bytes(), seq)
	case KindBudget, KindSecret:
		return p.put(metaBucket, []byte(e.Kind), seq)
	case KindGrant: // the log and the sums say it all
	}
	return nil
}

func (p *filePage) put(bucket, key, value []byte) error {
	return unavailable(p.tx.Bucket(bucket).Put(key, value))
}

func (p *filePage) entries(from uint64, yield func(*Entry) error) error {
	c, keys := p.tx.Bucket(logBucket).Cursor(), p.tx.Bucket(keyBucket)
	for k, line := c.Seek(number(from)); k != nil; k, line = c.Next() {
		e, err := parseAt(k, line)
		if err != nil {
			return err
		}
		if e.Kind == KindSpend && !bytes.Equal(keys.Get(payment{e.Subject, e.Key}.bytes()), k) {
			return damaged("the key of entry %d does not lead to it", e.Seq)
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

// at returns the entry whose number a bucket holds under a key, nil if none.
func (p *filePage) at(bucket, key []byte) (*Entry, error) {
	seq := p.tx.Bucket(bucket).Get(key)
	if seq == nil {
		return nil, nil
	}
	line := p.tx.Bucket(logBucket).Get(seq)
	if line == nil {
		return nil, damaged("an entry that was counted is missing")
	}
	return parseAt(seq, line)
}

func (p *filePage) paid(name payment) (*Entry, error) {
	e, err := p.at(keyBucket, name.bytes())
	if e != nil && (e.Kind != KindSpend || name != payment{e.Subject, e.Key}) {
		return nil, damaged("a key leads to entry %d, which is not its own", e.Seq)
	}
	return e, err
}

func (p *filePage) latest(k Kind) (*Entry, error) { return p.at(metaBucket, []byte(k)) }

func (p *filePage) fetch([]payment, []account) error { return nil } // it is at hand

func (p *filePage) sums(a account) (sums, error) {
	content := p.tx.Bucket(sumBucket).Get(a.bytes())
	if content == nil {
		return sums{}, nil
	}
	return parseSums(content)
}

func parseSums(content []byte) (sums, error) {
	if len(content) != 32 {
		return sums{}, damaged("a sum has %d bytes", len(content))
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(content[8*i:])) }
	return checkSums(sums{Cost{at(0), at(1)}, Cost{at(2), at(3)}})
}

// checkSums refuses sums with which counting would overflow.
func checkSums(s sums) (sums, error) {
	if !s.granted.countable() || s.spent.Epsilon < 0 || s.spent.Delta < 0 || !s.spent.within(Cost{2 * maxCost, 2 * maxCost}) {
		return sums{}, damaged("a sum is out of bounds")
	}
	return s, nil
}

func (p *filePage) setSums(a account, s sums) error {
	var content []byte
	for _, v := range []int64{s.granted.Epsilon, s.granted.Delta, s.spent.Epsilon, s.spent.Delta} {
		content = binary.BigEndian.AppendUint64(content, uint64(v))
	}
	return p.put(sumBucket, a.bytes(), content)
}

// eachSum seeks the keys of a subject by their beginning: none begins with
// another subject's, since its length stands first.
func (p *filePage) eachSum(subject string, yield func(account, sums) error) error {
	var prefix []byte
	if subject != "" {
		prefix = keyOf(subject, nil)
	}
	c := p.tx.Bucket(sumBucket).Cursor()
	for k, content := c.Seek(prefix); bytes.HasPrefix(k, prefix) && k != nil; k, content = c.Next() {
		if len(k) < 10 || len(k) != 10+int(binary.BigEndian.Uint16(k)) {
			return damaged("a sum belongs to nobody")
		}
		s, err := parseSums(content)
		if err != nil {
			return err
		}
		a := account{string(k[2 : len(k)-8]), int64(binary.BigEndian.Uint64(k[len(k)-8:]))}
		if err := yield(a, s); err != nil {
			return err
		}
	}
	return nil
}

func (p *filePage) payments() (uint64, error) {
	var n uint64
	c := p.tx.Bucket(keyBucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n, nil
}

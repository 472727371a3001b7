//go:build linux

package fortress_test

import (
	bits "encoding/binary"
	"errors"
	"hash/crc32"
	"net/http"
	"os"
	"time"

	"sotto/service/ledger"
)

var crashes = []attack{
	{"killed, and a bit of the last write flipped", "the start is refused, and verify exits 1", func(s *scene) {
		s.damaged(func(path string, last int64) error {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at := last + (time.Now().UnixNano()>>8)%(int64(len(content))-last)
			content[at] ^= 1 << (at % 8)
			return os.WriteFile(path, content, 0o600)
		})
	}},
	{"killed, the last write cut off, and the checksums mended", "the start is refused, and verify exits 1", func(s *scene) {
		s.damaged(func(path string, last int64) error { return errors.Join(os.Truncate(path, last), mend(path, last)) })
	}},
	{"head that cannot be written", "no answer, readiness is false; with a head again, answers", unwritten},
}

// damaged kills a gateway that has answered, and damages what it wrote last: what it
// answered must not be forgotten.
func (s *scene) damaged(harm func(path string, last int64) error) {
	s.Helper()
	rounds := s.many(24, 3)
	refused, found := 0, 0
	for range rounds {
		at := s.place()
		g := s.run(at.args()...)
		s.spends(g.base, 2)
		g.kill()
		last, err := lastFrame(at.ledger)
		if err == nil {
			err = harm(at.ledger, last)
		}
		if err != nil {
			s.Fatal(err)
		}
		if _, err = s.verify(at); exitCode(err) == 1 {
			found++
		}
		again, err := s.start(at.args()...)
		if err != nil {
			refused++
			continue
		}
		again.kill()
	}
	s.judge(refused == rounds && found == rounds, "%d of %d starts refused, verify found %d", refused, rounds, found)
}

// lastFrame returns where the last write of a ledger begins.
func lastFrame(path string) (at int64, err error) {
	const head = 13 // of a frame, before its body
	l, err := ledger.OpenLog(path, ledger.LogOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	_, err = l.Recover(func(f *ledger.Frame) error { at = f.Offset - head; return nil })
	return at, errors.Join(err, l.Close())
}

// mend writes both marks of a log anew, as whoever knows its form can.
func mend(path string, end int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	mark := bits.LittleEndian.AppendUint64([]byte("sotto-ledger-2\n\x00"), uint64(end))
	mark = bits.LittleEndian.AppendUint32(mark, crc32.Checksum(mark, crc32.MakeTable(crc32.Castagnoli)))
	for _, at := range []int64{0, 4096} {
		_, failed := f.WriteAt(mark, at)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, f.Close())
}

// unwritten puts a folder where the head is.
func unwritten(s *scene) {
	at := s.place()
	g := s.run(at.args()...)
	s.spends(g.base, 1)
	head := at.ledger + ".head"
	if err := errors.Join(os.Rename(head, head+".away"), os.Mkdir(head, 0o700)); err != nil {
		s.Fatal(err)
	}
	c := from("127.0.0.1", g.base)
	answered := 0
	for i := range 20 {
		if c.embed("alice", "a text without a head "+string(rune('a'+i))).status == http.StatusOK {
			answered++
		}
	}
	s.unready(g)
	if err := errors.Join(os.Remove(head), os.Rename(head+".away", head)); err != nil {
		s.Fatal(err)
	}
	a := c.embed("alice", "a text with a head again")
	s.judge(answered == 0 && a.status == http.StatusOK, "%d of 20 answered; afterwards %v", answered, a)
}

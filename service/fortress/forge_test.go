//go:build linux

package fortress_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"sotto/service/ledger"
)

var forgeries = []attack{
	{"ledger rewritten without the key, and its head with it", "verify without the secret finds nothing, the start is refused", rewritten},
	{"head replaced by garbage", "the start is refused", func(s *scene) {
		s.heads(func(path string) error { return os.WriteFile(path, []byte("garbage\n"), 0o600) })
	}},
	{"head replaced by a FIFO", "the start is refused within 25 s", func(s *scene) { s.heads(fifo) }},
	{"head replaced by /dev/zero", "the start is refused", func(s *scene) { s.heads(device) }},
	{"head replaced by a terabyte", "the start is refused", func(s *scene) { s.heads(sparse) }},
	{"--production after the head was deleted", "the start is refused until somebody accepts", headless},
}

// rewritten makes all hashes anew, with the spends of alice in another's name, and
// notes the new end in the head: nothing but the key is out of reach.
func rewritten(s *scene) {
	at, _ := s.history()
	end, err := forge(at.ledger)
	if err != nil {
		s.Fatal(err)
	}
	place := ledger.HeadFile(at.ledger + ".head")
	head, err := place.Head(s.Context())
	if err == nil {
		head.Hash = hex.EncodeToString(end[:])
		err = place.SetHead(s.Context(), *head)
	}
	if err != nil {
		s.Fatal(err)
	}
	out, err := s.sotto("budget", "verify", "--ledger", at.ledger)
	if err != nil {
		s.Fatalf("the forgery is no good, so that nothing is shown: %s", out)
	}
	out, err = s.verify(at)
	s.judge(exitCode(err) == 1, "verify with the secret: %s", shortened(lastLine(out)))
	s.refusesStart(at.args()...)
}

// forge rewrites a ledger, and returns the hash of its last entry.
func forge(path string) (hash [32]byte, err error) {
	old, err := ledger.OpenLog(path, ledger.LogOptions{ReadOnly: true})
	if err != nil {
		return hash, err
	}
	if err = os.Remove(path); err == nil {
		err = ledger.CreateLog(path, nil)
	}
	if err != nil {
		return hash, err
	}
	made, err := ledger.OpenLog(path, ledger.LogOptions{})
	if err != nil {
		return hash, err
	}
	var in, out ledger.Coder
	seq := uint64(0)
	err = old.Scan(old.End(), func(f *ledger.Frame) error {
		var body []byte
		for rest := bytes.Clone(f.Body); len(rest) > 0; {
			var r ledger.Record
			n, entry, failed := in.Next(rest, &r)
			if failed != nil {
				return failed
			}
			if rest = rest[n:]; !entry {
				continue
			}
			if r.Means != nil {
				r.Subject = "mallory"
			}
			seq++
			hash = sha256.Sum256(r.AppendLine(nil, seq, &hash))
			body, _ = out.Append(body, &r)
		}
		_, failed := made.Append(f.Kind, f.Count, body, ledger.LogSeal{Head: hash, MAC: f.MAC})
		return failed
	})
	return hash, errors.Join(err, old.Close(), made.Close())
}

// heads puts something in the place of the head.
func (s *scene) heads(put func(path string) error) {
	s.Helper()
	at, _ := s.history()
	path := at.ledger + ".head"
	if err := os.Remove(path); err != nil {
		s.Fatal(err)
	}
	if err := put(path); err != nil {
		s.Fatal(err)
	}
	g, err := s.startSoon(at.args()...)
	switch {
	case err == nil:
		s.fell("it starts; a release is answered with %v", from("127.0.0.1", g.base).embed("alice", "a text that follows"))
	case errors.Is(err, errHangs):
		s.fell("%v", err)
	default:
		s.note("refused: %s", shortened(err.Error()))
	}
}

func headless(s *scene) {
	at := s.place()
	s.secret(at.secret)
	_, keys := s.key()
	head := filepath.Join(at.dir, "head")
	s.must("budget", "init", "--ledger", at.ledger, "--head", head, "--window", "8760h")
	args := at.args("--production", "--keys", keys, "--head", head)
	s.run(args...).end(20 * time.Second)
	if err := os.Remove(head); err != nil {
		s.Fatal(err)
	}
	s.refusesStart(args...)
	s.must("budget", "head", "--ledger", at.ledger, "--head", head, "--accept", "--reason", "an attack")
	if _, err := s.start(args...); err != nil {
		s.fell("accepted, it does not start: %v", err)
	}
}

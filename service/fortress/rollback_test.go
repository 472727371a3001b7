//go:build linux

package fortress_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// noticed is how long a live deletion or replacement of the ledger may go
// unnoticed.
const noticed = 10 * time.Second

var rollbacks = []attack{
	{"ledger deleted before a start", "the start is refused", func(s *scene) {
		s.restarts(func(path string, _ []byte) error { return os.Remove(path) })
	}},
	{"ledger emptied before a start", "the start is refused", func(s *scene) {
		s.restarts(func(path string, _ []byte) error { return os.Truncate(path, 0) })
	}},
	{"ledger cut in half before a start", "the start is refused", func(s *scene) {
		s.restarts(func(path string, _ []byte) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, info.Size()/2)
		})
	}},
	{"older copy put back before a start", "the start is refused", func(s *scene) {
		s.restarts(func(path string, older []byte) error { return os.WriteFile(path, older, 0o600) })
	}},
	{"ledger of another gateway put in its place", "the start is refused", otherLedger},
	{"ledger deleted while it is used", "releases end and readiness is false within 10 s", func(s *scene) {
		s.live(func(path string, _ []byte) error { return os.Remove(path) })
	}},
	{"older copy put in its place while it is used", "releases end and readiness is false within 10 s", func(s *scene) {
		s.live(func(path string, older []byte) error {
			if err := os.WriteFile(path+".old", older, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".old", path)
		})
	}},
	{"folder of the ledger moved away while it is used", "releases end and readiness is false within 10 s", func(s *scene) {
		s.live(func(path string, _ []byte) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".gone") })
	}},
	{"--production without a ledger", "the start is refused, and none is made", productionMakesNone},
}

// spends asks for n texts of alice that must be released.
func (s *scene) spends(base string, n int) {
	s.Helper()
	c := from("127.0.0.1", base)
	for i := range n {
		if a := c.embed("alice", fmt.Sprintf("text %d of %d", i, time.Now().UnixNano())); a.status != http.StatusOK {
			s.Fatal(a)
		}
	}
}

// history makes a ledger with spends, and returns what its file held before the
// last of them.
func (s *scene) history() (place, []byte) {
	s.Helper()
	at := s.place()
	var older []byte
	for range 2 {
		g := s.run(at.args()...)
		s.spends(g.base, 3)
		if _, killed := g.end(20 * time.Second); killed {
			s.Fatal("the gateway did not end")
		}
		if older == nil {
			var err error
			if older, err = os.ReadFile(at.ledger); err != nil {
				s.Fatal(err)
			}
		}
	}
	return at, older
}

// restarts does something to the ledger of a gateway that has ended: the next
// start must be refused.
func (s *scene) restarts(harm func(path string, older []byte) error) {
	s.Helper()
	at, older := s.history()
	if err := harm(at.ledger, older); err != nil {
		s.Fatal(err)
	}
	s.refusesStart(at.args()...)
}

// refusesStart judges a start that must be refused.
func (s *scene) refusesStart(args ...string) {
	s.Helper()
	g, err := s.start(args...)
	if err != nil {
		s.note("refused: %s", shortened(err.Error()))
		return
	}
	s.fell("it starts; a release is answered with %v", from("127.0.0.1", g.base).embed("alice", "a text that follows"))
}

func shortened(text string) string {
	if r := []rune(text); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return text
}

func otherLedger(s *scene) {
	at, _ := s.history()
	other := s.place()
	other.secret = at.secret // so that nothing else gives it away
	g := s.run(other.args()...)
	s.spends(g.base, 5)
	g.end(20 * time.Second)
	if err := os.Rename(other.ledger, at.ledger); err != nil {
		s.Fatal(err)
	}
	s.refusesStart(at.args()...)
}

// live does something to the ledger of a gateway that runs. What it holds in
// memory may still be right, but what it writes reaches nobody.
func (s *scene) live(harm func(path string, older []byte) error) {
	s.Helper()
	at := s.place()
	g := s.run(at.args()...)
	s.spends(g.base, 2)
	older, err := os.ReadFile(at.ledger)
	if err != nil {
		s.Fatal(err)
	}
	s.spends(g.base, 2)
	if err := harm(at.ledger, older); err != nil {
		s.Fatal(err)
	}
	s.notices(g)
}

// notices judges a gateway whose ledger was taken from it: it must release nothing
// any more, soon, and say that it is not ready.
func (s *scene) notices(g *process) {
	s.Helper()
	c := from("127.0.0.1", g.base)
	i := 0
	took, ok := within(noticed, func() bool {
		i++
		a := c.embed(fmt.Sprint("user", i), "a text")
		return a.err != nil || a.status >= 500
	})
	s.judge(ok, "noticed: %v after %.1f s", ok, took.Seconds())
	s.unready(g)
}

// secret writes a good one.
func (s *scene) secret(path string) {
	s.Helper()
	content := make([]byte, 32)
	rand.Read(content)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		s.Fatal(err)
	}
}

func productionMakesNone(s *scene) {
	at := s.place()
	s.secret(at.secret)
	_, keys := s.key()
	s.refusesStart(at.args("--production", "--keys", keys, "--head", filepath.Join(at.dir, "head"))...)
	if _, err := os.Stat(at.ledger); err == nil {
		s.fell("a ledger was made")
	}
}

//go:build linux

package fortress_test

import (
	"os"
	"path/filepath"
)

var online = []attack{
	{"backup and verify while it spends", "both end well; the backup verifies; no answer is lost", backups},
}

// verify verifies the ledger of a place.
func (s *scene) verify(at place) (string, error) {
	args := []string{"budget", "verify", "--ledger", at.ledger}
	if at.secret != "" {
		args = append(args, "--secret", at.secret) // the MAC of the head, too
	}
	return s.sotto(args...)
}

func backups(s *scene) {
	at := s.place()
	g := s.run(at.args("--budget", "1e9", "--rate", "0")...)
	s.spends(g.base, 20)
	stop := make(chan struct{})
	count, wait := s.load(g, stop)
	failed := 0
	n := s.many(20, 3)
	for i := range n {
		if out, err := s.verify(at); err != nil {
			failed++
			s.fell("verify: %s", shortened(lastLine(out)))
			break
		}
		copied := filepath.Join(s.TempDir(), "backup")
		if out, err := s.sotto("budget", "backup", "--ledger", at.ledger, "--out", copied); err != nil {
			failed++
			s.fell("backup: %s", shortened(lastLine(out)))
			break
		}
		if out, err := s.verify(place{ledger: copied, secret: at.secret}); err != nil {
			failed++
			s.fell("backup %d: %s", i, shortened(lastLine(out)))
			break
		}
		os.Remove(copied)
	}
	close(stop)
	wait()
	s.judge(failed == 0, "%d of %d rounds failed", failed, n)
	s.judge(len(count) == 1 && count["200"] > 0, "meanwhile %v", count)
}

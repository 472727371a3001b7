//go:build linux

package fortress_test

import (
	"os"
	"path/filepath"
	"strings"
)

var production = []attack{
	{"--production with what must not be", "each start is refused", productionRefuses},
}

func productionRefuses(s *scene) {
	_, keys := s.key()
	open := filepath.Join(s.TempDir(), "keys")
	content, err := os.ReadFile(keys)
	if err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(open, content, 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Chmod(open, 0o666); err != nil {
		s.Fatal(err)
	}
	at := s.place()
	s.secret(at.secret)
	beside := filepath.Join(filepath.Dir(at.ledger), "secret")
	s.secret(beside)
	file := []string{"--ledger", at.ledger, "--secret", at.secret}
	database := func(mode string) []string {
		return []string{"--ledger", "postgres://sotto@db.example/sotto" + mode, "--secret", at.secret, "--keys", keys}
	}
	lines := []struct {
		why  string // that the refusal must give
		args []string
	}{
		{"sslmode=disable", database("?sslmode=disable")},
		{"sslmode=allow", database("?sslmode=allow")},
		{"no sslmode", database("")},
		{"mode 0666", append(file, "--keys", open)},
		{"beside the ledger", []string{"--ledger", at.ledger, "--secret", beside, "--keys", keys}},
		{"in the clear", append(file, "--keys", keys, "--listen", "0.0.0.0:0")},
		{"in the clear", append(file, "--keys", keys, "--listen", ":0")},
		{"no --keys", file},
		{"--page", append(file, "--keys", keys, "--page")},
		{"no such file", []string{"--ledger", at.ledger, "--secret", at.secret + ".none", "--keys", keys}},
		{"there is no ledger", append(file, "--keys", keys)},
	}
	right := 0
	for _, line := range lines {
		p, err := s.startSoon(append([]string{"gateway", "--production"}, line.args...)...)
		switch {
		case err == nil:
			p.kill()
			s.fell("%s: it starts", line.why)
		case !strings.Contains(err.Error(), line.why):
			s.fell("%s: %v", line.why, err)
		default:
			right++
		}
	}
	s.note("%d of %d refused, each for its own reason", right, len(lines))
}

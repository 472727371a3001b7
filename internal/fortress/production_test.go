//go:build linux

package fortress_test

import (
	"errors"
	"os"
	"path/filepath"
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
	base := []string{"gateway", "--production"}
	for name, args := range map[string][]string{
		"sslmode=disable":           {"--ledger", "postgres://sotto@db.example/sotto?sslmode=disable", "--secret", at.secret, "--keys", keys},
		"sslmode left to chance":    {"--ledger", "postgres://sotto@db.example/sotto", "--secret", at.secret, "--keys", keys},
		"sslmode=allow":             {"--ledger", "postgres://sotto@db.example/sotto?sslmode=allow", "--secret", at.secret, "--keys", keys},
		"world-writable keys":       {"--ledger", at.ledger, "--secret", at.secret, "--keys", open},
		"secret beside the ledger":  {"--ledger", at.ledger, "--secret", beside, "--keys", keys},
		"plain HTTP beyond here":    {"--ledger", at.ledger, "--secret", at.secret, "--keys", keys, "--listen", "0.0.0.0:0"},
		"plain HTTP on every one":   {"--ledger", at.ledger, "--secret", at.secret, "--keys", keys, "--listen", ":0"},
		"no keys":                   {"--ledger", at.ledger, "--secret", at.secret},
		"a page":                    {"--ledger", at.ledger, "--secret", at.secret, "--keys", keys, "--page"},
		"a secret that is not made": {"--ledger", at.ledger, "--secret", at.secret + ".none", "--keys", keys},
		"no ledger":                 {"--ledger", at.ledger, "--secret", at.secret, "--keys", keys},
	} {
		if p, err := s.startWithin(answered, append(base, args...)...); err == nil {
			p.kill()
			s.fell("%s: it starts", name)
		} else if errors.Is(err, errHangs) {
			s.fell("%s: it hangs", name)
		} else {
			s.Logf("%s: %v", name, err)
		}
		os.Remove(at.ledger)
	}
	s.note("11 command lines tried")
}

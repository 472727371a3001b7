package model_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sotto/learn/model"
)

func TestKeyed(t *testing.T) {
	s, other := model.NewSecret(), model.NewSecret()
	want := s.Keyed("row", []byte("ab"), []byte("c"))
	if s.Keyed("row", []byte("ab"), []byte("c")) != want {
		t.Error("one secret names one thing in two ways")
	}
	for name, got := range map[string][32]byte{
		"another secret":  other.Keyed("row", []byte("ab"), []byte("c")),
		"another purpose": s.Keyed("person", []byte("ab"), []byte("c")),
		"other cuts":      s.Keyed("row", []byte("a"), []byte("bc")),
		"one part":        s.Keyed("row", []byte("abc")),
		"an empty part":   s.Keyed("row", []byte("ab"), []byte("c"), nil),
	} {
		if got == want {
			t.Errorf("%s: the same bytes", name)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		if got := fmt.Sprintf(verb, s); got != "secret" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a secret that was never drawn keyed something")
		}
	}()
	model.Secret{}.Keyed("row")
}

func TestReadSecret(t *testing.T) {
	dir := t.TempDir()
	if _, err := model.ReadSecret(dir); !errors.Is(err, model.ErrNoSecret) {
		t.Errorf("without a secret the error is %v", err)
	}
	path := filepath.Join(dir, model.SecretFile)
	for content, want := range map[string]string{
		strings.Repeat("0f", 32) + "\n": "",
		strings.Repeat("0f", 32):        "",
		strings.Repeat("00", 32) + "\n": "zeros",
		strings.Repeat("0g", 32) + "\n": "hexadecimal",
		strings.Repeat("0f", 31) + "\n": "64 hexadecimal",
		strings.Repeat("0f", 33) + "\n": "64 hexadecimal",
		"":                              "64 hexadecimal",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := model.ReadSecret(dir)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "0f0f")) {
			t.Errorf("a secret of %d bytes: %v, want %q", len(content), err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := errors.Join(os.WriteFile(path, []byte(strings.Repeat("0f", 32)), 0o600), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	if _, err := model.ReadSecret(dir); err == nil || !strings.Contains(err.Error(), "0600") {
		t.Errorf("a secret that a group may read: %v, want a refusal", err)
	}
}

package term_test

import (
	"testing"

	"sotto/command/term"
)

func TestReadSettings(t *testing.T) {
	got, err := term.ReadSettings([]byte(`{"listen": "127.0.0.1:1", "epsilon": 8}`))
	if err != nil || string(got["listen"]) != `"127.0.0.1:1"` || string(got["epsilon"]) != "8" {
		t.Errorf("readSettings = %s, %v", got, err)
	}
	for _, bad := range []string{``, `[]`, `null`, `{"a": 1`, `{"a": 1, "a": 2}`, `{"a": 1} {}`, `{"a": }`, `{a: 1}`} {
		if _, err := term.ReadSettings([]byte(bad)); err == nil {
			t.Errorf("readSettings(%q) gave no error", bad)
		}
	}
}

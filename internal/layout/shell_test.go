package layout_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/internal/layout"
)

func TestJoin(t *testing.T) {
	words := []string{"--in", "my file's.csv", "", "a;b", "$HOME", "größe", "x,y", `back\slash`, "*"}
	got := layout.Command(words...)
	if want := `--in 'my file'\''s.csv' '' 'a;b' '$HOME' größe x,y`; !strings.HasPrefix(got, want) {
		t.Errorf("Join = %s, want %s at its beginning", got, want)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to take the words apart again")
	}
	out, err := exec.Command(sh, "-c", `printf '%s\0' `+got).Output()
	if err != nil {
		t.Fatal(err)
	}
	if apart := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(apart, words) {
		t.Errorf("a shell makes %q of it, want %q", apart, words)
	}
}

// TestUnseen: what cannot be seen is written out, on one line, and bash makes of it what it
// was.
func TestUnseen(t *testing.T) {
	words := []string{"a\nb", "\x1b]0;mine\a", "it's\\\r\n", "a\u202eb", "\xff", "ok"}
	got := layout.Command(words...)
	if strings.ContainsAny(got, "\n\r\x1b\a\u202e") || !utf8.ValidString(got) {
		t.Errorf("Join = %q, want one line of what can be seen", got)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to take the words apart again")
	}
	out, err := exec.Command(bash, "-c", `printf '%s\0' `+got).Output()
	if err != nil {
		t.Fatal(err)
	}
	if apart := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(apart, words) {
		t.Errorf("bash makes %q of %s, want %q", apart, got, words)
	}
}

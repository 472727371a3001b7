package shell_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sotto/internal/shell"
)

func TestJoin(t *testing.T) {
	words := []string{"--in", "my file's.csv", "", "a;b", "$HOME", "größe", "x,y", "new\nline", `back\slash`, "*"}
	got := shell.Join(words...)
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

package term_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"sotto/command/term"
	"sotto/internal/layout"
)

// TestHostileNames: a terminal, and whoever reads words, is given no command that a file
// holds, wherever writes are cut; data for programs passes as it is.
func TestHostileNames(t *testing.T) {
	const name = "ε\x1b]0;mine\a\u202e\u009b2J"
	for _, tt := range []struct {
		what   string
		screen func(*bytes.Buffer) *term.Screen
		want   string
	}{
		{"a terminal", func(b *bytes.Buffer) *term.Screen { return term.NewTerminal(b, 80, true) }, "ε␛]0;mine␇\\u202e\\u009b2J\n"},
		{"words in a pipe", func(b *bytes.Buffer) *term.Screen { return term.NewScreen(b).Words() }, "ε␛]0;mine␇\\u202e\\u009b2J\n"},
		{"data in a pipe", func(b *bytes.Buffer) *term.Screen { return term.NewScreen(b) }, name + "\n"},
	} {
		for _, cut := range []int{1, 3, len(name)} {
			var b bytes.Buffer
			s := tt.screen(&b)
			for rest := []byte(name + "\n"); len(rest) > 0; rest = rest[min(cut, len(rest)):] {
				if n, err := s.Write(rest[:min(cut, len(rest))]); err != nil || n != min(cut, len(rest)) {
					t.Fatalf("Write = %d, %v", n, err)
				}
			}
			if b.String() != tt.want {
				t.Errorf("%s, cut after %d bytes: %q, want %q", tt.what, cut, b.String(), tt.want)
			}
		}
	}
}

// TestForPeople: what a command says of names is words also where its data would pass, into a
// pipe. JSON says the same to a program, by characters that can be seen.
func TestForPeople(t *testing.T) {
	const name = "ε\x1b]0;mine\a\u202e\u009b2J"
	for _, asJSON := range []bool{false, true} {
		var b bytes.Buffer
		err := term.Show(term.NewScreen(&b), asJSON, name, func(w io.Writer, name string) error {
			_, err := fmt.Fprintln(w, name)
			return err
		})
		want, back := "ε␛]0;mine␇\\u202e\\u009b2J\n", name
		if asJSON {
			want = `"ε\u001b]0;mine\u0007\u202e\u009b2J"` + "\n"
			if failed := json.Unmarshal(b.Bytes(), &back); failed != nil || back != name {
				t.Errorf("JSON reads as %q, %v; want %q", back, failed, name)
			}
		}
		if err != nil || b.String() != want {
			t.Errorf("Show, JSON %v: %q, %v; want %q", asJSON, b.String(), err, want)
		}
	}
}

// TestOwnColours: what the program colours is coloured in a terminal, and in a pipe where
// that is asked for.
func TestOwnColours(t *testing.T) {
	var b bytes.Buffer
	s := term.NewScreen(&b)
	s.Paint = term.Always
	if _, err := s.Write([]byte(layout.Good(s, "yes"))); err != nil || b.String() != "\x1b[32myes\x1b[0m" {
		t.Errorf("always: %q, %v", b.String(), err)
	}
}

package term_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sotto/command/term"
	"sotto/internal/layout"
)

func TestProgressLine(t *testing.T) {
	const long = "federate laplace-l1 as-stated λ=1 D=300, seed 3: epoch 12 of 30, loss 0.4312, accuracy 71.20 %"
	for _, tt := range []struct {
		columns     int
		what        string
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{60, "loading", 0, 0, 12 * time.Second, "loading  0:12"},
		{60, "encoding", 4096, -1, 75 * time.Second, "encoding  4096  1:15"},
		{60, "auditing", 500, 1000, time.Second, "auditing  [===============               ]  50 %  0:01"},
		{60, "auditing", 500, 1000, 4000 * time.Second, "auditing  [=========         ]  50 %  1:06:40, 1:06:40 left"},
		{40, long, 500, 1000, time.Second, "federate laplace-l1 as-sta…   50 %  0:01"},
		{30, "auditing", 1000, 1000, time.Minute, "auditing  100 %  1:00"},
		{30, "auditing", 2000, 1000, time.Minute, "auditing  100 %  1:00"},
		{12, long, 500, 1000, time.Second, "federate la…"},
		{1, long, 500, 1000, time.Second, "…"},
		{0, long, 500, 1000, time.Second, ""},
		{20, "日本語の文書を読み込む", 0, 0, time.Second, "日本語の文書…  0:01"},
		{40, "two\nlines\x1b[2J", 0, 0, time.Second, `"two\nlines\x1b[2J"  0:01`},
	} {
		got := term.ProgressLine(tt.columns, tt.what, tt.done, tt.total, tt.elapsed)
		if got != tt.want || layout.Width(got) > tt.columns {
			t.Errorf("at %d columns: %q (%d wide), want %q", tt.columns, got, layout.Width(got), tt.want)
		}
	}
	for columns := range 200 {
		if got := term.ProgressLine(columns, long, 500, 1000, time.Minute); layout.Width(got) > columns {
			t.Errorf("at %d columns: %q is %d wide", columns, got, layout.Width(got))
		}
	}
}

// seen returns what a terminal of one line shows in the end, where \r goes back to
// the first column.
func seen(text string) string {
	var line []rune
	at := 0
	for _, r := range text {
		switch {
		case r == '\r':
			at = 0
		case at < len(line):
			line[at] = r
			at++
		default:
			line = append(line, r)
			at++
		}
	}
	return strings.TrimRight(string(line), " ")
}

// A shorter line covers a longer one, other words stand where the line was, and
// nothing is left of it in the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	screen := term.NewTerminal(&out, 40, false)
	p := term.Still(screen, strings.Repeat("long ", 30))
	p.Draw()
	if got := seen(out.String()); !strings.HasSuffix(got, "…  0:00") || len([]rune(got)) != 39 {
		t.Errorf("shown is %q, want 39 columns", got)
	}
	p.Describe("short")
	p.Draw()
	if got := seen(out.String()); got != "short  0:00" {
		t.Errorf("shown is %q, want the short line alone", got)
	}
	term.Complain(screen, "beware")
	if got := seen(out.String()); got != "sotto: beware\n" {
		t.Errorf("shown is %q, want the warning alone", got)
	}
	out.Reset()
	p.Draw()
	p.Finish()
	clocked := term.NewProgress(screen, "by the clock")
	clocked.Draw()
	clocked.Finish()
	clocked.Finish()
	if got := seen(out.String()); got != "" {
		t.Errorf("left is %q, want nothing", got)
	}
	screen.Quiet()
	out.Reset()
	p.Draw()
	if out.Len() > 0 {
		t.Errorf("%q was shown after the end", out.String())
	}
}

// Where nobody is looking there is no line.
func TestNoProgress(t *testing.T) {
	var out bytes.Buffer
	p := term.NewProgress(&out, "work")
	p.Set(1, 2)
	p.Describe("more work")
	p.Finish()
	if p.Shown() || out.Len() > 0 {
		t.Errorf("shown is %v, %q, want nothing", p.Shown(), out.String())
	}
}

func TestColour(t *testing.T) {
	for _, tt := range []struct {
		coloured bool
		paint    string
		want     bool
	}{{false, "auto", false}, {true, "auto", true}, {true, "never", false}, {false, "always", true}} {
		s := term.NewTerminal(nil, 80, tt.coloured)
		if err := s.Paint.Set(tt.paint); err != nil || s.Colour() != tt.want {
			t.Errorf("a terminal with colours %v and --color %s: %v, %v; want %v", tt.coloured, tt.paint, s.Colour(), err, tt.want)
		}
	}
	if err := new(term.Colour).Set("maybe"); err == nil {
		t.Error("--color maybe is accepted")
	}
	if s := term.NewScreen(&bytes.Buffer{}); s.Colour() || s.Terminal() || s.Columns() != 0 || term.NewScreen(s) != s {
		t.Error("a buffer is taken for a terminal, or made a screen twice")
	}
}

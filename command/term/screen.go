package term

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"sotto/internal/layout"
)

// Screen is a standard stream that may be a terminal. It knows how wide that is and
// whether it has colours, and keeps the line of a [Progress] out of the way of what
// else is written. It implements [layout.Screen].
type Screen struct {
	Wide  bool   // lines may be of any length
	Paint Colour // whether there are colours

	out      io.Writer
	words    bool       // it is for people even where it is no terminal
	width    func() int // of a terminal; nil for anything else
	coloured bool       // the terminal has colours

	mu    sync.Mutex
	cut   []byte // of a character of which the rest is still to come
	line  int    // columns that the line of progress takes, which has no end of line yet
	quiet bool   // no more progress is shown
}

var _ layout.Screen = (*Screen)(nil)

// Colour says when there are colours: [Auto], [Always] or [Never].
type Colour string

// When there are colours.
const (
	Auto   Colour = "auto" // on a terminal that has them, unless NO_COLOR is set
	Always Colour = "always"
	Never  Colour = "never"
)

// Set implements [pflag.Value].
func (c *Colour) Set(s string) error {
	switch v := Colour(s); v {
	case Auto, Always, Never:
		*c = v
		return nil
	}
	return fmt.Errorf("must be %s, %s or %s", Auto, Always, Never)
}

// String implements [pflag.Value].
func (c *Colour) String() string { return string(*c) }

// Type implements [pflag.Value].
func (c *Colour) Type() string { return "when" }

// NewScreen returns the screen of a stream, which is the stream itself if it is one.
func NewScreen(out io.Writer) *Screen {
	if s, ok := out.(*Screen); ok {
		return s
	}
	s := &Screen{out: out, Paint: Auto}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return s
	}
	s.width = func() int { // each time: a window can be made wider
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns < 1 {
			columns = 80
		}
		return columns
	}
	s.coloured = os.Getenv("NO_COLOR") == "" && understandsColour(f)
	return s
}

// NewTerminal returns a screen as wide as that on any writer, for tests.
func NewTerminal(out io.Writer, columns int, coloured bool) *Screen {
	return &Screen{out: out, Paint: Auto, width: func() int { return columns }, coloured: coloured}
}

// Terminal reports whether somebody is looking.
func (s *Screen) Terminal() bool { return s.width != nil }

// Columns implements [layout.Screen].
func (s *Screen) Columns() int {
	if s.Wide || s.width == nil {
		return 0
	}
	return s.width()
}

// Colour implements [layout.Screen].
func (s *Screen) Colour() bool { return s.Paint == Always || s.Paint == Auto && s.coloured }

// Words says that what is written is for people, wherever it goes: logs are shown in
// terminals too. Data is for programs, and passes as it is where no terminal is.
func (s *Screen) Words() *Screen { s.words = true; return s }

// Write implements [io.Writer]. Names and texts of files may hold commands to a terminal;
// none is obeyed.
func (s *Screen) Write(p []byte) (int, error) { return s.write(p, s.words) }

// speech is a screen for what is said to people, beside the data that passes through it.
type speech struct{ *Screen }

// Write implements [io.Writer].
func (s speech) Write(p []byte) (int, error) { return s.write(p, true) }

// ForPeople returns the screen of a stream for words: in a pipe, too, which may lead to a
// pager or into a file that is shown later, none of them is a command to a terminal.
func ForPeople(out io.Writer) io.Writer { return speech{NewScreen(out)} }

func (s *Screen) write(p []byte, words bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	var err error
	switch {
	case words || s.Terminal():
		_, err = io.WriteString(s.out, layout.Visible(s.whole(p)))
	case s.Paint == Always:
		_, err = io.WriteString(s.out, layout.Painted(string(p)))
	default:
		return s.out.Write(p)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// whole returns what was kept of the last write and this one, and keeps the first bytes of a
// character that this one ends within.
func (s *Screen) whole(p []byte) string {
	p = append(s.cut, p...)
	end := len(p)
	for i := 1; i <= min(utf8.UTFMax-1, len(p)); i++ {
		if c := p[len(p)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-i:]) {
				end = len(p) - i
			}
			break
		}
	}
	s.cut = slices.Clone(p[end:])
	return string(p[:end])
}

// show puts a line in the place of the last one, to be overwritten by the next.
// Spaces cover what the last one had more, so that nothing flickers.
func (s *Screen) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quiet {
		return
	}
	columns := layout.Width(line)
	io.WriteString(s.out, "\r"+layout.Visible(line)+strings.Repeat(" ", max(0, min(s.line, s.width()-1)-columns))) //nolint:errcheck // a line that cannot be drawn harms nothing
	s.line = columns
}

// Clear removes the line of progress, if there is one.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// Quiet is Clear, and no other line is shown after it: the work is over, however it
// ended.
func (s *Screen) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.quiet = true
}

// erase covers the line, and the sign that a terminal puts behind it for Ctrl-C.
func (s *Screen) erase() {
	if s.line > 0 {
		io.WriteString(s.out, "\r"+strings.Repeat(" ", min(s.line+len("^C"), s.width()-1))+"\r") //nolint:errcheck // see above
		s.line = 0
	}
}

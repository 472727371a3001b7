package command

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// manPage is a manual page in the making, in the language of roff.
type manPage struct {
	b bytes.Buffer
}

// escape makes text stand for itself: a backslash begins a command of roff, and a
// hyphen that is typed must not become a dash.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(s)
}

// text adds a line that is roff already.
func (p *manPage) text(s string) {
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		p.b.WriteString(`\&`) // which keeps the line from being a command
	}
	p.b.WriteString(s + "\n")
}

// line adds a line of plain text.
func (p *manPage) line(s string) { p.text(escape(s)) }

func (p *manPage) section(name string) { fmt.Fprintf(&p.b, ".SH %s\n", name) }

// entry adds a name and, further to the right, what it means.
func (p *manPage) entry(name, meaning string) {
	p.b.WriteString(".TP\n")
	p.text(name)
	p.line(meaning)
}

// listed matches a name and, after a gap, what it means.
var listed = regexp.MustCompile(`^  (\S.*?) {2,}(\S.*)$`)

// listing adds lines that are set in: names and what they mean, or lines that must
// stay as they are.
func (p *manPage) listing(lines []string) {
	if !slices.ContainsFunc(lines, func(l string) bool { return !listed.MatchString(l) }) {
		for _, l := range lines {
			parts := listed.FindStringSubmatch(l)
			p.entry("\\fB"+escape(parts[1])+"\\fR", parts[2])
		}
		return
	}
	p.b.WriteString(".PP\n.RS 4\n.nf\n")
	for _, l := range lines {
		p.line(strings.TrimPrefix(l, "  "))
	}
	p.b.WriteString(".fi\n.RE\n")
}

// prose adds what a command says of itself at length, or in short. Empty lines end
// paragraphs, and lines that are set in are listed as they are.
func (p *manPage) prose(long, short string) {
	if long == "" {
		long = short
	}
	lines := strings.Split(strings.TrimRight(long, "\n"), "\n")
	for len(lines) > 0 {
		set := strings.HasPrefix(lines[0], " ")
		n := slices.IndexFunc(lines, func(l string) bool { return l == "" || strings.HasPrefix(l, " ") != set })
		if n < 0 {
			n = len(lines)
		}
		switch {
		case n == 0: // an empty line
			n = 1
		case set:
			p.listing(lines[:n])
		default:
			p.b.WriteString(".PP\n")
			for _, l := range lines[:n] {
				p.line(l)
			}
		}
		lines = lines[n:]
	}
}

// options adds a section of flags, unless there are none.
func (p *manPage) options(section string, flags *pflag.FlagSet) {
	begun := false
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if !begun {
			p.section(section)
			begun = true
		}
		value, help := pflag.UnquoteUsage(f)
		name := "\\fB" + escape("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			name = "\\fB" + escape("-"+f.Shorthand) + "\\fR, " + name
		}
		if value != "" {
			name += " \\fI" + escape(value) + "\\fR"
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) && !strings.Contains(help, "(default") {
			help += " (default " + f.DefValue + ")"
		}
		p.entry(name, help)
	})
}

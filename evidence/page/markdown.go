package page

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a page for a pull request, in the dialect of code hosts.
// Plots are left out, since each stands beside a table of its numbers. It
// refuses what [HTML] refuses.
func Markdown(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return err
	}
	var m markdown
	m.page(p.settled())
	if _, err := io.WriteString(w, safe(m.String())); err != nil {
		return fmt.Errorf("page: the text cannot be written: %w", err)
	}
	return nil
}

// markdown collects text. Everything that comes from results goes through
// escape.
type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.Builder, format+"\n", args...) }

// marks stand for tones where there is no colour.
var marks = map[Tone]string{Good: "✅ ", Bad: "❌ ", Warn: "⚠️ ", Plain: ""}

func (m *markdown) page(p Page) {
	m.line("# %s\n", escape(p.Title))
	if p.Sentence != "" {
		m.line("**%s**\n", escape(p.Sentence))
	}
	for _, v := range p.Verdicts {
		m.line("- %s**%s** %s", marks[v.Tone], escape(v.Label), escape(v.Text))
	}
	for _, s := range p.Sections {
		m.line("\n## %s", escape(s.Title))
		if s.Meaning != "" {
			m.line("\n%s", escape(s.Meaning))
		}
		for _, b := range s.Blocks {
			m.block(b)
		}
	}
	if p.Made != "" {
		m.line("\n%s", escape(p.Made))
	}
}

func (m *markdown) block(b Block) {
	switch {
	case b.Code != "":
		fence := "```"
		for strings.Contains(b.Code, fence) {
			fence += "`"
		}
		m.line("\n<details><summary>%s</summary>\n\n%sjson\n%s\n%s\n\n</details>", escape(b.Heading), fence, b.Code, fence)
	case b.Heading != "":
		m.line("\n### %s", escape(b.Heading))
	case b.Note != "":
		m.line("\n%s", escape(b.Note))
	case b.Warning != "":
		m.line("\n**Careful.** %s", escape(b.Warning))
	case b.Passage != nil:
		text := ""
		for _, part := range b.Passage {
			if part.Mark() == "" {
				text += escape(part.Text)
			} else {
				text += "**" + escape(part.Text) + "**"
			}
		}
		m.line("\n%s", text)
	case b.List != nil:
		m.line("")
		for _, it := range b.List {
			if it.Name != "" {
				m.line("- **%s:** %s", escape(it.Name), escape(it.Text))
			} else {
				m.line("- %s", escape(it.Text))
			}
		}
	case b.Table != nil:
		m.table(b.Table)
	}
}

// table writes a table, folded if it is long.
func (m *markdown) table(t *Table) {
	folded := len(t.Rows) > 2*openRows
	if folded {
		m.line("\n<details><summary>%s: %s</summary>", escape(t.Caption), Plural(len(t.Rows), "row", "rows"))
	}
	names, rules := make([]string, len(t.Head)), make([]string, len(t.Head))
	for i, h := range t.Head {
		names[i], rules[i] = escape(h.Name), "---"
		if h.Number {
			rules[i] = "--:"
		}
	}
	m.line("\n| %s |\n| %s |", strings.Join(names, " | "), strings.Join(rules, " | "))
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = escape(c.Text)
			if c.Tone == Bad {
				cells[i] = "**" + cells[i] + "**"
			}
		}
		m.line("| %s |", strings.Join(cells, " | "))
	}
	if folded {
		m.line("\n</details>")
	}
}

// special makes characters that have a meaning in Markdown lose it. An address
// does not become a link, and a name does not call anybody.
var special = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "&#64;", "://", "&#58;//", "www.", "www&#46;",
)

// escape makes text of a result mean itself, on one line.
func escape(s string) string { return special.Replace(oneLine(s)) }

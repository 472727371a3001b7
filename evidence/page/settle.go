package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// measuredID is that of the section in which all sources stand, once.
const measuredID = "measured"

// settled is the page as both renderers show it: with names for all sections,
// the sources of all of them in one place, and no path in a title or text.
func (p Page) settled() Page {
	p.Sections = gathered(p.Sections)
	for i := range p.Sections {
		if s := &p.Sections[i]; s.ID == "" {
			s.ID = fmt.Sprintf("section-%d", i+1)
		}
	}
	return p.mapped(WithoutPaths)
}

// gathered moves what sections say of their sources into the section that says
// how everything was measured, which is made if there is none. Sections that
// have the same source share an entry.
func gathered(all []Section) []Section {
	all = slices.Clone(all)
	var list []Item
	for i := range all {
		s := &all[i]
		if s.Source == "" {
			continue
		}
		if k := slices.IndexFunc(list, func(it Item) bool { return it.Text == s.Source }); k >= 0 {
			list[k].Name += "; " + s.Title
		} else {
			list = append(list, Item{Name: s.Title, Text: s.Source})
		}
		s.Source = ""
	}
	if list == nil {
		return all
	}
	i := slices.IndexFunc(all, func(s Section) bool { return s.ID == measuredID })
	if i < 0 {
		return append(all, Section{ID: measuredID, Title: "How it was measured", Blocks: []Block{{List: list}}})
	}
	all[i].Blocks = append([]Block{{List: list}}, all[i].Blocks...)
	return all
}

// folder is the part of an absolute path before its last name, of any system,
// where it begins a word.
var folder = regexp.MustCompile(`(^|[\s"'(\[=,;])(?:file:)?(?:[A-Za-z]:[\\/]+|[\\/]+[^\s"'()\[\]=,;<>|\\/]+[\\/]+)(?:[^\s"'()\[\]=,;<>|\\/]+[\\/]+)*`)

// WithoutPaths leaves of absolute paths in a text the last name: where a file
// lies on somebody's machine is nobody else's matter. Pages do so by themselves
// with every text that they show.
func WithoutPaths(s string) string {
	if !strings.ContainsAny(s, `/\`) {
		return s
	}
	return folder.ReplaceAllString(s, "$1")
}

// Name is a name of a result as pages show it: one line of at most 80 characters,
// without folders.
func Name(s string) string { return Clean(WithoutPaths(s), 80) }

// FileName is the last name of a path of any system, for titles.
func FileName(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// mapped applies f to every text of the page outside of plots, and leaves p as
// it is.
func (p Page) mapped(f func(string) string) Page {
	p.Title, p.Sentence, p.Made = f(p.Title), f(p.Sentence), f(p.Made)
	p.Verdicts = slices.Clone(p.Verdicts)
	for i := range p.Verdicts {
		v := &p.Verdicts[i]
		v.Label, v.Text = f(v.Label), f(v.Text)
	}
	p.Sections = slices.Clone(p.Sections)
	for i := range p.Sections {
		s := &p.Sections[i]
		s.Title, s.Meaning, s.Source = f(s.Title), f(s.Meaning), f(s.Source)
		s.Blocks = slices.Clone(s.Blocks)
		for k := range s.Blocks {
			s.Blocks[k] = s.Blocks[k].mapped(f)
		}
	}
	return p
}

func (b Block) mapped(f func(string) string) Block {
	b.Heading, b.Note, b.Warning, b.Code = f(b.Heading), f(b.Note), f(b.Warning), f(b.Code)
	b.List = slices.Clone(b.List)
	for i, it := range b.List {
		b.List[i] = Item{f(it.Name), f(it.Text)}
	}
	b.Passage = slices.Clone(b.Passage)
	for i := range b.Passage {
		b.Passage[i].Text, b.Passage[i].Tip = f(b.Passage[i].Text), f(b.Passage[i].Tip)
	}
	if b.Table != nil {
		b.Table = b.Table.mapped(f)
	}
	if b.Figure != nil {
		figure := *b.Figure
		figure.Caption = f(figure.Caption)
		b.Figure = &figure
	}
	return b
}

func (t *Table) mapped(f func(string) string) *Table {
	out := *t
	out.Caption, out.Head, out.Rows = f(t.Caption), slices.Clone(t.Head), slices.Clone(t.Rows)
	for i := range out.Head {
		out.Head[i].Name = f(out.Head[i].Name)
	}
	for i, row := range out.Rows {
		out.Rows[i] = slices.Clone(row)
		for k := range row {
			out.Rows[i][k].Text = f(row[k].Text)
		}
	}
	return &out
}

package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/layout"
)

// Columns returns the names of the columns, in the order of the file. Names may
// be empty or stand twice; [Reader.Column] refuses those. Where there is no
// header they are 1, 2, and so on.
func (r *Reader) Columns() []string { return slices.Clone(r.src.names()) }

// Header reports whether the names of the columns are those of a first line.
func (r *Reader) Header() bool { return r.opt.Format.delimited() && !r.opt.NoHeader }

// Kinds returns what the file declares of each column: of Parquet its type, of
// others that they are strings, and [Missing] of JSON lines, which declare
// nothing.
func (r *Reader) Kinds() []Kind {
	kinds := make([]Kind, len(r.src.names()))
	for i := range kinds {
		switch src := r.src.(type) {
		case *parquetRows:
			kinds[i] = src.kind(i)
		case *jsonl:
		default:
			kinds[i] = String
		}
	}
	return kinds
}

// Column returns the place of a column in [Reader.Columns], from 0. A name that
// is not there, empty, or there twice is an error that lists the columns.
func (r *Reader) Column(name string) (int, error) {
	if r.Asked() {
		at, ok := r.src.(asked).ask(name)
		if !ok && r.opt.NoHeader {
			return 0, r.errorf("column is %.40q, must be a number from 1 where there is no header", name)
		} else if !ok {
			return 0, r.errorf("a column has no name, must have one")
		}
		return at, nil
	}
	names := r.src.names()
	var at []int
	for i, n := range names {
		if n == name && name != "" {
			at = append(at, i)
		}
	}
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(at) > 1:
		return 0, r.errorf("column is %.40q, which stands %d times in the header, as columns %s of %s: must stand once", name, len(at), places(at), Listed(names))
	case r.opt.NoHeader:
		return 0, r.errorf("column is %.40q, must be a number from 1 to %d where there is no header", name, len(names))
	}
	list := Listed(names)
	hint := layout.Hint(name, names)
	if !shown(names) {
		hint = "; sotto data inspect lists them (--no-header if the first line is a row)"
	}
	if r.declared {
		hint += r.Doubt()
	}
	switch src := r.src.(type) {
	case *jsonl:
		list += fmt.Sprintf(", the keys of the first %d objects", src.seen)
	case *textRows:
		list += "; each line is a text: --in-format csv reads columns"
	}
	return 0, r.errorf("column is %.40q, must be one of %s%s", name, list, hint)
}

// asked is a source whose columns are those that somebody asks for.
type asked interface {
	// ask returns the place of a column, unless no column can have this name.
	ask(name string) (int, bool)
}

// Asked reports whether nothing says which columns there are, so that those are there
// that somebody asks for: [Reader.Columns] are those asked for so far. It is so of JSON
// lines and of CSV without a header whose form was declared. A row that lacks one says
// so itself.
func (r *Reader) Asked() bool {
	return r.declared && (r.opt.Format == JSONL || r.opt.Format.delimited() && r.opt.NoHeader)
}

// Doubt says what is wrong with a line of names if the file may have another form than
// was declared, and which flag says so; "" if nothing looks wrong. It looks at no row.
func (r *Reader) Doubt() string {
	c, ok := r.src.(*csvRows)
	if !ok || !r.declared || len(c.columns) == 0 {
		return ""
	}
	all := strings.Join(c.columns, "")
	switch {
	case strings.ContainsFunc(all, func(c rune) bool { return c == utf8.RuneError || c < ' ' && c != '\t' }):
		return "; its first line is no text: --encoding says which the file has, and a compressed file must end in .gz or .zst"
	case len(c.columns) == 1 && strings.ContainsAny(all, ",;\t|"):
		at := strings.IndexAny(all, ",;\t|")
		return fmt.Sprintf("; its line of names has %s in it: --delimiter %s makes columns of that", delimiterName(rune(all[at])), delimiterFlag(rune(all[at])))
	case r.opt.Format == TSV && strings.HasPrefix(all, `"`):
		return `; its names stand between quotes: --in-format csv --delimiter tab reads those`
	}
	return ""
}

// Select makes Next return the named columns alone, in the order given, and keeps
// it from reading others where the format allows that. It must come before the
// first Next.
func (r *Reader) Select(names ...string) error {
	pick := make([]int, len(names))
	for i, name := range names {
		var err error
		if pick[i], err = r.Column(name); err != nil {
			return err
		}
	}
	r.pick, r.row = pick, make([]Value, len(pick))
	return nil
}

func (r *Reader) selectAll() {
	r.pick = make([]int, len(r.src.names()))
	for i := range r.pick {
		r.pick[i] = i
	}
	r.row = make([]Value, len(r.pick))
}

// places renders places from 0 as people count.
func places(at []int) string {
	var s []string
	for _, i := range at {
		s = append(s, strconv.Itoa(i+1))
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

// Listed renders the names in a header for an error. A file without names may
// begin with a private text, so what does not look like a name is not shown.
func Listed(names []string) string {
	const most = 20
	if !shown(names) {
		return fmt.Sprintf("the %d in the header", len(names))
	}
	names = slices.Clone(names)
	for i, name := range names {
		if name == "" {
			names[i] = fmt.Sprintf("(column %d has no name)", i+1)
		}
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// shown reports whether each name looks like one or is empty.
func shown(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return name != "" && !ordinary(name) })
}

// ordinary reports whether a name is one word of at most 40 letters and digits that
// begins with a letter. (An expression that says so would be the longest part of the
// start of every command.)
func ordinary(name string) bool {
	for i, r := range name {
		within := i > 0 && (unicode.IsNumber(r) || r == '.' || r == '-')
		if !within && !unicode.IsLetter(r) && r != '_' {
			return false
		}
	}
	return utf8.RuneCountInString(name) <= 40
}

package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// values are what a text is made of that is no form: strings, numbers and words.
var values = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"(\s*:)?|[^\s"{}\[\],:;<>]+`)

// form is how a file is written, apart from what it holds: the order of its keys, blanks,
// quotes, and what stands in front of what is packed. Where values are random, it would
// be seen in nothing else.
func (l *leaves) form(file string, packed []byte) {
	content := unpacked(packed)
	if z, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		l.text(name{file: file, path: pathForm + ", header of gzip"}, fmt.Sprintf("%q %q %q %d %v", z.Name, z.Comment, z.Extra, z.OS, z.ModTime.UnixNano()))
	}
	switch {
	case bytes.HasPrefix(content, []byte("\x93NUMPY")):
		head, _, _ := bytes.Cut(content, []byte("\n"))
		l.text(name{file: file, path: pathForm + ", header of NPY"}, string(head))
	case readable(content):
		l.text(name{file: file, path: pathForm}, string(values.ReplaceAllFunc(content, func(v []byte) []byte {
			switch {
			case v[0] != '"':
				return []byte("v")
			case v[len(v)-1] == ':': // a key
				return v
			}
			return []byte(`"v"`)
		})))
	}
}

// parquet takes all columns of a Parquet file apart, and what it says beside them.
func (l *leaves) parquet(file string, content []byte) (t *rows) {
	before, counts := len(l.all), slices.Clone(l.counts)
	defer func() {
		if recover() != nil { // the library panics at what is damaged
			t = nil
		}
		if t == nil {
			l.all, l.counts = l.all[:before], counts
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil
	}
	for _, pair := range f.Metadata().KeyValueMetadata {
		l.beside(name{file: file, path: "metadata " + pair.Key}, pair.Value)
	}
	l.text(name{file: file, path: "written by"}, f.Metadata().CreatedBy)
	l.text(name{file: file, path: "schema"}, f.Schema().String())
	l.number(name{file: file, path: "number of row groups"}, float64(len(f.RowGroups())))
	columns := f.Schema().Columns()
	t = &rows{file: file}
	for _, group := range f.RowGroups() {
		if !l.group(t, group, columns) {
			return nil
		}
	}
	l.number(name{file: file, path: pathRows}, float64(len(t.cells)))
	return t
}

// beside adds what stands in metadata: fields of JSON if it is some, else a text.
func (l *leaves) beside(n name, text string) {
	if strings.HasPrefix(text, "{") {
		inner := &leaves{differ: l.differ}
		if _, ok := inner.json(n.file, []byte(text)); ok {
			for _, each := range inner.all {
				each.name.path = n.path + "." + each.name.path
				l.add(each.name, each.value, each.text)
			}
			return
		}
	}
	l.text(n, text)
}

// group adds the rows of a row group, and reports whether all could be read.
func (l *leaves) group(t *rows, group parquet.RowGroup, columns [][]string) bool {
	in := group.Rows()
	defer in.Close() //nolint:errcheck // it was read only
	buffer := make([]parquet.Row, 64)
	for {
		n, err := in.ReadRows(buffer)
		for _, row := range buffer[:n] {
			from := len(l.all)
			at := make([]int, len(columns)) // values of each column so far
			for _, v := range row {
				c := v.Column()
				path := strings.TrimSuffix(strings.Join(columns[c], "."), ".list.element")
				if v.RepetitionLevel() > 0 || path != strings.Join(columns[c], ".") {
					path += "[" + strconv.Itoa(at[c]) + "]"
				}
				at[c]++
				cell := name{file: t.file, row: len(t.cells) + 1, path: path}
				switch v.Kind() {
				case parquet.Int32, parquet.Int64:
					l.number(cell, float64(v.Int64()))
				case parquet.Float:
					l.number(cell, float64(v.Float()))
				case parquet.Double:
					l.number(cell, v.Double())
				default:
					l.text(cell, v.String())
				}
			}
			t.row(l, from)
		}
		switch {
		case errors.Is(err, io.EOF) || err == nil && n == 0:
			return true
		case err != nil:
			return false
		}
	}
}

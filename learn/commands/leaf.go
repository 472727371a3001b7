package files

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"path"
	"regexp"
	"strings"
)

// A name says where in what a run wrote a value stands.
type name struct {
	file string
	row  int    // of a file of rows, from 1
	path string // within the file or row, such as "model" or "y[3]"
	key  uint64 // tells fields apart whose path must not show a value
}

// A leaf is one value with its name. A text is known by its hash alone.
type leaf struct {
	name  name
	value float64
	text  bool
}

var seed = maphash.MakeSeed()

// hashed turns text into a number that stands for it.
func hashed(text []byte) float64 { return float64(maphash.Bytes(seed, text) >> 12) }

// leaves collects what one run wrote.
type leaves struct {
	all    []leaf
	differ *differ // of the inputs
	ignore []pattern
	counts []int // of leaves that each pattern left out
}

// A pattern says which fields are not looked at: a name in which * stands for
// anything.
type pattern struct {
	text string
	re   *regexp.Regexp
}

// newPattern reads a pattern such as "{out}: weights*".
func newPattern(text string) (pattern, error) {
	if strings.TrimSpace(text) == "" {
		return pattern{}, fmt.Errorf("files: a pattern to ignore is empty, must name a field, such as {out}/head.json: weights*")
	}
	parts := strings.Split(text, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	re, err := regexp.Compile("^(?s:" + strings.Join(parts, ".*") + ")$")
	return pattern{text, re}, err
}

// add adds a value, unless it is ignored. It returns whether it was added.
func (l *leaves) add(n name, value float64, text bool) bool {
	for i, p := range l.ignore {
		if p.re.MatchString(n.file+": "+n.path) || n.row > 0 && p.re.MatchString(n.String()) {
			l.counts[i]++
			return false
		}
	}
	if !text && math.IsNaN(value) { // NaN means that there is nothing
		value, text = hashed([]byte("NaN")), true
	}
	l.all = append(l.all, leaf{n, value, text})
	return true
}

func (l *leaves) number(n name, v float64)   { l.add(n, v, false) }
func (l *leaves) text(n name, v string) bool { return l.add(n, hashed([]byte(v)), true) }

// String names a field for a reader.
func (n name) String() string {
	switch where := n.path; {
	case n.file == "":
		return where
	case n.row == 0:
		return n.file + ": " + where
	case where == "":
		return fmt.Sprintf("%s: row %d", n.file, n.row)
	default:
		return fmt.Sprintf("%s: row %d, %s", n.file, n.row, where)
	}
}

// group names the fields that are alike: of any row, at any place of a list.
func (n name) group() name {
	return name{file: n.file, row: min(n.row, 1), path: places.ReplaceAllString(n.path, "$1#")}
}

var places = regexp.MustCompile(`(\[|piece |line |number |bytes |row |column )[0-9]+( to [0-9]+)?`)

// Paths of what is told of a file as a whole, or made of several of its fields.
const (
	pathContent = "all of its content"
	pathSize    = "size in bytes"
	pathLines   = "number of lines"
	pathMode    = "permissions"
	pathRows    = "number of rows"
	pathNumbers = "all of its numbers"
	pathTwice   = "number of rows whose numbers another row has, too"
	sumOf       = "sum over rows of "
	countOf     = "number of rows that have one certain value of "
	lengthOf    = "length of "
	sameAs      = "the same as in "
	lessThan    = "difference to "
	wordsOf     = "its words without numbers"
	numberOf    = "number "
	pathForm    = "its form, without values"
	stepFrom    = "difference to the number before, "
	aside       = "difference to the row that differs"
)

// derived reports whether a field is made of others, which tell more.
func (n name) derived() bool {
	for _, p := range []string{pathContent, pathTwice, pathNumbers, strings.TrimSuffix(sumOf, " of "), strings.TrimSuffix(countOf, " of "), lengthOf, pathLines, pathRows, pathForm, stepFrom, aside} {
		if strings.HasPrefix(n.path, p) {
			return true
		}
	}
	return n.file == "" && n.path == namesOfFiles
}

const (
	namesOfFiles = "names of the files"
	exitPath     = "exit code"
)

// leavesOf takes apart what a run wrote. The row that differs in the inputs is
// looked at beside all others.
func (o outcome) leavesOf(ignore []pattern, d *differ) *leaves {
	l := &leaves{differ: d, ignore: ignore, counts: make([]int, len(ignore))}
	l.text(name{path: exitPath}, o.exit)
	var names []string
	for _, file := range sorted(o.files) {
		names = append(names, file)
		content := o.files[file]
		if mode, ok := o.modes[file]; ok {
			l.text(name{file: file, path: pathMode}, mode)
		}
		l.number(name{file: file, path: pathSize}, float64(len(content)))
	}
	for _, file := range sorted(o.modes) {
		if _, regular := o.files[file]; !regular { // a folder or a link
			names = append(names, file)
			l.text(name{file: file, path: pathMode}, o.modes[file])
		}
	}
	l.text(name{path: namesOfFiles}, strings.Join(names, "\x00"))
	var tables []*rows
	for _, file := range sorted(o.files) {
		before := append([]int(nil), l.counts...)
		t := l.file(file, o.files[file])
		if t != nil {
			tables = append(tables, t)
		}
		// What is left of a file of which something is ignored is compared field by
		// field alone.
		whole := true
		for i := range before {
			whole = whole && before[i] == l.counts[i]
		}
		if whole {
			l.add(name{file: file, path: pathContent}, hashed(o.files[file]), true)
			l.form(file, o.files[file])
		}
	}
	for _, t := range tables {
		l.within(t, d.row)
	}
	l.between(tables)
	return l
}

// file takes one file apart, by what it holds.
func (l *leaves) file(file string, content []byte) *rows {
	content = unpacked(content)
	switch ext := strings.ToLower(path.Ext(file)); {
	case len(content) == 0:
		return nil
	case bytes.HasPrefix(content, []byte("\x93NUMPY")):
		if t := l.vectors(file, content); t != nil {
			return t
		}
	case bytes.HasPrefix(content, []byte("PAR1")):
		if t := l.parquet(file, content); t != nil {
			return t
		}
	case ext == ".csv", ext == ".tsv":
		if t := l.table(file, ext, content); t != nil {
			return t
		}
	case content[0] == '{' || content[0] == '[' || content[0] == '"':
		if t, ok := l.json(file, content); ok {
			return t
		}
	}
	if readable(content) {
		return l.prose(file, content)
	}
	l.bytes(file, content)
	return nil
}

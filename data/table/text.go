package table

import (
	"bytes"
	"strings"
)

// labelMark is how a label begins in files for fastText.
const labelMark = "__label__"

// textRows reads a text a line.
type textRows struct{ lines }

func newText(r *Reader) *textRows { return &textRows{newLines(r)} }

// names implements [source].
func (t *textRows) names() []string { return []string{"text"} }

// next implements [source].
func (t *textRows) next(row []Value) (int64, error) {
	b, err := t.read()
	if err != nil {
		return t.N, err
	}
	for i := range row {
		row[i] = Value{Text: string(b), Kind: String}
	}
	return t.N, nil
}

// fastText reads a text a line after its labels.
type fastText struct{ lines }

func newFastText(r *Reader) *fastText { return &fastText{newLines(r)} }

// names implements [source].
func (f *fastText) names() []string { return []string{"label", "text"} }

// next implements [source].
func (f *fastText) next(row []Value) (int64, error) {
	b, err := f.read()
	for err == nil && len(bytes.TrimSpace(b)) == 0 {
		b, err = f.read()
	}
	if err != nil {
		return f.N, err
	}
	rest := strings.TrimSpace(string(b))
	var labels []string
	for strings.HasPrefix(rest, labelMark) {
		word := rest
		if i := strings.IndexAny(rest, " \t"); i >= 0 {
			word, rest = rest[:i], strings.TrimLeft(rest[i:], " \t")
		} else {
			rest = ""
		}
		labels = append(labels, strings.TrimPrefix(word, labelMark))
	}
	if len(labels) == 0 {
		return f.N, f.r.rowError(f.N, "it has no label, must begin with "+labelMark)
	}
	both := [2]Value{{Text: strings.Join(labels, ","), Kind: String}, {Text: rest, Kind: String}}
	for i, at := range f.r.pick {
		row[i] = both[at]
	}
	return f.N, nil
}

// findText tells plain text, whose name said nothing, from text with labels and
// from columns. Every line of the sample must agree before anything but plain
// text is found.
func (r *Reader) findText() {
	sample := cut(r.in.sample, r.in.whole)
	txt := strings.HasSuffix(strings.TrimSuffix(strings.ToLower(r.opt.Name), ".gz"), ".txt")
	switch labelled := labelColumn(sample); {
	case everyLine(sample, func(line []byte) bool { return bytes.HasPrefix(line, []byte(labelMark)) }):
		r.opt.Format = FastText
		r.notes = append(r.notes, "it is read as fastText: labels begin with "+labelMark)
	case labelled >= 0:
		r.opt.Format = TSV
		r.opt.NoHeader = true
		r.labelled = labelled
		r.notes = append(r.notes, "each line is a label and a text with a tab between them, without a header")
	case tabs(sample) > 1:
		r.opt.Format = TSV
		r.notes = append(r.notes, "each line has as many tabs, so it is read as TSV")
	case !txt && tabular(sample):
		r.opt.Format = CSV
	default:
		r.opt.Format = Text
		if tabular(sample) {
			r.notes = append(r.notes, "each line is a text, but all look like rows of the same columns: --in-format csv reads them so")
		}
	}
}

// tabs returns how many tabs each line has, or 0 if they do not agree.
func tabs(sample []byte) int {
	n := -1
	if !everyLine(sample, func(line []byte) bool {
		k := bytes.Count(line, []byte("\t"))
		if n < 0 {
			n = k
		}
		return k == n
	}) {
		return 0
	}
	return n
}

// tabular reports whether a sample has columns throughout.
func tabular(sample []byte) bool {
	for _, d := range ",;\t|" {
		if share, fields := agreement(sample, d); share == 1 && fields > 1 && bytes.Count(sample, []byte("\n")) > 1 {
			return true
		}
	}
	return false
}

// everyLine reports whether there are lines that are not blank, and all pass.
func everyLine(sample []byte, pass func(line []byte) bool) bool {
	some := false
	for line := range bytes.Lines(sample) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !pass(line) {
			return false
		}
		some = true
	}
	return some
}

// labelColumn returns which side of the only tab of each line is a label, 0 or 1,
// or −1 if not every line has one tab, or neither side looks like a label: short,
// and the same in several lines.
func labelColumn(sample []byte) int {
	var seen [2]map[string]bool
	seen[0], seen[1] = map[string]bool{}, map[string]bool{}
	var size [2]int
	n := 0
	ok := everyLine(sample, func(line []byte) bool {
		left, right, found := bytes.Cut(line, []byte("\t"))
		if !found || bytes.IndexByte(right, '\t') >= 0 {
			return false
		}
		n++
		for i, side := range [][]byte{left, right} {
			size[i] = max(size[i], len(side))
			if len(side) <= maxLabel && len(seen[i]) < sniffed {
				seen[i][string(side)] = true
			}
		}
		return true
	})
	if !ok || n < 2 {
		return -1
	}
	for i := range 2 {
		if size[i] <= maxLabel && len(seen[i])*2 <= n && size[i] < size[1-i] {
			return i
		}
	}
	return -1
}

// maxLabel is how many bytes a label has at most that is found by its looks.
const maxLabel = 40

package layout

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// gap is how many spaces stand between columns.
const gap = 2

// narrowest is the width below which a column is left out instead of being folded
// further.
const narrowest = 24

// Table is text in columns. Where it is wider than what it is written to, it is
// fitted: cells of words are folded, and what then still has no room is left out,
// which a line says. It keeps its first error for Flush.
type Table struct {
	out    io.Writer
	rows   [][]string
	headed bool     // the first row names the columns
	spare  []string // columns that are left out first
	before string   // empty lines before the first row
	err    error
}

// NewTable begins a table, with a line of headings unless there are none. A table
// without headings keeps all its columns.
func NewTable(out io.Writer, headings ...any) *Table {
	t := &Table{out: out, headed: len(headings) > 0}
	if t.headed {
		t.Row(headings...)
	}
	return t
}

// Headed says that the first row names the columns, of a table that was begun
// without headings.
func (t *Table) Headed() *Table { t.headed = true; return t }

// Spare names the columns that can be missed where there is no room for all, the
// first first. After them, those are left out that stand furthest to the right.
func (t *Table) Spare(headings ...string) *Table { t.spare = headings; return t }

// Row adds a line.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Cells(row...)
}

// Cells adds a line.
func (t *Table) Cells(cells ...string) {
	row := slices.Clone(cells)
	if len(t.rows) == 0 && len(row) > 0 {
		text := strings.TrimLeft(row[0], "\n")
		t.before, row[0] = row[0][:len(row[0])-len(text)], text
	}
	for i, c := range row {
		row[i] = oneLine(c)
	}
	t.rows = append(t.rows, row)
}

// Fact adds a line of a name and what is said of it.
func (t *Table) Fact(name, format string, args ...any) { t.Row(name, fmt.Sprintf(format, args...)) }

// Flush writes what was added. More may follow, in columns of its own.
func (t *Table) Flush() error {
	if len(t.rows) > 0 && t.err == nil {
		text := t.before + t.whole()
		if columns := Columns(t.out); columns > 0 && Widest(text) > columns {
			text = t.before + t.fitted(columns)
		}
		_, t.err = io.WriteString(t.out, text)
	}
	t.rows, t.before = nil, ""
	return t.err
}

// whole renders the table at its full width, by the package tabwriter unless there
// are colours, whose commands it would take for letters.
func (t *Table) whole() string {
	for _, r := range t.rows {
		if slices.ContainsFunc(r, func(c string) bool { return strings.Contains(c, mark) }) {
			return t.render(t.natural())
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', 0)
	for _, r := range t.rows {
		fmt.Fprintln(w, strings.Join(r, "\t")) //nolint:errcheck // b is a buffer
	}
	w.Flush() //nolint:errcheck // see above
	return b.String()
}

// column is one that is shown.
type column struct {
	at    int // among all
	width int
}

// shape decides which columns are shown, and how wide.
func (t *Table) shape(columns int) []column {
	shown := t.natural()
	for {
		floor := narrowest
		if len(shown) == 1 || !t.headed {
			floor = 2
		}
		if narrowed := narrow(shown, columns, floor); narrowed != nil {
			return narrowed
		}
		fewer := t.without(shown)
		if len(fewer) == len(shown) { // there are only columns that must stay
			return narrow(shown, max(columns, len(shown)*(2+gap)), 2)
		}
		shown = t.measured(fewer)
	}
}

// natural returns all columns, each as wide as its widest cell.
func (t *Table) natural() []column {
	var all []column
	for _, r := range t.rows {
		for i := len(all); i < len(r); i++ {
			all = append(all, column{at: i})
		}
	}
	return t.measured(all)
}

// measured makes each column as wide as its widest cell. The last cell of a line
// that ends early does not count: it has the rest of the line for itself.
func (t *Table) measured(shown []column) []column {
	for k := range shown {
		c := &shown[k]
		c.width = 0
		for _, r := range t.rows {
			if c.at < len(r)-1 || c.at == len(r)-1 && k == len(shown)-1 {
				c.width = max(c.width, Width(r[c.at]))
			}
		}
	}
	return shown
}

// across returns how wide columns are together.
func across(all []column) int {
	total := gap * (len(all) - 1)
	for _, c := range all {
		total += c.width
	}
	return total
}

// narrow returns the columns, of which the widest were narrowed until all fit, but
// none below a floor; nil if they do not fit.
func narrow(all []column, columns, floor int) []column {
	all = slices.Clone(all)
	least := gap * (len(all) - 1)
	for _, c := range all {
		least += min(c.width, floor)
	}
	if least > columns {
		return nil
	}
	for total := across(all); total > columns; total = across(all) {
		i := slices.Index(all, slices.MaxFunc(all, func(a, b column) int { return a.width - b.width }))
		all[i].width -= min(total-columns, all[i].width-floor, 1+all[i].width/8)
	}
	return all
}

// heading returns what a column is called, which is empty for one that belongs to
// that on its left.
func (t *Table) heading(at int) string {
	if at < len(t.rows[0]) {
		return t.rows[0][at]
	}
	return ""
}

// without returns the columns without the one that can be missed most, and those
// that belong to it. The first always stays.
func (t *Table) without(shown []column) []column {
	if !t.headed {
		return shown
	}
	last := -1
	for _, name := range t.spare {
		if last = slices.IndexFunc(shown, func(c column) bool { return t.heading(c.at) == name }); last > 0 {
			break
		}
	}
	for i := len(shown) - 1; i > 0 && last <= 0; i-- {
		if t.heading(shown[i].at) != "" {
			last = i
		}
	}
	if last <= 0 {
		return shown[:min(len(shown), max(1, len(shown)-1))]
	}
	end := last + 1
	for end < len(shown) && t.heading(shown[end].at) == "" {
		end++
	}
	return slices.Delete(slices.Clone(shown), last, end)
}

// fitted renders as much of the table as has room.
func (t *Table) fitted(columns int) string {
	shown := t.shape(columns)
	text := t.render(shown)
	var missing []string
	for _, c := range t.natural() {
		if name := t.heading(c.at); name != "" && !slices.ContainsFunc(shown, func(s column) bool { return s.at == c.at }) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		text += foldAll("(no room for "+strings.Join(missing, ", ")+"; --wide shows all)", columns) + "\n"
	}
	return text
}

// render writes the columns that are shown.
func (t *Table) render(shown []column) string {
	var b strings.Builder
	for _, r := range t.rows {
		var cells [][]string
		height := 1
		for k, c := range shown {
			lines := []string{""}
			switch {
			case c.at == len(r)-1:
				lines = foldCell(r[c.at], across(shown[k:]))
			case c.at < len(r):
				lines = foldCell(r[c.at], c.width)
			}
			cells, height = append(cells, lines), max(height, len(lines))
		}
		for i := range height {
			line := ""
			for k, c := range shown {
				if k > 0 {
					line += strings.Repeat(" ", gap)
				}
				cell := ""
				if i < len(cells[k]) {
					cell = cells[k][i]
				}
				line += cell + strings.Repeat(" ", max(0, c.width-Width(cell)))
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// foldCell folds a cell that is too wide, and leaves the spaces of another as they
// are.
func foldCell(cell string, columns int) []string {
	if Width(cell) <= columns {
		return []string{cell}
	}
	return Fold(cell, columns)
}

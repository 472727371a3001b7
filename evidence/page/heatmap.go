package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// HeatMap shows a matrix: each number in its cell, where there is room, upon a
// colour that is the deeper the greater it is.
type HeatMap struct {
	Title, Desc   string // for screen readers
	Heading       string // drawn above; "" for none
	Rows, Columns []string
	Values        [][]float64 // Values[row][column]; NaN leaves the cell empty
	Texts         [][]string  // written instead of the numbers; nil if they are
	Decimals      int         // of the numbers
	Low, High     float64     // where the colours end; both 0 if at the values' ends
	Diverging     bool        // two colours that part at 0

	// Trees of the rows and of the columns, drawn beside them. Rows and columns
	// with a tree are shown in its order; nil for none.
	RowTree, ColumnTree []Merge
}

// check refuses what does not fit the names.
func (p *HeatMap) check() error {
	if len(p.Values) != len(p.Rows) || p.Texts != nil && len(p.Texts) != len(p.Rows) {
		return fmt.Errorf("page: a heat map has %d rows of values and %d of texts, must have %d as it has names", len(p.Values), len(p.Texts), len(p.Rows))
	}
	for i := range p.Values {
		if len(p.Values[i]) != len(p.Columns) || p.Texts != nil && len(p.Texts[i]) != len(p.Columns) {
			return fmt.Errorf("page: row %d of a heat map does not have %d values, as it has names of columns", i+1, len(p.Columns))
		}
	}
	if err := checkTree(len(p.Rows), p.RowTree); err != nil {
		return err
	}
	return checkTree(len(p.Columns), p.ColumnTree)
}

// What the parts of a heat map measure.
const (
	cellHeight = 24.0
	cellWidth  = 64.0 // at most
	longName   = 110.0
	nameHeight = 18.0 // of the name of a row that stands above it
	nameWidth  = 0.34 // of the whole, at most, for names of rows beside them
)

// draw puts the trees left and on top, then the names, then the cells.
func (p *HeatMap) draw(width float64) *canvas {
	c := &canvas{}
	top := c.heading(p.Heading, 0, 0, width)
	low, high := p.ends()
	top += p.scale(c, low, high, top)
	tree := 36.0
	if width >= wideWidth {
		tree = 72
	}
	above := p.namesAbove(width)
	b := box{x: min(longest(p.Rows), nameWidth*width) + 8, y: top}
	if above {
		b.x = 0
	}
	if len(p.RowTree) > 0 {
		b.x += tree + 6
	}
	w := min(cellWidth, (width-b.x)/float64(max(1, len(p.Columns))))
	upright := longest(p.Columns) > w-4
	names := 18.0
	if upright {
		names = min(longName, longest(p.Columns)) + 8
	}
	b.y += names
	if len(p.ColumnTree) > 0 {
		b.y += tree + 4
	}
	pitch := cellHeight
	if above {
		pitch += nameHeight
	}
	b.w, b.h = w*float64(len(p.Columns)), pitch*float64(len(p.Rows))
	rows, columns := leaves(len(p.Rows), p.RowTree), leaves(len(p.Columns), p.ColumnTree)
	p.columnNames(c, b, columns, upright)
	for i, k := range rows {
		y := b.y + pitch*float64(i)
		if above {
			c.text("t", "start", 0, y+nameHeight-5, fit(p.Rows[k], width))
		} else {
			c.text("t", "end", b.x-8, y+cellHeight/2+4, fit(p.Rows[k], min(longest(p.Rows), b.x-8)))
		}
	}
	p.cells(c, b, rows, columns, func(v float64) (string, float64) { return p.colour(v, low, high) })
	for _, k := range branches(p.RowTree, places(rows, b.y, cellHeight)) {
		c.path("run c6", polyline(k[:], func(a Point) (x, y float64) { return tree - (tree-1)*a.Y, a.X }))
	}
	for _, k := range branches(p.ColumnTree, places(columns, b.x, w)) {
		c.path("run c6", polyline(k[:], func(a Point) (x, y float64) { return a.X, top + tree - (tree-1)*a.Y }))
	}
	return c.done(p.Title, p.Desc, width, b.y+b.h+2)
}

// places returns the middle of each row or column, by its index.
func places(order []int, from, pitch float64) []float64 {
	at := make([]float64, len(order))
	for i, k := range order {
		at[k] = from + pitch*(float64(i)+0.5)
	}
	return at
}

// namesAbove reports whether the names of rows are too long to stand beside the
// cells, and stand above them. A tree leaves no room there.
func (p *HeatMap) namesAbove(width float64) bool {
	return len(p.RowTree) == 0 && longest(p.Rows) > nameWidth*width
}

// columnNames writes those of the columns above b, from below upwards where they
// are too long.
func (p *HeatMap) columnNames(c *canvas, b box, columns []int, upright bool) {
	w := b.w / float64(max(1, len(columns)))
	for i, k := range columns {
		x := b.x + w*(float64(i)+0.5)
		if upright {
			c.put(`<text class="t" text-anchor="start" transform="translate(%s %s)rotate(-90)">%s</text>`, co(x+4), co(b.y-6), escaped(fit(p.Columns[k], longName)))
			continue
		}
		c.text("t", "middle", x, b.y-6, p.Columns[k])
	}
}

// cells draws the matrix.
func (p *HeatMap) cells(c *canvas, b box, rows, columns []int, colour func(float64) (class string, opacity float64)) {
	w, pitch := b.w/float64(max(1, len(columns))), b.h/float64(max(1, len(rows)))
	text, size := p.text(w - 3)
	for i, r := range rows {
		for j, k := range columns {
			v := p.Values[r][k]
			at := box{b.x + w*float64(j), b.y + pitch*float64(i+1) - cellHeight, w, cellHeight}
			tip := p.Rows[r] + ", " + p.Columns[k] + ": " + p.tip(r, k)
			if !finite(v) {
				c.rect("panel", at, 1, tip)
				continue
			}
			class, opacity := colour(v)
			c.rect(class, at, opacity, tip)
			if text != nil {
				c.put(`<text class="t" text-anchor="middle"%s x="%s" y="%s">%s</text>`, size, co(at.x+w/2), co(at.y+cellHeight/2+4), escaped(text(r, k)))
			}
		}
	}
}

// tip is what a cell holds, in full.
func (p *HeatMap) tip(row, column int) string {
	if p.Texts != nil && p.Texts[row][column] != "" {
		return p.Texts[row][column]
	}
	return Decimal(p.Values[row][column], p.Decimals)
}

// text returns how cells of a width are written, nil if there is no room, and
// the attribute of their size: with all decimals if they fit, else in small
// letters or without the 0 before them, else with fewer.
func (p *HeatMap) text(width float64) (text func(row, column int) string, size string) {
	var ways []func(row, column int) string
	if p.Texts != nil {
		ways = append(ways, func(r, k int) string { return p.Texts[r][k] })
	}
	for d := p.Decimals; p.Texts == nil && d >= min(1, p.Decimals); d-- {
		ways = append(ways, func(r, k int) string { return Decimal(p.Values[r][k], d) },
			func(r, k int) string { return withoutZero(Decimal(p.Values[r][k], d)) })
	}
	const small = 10.0 / 12
	for _, way := range ways {
		switch {
		case p.fits(way, width):
			return way, ""
		case p.fits(way, width/small):
			return way, ` style="font-size:10px"`
		}
	}
	return nil, ""
}

// withoutZero leaves out the digit before the point if it says nothing.
func withoutZero(s string) string {
	rest, negative := strings.CutPrefix(s, "−")
	rest, zero := strings.CutPrefix(rest, "0.")
	switch {
	case !zero:
		return s
	case negative:
		return "−." + rest
	}
	return "." + rest
}

func (p *HeatMap) fits(text func(row, column int) string, width float64) bool {
	for i, row := range p.Values {
		for k, v := range row {
			if finite(v) && textWidth(text(i, k)) > width {
				return false
			}
		}
	}
	return true
}

// ends returns where the colours end.
func (p *HeatMap) ends() (low, high float64) {
	low, high = p.Low, p.High
	if low == 0 && high == 0 {
		if low, high = ends(slices.Concat(p.Values...)); low > high {
			low, high = 0, 1
		}
	}
	if p.Diverging {
		m := max(math.Abs(low), math.Abs(high))
		return -m, m
	}
	return low, high
}

// deepest is how much of the colour the greatest value has: letters can be read
// upon it, dark ones on a light page and light ones on a dark page.
const deepest = 0.55

// colour returns the class and depth of a value.
func (p *HeatMap) colour(v, low, high float64) (class string, opacity float64) {
	if p.Diverging {
		class = "m c1"
		if v < 0 {
			class = "m c0"
		}
		return class, deepest * share(math.Abs(v), 0, high)
	}
	return "m c0", 0.05 + (deepest-0.05)*share(v, low, high)
}

// share returns where v stands between low and high, from 0 to 1.
func share(v, low, high float64) float64 {
	if !(high > low) {
		return 1
	}
	return min(1, max(0, v/(high-low)-low/(high-low)))
}

// scale draws what the colours mean and returns the height that takes.
func (p *HeatMap) scale(c *canvas, low, high, top float64) float64 {
	const steps, side = 7, 16.0
	from, to := Decimal(low, p.Decimals), Decimal(high, p.Decimals)
	c.text("t soft", "start", 0, top+12, from)
	x := textWidth(from) + 4
	for i := range steps {
		v := low + (high-low)*float64(i)/(steps-1)
		class, opacity := p.colour(v, low, high)
		c.rect(class, box{x + side*float64(i), top, side, side}, opacity, Decimal(v, p.Decimals))
	}
	c.text("t soft", "start", x+side*steps+4, top+12, to)
	return 28
}

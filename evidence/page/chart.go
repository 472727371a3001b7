package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Chart shows values over an axis.
type Chart struct {
	Title, Desc string // for screen readers
	Heading     string // drawn above; "" for none
	X, Y        Axis
	Limit       []Point // a curve above which nothing can be
	LimitName   string  // what is said above it
	Levels      []Level
	Lines       []Line
	Series      []Series
	Hollow      string // what hollow marks mean; "" if there are none
	Apart       bool   // series stand a little beside each other

	// Named series have lines with dashes of their own, so that they can be
	// told apart in black and white too, and on a wide page their names stand
	// where they end instead of above. It is for up to about ten of them.
	Named bool
}

// Line is a curve with a name beside it.
type Line struct {
	Name string
	At   []Point
}

// Series are the points of one colour and shape.
type Series struct {
	Name   string
	Runs   [][]Dot // points of a run are joined
	Dashed bool
}

// Dot is a measured point with its interval, which must hold Y; NaN where there is
// none.
type Dot struct {
	X, Y, Low, High float64
	Hollow          *float64 // a hollow mark there is joined to X; nil for none
	Tip             string   // shown under the pointer
}

// check refuses a point outside of its interval.
func (p *Chart) check() error {
	for d := range p.dots() {
		if err := within(d.Y, d.Low, d.High); err != nil {
			return err
		}
	}
	return nil
}

// within refuses a value outside of its interval: the two would be of different
// things. What is not defined is within, and there is an interval where low < high.
func within(value, low, high float64) error {
	if low < high && (value < low || value > high) {
		return fmt.Errorf("page: a value is %v, must be within its interval from %v to %v", value, low, high)
	}
	return nil
}

// draw draws the chart.
func (p *Chart) draw(width float64) *canvas {
	c := &canvas{}
	top := c.heading(p.Heading, 0, 0, width)
	margin := p.margin(width)
	top += c.key(p.keys(margin > 0), top, width)
	c.text("t soft", "start", 0, top+10, fit(p.Y.Label, width))
	height := 300.0
	if width < wideWidth {
		height = 230
	}
	plot := box{46, top + 20, width - 54 - margin, height}
	x, y := p.scales(plot)
	p.grid(c, plot, x, y)
	p.drawLimit(c, plot, x, y)
	for _, l := range p.Levels {
		c.rule("level", plot.x, y.place(l.Value), plot.x+plot.w, y.place(l.Value))
		c.taken = append(c.taken, box{plot.x, y.place(l.Value) - 1, plot.w, 2})
	}
	for _, l := range p.Lines {
		c.path("curve", polyline(l.At, placed(x, y)))
		for _, a := range l.At {
			c.take(x.place(a.X), y.place(a.Y), 2)
		}
	}
	for i, s := range p.Series {
		p.drawSeries(c, i, s, x, y)
	}
	if margin > 0 {
		p.nameEnds(c, plot, margin, x, y)
	}
	p.labels(c, plot, x, y)
	bottom := plot.y + plot.h
	c.text("t soft", "middle", plot.x+plot.w/2, bottom+34, fit(p.X.Label, plot.w))
	return c.done(p.Title, p.Desc, width, bottom+42)
}

// inkCircle is a series whose mark is a circle in the colour of the text.
const inkCircle = 20

// maxKeys is how many series a key names.
const maxKeys = 12

// keys names the series, unless that is done where they end.
func (p *Chart) keys(atEnds bool) []keyEntry {
	var list []keyEntry
	for i, s := range p.Series {
		if i == maxKeys || atEnds {
			break
		}
		list = append(list, keyEntry{series: i, name: s.Name, lined: p.Named})
	}
	if p.Hollow != "" {
		list = append(list, keyEntry{series: inkCircle, hollow: true, name: p.Hollow})
	}
	return list
}

// scales places the axes, with columns for zero and infinity where they occur.
func (p *Chart) scales(b box) (x, y *scale) {
	across, up := p.values()
	x = &scale{Axis: p.X.holding(across), from: b.x, to: b.x + b.w, zero: b.x, inf: b.x + b.w}
	y = &scale{Axis: p.Y.holding(up), from: b.y + b.h, to: b.y}
	zero, inf := p.sides()
	if zero {
		x.zero, x.from = b.x+sideColumn/2, b.x+sideColumn
	}
	if inf {
		x.inf, x.to = b.x+b.w-sideColumn/2, b.x+b.w-sideColumn
	}
	return x, y
}

// values returns what an axis without ends must hold.
func (p *Chart) values() (across, up []float64) {
	for _, l := range p.Levels {
		up = append(up, l.Value)
	}
	lines := [][]Point{p.Limit}
	for _, l := range p.Lines {
		lines = append(lines, l.At)
	}
	for _, points := range lines {
		for _, a := range points {
			across, up = append(across, a.X), append(up, a.Y)
		}
	}
	for d := range p.dots() {
		across, up = append(across, d.X), append(up, d.Y, d.Low, d.High)
	}
	return across, up
}

// sides reports whether there are values that a logarithmic axis cannot hold.
func (p *Chart) sides() (zero, inf bool) {
	if !p.X.Log {
		return false, false
	}
	for d := range p.dots() {
		zero = zero || d.X <= 0 || d.Hollow != nil && *d.Hollow <= 0
		inf = inf || math.IsInf(d.X, 1) || d.Hollow != nil && math.IsInf(*d.Hollow, 1)
	}
	return zero, inf
}

func (p *Chart) grid(c *canvas, b box, x, y *scale) {
	bottom := b.y + b.h
	for _, t := range y.ticks(5) {
		c.rule("grid", b.x, y.place(t.value), b.x+b.w, y.place(t.value))
		c.text("t soft", "end", b.x-6, y.place(t.value)+4, t.text)
	}
	zero, inf := p.sides()
	infinity := fit(cmp.Or(p.X.Infinity, "∞"), sideColumn+8)
	for _, t := range x.ticks(int((x.to - x.from) / 50)) {
		v, half := x.place(t.value), textWidth(t.text)/2
		c.rule("grid", v, bottom, v, bottom+4)
		if inf && v+half > x.inf-textWidth(infinity)/2-4 || zero && v-half < x.zero+8 {
			continue // the column beside it has a name
		}
		c.text("t soft", "middle", v, bottom+17, t.text)
	}
	c.rule("axis", b.x, bottom, b.x+b.w, bottom)
	if zero {
		c.rule("side", x.from, b.y, x.from, bottom)
		c.text("t soft", "middle", x.zero, bottom+17, "0")
	}
	if inf {
		c.rule("side", x.to, b.y, x.to, bottom)
		c.text("t soft", "middle", x.inf, bottom+17, infinity)
	}
}

// drawLimit draws the curve and shades what lies above it.
func (p *Chart) drawLimit(c *canvas, b box, x, y *scale) {
	if len(p.Limit) < 2 {
		return
	}
	first, last := p.Limit[0], p.Limit[len(p.Limit)-1]
	d := polyline(p.Limit, placed(x, y))
	c.path("beyond", fmt.Sprintf("%sL%s %sL%s %sz", d, co(x.place(last.X)), co(b.y), co(x.place(first.X)), co(b.y)))
	if line := polyline(upTo(p.Limit, y.High), placed(x, y)); line != "" {
		c.path("limit", line)
	}
	for _, a := range p.Limit {
		c.take(x.place(a.X), y.place(a.Y), 2)
	}
}

// upTo is a rising curve as far as the axis reaches, and one point beyond: drawn
// along the upper end of the axis, it would seem to be there.
func upTo(curve []Point, high float64) []Point {
	for i, a := range curve {
		if a.Y > high {
			if i == 0 {
				return nil
			}
			return curve[:i+1]
		}
	}
	return curve
}

// placed returns the place of a point.
func placed(x, y *scale) func(Point) (float64, float64) {
	return func(a Point) (float64, float64) { return x.place(a.X), y.place(a.Y) }
}

// polyline is a path through points.
func polyline[T any](points []T, at func(T) (x, y float64)) string {
	var d strings.Builder
	for i, a := range points {
		x, y := at(a)
		fmt.Fprintf(&d, "%c%s %s", "ML"[min(i, 1)], co(x), co(y))
	}
	return d.String()
}

package report

import (
	"fmt"
	"math"
	"strings"
)

// svg draws the chart.
func (p *chart) svg(id string, width float64) string {
	var c canvas
	top := 0.0
	if p.Heading != "" {
		c.text("t strong", "start", 0, 12, fit(p.Heading, width))
		top = 20
	}
	top += c.key(p.keys(), top, width)
	c.text("t soft", "start", 0, top+10, fit(p.Y.Label, width))
	height := 300.0
	if width < wideWidth {
		height = 230
	}
	plot := box{46, top + 20, width - 54, height}
	x, y := p.scales(plot)
	p.grid(&c, plot, x, y)
	p.drawLimit(&c, plot, x, y)
	for _, l := range p.Levels {
		c.rule("level", plot.x, y.place(l.Value), plot.x+plot.w, y.place(l.Value))
		c.taken = append(c.taken, box{plot.x, y.place(l.Value) - 1, plot.w, 2})
	}
	for _, l := range p.Lines {
		c.path("curve", polyline(l.At, x, y))
		for _, a := range l.At {
			c.take(x.place(a.X), y.place(a.Y), 2)
		}
	}
	for i, s := range p.Series {
		p.drawSeries(&c, i, s, x, y)
	}
	p.labels(&c, plot, x, y)
	bottom := plot.y + plot.h
	c.text("t soft", "middle", plot.x+plot.w/2, bottom+34, fit(p.X.Label, plot.w))
	return c.wrap(id, p.Title, p.Desc, width, bottom+42)
}

// along keeps labels off the lines between points.
func (c *canvas) along(run []dot, px func(float64) float64, y *scale) {
	const steps = 12
	for i := 1; i < len(run); i++ {
		for k := range steps {
			share := float64(k) / steps
			a, b := run[i-1], run[i]
			c.take(px(a.X)+share*(px(b.X)-px(a.X)), y.place(a.Y)+share*(y.place(b.Y)-y.place(a.Y)), 2)
		}
	}
}

// inkCircle is a series whose mark is a circle in the colour of the text.
const inkCircle = 20

// maxKeys is how many series a key names.
const maxKeys = 12

func (p *chart) keys() []keyEntry {
	var list []keyEntry
	for i, s := range p.Series {
		if i == maxKeys {
			break
		}
		list = append(list, keyEntry{series: i, name: s.Name})
	}
	if p.Claims {
		list = append(list, keyEntry{series: inkCircle, hollow: true, name: "hollow: the ε that is claimed"})
	}
	return list
}

// scales places the axes, with columns for zero and infinity where they occur.
func (p *chart) scales(b box) (x, y *scale) {
	x = &scale{axis: p.X, from: b.x, to: b.x + b.w, zero: b.x, inf: b.x + b.w}
	y = &scale{axis: p.Y, from: b.y + b.h, to: b.y}
	zero, inf := p.sides()
	if zero {
		x.zero, x.from = b.x+sideColumn/2, b.x+sideColumn
	}
	if inf {
		x.inf, x.to = b.x+b.w-sideColumn/2, b.x+b.w-sideColumn
	}
	return x, y
}

// sides reports whether there are values that a logarithmic axis cannot hold.
func (p *chart) sides() (zero, inf bool) {
	if !p.X.Log {
		return false, false
	}
	for _, s := range p.Series {
		for _, run := range s.Runs {
			for _, d := range run {
				zero = zero || d.X <= 0 || d.Claimed <= 0
				inf = inf || math.IsInf(d.X, 1) || math.IsInf(d.Claimed, 1)
			}
		}
	}
	return zero, inf
}

// noEpsilon names the column of what has no finite ε.
const noEpsilon = "∞ / none"

func (p *chart) grid(c *canvas, b box, x, y *scale) {
	bottom := b.y + b.h
	for _, t := range y.ticks(5) {
		c.rule("grid", b.x, y.place(t.value), b.x+b.w, y.place(t.value))
		c.text("t soft", "end", b.x-6, y.place(t.value)+4, t.text)
	}
	zero, inf := p.sides()
	for _, t := range x.ticks(int((x.to - x.from) / 50)) {
		v, half := x.place(t.value), textWidth(t.text)/2
		c.rule("grid", v, bottom, v, bottom+4)
		if inf && v+half > x.inf-textWidth(noEpsilon)/2-4 || zero && v-half < x.zero+8 {
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
		c.text("t soft", "middle", x.inf, bottom+17, noEpsilon)
	}
}

// drawLimit draws the curve and shades what lies above it.
func (p *chart) drawLimit(c *canvas, b box, x, y *scale) {
	if len(p.Limit) < 2 {
		return
	}
	first, last := p.Limit[0], p.Limit[len(p.Limit)-1]
	d := polyline(p.Limit, x, y)
	c.path("beyond", fmt.Sprintf("%sL%s %sL%s %sz", d, co(x.place(last.X)), co(b.y), co(x.place(first.X)), co(b.y)))
	c.path("limit", d)
	for _, a := range p.Limit {
		c.take(x.place(a.X), y.place(a.Y), 2)
	}
}

func polyline(points []at, x, y *scale) string {
	var d strings.Builder
	for i, a := range points {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		fmt.Fprintf(&d, "%c%s %s", op, co(x.place(a.X)), co(y.place(a.Y)))
	}
	return d.String()
}

// drawSeries draws intervals and joins first, then the marks upon them. Series
// stand a little beside each other, so that equal points can be told apart.
func (p *chart) drawSeries(c *canvas, i int, s series, x, y *scale) {
	r := 4.5
	if p.count() > 40 {
		r = 3.2
	}
	shift := 0.0
	if n := len(p.Series); p.Apart && n > 1 {
		shift = float64(i) * min(5, 15/float64(n)) // to the right, where the limit is higher: never into what is impossible
	}
	px := func(v float64) float64 { return x.place(v) + shift }
	colour := fmt.Sprintf("c%d", i%colours)
	for _, run := range s.Runs {
		var d strings.Builder
		for j, e := range run {
			op := byte('L')
			if j == 0 {
				op = 'M'
			}
			fmt.Fprintf(&d, "%c%s %s", op, co(px(e.X)), co(y.place(e.Y)))
			if finite(e.Low) && finite(e.High) {
				c.rule("bar "+colour, px(e.X), y.place(e.Low), px(e.X), y.place(e.High))
			}
			if !math.IsNaN(e.Claimed) {
				c.rule("tail "+colour, px(e.Claimed), y.place(e.Y), px(e.X), y.place(e.Y))
				left, right := min(px(e.Claimed), px(e.X)), max(px(e.Claimed), px(e.X))
				c.taken = append(c.taken, box{left, y.place(e.Y) - 1, right - left, 2})
			}
		}
		if len(run) > 1 {
			c.along(run, px, y)
			class := "run "
			if s.Dashed {
				class = "run dashed "
			}
			c.path(class+colour, d.String())
		}
	}
	for _, run := range s.Runs {
		for _, e := range run {
			if !math.IsNaN(e.Claimed) {
				c.mark(i, true, px(e.Claimed), y.place(e.Y), r, e.Tip)
			}
			c.mark(i, false, px(e.X), y.place(e.Y), r, e.Tip)
		}
	}
}

func (p *chart) count() int {
	n := 0
	for _, s := range p.Series {
		for _, run := range s.Runs {
			n += len(run)
		}
	}
	return n
}

// labels names lines and levels where there is room beside them.
func (p *chart) labels(c *canvas, b box, x, y *scale) {
	for _, l := range p.Levels {
		var places []at
		v, w := y.place(l.Value), textWidth(l.Name)
		for _, dy := range []float64{-5, 14, 26, 38, 50} {
			for share := 0.0; share <= 1; share += 0.125 {
				places = append(places, at{b.x + 4 + share*(b.w-w-8), v + dy})
			}
		}
		if !c.label("t halo", l.Name, places, b) {
			c.text("t halo", "start", places[0].X, places[0].Y, l.Name) // better crowded than unnamed
		}
	}
	for _, l := range p.Lines {
		var places []at
		for _, d := range []at{{8, 14}, {8, 24}, {-8 - textWidth(l.Name), -6}, {8, 36}} {
			for i := range l.At {
				places = append(places, at{x.place(l.At[i].X) + d.X, y.place(l.At[i].Y) + d.Y})
			}
		}
		c.label("t halo soft", l.Name, places, b)
	}
	if len(p.Limit) > 1 && !p.nameLimit(c, b, x, y, p.LimitName) {
		first, _, _ := strings.Cut(p.LimitName, " ")
		p.nameLimit(c, b, x, y, first)
	}
}

// nameLimit writes above the curve, from the left, where it is lowest: in the
// middle of the shaded part first.
func (p *chart) nameLimit(c *canvas, b box, x, y *scale, name string) bool {
	var places []at
	w := textWidth(name)
	for left := x.from + 6; left+w < x.to; left += 12 {
		floor := y.place(p.highest(x, left+w))
		for _, share := range []float64{0.5, 0.35, 0.65, 0.2, 0.8} {
			if v := b.y + share*(floor-b.y); v+4 < floor && v-12 > b.y {
				places = append(places, at{left, v})
			}
		}
	}
	return c.label("t", name, places, b)
}

// highest returns the limit at a place of the page.
func (p *chart) highest(x *scale, place float64) float64 {
	for _, a := range p.Limit {
		if x.place(a.X) >= place {
			return a.Y
		}
	}
	return p.Limit[len(p.Limit)-1].Y
}

package page

import (
	"fmt"
	"math"
)

// Dots shows values of named rows.
type Dots struct {
	Title, Desc string // for screen readers
	Axis        Axis
	Levels      []Level
	Keys        []string // names of the marks, by Key
	Bound       string   // what the tick of a row means; "" if there is none
	Rows        []Row
}

// Row is a row of [Dots] with its marks and a tick that they should not exceed.
type Row struct {
	Name  string
	Bound float64 // NaN for none
	Marks []Mark
}

// Mark is a value of a row with its interval, NaN where there is none.
type Mark struct {
	Key              int
	Value, Low, High float64
	Tip              string // shown under the pointer
}

// check refuses marks without a name, and outside of their interval.
func (p *Dots) check() error {
	for _, r := range p.Rows {
		for _, m := range r.Marks {
			if m.Key < 0 || m.Key >= max(1, len(p.Keys)) {
				return fmt.Errorf("page: a mark has the key %d, must be one of %d", m.Key, len(p.Keys))
			}
			if err := within(m.Value, m.Low, m.High); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw draws the rows. On a wide page their names stand before them, on a narrow
// one above.
func (p *Dots) draw(width float64) *canvas {
	c := &canvas{}
	top := 0.0
	if len(p.Keys) > 1 {
		top = c.key(keysOf(p.Keys[:min(len(p.Keys), maxKeys)]), 0, width)
	}
	left, pitch, narrow := 8.0, 38.0, width < wideWidth
	if !narrow {
		left, pitch = 16+min(350, widest(60, p.Rows, func(r Row) string { return r.Name })), 24
	}
	pitch = max(pitch, pitch-16+9*float64(p.most()))
	x := p.scale(left, width-24)
	levels := c.levels(p.Levels, x, top, width)
	first := top + levels
	bottom := first + pitch*float64(len(p.Rows)) + 4
	c.ticks(x, int((x.to-x.from)/60), first, bottom)
	for _, l := range p.Levels {
		c.rule("level", x.place(l.Value), first-2, x.place(l.Value), bottom)
	}
	for i, r := range p.Rows {
		y := first + pitch*(float64(i)+0.5)
		if narrow {
			c.text("t halo", "start", 0, y-pitch/2+14, fit(r.Name, width))
			y = first + pitch*float64(i+1) - (pitch-18)/2
		} else {
			c.text("t", "end", left-12, y+4, fit(r.Name, left-12))
		}
		p.row(c, r, x, y)
	}
	c.text("t soft", "middle", (x.from+x.to)/2, bottom+32, fit(p.Axis.Label, x.to-x.from))
	return c.done(p.Title, p.Desc, width, bottom+40)
}

// most returns the number of marks of the fullest row.
func (p *Dots) most() int {
	n := 0
	for _, r := range p.Rows {
		n = max(n, len(r.Marks))
	}
	return n
}

// scale returns an axis that holds all marks.
func (p *Dots) scale(from, to float64) *scale {
	var values []float64
	for _, l := range p.Levels {
		values = append(values, l.Value)
	}
	for _, r := range p.Rows {
		if p.Bound != "" {
			values = append(values, r.Bound)
		}
		for _, m := range r.Marks {
			values = append(values, m.Value, m.Low, m.High)
		}
	}
	return &scale{Axis: p.Axis.holding(values), from: from, to: to}
}

// ticks draws about n lines from the first row to the last, and writes what
// they stand for below.
func (c *canvas) ticks(x *scale, n int, first, bottom float64) {
	for _, t := range x.ticks(n) {
		c.rule("grid", x.place(t.value), first, x.place(t.value), bottom)
		c.text("t soft", "middle", x.place(t.value), bottom+14, t.text)
	}
}

// levels writes the names of vertical lines above the rows, each on a line of
// its own, and returns the height they take.
func (c *canvas) levels(all []Level, x *scale, top, width float64) float64 {
	for i, l := range all {
		name := fit(l.Name, width)
		v, w := x.place(l.Value), textWidth(name)
		c.text("t soft", "start", max(0, min(v-w/2, width-w)), top+12+15*float64(i), name)
	}
	return 15*float64(len(all)) + 6
}

// row draws the marks of a row a little above each other, so that equal ones
// can be told apart.
func (p *Dots) row(c *canvas, r Row, x *scale, y float64) {
	c.rule("grid", x.from, y, x.to, y)
	if p.Bound != "" && !math.IsNaN(r.Bound) {
		c.rule("bound", x.place(r.Bound), y-7, x.place(r.Bound), y+7)
	}
	for i, m := range r.Marks {
		my := y
		if n := len(r.Marks); n > 1 {
			my += (float64(i) - float64(n-1)/2) * min(8, 40/float64(n))
		}
		if !finite(m.Value) {
			continue
		}
		if finite(m.Low) && finite(m.High) {
			c.rule("bar c"+string(rune('0'+m.Key%colours)), x.place(m.Low), my, x.place(m.High), my)
		}
		c.mark(m.Key, false, x.place(m.Value), my, 4.2, m.Tip)
	}
}

package page

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// drawSeries draws intervals and joins first, then the marks upon them. Series
// stand a little beside each other, so that equal points can be told apart.
func (p *Chart) drawSeries(c *canvas, i int, s Series, x, y *scale) {
	r := 4.5
	if len(slices.Collect(p.dots())) > 40 {
		r = 3.2
	}
	px := func(v float64) float64 { return x.place(v) + p.shift(i) }
	colour := fmt.Sprintf("c%d", i%colours)
	runs := s.measured()
	for _, run := range runs {
		for _, e := range run {
			if finite(e.Low) && finite(e.High) {
				c.rule("bar "+colour, px(e.X), y.place(e.Low), px(e.X), y.place(e.High))
			}
			if e.Hollow != nil {
				c.rule("tail "+colour, px(*e.Hollow), y.place(e.Y), px(e.X), y.place(e.Y))
				left, right := min(px(*e.Hollow), px(e.X)), max(px(*e.Hollow), px(e.X))
				c.taken = append(c.taken, box{left, y.place(e.Y) - 1, right - left, 2})
			}
		}
		if len(run) > 1 {
			c.along(run, px, y)
			c.line(p, i, s, polyline(run, func(e Dot) (float64, float64) { return px(e.X), y.place(e.Y) }))
		}
	}
	for _, run := range runs {
		for _, e := range run {
			if e.Hollow != nil {
				c.mark(i, true, px(*e.Hollow), y.place(e.Y), r, e.Tip)
			}
			c.mark(i, false, px(e.X), y.place(e.Y), r, e.Tip)
		}
	}
}

// measured returns the runs without the points that have no place.
func (s Series) measured() [][]Dot {
	var runs [][]Dot
	for _, run := range s.Runs {
		runs = append(runs, slices.DeleteFunc(slices.Clone(run), func(d Dot) bool { return !finite(d.Y) || math.IsNaN(d.X) }))
	}
	return runs
}

// dots lists the points of all series.
func (p *Chart) dots() iter.Seq[Dot] {
	return func(yield func(Dot) bool) {
		for _, s := range p.Series {
			for _, run := range s.Runs {
				for _, d := range run {
					if !yield(d) {
						return
					}
				}
			}
		}
	}
}

// shift is how far a series stands beside its place: to the right, where the
// limit is higher, so that it is never moved into what is impossible.
func (p *Chart) shift(i int) float64 {
	if n := len(p.Series); p.Apart && n > 1 {
		return float64(i) * min(5, 15/float64(n))
	}
	return 0
}

// line draws what joins the points of a run.
func (c *canvas) line(p *Chart, i int, s Series, d string) {
	class, pattern := fmt.Sprintf("run c%d", i%colours), ""
	switch {
	case p.Named:
		pattern = dash(i)
	case s.Dashed:
		class = fmt.Sprintf("run dashed c%d", i%colours)
	}
	c.put(`<path class="%s"%s d="%s"/>`, class, pattern, d)
}

// along keeps labels off the lines between points.
func (c *canvas) along(run []Dot, px func(float64) float64, y *scale) {
	const steps = 12
	for i := 1; i < len(run); i++ {
		for k := range steps {
			share := float64(k) / steps
			a, b := run[i-1], run[i]
			c.take(px(a.X)+share*(px(b.X)-px(a.X)), y.place(a.Y)+share*(y.place(b.Y)-y.place(a.Y)), 2)
		}
	}
}

// margin is the room to the right for the names of series, 0 if they stand
// elsewhere.
func (p *Chart) margin(width float64) float64 {
	if !p.Named || width < wideWidth || len(p.Series) == 0 {
		return 0
	}
	return min(widest(0, p.Series, func(s Series) string { return s.Name }), 190) + 50
}

// end is where a series ends, and where its name stands.
type end struct {
	series   int
	x, y, at float64
}

// nameEnds writes the name of each series to the right of its last point, with
// a line to it, and moves names apart that would lie on each other.
func (p *Chart) nameEnds(c *canvas, b box, margin float64, x, y *scale) {
	var ends []end
	for i, s := range p.Series {
		last := end{series: i, x: -1}
		for _, d := range slices.Concat(s.measured()...) {
			if px := x.place(d.X) + p.shift(i); px > last.x {
				last.x, last.y = px, y.place(d.Y)
			}
		}
		if last.x >= 0 {
			ends = append(ends, last)
		}
	}
	keepApart(ends, b.y+6, b.y+b.h-6, 15)
	left := b.x + b.w
	for _, e := range ends {
		c.put(`<path class="bar c%d" fill="none" d="M%s %sL%s %sh8"/>`, e.series%colours, co(e.x+6), co(e.y), co(left+16), co(e.at))
		name := p.Series[e.series].Name
		c.mark(e.series, false, left+30, e.at, 4.5, name)
		c.text("t", "start", left+40, e.at+4, fit(name, margin-44))
	}
}

// keepApart places names at the heights of their ends, at least a pitch apart and
// within bounds as far as there is room: from above, then back from below.
func keepApart(ends []end, top, bottom, pitch float64) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	next := top
	for i := range ends {
		ends[i].at = max(next, ends[i].y)
		next = ends[i].at + pitch
	}
	next = bottom
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].at = min(next, ends[i].at)
		next = ends[i].at - pitch
	}
}

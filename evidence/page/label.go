package page

import "strings"

// labels names lines and levels where there is room beside them.
func (p *Chart) labels(c *canvas, b box, x, y *scale) {
	for _, l := range p.Levels {
		var places []Point
		name := fit(l.Name, b.w-8)
		v, w := y.place(l.Value), textWidth(name)
		for _, dy := range []float64{-5, 14, 26, 38, 50} {
			for share := 0.0; share <= 1; share += 0.125 {
				places = append(places, Point{b.x + 4 + share*(b.w-w-8), v + dy})
			}
		}
		if !c.label("t halo", name, places, b) {
			c.text("t halo", "start", places[0].X, places[0].Y, name) // better crowded than unnamed
		}
	}
	for _, l := range p.Lines {
		var places []Point
		for _, d := range []Point{{8, 14}, {8, 24}, {-8 - textWidth(l.Name), -6}, {8, 36}} {
			for i := range l.At {
				places = append(places, Point{x.place(l.At[i].X) + d.X, y.place(l.At[i].Y) + d.Y})
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
func (p *Chart) nameLimit(c *canvas, b box, x, y *scale, name string) bool {
	var places []Point
	w := textWidth(name)
	for left := x.from + 6; left+w < x.to; left += 12 {
		floor := y.place(p.highest(x, left+w))
		for _, share := range []float64{0.5, 0.35, 0.65, 0.2, 0.8} {
			if v := b.y + share*(floor-b.y); v+4 < floor && v-12 > b.y {
				places = append(places, Point{left, v})
			}
		}
	}
	return c.label("t", name, places, b)
}

// highest returns the limit at a place of the page.
func (p *Chart) highest(x *scale, place float64) float64 {
	for _, a := range p.Limit {
		if x.place(a.X) >= place {
			return a.Y
		}
	}
	return p.Limit[len(p.Limit)-1].Y
}

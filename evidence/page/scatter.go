package page

import (
	"fmt"
	"math"
	"strings"
)

// Scatter shows points of the plane by group.
type Scatter struct {
	Title, Desc string // for screen readers
	Heading     string
	Keys        []string // of the groups
	Points      []Point
	Groups      []int // an index of Keys for each point
}

// check refuses points without a group.
func (p *Scatter) check() error {
	if len(p.Groups) != len(p.Points) {
		return fmt.Errorf("page: a scatter has %d groups of %d points, must have one of each", len(p.Groups), len(p.Points))
	}
	return nil
}

// draw draws the points in a square.
func (p *Scatter) draw(width float64) *canvas {
	c := &canvas{}
	c.text("t strong", "start", 0, 12, fit(p.Heading, width))
	top := 22 + c.key(keysOf(p.Keys), 22, width)
	c.put(`<rect class="panel" x="0.5" y="%s" width="%s" height="%s"/>`, co(top+0.5), co(width-1), co(width-1))
	p.points(c, box{10, top + 10, width - 20, width - 20})
	return c.done(p.Title, p.Desc, width, top+width+2)
}

// points makes one path of each group, which keeps thousands of points small.
func (p *Scatter) points(c *canvas, b box) {
	low, size := p.frame()
	for g := range p.Keys {
		var d strings.Builder
		for i, a := range p.Points {
			if p.Groups[i] == g {
				fmt.Fprintf(&d, "M%s %s%s", co(b.x+b.w*(a.X-low.X)/size), co(b.y+b.h*(a.Y-low.Y)/size), outline(g, 2.6))
			}
		}
		if d.Len() > 0 {
			c.path(fmt.Sprintf("spot c%d", g%colours), d.String())
		}
	}
}

// frame returns the corner and the side of the square around the points.
func (p *Scatter) frame() (low Point, size float64) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, a := range p.Points {
		low, high = Point{min(low.X, a.X), min(low.Y, a.Y)}, Point{max(high.X, a.X), max(high.Y, a.Y)}
	}
	size = max(high.X-low.X, high.Y-low.Y)
	if !(size > 0) || math.IsInf(size, 1) {
		size = 1
	}
	low.X -= (size - (high.X - low.X)) / 2
	low.Y -= (size - (high.Y - low.Y)) / 2
	return low, size
}

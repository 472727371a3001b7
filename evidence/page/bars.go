package page

import "fmt"

// Bars shows signed values of named rows as bars from 0, to the left or to the
// right, in groups that share an axis.
type Bars struct {
	Title, Desc string // for screen readers
	Heading     string // drawn above; "" for none
	Axis        Axis
	Decimals    int    // of the values beside the bars
	Left, Right string // what the two directions mean, each with a colour; "" and "" if there is one colour
	Groups      []BarGroup
}

// BarGroup is a panel of [Bars].
type BarGroup struct {
	Name string // drawn above; "" for none
	Bars []Bar
}

// Bar is a row. A value that is NaN has no bar and is said not to be defined.
// An interval is drawn where Low < High.
type Bar struct {
	Name             string
	Value, Low, High float64
}

// What a row of bars measures, and the room between panels.
const (
	barPitch  = 18.0
	barHeight = 12.0
	barGap    = 24.0
	nameShare = 0.38 // of the width, at most
)

// leftMark and rightMark are series whose marks are squares of two colours.
const (
	leftMark  = 21
	rightMark = 1
)

// check refuses a bar that ends outside of its interval.
func (p *Bars) check() error {
	for _, g := range p.Groups {
		for _, b := range g.Bars {
			if err := within(b.Value, b.Low, b.High); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw lays the groups out in columns: one on a narrow page, up to three on a
// wide one.
func (p *Bars) draw(width float64) *canvas {
	c := &canvas{}
	top := c.heading(p.Heading, 0, 0, width)
	if p.Left != "" || p.Right != "" {
		top += c.key([]keyEntry{{series: leftMark, name: "← " + p.Left}, {series: rightMark, name: "→ " + p.Right}}, top, width)
	}
	columns := 1
	if width >= wideWidth {
		columns = max(1, min(len(p.Groups), 3))
	}
	panel := func() float64 { return (width - barGap*float64(columns-1)) / float64(columns) }
	for columns > 1 && p.widest() > nameShare*panel() {
		columns--
	}
	axis := p.Axis.holding(append(p.values(), 0))
	for i := 0; i < len(p.Groups); i += columns {
		height := 0.0
		for k, g := range p.Groups[i:min(i+columns, len(p.Groups))] {
			height = max(height, p.panel(c, g, axis, box{x: float64(k) * (panel() + barGap), y: top, w: panel()}))
		}
		top += height + 10
	}
	c.text("t soft", "middle", width/2, top+8, fit(p.Axis.Label, width))
	return c.done(p.Title, p.Desc, width, top+16)
}

// panel draws one group and returns its height.
func (p *Bars) panel(c *canvas, g BarGroup, axis Axis, b box) float64 {
	first := b.y + c.heading(g.Name, b.x, b.y, b.w)
	names, values := min(p.widest(), nameShare*b.w), widest(0, p.values(), p.text)
	x := &scale{Axis: axis, from: b.x + names + 8, to: b.x + b.w - values - 8}
	bottom := first + barPitch*float64(len(g.Bars)) + 2
	c.ticks(x, max(2, int((x.to-x.from)/55)), first, bottom)
	for i, r := range g.Bars {
		y := first + barPitch*(float64(i)+0.5)
		c.text("t", "end", x.from-8, y+4, fit(r.Name, names))
		c.text("t", "end", b.x+b.w, y+4, p.text(r.Value))
		p.bar(c, r, x, y)
	}
	c.rule("axis", x.place(0), first-2, x.place(0), bottom)
	return bottom + 18 - b.y
}

// bar draws one row.
func (p *Bars) bar(c *canvas, r Bar, x *scale, y float64) {
	if !finite(r.Value) {
		return
	}
	class := "m c0"
	if r.Value >= 0 && (p.Left != "" || p.Right != "") {
		class = "m c1"
	}
	from, to := x.place(min(0, r.Value)), x.place(max(0, r.Value))
	tip := r.Name + ": " + p.text(r.Value)
	if r.Low < r.High {
		tip += " (" + p.text(r.Low) + " to " + p.text(r.High) + ")"
	}
	c.rect(class, box{from, y - barHeight/2, max(to-from, 1), barHeight}, 1, tip)
	if r.Low < r.High && finite(r.Low) && finite(r.High) {
		low, high := x.place(r.Low), x.place(r.High)
		c.path("limit", fmt.Sprintf("M%s %sv6m0-3H%sm0-3v6", co(low), co(y-3), co(high)))
	}
}

// text renders a value, and what is not defined by a dash.
func (p *Bars) text(v float64) string {
	switch {
	case !finite(v):
		return "–"
	case p.Axis.Percent:
		return Decimal(100*v, p.Decimals) + " %"
	}
	return Decimal(v, p.Decimals)
}

// values returns what the axis must hold.
func (p *Bars) values() []float64 {
	var all []float64
	for _, g := range p.Groups {
		for _, b := range g.Bars {
			all = append(all, b.Value)
			if b.Low < b.High {
				all = append(all, b.Low, b.High)
			}
		}
	}
	return all
}

func (p *Bars) widest() float64 {
	w := 20.0
	for _, g := range p.Groups {
		w = widest(w, g.Bars, func(b Bar) string { return b.Name })
	}
	return w
}

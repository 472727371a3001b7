package page

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Plot is a drawing as data: a [Chart], [Dots], [Bars], [HeatMap] or [Scatter],
// by its address. It is drawn twice on a page, for wide ones and for phones, so
// that its letters have a size that can be read on both.
type Plot interface {
	check() error // refuses data whose parts do not fit each other
	draw(width float64) *canvas
}

var errNil = errors.New("page: a plot is nil, must be one")

// The widths of drawings, in units of which a letter is twelve high.
const (
	wideWidth   = 720
	narrowWidth = 350
)

// SVG writes a plot as a file of its own, for a web page or a text that shows
// pictures. It has the colours and letters of a page, light or dark as the
// reader prefers, and refuses what [HTML] refuses.
func SVG(w io.Writer, p Plot) error {
	if p == nil {
		return errNil
	}
	if err := p.check(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, safe(p.draw(wideWidth).file())); err != nil {
		return fmt.Errorf("page: the drawing cannot be written: %w", err)
	}
	return nil
}

// file returns the drawing as a document, with some room around it.
func (c *canvas) file() string {
	const room = 16
	var b strings.Builder
	width, height := co(c.width+2*room), co(c.height+2*room)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="-%d -%d %s %s" role="img" aria-labelledby="t d">`, width, height, room, room, width, height)
	fmt.Fprintf(&b, `<title id="t">%s</title><desc id="d">%s</desc><style>%s%s</style>`, escaped(c.title), escaped(c.desc), coloursText, drawingText)
	fmt.Fprintf(&b, `<rect x="-%d" y="-%d" width="%s" height="%s" style="fill:var(--ground)"/>%s</svg>`+"\n", room, room, width, height, c.String())
	return b.String()
}

// Point is a place in a chart.
type Point struct{ X, Y float64 }

// Axis is one direction of a plot. Low and High are its ends; if they are equal
// it holds all values, with round ends.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool   // values of at most 0 and infinite ones then have a column each
	Infinity  string // what the column of infinite values is called; "" for ∞
	Percent   bool   // shares, shown in percent
}

// Level is a line across a plot.
type Level struct {
	Name  string
	Value float64
}

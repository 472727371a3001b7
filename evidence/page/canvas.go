package page

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// canvas collects the parts of a drawing. Everything that comes from results
// goes through escaped.
type canvas struct {
	strings.Builder
	title, desc   string
	width, height float64
	taken         []box // what labels keep clear of
}

func escaped(s string) string { return html.EscapeString(WithoutPaths(s)) }

// box is a part of the drawing.
type box struct{ x, y, w, h float64 }

func (b box) meets(c box) bool {
	return b.x < c.x+c.w && c.x < b.x+b.w && b.y < c.y+c.h && c.y < b.y+b.h
}

func (c *canvas) put(format string, args ...any) { fmt.Fprintf(&c.Builder, format, args...) }

// co renders a coordinate shortly.
func co(v float64) string {
	if !finite(v) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// done names the drawing and says how large it became.
func (c *canvas) done(title, desc string, width, height float64) *canvas {
	c.title, c.desc, c.width, c.height = title, desc, width, height
	return c
}

// wrap returns the drawing as an element with a name for screen readers.
func (c *canvas) wrap(id string) string {
	return fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>%s</svg>`,
		co(c.width), co(c.height), id, id, id, escaped(c.title), id, escaped(c.desc), c.String())
}

func (c *canvas) rule(class string, x1, y1, x2, y2 float64) {
	c.put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, co(x1), co(y1), co(x2), co(y2))
}

// rect draws an area, with a tip that appears under the pointer.
func (c *canvas) rect(class string, b box, opacity float64, tip string) {
	shade := ""
	if opacity < 1 {
		shade = fmt.Sprintf(` fill-opacity="%.2f"`, opacity)
	}
	c.put(`<rect class="%s"%s x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, class, shade, co(b.x), co(b.y), co(b.w), co(b.h), escaped(tip))
}

// heading writes in strong letters, if there is anything to write, and returns
// the height that takes.
func (c *canvas) heading(s string, x, y, width float64) float64 {
	if s == "" {
		return 0
	}
	c.text("t strong", "start", x, y+12, fit(s, width))
	return 20
}

func (c *canvas) path(class, d string) { c.put(`<path class="%s" d="%s"/>`, class, d) }

// text writes at a place; anchor is start, middle or end.
func (c *canvas) text(class, anchor string, x, y float64, s string) {
	c.put(`<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, co(x), co(y), escaped(s))
}

// label writes at the first of some places (the left end of the line of
// letters) that is free, and reports whether there was one.
func (c *canvas) label(class, s string, places []Point, within box) bool {
	w, h := textWidth(s), 13.0
	for _, p := range places {
		b := box{p.X, p.Y - h + 2, w, h}
		inside := b.x >= within.x && b.x+b.w <= within.x+within.w && b.y >= within.y && b.y+b.h <= within.y+within.h
		if inside && !slices.ContainsFunc(c.taken, b.meets) {
			c.taken = append(c.taken, b)
			c.text(class, "start", p.X, p.Y, s)
			return true
		}
	}
	return false
}

// take keeps labels off a place.
func (c *canvas) take(x, y, r float64) { c.taken = append(c.taken, box{x - r, y - r, 2 * r, 2 * r}) }

// letterWidth is how wide a letter of a drawing is in the widest of the common
// fonts, so that in no font a text is wider than it is taken to be.
func letterWidth(r rune) float64 {
	switch {
	case strings.ContainsRune(" ijlI.,:;'|!", r):
		return 4.8
	case strings.ContainsRune("frt()[]/-\"", r):
		return 5.6
	case strings.ContainsRune("mwMW%@…&", r), r >= 0x1100: // the last: East Asian letters, as wide as high
		return 12
	case unicode.IsUpper(r), unicode.IsSymbol(r):
		return 10.2
	}
	return 7.7
}

func textWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += letterWidth(r)
	}
	return w
}

// widest returns the width of the longest name, or the least if that is more.
func widest[T any](least float64, all []T, name func(T) string) float64 {
	for _, v := range all {
		least = max(least, textWidth(name(v)))
	}
	return least
}

func longest(names []string) float64 {
	return widest(20, names, func(s string) string { return s })
}

// fit shortens s to a width.
func fit(s string, width float64) string {
	if textWidth(s) <= width {
		return s
	}
	w, short := letterWidth('…'), ""
	for _, r := range s {
		if w += letterWidth(r); w > width {
			break
		}
		short += string(r)
	}
	return short + "…"
}

// The number of colours and shapes. They have no common factor, so that 35
// series differ.
const (
	colours = 7
	shapes  = 5
)

// outline returns the path of the shape of a series around the origin of a
// relative path.
func outline(series int, r float64) string {
	a := co(r)
	switch series % shapes {
	case 0:
		return fmt.Sprintf("m-%s 0a%s %s 0 1 0 %s 0a%s %s 0 1 0-%s 0z", a, a, a, co(2*r), a, a, co(2*r))
	case 1:
		s := co(0.9 * r)
		return fmt.Sprintf("m-%s-%sh%sv%sh-%sz", s, s, co(1.8*r), co(1.8*r), co(1.8*r))
	case 2:
		return fmt.Sprintf("m0-%sl%s %sh-%sz", co(1.2*r), co(1.1*r), co(2*r), co(2.2*r))
	case 3:
		d := co(1.3 * r)
		return fmt.Sprintf("m0-%sl%s %sl-%s %sl-%s-%sz", d, d, d, d, d, d, d)
	}
	return fmt.Sprintf("m0 %sl%s-%sh-%sz", co(1.2*r), co(1.1*r), co(2*r), co(2.2*r))
}

// mark draws a point of a series, with a tip that appears under the pointer.
func (c *canvas) mark(series int, hollow bool, x, y, r float64, tip string) {
	class := fmt.Sprintf("m c%d", series%colours)
	if hollow {
		class += " hollow"
	}
	c.put(`<path class="%s" d="M%s %s%s"><title>%s</title></path>`, class, co(x), co(y), outline(series, r), escaped(tip))
	c.take(x, y, r+1)
}

// keyEntry is an entry of a key: a mark with a name, or a name alone.
type keyEntry struct {
	series int // negative: no mark
	hollow bool
	lined  bool // the mark stands on a line of the series
	name   string
}

// keysOf names the series of a key.
func keysOf(names []string) []keyEntry {
	var list []keyEntry
	for i, name := range names {
		list = append(list, keyEntry{series: i, name: name})
	}
	return list
}

// dashes are the patterns of lines, by series, as [Chart] has them where series
// are named. Their number has no common factor with that of shapes.
var dashes = [...]string{"", "7 3", "2 3", "10 3 2 3", "14 4", "5 2 1 2 1 2"}

// dash returns the attribute that gives a line the pattern of its series.
func dash(series int) string {
	if d := dashes[series%len(dashes)]; d != "" {
		return fmt.Sprintf(` stroke-dasharray="%s"`, d)
	}
	return ""
}

// key draws the names of series in rows and returns the height they take.
func (c *canvas) key(entries []keyEntry, top, width float64) float64 {
	if len(entries) == 0 {
		return 0
	}
	x, y := 0.0, top+12
	for _, k := range entries {
		room := 30.0
		if k.lined {
			room += 20
		}
		name := fit(k.name, width-room)
		w := textWidth(name) + room
		if x > 0 && x+w > width {
			x, y = 0, y+18
		}
		at := x + room - 30
		if k.lined {
			at = x + 10
			c.put(`<path class="run c%d"%s d="M%s %sh34"/>`, k.series%colours, dash(k.series), co(x), co(y-4))
		}
		c.mark(k.series, k.hollow, at+7, y-4, 4.5, k.name)
		c.text("t", "start", x+room-14, y, name)
		x += w
	}
	return y + 12 - top
}

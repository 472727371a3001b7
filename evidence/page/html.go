package page

import (
	_ "embed" // of the template and the style
	"fmt"
	"html/template"
	"io"
	"strings"
)

var (
	//go:embed page.html
	pageText string
	//go:embed colours.css
	coloursText string
	//go:embed layout.css
	layoutText string
	//go:embed drawing.css
	drawingText string
	//go:embed media.css
	mediaText string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(coloursText + layoutText + drawingText + mediaText) },
		"tight":  strings.NewReplacer(" = ", "\u00a0=\u00a0", " %", "\u00a0%").Replace, // numbers do not break
		"open":   openPart,
		"folded": foldedPart,
	}).Parse(pageText))
)

// HTML writes a page that loads nothing and runs nothing. The same page gives
// the same bytes. It refuses a table or plot whose parts do not fit each other,
// and then writes nothing.
func HTML(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return err
	}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, &view{Page: p.settled()}); err != nil {
		return fmt.Errorf("page: the page cannot be written: %w", err)
	}
	if _, err := io.WriteString(w, safe(b.String())); err != nil {
		return fmt.Errorf("page: the page cannot be written: %w", err)
	}
	return nil
}

// check refuses what cannot be shown.
func (p Page) check() error {
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if b.Table != nil {
				if err := b.Table.check(); err != nil {
					return err
				}
			}
			if b.Figure == nil {
				continue
			}
			for _, q := range b.Figure.Plots {
				if q == nil {
					return errNil
				}
				if err := q.check(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// view is a page whose plots are told apart by the order in which they are
// drawn.
type view struct {
	Page
	plots int
}

// Draw returns the next drawing.
func (v *view) Draw(p Plot) drawing {
	v.plots++
	return drawing{p, fmt.Sprintf("p%d", v.plots-1)}
}

// drawing is a plot with the identifier that its page needs.
type drawing struct {
	Plot
	id string
}

// Wide draws for a page. What results say is escaped where it is drawn.
func (d drawing) Wide() template.HTML { return template.HTML(d.draw(wideWidth).wrap(d.id + "w")) }

// Narrow draws for a phone or a small figure.
func (d drawing) Narrow() template.HTML { return template.HTML(d.draw(narrowWidth).wrap(d.id + "n")) }

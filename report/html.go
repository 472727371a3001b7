package report

import (
	_ "embed" // of the template and the style
	"fmt"
	"html/template"
	"io"
	"strings"

	"sotto/report/evidence"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	styleText string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(styleText) },
		"tight": strings.NewReplacer(" = ", "\u00a0=\u00a0", " %", "\u00a0%").Replace, // numbers do not break
	}).Parse(pageText))
)

// HTML writes the report as one page that loads nothing and runs nothing. The
// same evidence gives the same bytes. Evidence of nothing is an error.
func HTML(w io.Writer, e *evidence.Evidence) error {
	p, err := build(e)
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, numbered(p)); err != nil {
		return fmt.Errorf("report: the page cannot be written: %w", err)
	}
	return nil
}

// drawing is a plot with the identifier that its page needs.
type drawing struct {
	plot
	id string
}

// Wide draws for a page, Narrow for a phone or a small figure. What results say
// is escaped where it is drawn.
func (d drawing) Wide() template.HTML   { return template.HTML(d.svg(d.id+"w", wideWidth)) }
func (d drawing) Narrow() template.HTML { return template.HTML(d.svg(d.id+"n", narrowWidth)) }

// numberedPage is a page whose plots can be told apart.
type numberedPage struct {
	*page
	drawings map[plot]drawing
}

func numbered(p *page) numberedPage {
	n := numberedPage{p, map[plot]drawing{}}
	for _, s := range p.Sections {
		for _, b := range s.Blocks {
			if b.Figure == nil {
				continue
			}
			for _, q := range b.Figure.Plots {
				n.drawings[q] = drawing{q, fmt.Sprintf("p%d", len(n.drawings))}
			}
		}
	}
	return n
}

// Draw returns the drawing of a plot.
func (n numberedPage) Draw(p plot) drawing { return n.drawings[p] }

// Package report shows what is known of private representations: one HTML file
// that needs no network, or Markdown for a pull request, both from what sotto's
// commands have stored.
//
// It measures nothing and decides nothing: package report/gate judges. What it
// adds to the stored numbers are the limit of an ε, drawn as a curve, and the
// sum of the releases of one text. Names in results are taken for untrusted
// text. The smallest use is
//
//	found, err := report.Load("results.json", "audit.json")
//	if err != nil {
//		return err
//	}
//	return report.HTML(w, found)
package report

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"sotto/evidence"
	"sotto/evidence/page"
)

// HTML writes the report as one page that loads nothing and runs nothing. The
// same evidence gives the same bytes. Evidence of nothing is an error.
func HTML(w io.Writer, e *evidence.Evidence) error { return render(w, e, page.HTML) }

// Markdown writes the report for a pull request, in the dialect of code hosts.
// Plots are left out, since each stands beside a table of its numbers.
func Markdown(w io.Writer, e *evidence.Evidence) error { return render(w, e, page.Markdown) }

func render(w io.Writer, e *evidence.Evidence, write func(io.Writer, page.Page) error) error {
	p, err := build(e)
	if err != nil {
		return err
	}
	return write(w, *p)
}

// build makes the page that both renderers show. Sections without evidence are
// left out, and a page without sections is refused.
func build(e *evidence.Evidence) (*page.Page, error) {
	if e == nil {
		return nil, errors.New("report: evidence is nil, must be what Load returns")
	}
	promises := collect(e)
	sections, sentence, more := e.Sections()
	sections = append([]page.Section{promiseSection(promises, e)}, sections...)
	if len(sections[0].Blocks) == 0 {
		sections = sections[1:]
	}
	if len(sections) == 0 {
		return nil, errors.New("report: evidence holds nothing, must hold a result, an attack, an audit, a comparison, a table, a release or a picture")
	}
	if s := originSection(e); len(s.Blocks) > 0 {
		sections = append(sections, s)
	}
	sections = append(sections, plainSection(e, promises))
	slices.SortStableFunc(sections, func(a, b page.Section) int { return cmp.Compare(place(a), place(b)) })
	return &page.Page{
		Title:    cmp.Or(page.Clean(e.Title, 120), "What these representations promise and keep"),
		Sentence: cmp.Or(Sentence(e), sentence),
		Verdicts: append(verdicts(promises, e), more...),
		Sections: sections,
		Made:     writtenBy(page.Clean(e.Tool, 120)),
	}, nil
}

// order is that of the sections on the page, by ID. Those that are not named
// stand in place of "".
var order = []string{"plain", "promised", "accuracy", "leakage", "attacks", "mdl", "fairness", "pictures", "published", "", "spend", "measured"}

func place(s page.Section) int {
	if i := slices.Index(order, s.ID); i >= 0 {
		return i
	}
	return slices.Index(order, "")
}

// writtenBy says which program wrote the page.
func writtenBy(tool string) string {
	if tool != "" {
		tool = " (" + tool + ")"
	}
	return "Written by sotto from stored results" + tool + ". " + page.Stays
}

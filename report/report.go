// Package report shows what is known of private representations: one HTML file
// that needs no network, or Markdown for a pull request, both from what sotto's
// commands have stored.
//
// It measures nothing and decides nothing: package report/gate judges. What it
// adds to the stored numbers are the limit of an ε, drawn as a curve, and the
// sum of the releases of one text. Names in results are taken for untrusted
// text. The smallest use is
//
//	found, err := evidence.Load("results.json", "audit.json")
//	if err != nil {
//		return err
//	}
//	return report.HTML(w, found)
package report

import (
	"errors"

	"sotto/report/evidence"
)

// build makes the page that both renderers show. Sections without evidence are
// left out, and a page without sections is refused.
func build(e *evidence.Evidence) (*page, error) {
	if e == nil {
		return nil, errors.New("report: evidence is nil, must be what package evidence loads")
	}
	promises := collect(e)
	p := &page{
		Title: clean(e.Title, 120), Tool: clean(e.Tool, 120),
		Sentence: Sentence(e), Verdicts: verdicts(promises, e),
	}
	if p.Title == "" {
		p.Title = "What these representations promise and keep"
	}
	for _, s := range []section{
		promiseSection(promises, e),
		accuracySection(e),
		leakageSection(e),
		attemptSection(e),
		descriptionSection(e),
		fairnessSection(e),
		pictureSection(e),
		reproducedSection(e),
		spendSection(e),
	} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	if len(p.Sections) == 0 {
		return nil, errors.New("report: evidence holds nothing, must hold a result, an attack, an audit, a comparison, a table, a release or a picture")
	}
	if s := originSection(e); len(s.Blocks) > 0 {
		p.Sections = append(p.Sections, s)
	}
	return p, nil
}

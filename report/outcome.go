package report

import (
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/text/encode/cells"
)

// This part of the package is what "sotto cells make" prints, as evidence for pages and gates.

// CellsKind is what "sotto cells make" prints.
var CellsKind = evidence.Kind[cells.Head]{
	Format: cells.Format, Name: "cells", List: "cells",
	Section:  evidence.Each("Public cells", sections),
	Summary:  evidence.Said(sentence, nil),
	Subjects: subjects,
	Check: func(h *cells.Head) error {
		if len(h.Sets) == 0 {
			return errors.New("outcome: there is no set of cells, must be one at least")
		}
		if h.Private != nil {
			return h.Private.Guarantee.Validate()
		}
		return nil
	},
}

func sentence(h *cells.Head) string {
	s := h.Sets[len(h.Sets)-1]
	return fmt.Sprintf("A release of one of %d public cells at ε = %v leaves %s %% of the variance of vectors of %s unexplained.",
		s.Cells, s.Epsilon, page.Decimal(measure.Number(100*s.Chosen.Distortion), 1), h.Encoder)
}

// subjects lists the sets of cells, which a policy can bound by their distortion.
// Cells of private texts speak of the promise to who wrote these.
func subjects(h *cells.Head) []evidence.Subject {
	var all []evidence.Subject
	for _, s := range h.Sets {
		v := measure.Number(s.Chosen.Distortion)
		subject := evidence.Subject{
			Name:    fmt.Sprintf("%d cells of %s for ε = %v", s.Cells, h.Encoder, s.Epsilon),
			Match:   evidence.Match{Data: h.Encoder},
			Numbers: map[string]measure.Estimate{"distortion": {Value: v, Low: v, High: v}},
		}
		if p := h.Private; p != nil {
			g := p.Guarantee
			subject.Promise = &evidence.Promise{Mechanism: "counts", Unit: g.Unit, Delta: g.Delta, Proved: &g.Epsilon, Assumptions: g.Assumptions}
		}
		all = append(all, subject)
	}
	return all
}

func sections(h *cells.Head) []page.Section {
	t := &page.Table{Caption: "Cells for each ε", Head: page.Heads("#ε", "#cells", "#the right one comes, %", "#distortion, %", "#least of any channel, %")}
	percent := func(v float64) string { return page.Decimal(measure.Number(100*v), 2) }
	for _, s := range h.Sets {
		bound := "not compared"
		if s.Channel != nil {
			bound = percent(s.Channel.Bound) + " of " + percent(s.Channel.Distortion)
		}
		t.Add(fmt.Sprint(s.Epsilon), fmt.Sprint(s.Cells), percent(s.Chosen.Kept), percent(s.Chosen.Distortion), bound)
	}
	meaning := "How much of a text's vector a release of its cell leaves unexplained, on public texts held out: 100 % if it tells nothing. Cells are public, and tell of the texts that they were made of."
	if h.Private != nil {
		meaning = fmt.Sprintf("How much of the spread of texts over public cells a release leaves unexplained. The cells were joined by noisy counts of private texts, with %v to whoever wrote one, between two lists of texts that differ in one that is replaced.", h.Private.Guarantee)
	}
	return []page.Section{{
		Title: h.Encoder, Meaning: meaning,
		Source: fmt.Sprintf("sotto cells make: %s by %s", page.Plural(h.Texts, "text", "texts"), h.Encoder),
		Blocks: t.Blocks(),
	}}
}

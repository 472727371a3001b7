package report

import (
	"errors"
	"fmt"
	"math"

	"sotto/evidence"
	"sotto/evidence/page"
	files "sotto/learn/commands"
	"sotto/promise/audit"
	"sotto/promise/dp"
)

// filesKind is what "sotto audit files" certifies of whole commands. A gate judges
// it as it does other audits.
var filesKind = evidence.Kind[files.Result]{
	Format: files.Format, Name: "audit", List: "file_audits",
	Check: func(r *files.Result) error {
		if r.Command == "" || r.Certifying < 1 || !(r.EpsilonLower >= 0) || math.IsInf(r.EpsilonLower, 1) {
			return errors.New("report: an audit of files lacks its command, its runs or its bound")
		}
		return nil
	},
	Section: evidence.Each("What whole commands write", filesSections),
	Subjects: func(r *files.Result) []evidence.Subject {
		name := page.WithoutPaths(r.Command)
		return []evidence.Subject{{
			Name:    "audit of the files of " + name,
			Match:   evidence.Match{Mechanism: name},
			Refuted: &r.Refuted,
			Promise: &evidence.Promise{
				Name: "all that is written by " + name, Mechanism: name, Unit: r.Unit, Delta: r.Delta, Claimed: &r.Claim,
				Audit: &audit.Result{Claimed: r.Claim, Delta: r.Delta, LowerBound: r.EpsilonLower, Confidence: r.Confidence, Refuted: r.Refuted, Draws: int64(r.Certifying) / 2},
			},
		}}
	},
}

// filesSections show which fields tell, and what was not looked at.
func filesSections(r *files.Result) []page.Section {
	t := &page.Table{
		Caption: fmt.Sprintf("Fields that tell two inputs apart, which differ in %s, at a claim of ε = %v (%s-level)", r.Differs, r.Claim, r.Unit),
		Head:    page.Heads("where", "kind", "#ε at least", "verdict", "what"),
	}
	add := func(where string, kind files.Kind, bound float64, refutes bool, what string) {
		row := t.Add(where, string(kind), dp.Below(bound, 4), "within the claim", what)
		switch {
		case refutes:
			row[3] = page.Cell{Text: "refutes the claim", Tone: page.Bad}
		case kind == files.Constant:
			row[3].Text = "too few runs to say"
		}
	}
	add("all fields together", files.Distribution, r.Joint.EpsilonLower, r.Joint.Refutes, fmt.Sprintf("%d of %d guesses are right", r.Joint.Right, r.Joint.Guesses))
	for _, e := range append(r.Evidence[:len(r.Evidence):len(r.Evidence)], r.Within...) {
		if e.Where != "all fields together" {
			add(e.Where, e.Kind, e.EpsilonLower, e.Refutes, e.What)
		}
	}
	blocks := t.Blocks()
	for _, i := range r.Ignored {
		blocks = append(blocks, page.Block{Note: fmt.Sprintf("Declared not to be covered, and not looked at: %s (%s).", i.Pattern, page.Plural(i.Fields, "field", "fields"))})
	}
	for _, n := range r.Notes {
		blocks = append(blocks, page.Block{Note: n + "."})
	}
	for _, n := range r.NotSeen {
		blocks = append(blocks, page.Block{Note: "Not seen: " + n + "."})
	}
	return []page.Section{{
		Title:   page.Name(r.Command),
		Meaning: "A guarantee is read as one of a file. The command was run on two inputs again and again, and everything that it wrote was searched for what tells them apart.",
		Source:  fmt.Sprintf("sotto audit files: %s to learn from, %d fresh ones counted, confidence %v.", page.Plural(r.Learning, "run", "runs"), r.Certifying, r.Confidence),
		Blocks:  blocks,
	}}
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// promise is one that several configurations and files may make, beside the
// audit that certifies most.
type promise struct {
	evidence.Promise
	users []string // configurations and files
}

// collect gathers the promises of all evidence, each once, the false ones first.
func collect(e *evidence.Evidence) []promise {
	var all, audits []promise
	for _, s := range e.Subjects() {
		switch p := s.Promise; {
		case p == nil || p.Name == "":
		case p.Audit != nil:
			audits = append(audits, promise{Promise: *p})
		default:
			all = merge(all, *p)
		}
	}
	for _, a := range audits {
		if !slices.ContainsFunc(all, func(p promise) bool { return p.matches(&a) }) {
			all = append(all, a)
			continue
		}
		for i := range all {
			if p := &all[i]; p.matches(&a) && (p.Audit == nil || a.Audit.LowerBound > p.Audit.LowerBound) {
				p.Audit = a.Audit
			}
		}
	}
	slices.SortStableFunc(all, func(a, b promise) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Name, b.Name), cmp.Compare(valueOf(a.Claimed), valueOf(b.Claimed)))
	})
	return all
}

// valueOf returns the number of an ε, infinite if there is none.
func valueOf(e *dp.Epsilon) float64 {
	if e == nil {
		return math.Inf(1)
	}
	return float64(*e)
}

// mechanismName names a mechanism with what its ε depends on.
func mechanismName(p mech.Params, mechanism, variant string) string {
	name := nameText(mechanism)
	if variant != "" {
		name += " " + nameText(variant)
	}
	if p.Dim != 0 {
		name += fmt.Sprintf(" D=%d", p.Dim)
	}
	for _, parameter := range []string{"bits", "input_dim", "output_dim"} {
		if v := p.Value(parameter); v != nil {
			name += fmt.Sprintf(" %s=%d", strings.TrimSuffix(parameter, "_dim"), v)
		}
	}
	if lambda, ok := p.Value("lambda").(float64); ok {
		name += " λ=" + digits(lambda)
	}
	return name
}

// merge adds p, or its user to the same promise.
func merge(all []promise, p evidence.Promise) []promise {
	same := entry(&all, func(q promise) bool { return q.sameAs(p) }, promise{Promise: p})
	same.users = once(same.users, p.User)
	return all
}

// sameAs reports whether two promises say the same of the same thing.
func (p *promise) sameAs(q evidence.Promise) bool {
	return p.Name == q.Name && p.Unit == q.Unit && p.Delta == q.Delta && valueOf(p.Claimed) == valueOf(q.Claimed) && valueOf(p.Proved) == valueOf(q.Proved)
}

// matches reports whether an audit is of this promise.
func (p *promise) matches(a *promise) bool {
	return p.Claimed != nil && p.Mechanism == a.Mechanism && p.Variant == a.Variant && (a.Dim == 0 || a.Dim == p.Dim) &&
		p.Unit == a.Unit && p.Delta == a.Delta && math.Abs(float64(*p.Claimed-*a.Claimed)) <= 1e-9*float64(*a.Claimed)
}

// honest reports whether the claim is what is proved, apart from the last
// digits.
func (p *promise) honest() bool {
	return mech.Statement{Claimed: *p.Claimed, True: *p.Proved}.Honest()
}

// floating reports whether what is proved is of real numbers while floats are drawn.
func (p *promise) floating() bool {
	return mech.Statement{Assumptions: p.Assumptions}.Floating()
}

// contradicted reports whether an audit certifies more than is proved.
func (p *promise) contradicted() bool {
	return p.Audit != nil && p.Proved != nil && p.Audit.LowerBound > float64(dp.RoundUp(*p.Proved))
}

// verdict says what holds of the claim.
func (p *promise) verdict() page.Cell {
	switch {
	case p.contradicted():
		return page.Cell{Text: "an audit contradicts the proof", Tone: page.Bad}
	case p.Claimed == nil && p.Proved != nil && *p.Proved == 0:
		return page.Cell{Text: "releases nothing", Tone: page.Good}
	case p.Claimed == nil:
		return page.Cell{Text: "not protected", Tone: page.Warn}
	case p.Proved == nil && p.Audit != nil && p.Audit.Refuted:
		return page.Cell{Text: "claim FALSE: refuted by an audit", Tone: page.Bad}
	case p.Proved == nil:
		return page.Cell{Text: "not refuted, not proved", Tone: page.Plain}
	case p.honest() && p.floating():
		return page.Cell{Text: "claim conditional: proved of real numbers", Tone: page.Plain}
	case p.honest():
		return page.Cell{Text: "claim true", Tone: page.Good}
	case *p.Proved == dp.Infinite:
		return page.Cell{Text: "claim FALSE: keeps none", Tone: page.Bad}
	}
	return page.Cell{Text: "claim FALSE" + timesText(float64(*p.Proved / *p.Claimed)), Tone: page.Bad}
}

// rank orders promises: what is false comes first.
func (p *promise) rank() int {
	switch v := p.verdict(); {
	case v.Tone == page.Bad && p.Proved != nil && *p.Proved == dp.Infinite:
		return 0
	case v.Tone == page.Bad:
		return 1
	case p.Claimed == nil && v.Tone == page.Warn:
		return 2
	}
	return 3
}

// auditText says what the best audit certified.
func (p *promise) auditText() page.Cell {
	if p.Audit == nil {
		return page.Cell{Text: none}
	}
	c := page.Cell{Text: fmt.Sprintf("≥ %s (confidence %s)", atLeast(p.Audit.LowerBound), digits(p.Audit.Confidence))}
	if p.Audit.Refuted {
		c.Text, c.Tone = c.Text+": refuted", page.Bad
	}
	return c
}

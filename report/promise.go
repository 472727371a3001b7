package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/dp"
	"sotto/experiment"
	"sotto/mech"
	"sotto/report/evidence"
	"sotto/report/page"
)

// promise is what is claimed of one mechanism at one ε, what is proved, and
// what was found.
type promise struct {
	name               string // for a person, with the dimension
	mechanism, variant string
	dim                int
	unit               dp.Unit
	delta              float64
	claimed, proved    *dp.Epsilon // nil: nobody claimed anything; nothing is proved
	textLevel          *dp.Epsilon // beside a word-level ε
	textDelta          float64
	users              []string // configurations and files
	reason             string
	assumptions        []string
	audit              *evidence.Audit // the one that certifies most
}

// collect gathers the promises of results, releases and audits, each once, the
// false ones first.
func collect(e *evidence.Evidence) []promise {
	var all []promise
	for _, r := range results(e) {
		for i := range r.Configurations {
			c := &r.Configurations[i]
			all = merge(all, stated(c), seriesName(c))
		}
	}
	for _, r := range releases(e) {
		all = merge(all, recorded(r), "file "+nameText(r.Name))
	}
	for _, a := range audits(e) {
		if i := slices.IndexFunc(all, func(p promise) bool { return p.matches(a) }); i < 0 {
			all = append(all, audited(a))
			continue
		}
		for i := range all {
			if p := &all[i]; p.matches(a) && (p.audit == nil || a.LowerBound > p.audit.LowerBound) {
				p.audit = a
			}
		}
	}
	slices.SortStableFunc(all, func(a, b promise) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.name, b.name), cmp.Compare(valueOf(a.claimed), valueOf(b.claimed)))
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

// stated is the promise of a configuration.
func stated(c *experiment.Configuration) promise {
	s := c.Statement
	if s == nil {
		return promise{name: configurationName(c), unit: c.Mean.Unit, proved: c.Mean.True}
	}
	p := promise{
		mechanism: s.Mechanism, variant: s.Variant, dim: s.Parameters.Dim, unit: s.Unit, delta: s.Delta,
		claimed: &s.Claimed, proved: &s.True, textLevel: s.TextLevel, textDelta: s.TextDelta,
		reason: longText(s.Reason), assumptions: s.Assumptions,
	}
	p.name = mechanismName(s.Parameters, s.Mechanism, s.Variant)
	if s.Dropout > 0 {
		p.name += fmt.Sprintf(", word dropout %.3g", s.Dropout)
	}
	return p
}

// recorded is the promise of a file of releases.
func recorded(r *evidence.Release) promise {
	return promise{
		name:      mechanismName(r.Mechanism, r.Mechanism.Mechanism, r.Mechanism.Variant),
		mechanism: r.Mechanism.Mechanism, variant: r.Mechanism.Variant, dim: r.Mechanism.Dim,
		unit: r.Guarantee.Unit, delta: r.Guarantee.Delta, claimed: &r.Claimed, proved: &r.Guarantee.Epsilon,
		reason: longText(r.Reason), assumptions: r.Guarantee.Assumptions,
	}
}

// audited is the promise of a mechanism of which nothing else is known.
func audited(a *evidence.Audit) promise {
	return promise{
		name:      mechanismName(mech.Params{Dim: a.Dim}, a.Mechanism, a.Variant),
		mechanism: a.Mechanism, variant: a.Variant, dim: a.Dim, unit: a.Unit, delta: a.Delta,
		claimed: &a.Claimed, proved: a.True, assumptions: a.Assumptions, audit: a,
	}
}

// mechanismName names a mechanism with what its ε depends on.
func mechanismName(p mech.Params, mechanism, variant string) string {
	name := nameText(mechanism)
	if variant != "" {
		name += " " + nameText(variant)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"D", p.Dim}, {"bits", p.Bits}, {"input", p.InputDim}, {"output", p.OutputDim}} {
		if n.value != 0 {
			name += fmt.Sprintf(" %s=%d", n.name, n.value)
		}
	}
	if p.Lambda != 0 {
		name += " λ=" + digits(p.Lambda)
	}
	return name
}

// merge adds p, or its user to the same promise.
func merge(all []promise, p promise, user string) []promise {
	i := slices.IndexFunc(all, func(q promise) bool {
		return q.name == p.name && q.unit == p.unit && q.delta == p.delta && valueOf(q.claimed) == valueOf(p.claimed) && valueOf(q.proved) == valueOf(p.proved)
	})
	if i < 0 {
		i, all = len(all), append(all, p)
	}
	if !slices.Contains(all[i].users, user) {
		all[i].users = append(all[i].users, user)
	}
	return all
}

// matches reports whether an audit is of this promise.
func (p *promise) matches(a *evidence.Audit) bool {
	return p.claimed != nil && p.mechanism == a.Mechanism && p.variant == a.Variant && (a.Dim == 0 || a.Dim == p.dim) &&
		p.unit == a.Unit && p.delta == a.Delta && math.Abs(float64(*p.claimed-a.Claimed)) <= 1e-9*float64(a.Claimed)
}

// honest reports whether the claim is what is proved, apart from the last
// digits.
func (p *promise) honest() bool {
	return mech.Statement{Claimed: *p.claimed, True: *p.proved}.Honest()
}

// contradicted reports whether an audit certifies more than is proved.
func (p *promise) contradicted() bool {
	return p.audit != nil && p.proved != nil && p.audit.LowerBound > float64(dp.RoundUp(*p.proved))
}

// verdict says what holds of the claim.
func (p *promise) verdict() page.Cell {
	switch {
	case p.contradicted():
		return page.Cell{Text: "an audit contradicts the proof", Tone: page.Bad}
	case p.claimed == nil && p.proved != nil && *p.proved == 0:
		return page.Cell{Text: "releases nothing", Tone: page.Good}
	case p.claimed == nil:
		return page.Cell{Text: "not protected", Tone: page.Warn}
	case p.proved == nil && p.audit != nil && p.audit.Refuted:
		return page.Cell{Text: "claim FALSE: refuted by an audit", Tone: page.Bad}
	case p.proved == nil:
		return page.Cell{Text: "not refuted, not proved", Tone: page.Plain}
	case p.honest():
		return page.Cell{Text: "claim true", Tone: page.Good}
	case *p.proved == dp.Infinite:
		return page.Cell{Text: "claim FALSE: keeps none", Tone: page.Bad}
	}
	return page.Cell{Text: "claim FALSE" + timesText(float64(*p.proved / *p.claimed)), Tone: page.Bad}
}

// rank orders promises: what is false comes first.
func (p *promise) rank() int {
	switch v := p.verdict(); {
	case v.Tone == page.Bad && p.proved != nil && *p.proved == dp.Infinite:
		return 0
	case v.Tone == page.Bad:
		return 1
	case p.claimed == nil && v.Tone == page.Warn:
		return 2
	}
	return 3
}

// auditText says what the best audit certified.
func (p *promise) auditText() page.Cell {
	if p.audit == nil {
		return page.Cell{Text: none}
	}
	c := page.Cell{Text: fmt.Sprintf("≥ %s (confidence %s)", epsilonText(dp.Epsilon(p.audit.LowerBound)), digits(p.audit.Confidence))}
	if p.audit.Refuted {
		c.Text, c.Tone = c.Text+": refuted", page.Bad
	}
	return c
}

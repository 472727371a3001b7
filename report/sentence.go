package report

import (
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Sentence says what matters most, computed from the evidence: the worst claim
// and what privacy costs where it is kept. Without results or claims it speaks
// of what there is; it is "" where there is nothing to say.
func Sentence(e *evidence.Evidence) string {
	if e == nil {
		return ""
	}
	parts := some(claimClause(collect(e), refutedClause(e)), costClause(tasks(e)))
	if len(parts) == 0 {
		parts = some(attackClause(e), fairnessClause(e))
	}
	if spent := spendClause(e); spent != "" && len(parts) < 2 {
		parts = append(parts, spent)
	}
	return page.Sentence(strings.Join(parts, "; "))
}

// claimClause tells of the worst claim, or what attacks refuted, or that all
// claims hold.
func claimClause(all []promise, refuted string) string {
	worst, claims := -1, 0
	for i := range all {
		p := &all[i]
		if p.Claimed == nil {
			continue
		}
		claims++
		if p.verdict().Tone == page.Bad && (worst < 0 || p.worse(&all[worst])) {
			worst = i
		}
	}
	switch {
	case worst >= 0:
		return all[worst].complaint()
	case refuted != "" || claims == 0:
		return refuted
	case slices.ContainsFunc(all, func(p promise) bool { return p.Claimed != nil && p.Proved == nil }):
		if claims == 1 {
			return "no audit refutes the one ε that is claimed"
		}
		return fmt.Sprintf("no audit refutes any of the %d ε that are claimed", claims)
	}
	// What is proved of real numbers while floats are drawn is true of those alone.
	of := ""
	if slices.ContainsFunc(all, func(p promise) bool { return p.Claimed != nil && p.floating() }) {
		of = " of real numbers"
	}
	if claims == 1 {
		return "the one ε that is claimed is true" + of
	}
	return fmt.Sprintf("all %d ε that are claimed are true%s", claims, of)
}

// refutedClause tells of the first attack that refutes what is stated.
func refutedClause(e *evidence.Evidence) string {
	for _, m := range models(e) {
		for _, k := range m.Findings {
			if k.Refutes && m.Guarantee != nil {
				return fmt.Sprintf("the attacker %s refutes the stated ε = %s of %s", nameText(k.Attacker), epsilonText(m.Guarantee.Epsilon), m.name)
			}
		}
	}
	for _, a := range attempts(e) {
		if a.Refuted && a.Guarantee != nil {
			return fmt.Sprintf("the %s attack refutes the stated ε = %s of %s", nameText(string(a.Kind)), epsilonText(a.Guarantee.Epsilon), sourceText(a))
		}
	}
	return ""
}

// excess is how many times the claim the truth is, as far as it is known.
func (p *promise) excess() float64 {
	e := 0.0
	if p.Proved != nil {
		e = float64(*p.Proved)
	}
	if p.Audit != nil {
		e = max(e, p.Audit.LowerBound)
	}
	return e / max(float64(*p.Claimed), 1e-300)
}

// worse reports whether p exceeds its claim by more than q does, or by as much
// at a smaller claim.
func (p *promise) worse(q *promise) bool {
	if a, b := p.excess(), q.excess(); a != b {
		return a > b
	}
	return *p.Claimed < *q.Claimed
}

func (p *promise) complaint() string {
	claim := fmt.Sprintf("%s promises ε = %s", p.subject(), epsilonText(*p.Claimed))
	switch {
	case p.Proved == nil || p.contradicted():
		return fmt.Sprintf("%s, and an audit shows that it is at least %s", claim, atLeast(p.Audit.LowerBound))
	case *p.Proved == dp.Infinite:
		return claim + " and keeps none (ε is infinite)"
	}
	return claim + " and keeps " + epsilonText(*p.Proved)
}

// subject names the mechanism at the beginning of a sentence.
func (p *promise) subject() string {
	name := nameText(p.Mechanism)
	switch p.Variant {
	case mech.Released:
		return "as released, " + name
	case mech.Paper:
		return "as published, " + name
	case "":
		return "the mechanism " + name
	}
	return fmt.Sprintf("variant %s of %s", nameText(p.Variant), name)
}

// costClause tells what privacy costs on the first data on which it is kept.
func costClause(all []*experiment.Result) string {
	c, r := afforded(all)
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("at a true ε of %s, %s reaches %s on %s", epsilonText(*c.Mean.True), seriesName(c), roughly(c.Mean.Accuracy), nameText(r.Data.Name))
	if v := unprotected(r); finite(float64(v)) {
		text += fmt.Sprintf(" where an unprotected model reaches %s", roughly(v))
	}
	return text
}

// afforded returns what is [affordable] on the first data on which privacy is
// kept, nil if it is on none.
func afforded(all []*experiment.Result) (*experiment.Configuration, *experiment.Result) {
	for _, first := range all {
		// They may differ in the rows that they were held against.
		alike := kept(all, func(r *experiment.Result) bool {
			return r.Data.Hash == first.Data.Hash && sameLabels(r.Data, first.Data)
		})
		if c, r := affordable(alike); c != nil {
			return c, r
		}
	}
	return nil, nil
}

// unprotected is the accuracy without protection: the best of what was measured,
// so that the price of privacy is never said to be less than it is.
func unprotected(r *experiment.Result) measure.Number {
	best := r.Reference
	for _, c := range trainedOf(r) {
		if c.Statement == nil && c.Mean.True != nil && *c.Mean.True == dp.Infinite && !(c.Mean.Accuracy <= best) {
			best = c.Mean.Accuracy
		}
	}
	return best
}

// affordable returns the configuration with the smallest true ε that keeps nine
// tenths of what an unprotected model gains over naming the commonest class, and
// its result; if none does, the most accurate one. Only true text-level claims
// without δ count.
func affordable(all []*experiment.Result) (*experiment.Configuration, *experiment.Result) {
	var best, cheapest *experiment.Configuration
	var bestOf, cheapestOf *experiment.Result
	for _, r := range all {
		majority := slices.Max(append(slices.Clone(r.Priors), 0))
		enough := majority + 0.9*(float64(unprotected(r))-majority)
		for _, c := range trainedOf(r) {
			if c.Statement == nil || !c.Statement.Honest() || c.Mean.True == nil || c.Mean.Unit != dp.Text || c.Mean.Delta > 0 || *c.Mean.True == dp.Infinite {
				continue
			}
			if best == nil || c.Mean.Accuracy > best.Mean.Accuracy {
				best, bestOf = c, r
			}
			if a := float64(c.Mean.Accuracy); a >= enough && (cheapest == nil || *c.Mean.True < *cheapest.Mean.True ||
				*c.Mean.True == *cheapest.Mean.True && c.Mean.Accuracy > cheapest.Mean.Accuracy) {
				cheapest, cheapestOf = c, r
			}
		}
	}
	if cheapest != nil {
		return cheapest, cheapestOf
	}
	return best, bestOf
}

// attackClause tells of the attacker that is furthest above seeing nothing.
func attackClause(e *evidence.Evidence) string {
	best, text := 0.0, ""
	for _, m := range models(e) {
		for _, k := range m.Findings {
			if gain := float64(k.Value - k.Baseline); text == "" || gain > best {
				best = gain
				text = fmt.Sprintf("the strongest attacker (%s) guesses %s in %s of cases, where whoever sees nothing is right in %s",
					nameText(k.Attacker), nameText(k.Target), roughly(k.Value), roughly(k.Baseline))
			}
		}
	}
	return text
}

func fairnessClause(e *evidence.Evidence) string {
	for _, f := range evidence.All[evidence.Fairness](e) {
		if d := f.Difference.Value; finite(float64(d)) {
			return fmt.Sprintf("accuracy differs by %s points between the best and the worst served group", page.Decimal(100*d, 1))
		}
	}
	return ""
}

func spendClause(e *evidence.Evidence) string {
	for _, unit := range []dp.Unit{dp.Text, dp.Word, dp.Metric} {
		total, n, err := composed(releases(e), unit)
		if n > 0 && err == nil && total.Epsilon != dp.Infinite {
			return fmt.Sprintf("a text in %s has spent ε = %s", filesText(n, unit), guaranteeText(&total.Epsilon, total.Unit, total.Delta))
		}
	}
	return ""
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// plainSection sums the evidence up for people who do not know differential
// privacy. It says nothing that the sections below do not.
func plainSection(e *evidence.Evidence, all []promise) page.Section {
	for _, p := range e.Promises() { // also those that the lists of pages leave out
		if p.Audit == nil && !slices.ContainsFunc(all, func(o promise) bool { return o.sameAs(p) }) {
			all = append(all, promise{Promise: p})
		}
	}
	if _, tried := refuted(e); len(all) == 0 && tried == 0 {
		return page.Section{ID: "plain", Title: "In plain words", Blocks: []page.Block{{Note: "These results claim no ε and prove none: whatever they show, they promise no protection."}}}
	}
	var guarantees []dp.Guarantee
	for i := range all {
		if p := &all[i]; p.Proved != nil {
			guarantees = append(guarantees, dp.Guarantee{Unit: p.Unit, Epsilon: *p.Proved, Delta: p.Delta})
		}
	}
	items := []page.Item{{Name: "What was promised", Text: promisedPlainly(all)}, {Name: "What is true", Text: truePlainly(all)}}
	if cost := costPlainly(tasks(e)); cost != "" {
		items = append(items, page.Item{Name: "What it costs", Text: cost})
	}
	return evidence.PlainSection(guarantees, append(items, page.Item{Name: "Whether it was refuted", Text: triedPlainly(e, all)})...)
}

func promisedPlainly(all []promise) string {
	var claimed []dp.Epsilon
	for i := range all {
		if p := &all[i]; p.Claimed != nil {
			claimed = append(claimed, *p.Claimed)
		}
	}
	if len(claimed) == 0 {
		return "nothing: no ε is claimed in these results, so that none of them protects anybody"
	}
	least := slices.MinFunc(all, func(a, b promise) int { return comparedBy(a.Claimed, b.Claimed) })
	text := fmt.Sprintf("ε = %s, in %s", several(claimed), page.Plural(len(claimed), "promise", "promises"))
	return fmt.Sprintf("%s. The strongest, ε = %s of %s, would mean: %s", text, epsilonText(*least.Claimed), least.label(), evidence.PlainMeaning(dp.Guarantee{Unit: least.Unit, Epsilon: *least.Claimed, Delta: least.Delta}))
}

// comparedBy orders what is claimed or proved, with what is not at the end.
func comparedBy(a, b *dp.Epsilon) int {
	switch {
	case valueOf(a) < valueOf(b):
		return -1
	case valueOf(a) > valueOf(b):
		return 1
	}
	return 0
}

// label names a promise where it stands alone.
func (p *promise) label() string {
	if name := p.short(); name != "" {
		return name
	}
	return p.Name
}

// truePlainly counts what is kept, and names what is not.
func truePlainly(all []promise) string {
	const named = 4
	kept, unproved, bare := 0, 0, 0
	var broken []string
	for i := range all {
		p := &all[i]
		switch v := p.verdict(); {
		case p.Claimed == nil && v.Tone == page.Warn:
			bare++
		case p.Claimed == nil:
		case v.Tone == page.Bad:
			broken = append(broken, p.brokenPlainly())
		case p.Proved == nil:
			unproved++
		default:
			kept++
		}
	}
	var parts []string
	if kept > 0 {
		parts = append(parts, page.Plural(kept, "promise is kept", "promises are kept"))
	}
	if n := len(broken); n > 0 {
		text := page.Plural(n, "promise is false: ", "promises are false: ") + strings.Join(broken[:min(n, named)], "; ")
		if n > named {
			text += fmt.Sprintf("; and %d others", n-named)
		}
		parts = append(parts, text)
	}
	if unproved > 0 {
		parts = append(parts, page.Plural(unproved, "promise is neither proved nor refuted", "promises are neither proved nor refuted"))
	}
	if bare > 0 {
		parts = append(parts, page.Plural(bare, "configuration has no protection, and says so", "configurations have no protection, and say so"))
	}
	if parts == nil {
		return "these results say nothing of ε: they are no proof of protection, and no protection follows from them"
	}
	return strings.Join(parts, ". ")
}

// brokenPlainly says how far a claim is from the truth.
func (p *promise) brokenPlainly() string {
	text := fmt.Sprintf("%s promises ε = %s", p.label(), epsilonText(*p.Claimed))
	switch {
	case p.Proved == nil || p.contradicted():
		return fmt.Sprintf("%s, and an audit shows at least %s", text, atLeast(p.Audit.LowerBound))
	case *p.Proved == dp.Infinite:
		return text + " and gives no protection"
	}
	text = fmt.Sprintf("%s and keeps %s", text, epsilonText(*p.Proved))
	if p.Unit == dp.Text && p.Delta == 0 && evidence.Hopeless(*p.Proved) && !evidence.Hopeless(*p.Claimed) {
		text += ", which is no protection in practice"
	}
	return text
}

// costPlainly tells the price of a true ε, in points.
func costPlainly(all []*experiment.Result) string {
	text := costClause(all)
	if text == "" {
		return ""
	}
	c, r := afforded(all)
	majority := slices.Max(append(slices.Clone(r.Priors), 0))
	if majority > 0 {
		text += fmt.Sprintf(" and always naming the commonest class %s", roughly(majority))
	}
	if v := unprotected(r); finite(float64(v)) && v > c.Mean.Accuracy {
		text += fmt.Sprintf(": the price is %s points", page.Decimal(100*(v-c.Mean.Accuracy), 1))
	}
	if float64(c.Mean.Accuracy) <= majority {
		text += ". So a release is of no use there"
	}
	return text
}

// triedPlainly tells of attacks and audits.
func triedPlainly(e *evidence.Evidence, all []promise) string {
	found, attacks := refuted(e)
	audits, broken := 0, 0
	for i := range all {
		if a := all[i].Audit; a != nil {
			audits++
			if a.Refuted {
				broken++
			}
		}
	}
	if audits+attacks == 0 {
		return "nobody tried: no attack with a known limit and no audit is among these results"
	}
	tried := fmt.Sprintf("%s and %s", page.Plural(audits, "claim was audited", "claims were audited"), page.Plural(attacks, "attack was held against its limit", "attacks were held against their limits"))
	if broken+len(found) == 0 {
		return "no. " + tried + ", and none refuted a claim. That proves nothing of ε; only a proof does"
	}
	var against []string
	if broken > 0 {
		against = append(against, page.Plural(broken, "audit refutes its claim", "audits refute their claims"))
	}
	if n := len(found); n > 0 {
		against = append(against, page.Plural(n, "attack refutes what is stated", "attacks refute what is stated"))
	}
	return fmt.Sprintf("yes. %s: %s", tried, strings.Join(against, ", "))
}

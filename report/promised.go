package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/attack"
	"sotto/promise/dp"
)

// promiseSection shows what was claimed beside what is true and what was found.
func promiseSection(all []promise, e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "promised", Title: "What was promised",
		Meaning: "ε bounds what anybody can learn from one release; smaller is more private. Claimed is what a publication or a flag says, true is what is proved of the code, and the audited bound is what an attack has shown it to be at least.",
		Source:  "Claimed and true ε: the statements stored with results and releases, whose proofs are part of sotto. Audited bound: sotto audit.",
	}
	if len(all) > 0 {
		s.Blocks = append(s.Blocks, promiseTable(all).Blocks()...)
	}
	reasons, assumed := grounds(all)
	if len(reasons) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "Why"}, page.Block{List: reasons})
	}
	if len(assumed) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "What the numbers assume"}, page.Block{List: assumed})
	}
	s.Blocks = append(s.Blocks, refutations(e)...)
	return s
}

func promiseTable(all []promise) *page.Table {
	t := &page.Table{
		Caption: "Claimed, true and audited ε",
		Head:    page.Heads("mechanism", "#claimed ε", "#true ε", "verdict", "unit", "audited lower bound", "used by"),
	}
	for i := range all {
		p := &all[i]
		proved, unit := provedText(p.Proved, dp.Text, p.Delta), none
		if p.Proved == nil {
			proved = "not known"
		}
		if p.Claimed != nil {
			unit = nameText(string(p.Unit))
		}
		for _, g := range p.Also {
			if g.Unit == dp.Text {
				unit += "; between any two texts ε is " + provedText(&g.Epsilon, dp.Text, g.Delta)
			}
		}
		row := t.Add(p.Name, statedText(p.Claimed), proved, "", unit, "", usersText(p.users))
		row[3], row[5] = p.verdict(), p.auditText()
	}
	return t
}

// usersText lists the first few users.
func usersText(users []string) string {
	const shown = 4
	if len(users) > shown {
		return strings.Join(users[:shown], ", ") + fmt.Sprintf(" and %d others", len(users)-shown)
	}
	return cmp.Or(strings.Join(users, ", "), none)
}

// short names the mechanism without its parameters.
func (p *promise) short() string {
	return strings.TrimSpace(nameText(p.Mechanism) + " " + nameText(p.Variant))
}

// grounds lists each reason once, with the mechanisms that it is given for, and
// each assumption.
func grounds(all []promise) (reasons, assumed []page.Item) {
	for i := range all {
		p := &all[i]
		if text := longText(p.Reason); text != "" {
			reasons = once(reasons, page.Item{Name: p.short(), Text: text})
		}
		for _, a := range p.Assumptions {
			assumed = once(assumed, page.Item{Text: longText(a)})
		}
	}
	return reasons[:min(len(reasons), 30)], assumed[:min(len(assumed), 30)]
}

// refutations lists the attacks that exceeded a limit, or says that none did.
func refutations(e *evidence.Evidence) []page.Block {
	attacks, tried := refuted(e)
	switch {
	case len(attacks) > 0:
		return []page.Block{{Heading: "Refuted by an attack"}, {List: attacks}}
	case tried > 0:
		return []page.Block{{Note: fmt.Sprintf("%s against a known limit: none exceeded it beyond chance. That proves nothing of ε; it says that these attackers failed.", page.Plural(tried, "attack was held", "attacks were held"))}}
	}
	return nil
}

// everybody is the least limit that leaves no room for an attacker to exceed it:
// at an ε so large that everybody may be right, none can.
const everybody = 0.999

// refuted lists what exceeded its limit, and counts what had one.
func refuted(e *evidence.Evidence) (found []page.Item, tried int) {
	count := func(f attack.Finding, name, format string, args ...any) {
		if !(f.Limit < everybody) {
			return
		}
		tried++
		if f.Refutes {
			found = append(found, page.Item{Name: name, Text: fmt.Sprintf(format+"; at the stated ε nobody exceeds %s.", append(args, limitText(f.Metric, f.Limit))...)})
		}
	}
	for _, m := range models(e) {
		for _, f := range m.Findings {
			count(f, m.name, "%s guesses %s in %s of cases (%s)", nameText(f.Attacker), nameText(f.Target), percent(f.Value), between(holding(f.Value, f.Low, f.High)))
		}
	}
	for _, a := range attempts(e) {
		for _, f := range a.Findings {
			count(f, sourceText(a), "%s: %s reaches %s %s on %s",
				nameText(string(a.Kind)), nameText(f.Attacker), nameText(f.Metric), metricText(f.Metric, f.Value), nameText(f.Target))
		}
	}
	return found, tried
}

// verdicts sums up the promises for the top of the page: one for each
// mechanism and kind of verdict.
func verdicts(all []promise, e *evidence.Evidence) []page.Verdict {
	type group struct {
		page.Verdict
		claimed, proved []dp.Epsilon
	}
	var groups []group
	for i := range all {
		p := &all[i]
		v := p.verdict()
		name := p.Name
		if v.Tone == page.Good && p.Mechanism != "" {
			name = p.short()
		}
		fresh := group{Verdict: page.Verdict{Tone: v.Tone, Label: v.Text, Text: name}}
		g := entry(&groups, func(g group) bool { return g.Text == name && g.Label == v.Text }, fresh)
		if p.Claimed != nil {
			g.claimed = append(g.claimed, *p.Claimed)
		}
		if p.Proved != nil {
			g.proved = append(g.proved, *p.Proved)
		}
	}
	var list []page.Verdict
	for _, g := range groups {
		switch {
		case len(g.claimed) > 0 && g.Tone == page.Bad && len(g.proved) > 0:
			g.Text += ": claims ε = " + several(g.claimed) + ", true " + several(g.proved)
		case len(g.claimed) > 0:
			g.Text += ": ε = " + several(g.claimed)
		}
		list = append(list, g.Verdict)
	}
	if found, _ := refuted(e); len(found) > 0 {
		var names []string
		for _, f := range found {
			names = once(names, f.Name)
		}
		text := names[0]
		if n := len(names) - 1; n > 0 {
			text += " and " + page.Plural(n, "other", "others")
		}
		list = append([]page.Verdict{{Tone: page.Bad, Label: "REFUTED by an attack", Text: text}}, list...)
	}
	const shown = 8
	if len(list) > shown {
		list = append(list[:shown:shown], page.Verdict{Tone: page.Plain, Label: "and more", Text: page.Plural(len(list)-shown, "other claim", "other claims") + " in the table below"})
	}
	return list
}

// several lists the first few of some ε, each once, by size.
func several(values []dp.Epsilon) string {
	const shown = 5
	var texts []string
	for _, v := range slices.Sorted(slices.Values(values)) {
		texts = append(texts, epsilonText(v))
	}
	if texts = slices.Compact(texts); len(texts) > shown {
		return strings.Join(texts[:shown-1], ", ") + ", …, " + texts[len(texts)-1]
	}
	return strings.Join(texts, ", ")
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/attack"
)

// attemptSection shows the attacks that are not on an attribute.
func attemptSection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "attacks", Title: "Other attacks",
		Meaning: "What other attackers got out of releases, beside what somebody reaches who sees no release (baseline) and what nobody exceeds at the stated ε (limit).",
		Source:  "sotto attack, with 95 % intervals.",
	}
	for _, a := range attempts(e) {
		stated := ", nothing is stated"
		if g := a.Guarantee; g != nil {
			stated = ", stated ε = " + guaranteeText(&g.Epsilon, g.Unit, g.Delta)
		}
		s.Blocks = append(s.Blocks, page.Block{Heading: attemptTitle(a.Kind) + ": " + sourceText(a) + stated})
		if plots := averagingCharts(a); len(plots) > 0 {
			caption := "With fresh noise every further release of the same text tells more; a memoised answer is the same each time and tells nothing new."
			s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: caption, Plots: plots, Small: len(plots) > 1}})
		}
		s.Blocks = append(s.Blocks, findingTable(a).Blocks()...)
		for _, n := range a.Notes {
			s.Blocks = append(s.Blocks, page.Block{Note: longText(n)})
		}
	}
	return s
}

func attemptTitle(k attack.Kind) string {
	if info, err := attack.Find(k); err == nil {
		return info.Title
	}
	return nameText(string(k))
}

func findingTable(a *attack.Result) *page.Table {
	t := &page.Table{
		Caption: attemptTitle(a.Kind) + ", " + sourceText(a),
		Head:    page.Heads("attacker", "guesses", "metric", "#value", "#95 % interval", "#baseline", "#limit", "verdict", "#rows"),
	}
	several := slices.ContainsFunc(a.Findings, func(f attack.Finding) bool { return f.Releases > 1 || f.Noise != "" })
	if several {
		t.Head = append(t.Head, page.Heads("#releases", "noise")...)
	}
	models := slices.ContainsFunc(a.Findings, func(f attack.Finding) bool { return f.Model != "" })
	if models {
		t.Head = append(t.Head, page.Heads("model")...)
	}
	for _, f := range a.Findings {
		show := func(v measure.Number) string {
			return orNone(func(v measure.Number) string { return metricText(f.Metric, v) }, v)
		}
		low, high := holding(f.Value, f.Low, f.High)
		interval := orNone(func(v float64) string { return show(measure.Number(v)) + " to " + show(measure.Number(high)) }, low)
		texts := []string{nameText(f.Attacker), nameText(f.Target), nameText(f.Metric), metricText(f.Metric, f.Value), interval, show(f.Baseline), orNone(func(v measure.Number) string { return limitText(f.Metric, v) }, f.Limit), "", strconv.Itoa(f.Rows)}
		if several {
			texts = append(texts, strconv.Itoa(max(1, f.Releases)), cmp.Or(nameText(f.Noise), none))
		}
		if models {
			texts = append(texts, cmp.Or(nameText(f.Model), none))
		}
		row := t.Add(texts...)
		row[7] = attackVerdict(f)
	}
	t.Folded = len(t.Rows) > foldRows && a.Kind == attack.Averaging
	return t
}

// averagingCharts draws findings over the number of releases, a chart for each
// metric and target, where there is more than one number of releases.
func averagingCharts(a *attack.Result) []page.Plot {
	type what struct{ metric, target string }
	var all []what
	for _, f := range a.Findings {
		if f.Noise != "" {
			all = once(all, what{f.Metric, f.Target})
		}
	}
	var plots []page.Plot
	for _, w := range all {
		of := kept(a.Findings, func(f attack.Finding) bool {
			return f.Metric == w.metric && f.Target == w.target && f.Noise != "" && finite(float64(f.Value))
		})
		if p := averagingChart(of); p != nil && len(plots) < smallPlots {
			plots = append(plots, p)
		}
	}
	return plots
}

// averagingChart draws the findings of one metric, or nothing.
func averagingChart(of []attack.Finding) *page.Chart {
	if len(of) == 0 {
		return nil
	}
	first := of[0]
	p := &page.Chart{
		Title: "What several releases of one text give away: " + nameText(first.Target), Desc: "The table below has the same numbers.", Heading: nameText(first.Target),
		X: page.Axis{Label: "releases of each text, logarithmic", Log: true},
		Y: page.Axis{Label: nameText(first.Metric), Percent: first.Metric == "accuracy"},
	}
	top, values := 1.0, []float64{}
	for _, f := range of {
		k := float64(max(1, f.Releases))
		p.X.High, top = max(p.X.High, k), max(top, float64(f.Value))
		values = append(values, float64(f.Value), float64(f.Baseline))
		extend(p, f, k)
	}
	if !(p.X.High > 1) {
		return nil
	}
	p.X.Low, p.X.High = 0.8, p.X.High*1.25
	p.Y.Low, p.Y.High = page.Around(values, 0, min(top, 1e6))
	if b := float64(first.Baseline); finite(b) {
		p.Levels = []page.Level{{Name: "seeing nothing " + metricText(first.Metric, first.Baseline), Value: b}}
	}
	return p
}

// extend adds a finding to the line of its attacker, target and noise.
func extend(p *page.Chart, f attack.Finding, k float64) {
	name := fmt.Sprintf("%s, %s noise", nameText(f.Attacker), nameText(f.Noise))
	fresh := page.Series{Name: name, Runs: make([][]page.Dot, 1), Dashed: f.Noise == "memoised"}
	s := entry(&p.Series, func(s page.Series) bool { return s.Name == name }, fresh)
	tip := fmt.Sprintf("%s, %g releases: %s", name, k, metricText(f.Metric, f.Value))
	low, high := holding(f.Value, f.Low, f.High)
	s.Runs[0] = append(s.Runs[0], page.Dot{X: k, Y: float64(f.Value), Low: low, High: high, Tip: tip})
}

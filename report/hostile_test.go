package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page/pagetest"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/report"
)

const evil = pagetest.Evil

// hostile is the sample with that name wherever results can hold one.
func hostile() *evidence.Evidence {
	e := sample()
	e.Title, e.Tool = evil, evil
	r := first[experiment.Result](e)
	r.Data.Name, r.Data.Variant, r.Data.Label, r.Data.Attribute, r.Data.Hash, r.Data.Encoder = evil, evil, evil, evil, evil, evil
	r.Data.Classes, r.Data.Groups, r.Notes = []string{evil}, []string{evil, evil}, []string{evil}
	r.Spec.Data, r.Spec.Methods = evil+"```", []string{evil}
	r.Failed = []experiment.Failure{{Job: evil, Reason: evil}}
	for i := range r.Configurations {
		c := &r.Configurations[i]
		c.Method, c.Mechanism, c.Variant, c.Coverage = evil, evil+"m", evil, evil
		if s := c.Statement; s != nil {
			s.Mechanism, s.Variant, s.Reason, s.Assumptions = evil, evil, evil, []string{evil}
		}
		c.Fairness = fairness(evil, evil)
	}
	models := attacks(e, true)[0].Models
	for _, m := range models {
		m.Folder, m.Findings[0].Target, m.Findings[0].Attacker = evil, evil, evil
		m.Findings[0].Description.Coding = evil
	}
	for _, a := range attacks(e, false) {
		a.Source, a.Kind, a.Notes = evil, evil, []string{evil}
		for i := range a.Findings {
			f := &a.Findings[i]
			f.Attacker, f.Target, f.Metric, f.Noise = evil, evil, evil, evil
		}
	}
	f := first[evidence.Fairness](e)
	f.Source, f.Columns.Group, f.Fairness = evil, []string{evil}, fairness(evil, evil, evil)
	f.Classes[0].Overall.Class = evil
	for _, a := range evidence.All[evidence.Audit](e) {
		a.Mechanism, a.Variant, a.Assumptions = evil, evil, []string{evil}
	}
	for _, r := range evidence.All[evidence.Release](e) {
		r.Name, r.Mechanism.Mechanism, r.Reason, r.Noise, r.Tool = evil, evil, evil, evil, evil
		r.Guarantee.Assumptions = []string{evil}
	}
	p := first[experiment.Picture](e)
	p.Title, p.Layout, p.Attribute, p.Values = evil, evil, evil, []string{evil, evil}
	return e
}

// check fails if a page or text is more than what package page writes.
func check(t testing.TB, e *evidence.Evidence) {
	t.Helper()
	page, text := render(t, report.HTML, e), render(t, report.Markdown, e)
	pagetest.HTML(t, page)
	pagetest.Markdown(t, text)
	pagetest.Numbers(t, page+text)
}

func TestUntrustedNames(t *testing.T) {
	e := hostile()
	check(t, e)
	text := render(t, report.Markdown, e)
	for _, unwanted := range []string{"a](http", "http://", " @all", "\n# h", " **bold**", " `code`"} {
		if strings.Contains(outsideCode(text), unwanted) {
			t.Errorf("the text holds %q", unwanted)
		}
	}
}

// outsideCode returns Markdown without the specification, which is shown as it
// is.
func outsideCode(text string) string {
	before, rest, _ := strings.Cut(text, "\n````json\n")
	_, after, _ := strings.Cut(rest, "\n````\n")
	return before + after
}

// What is not defined is said so, and never printed as Go does.
func TestUndefined(t *testing.T) {
	e := sample()
	r, bad := first[experiment.Result](e), math.NaN()
	r.Reference, r.Priors = nan, nil
	for i := range r.Configurations {
		c := &r.Configurations[i]
		c.Lambda = bad
		c.Mean.Limit, c.Mean.Yardstick, c.Mean.AttackLimit, c.Mean.Majority, c.Mean.Gap = nan, nan, nan, nan, nan
		c.Deviation = experiment.Score{Accuracy: nan, Leakage: nan, Gap: nan, GRMS: nan}
		c.Interval = [2]measure.Number{nan, nan}
		c.Seeds = c.Seeds[:1]
		c.Seeds[0].Attack = nil
	}
	m := attacks(e, true)[0].Models[0]
	f := &m.Findings[0]
	f.Value, f.Low, f.High, f.Baseline, f.Limit, f.Leakage = nan, nan, nan, nan, nan, &measure.Leakage{AUC: nan}
	*f.Description = measure.DescriptionLength{Bits: bad, Kbit: math.Inf(1), Uniform: bad, Compression: nan, Blocks: []measure.Block{{Fitted: 1, To: 2, Bits: bad}}}
	attacks(e, false)[0].Findings[0].Value = nan
	first[evidence.Fairness](e).Fairness = &measure.Fairness{Difference: measure.Estimate{Value: nan, Low: nan, High: nan}, Groups: []measure.GroupReport{{Name: "g"}}}
	a, p := first[evidence.Audit](e), first[experiment.Picture](e)
	a.LowerBound, a.Confidence = bad, bad
	p.Before[0][0], p.Groups[1], p.After = float32(bad), 99, p.After[:10]
	check(t, e)
}

// FuzzReport feeds whatever evidence can be read, and looks for panics and for
// text that gets out of its place.
func FuzzReport(f *testing.F) {
	for _, e := range []*evidence.Evidence{sample(), of(audited("a", "", 0, 1e300, true)), of(picture(3, 2))} {
		b, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		e := of()
		if err := e.Add("fuzz.json", bytes.NewReader(content)); err != nil {
			return
		}
		if err := report.Markdown(&bytes.Buffer{}, e); err != nil {
			return
		}
		pagetest.HTML(t, render(t, report.HTML, e))
		report.Sentence(e)
	})
}

// Numbers at the ends of what floats hold are drawn somewhere, and at once.
func TestExtremes(t *testing.T) {
	e := sample()
	for i, v := range []dp.Epsilon{0, 1e-300, 1e300, math.MaxFloat64} {
		c := &first[experiment.Result](e).Configurations[i]
		c.Mean.True = &v
		c.Mean.Accuracy, c.Interval = measure.Number(v), [2]measure.Number{-1e300, 1e300}
		if c.Statement != nil {
			c.Statement.True, c.Statement.Claimed = v, dp.Epsilon(i)*1e-310
		}
	}
	findings := attacks(e, false)[0].Findings
	for i := range findings {
		findings[i].Releases, findings[i].Value = math.MaxInt-i, 1e308
	}
	d := attacks(e, true)[0].Models[0].Findings[0].Description
	d.Classes, d.Blocks[1].Bits, d.Blocks[2].Fitted = 0, math.MaxFloat64, math.MaxInt
	check(t, e)
}

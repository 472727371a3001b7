package evidence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/evidence/page"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// This part of the package says what ε means to people who do not know differential
// privacy: how far a release can move what somebody believes of the text behind
// it. Numbers are rounded upwards, so that what is read is never less than what
// is possible.
//
// It proves nothing: guarantees are what package dp says they are. The smallest
// use is
//
//	fmt.Println(PlainMeaning(dp.Guarantee{Unit: dp.Text, Epsilon: 4}))

// PlainBelief is the most that somebody can believe after one release of what they
// believed with probability prior before it, at an ε without δ, between inputs
// that are neighbours.
//
// Theorem. Under ε-DP each release is at most e^ε times as likely under one input
// as under a neighbour, so that by Bayes the odds of any statement about which of
// them it was grow at most e^ε-fold.
func PlainBelief(prior float64, epsilon dp.Epsilon) float64 {
	if !(prior > 0) {
		return 0
	}
	return 1 / (1 + (1-prior)/prior*math.Exp(-float64(epsilon)))
}

// hopeless is the belief that who gave a thing one chance in a hundred must not
// be able to reach, or ε is called no protection in practice.
const hopeless = 0.99

// Hopeless reports whether an ε lets somebody who gave a thing one chance in a
// hundred be 99 % sure of it afterwards: ε above 9.2.
func Hopeless(epsilon dp.Epsilon) bool { return !(PlainBelief(0.01, epsilon) < hopeless) }

// PlainMeaning says what a guarantee means for whoever is behind a text, in one
// sentence without its full stop.
func PlainMeaning(g dp.Guarantee) string {
	if !(g.Epsilon >= 0) || g.Epsilon == dp.Infinite || !(g.Delta < 1) {
		return "no protection: a release may tell everything about " + behind(g.Unit)
	}
	factor, belief := PlainFactor(g.Epsilon), PlainPercent(PlainBelief(0.5, g.Epsilon))
	switch {
	case g.Delta > 0:
		return fmt.Sprintf("whatever a release makes somebody do is at most %s times as likely, plus δ = %s, as if %s had been another", factor, dp.Above(g.Delta, 3), behind(g.Unit))
	case g.Unit == dp.Metric:
		return fmt.Sprintf("odds between two texts whose vectors lie 1 apart change at most %s-fold, and the more the farther they are apart: texts that are not alike are told apart", factor)
	}
	text := fmt.Sprintf("a release changes the odds of anything about %s at most %s-fold: who held it for as likely as not (50 %%) is at most %s sure of it afterwards", behind(g.Unit), factor, belief)
	if Hopeless(g.Epsilon) {
		text += ", which is no protection in practice"
	}
	return text
}

// behind names what a unit protects.
func behind(u dp.Unit) string {
	switch u {
	case dp.Text, dp.Metric:
		return "the text behind it"
	case dp.Word:
		return "one word of the text behind it, the others being known"
	}
	return fmt.Sprintf("the %s behind it", cmp.Or(page.Clean(string(u), 40), "text"))
}

// PlainEpsilon renders an ε with four digits, or all before the point, rounded
// upwards: what is read of a bound is one too.
func PlainEpsilon(e dp.Epsilon) string {
	const most = 1e300 // what rounding up does not make infinite
	switch v := float64(e); {
	case e == dp.Infinite:
		return "∞"
	case v >= most:
		return "more than 1e+300"
	case v >= 1000 && v < 1e9:
		return page.Decimal(math.Ceil(v*(1-exactly)), 0)
	default:
		return dp.Above(v, 4)
	}
}

// exactly is by how much, relatively, a number may exceed a shorter one that it is
// taken for: more than rounding errors make.
const exactly = 1e-9

// PlainFactor renders e^ε, rounded upwards.
func PlainFactor(epsilon dp.Epsilon) string {
	switch f := math.Exp(float64(epsilon)); {
	case math.IsInf(f, 1) || f >= 1e6:
		return "e^" + PlainEpsilon(epsilon)
	case f >= 1000:
		return page.Decimal(math.Ceil(f), 0)
	default:
		return dp.Above(f, 3)
	}
}

// PlainPercent renders a probability that nothing exceeds, as [dp.AtMost] has it.
func PlainPercent(p float64) string { return dp.AtMost(p) + " %" }

// PlainSection tells what ε is, then what the items say, then what each ε of some
// guarantees means; those of a unit without such a meaning have no row.
func PlainSection(all []dp.Guarantee, items ...page.Item) page.Section {
	for i := range items {
		items[i].Text = strings.TrimSuffix(items[i].Text, ".") + "."
	}
	s := page.Section{ID: "plain", Title: "In plain words", Blocks: []page.Block{{List: append([]page.Item{{
		Name: "What ε is",
		Text: "a limit on what one release can tell anybody about the text behind it. Whoever sees the release can change the odds that they give to anything about that text at most e^ε-fold (e is 2.718…), whatever else they know and however long they compute. At ε = 0 a release tells nothing; where there is no finite ε there is no protection.",
	}}, items...)}}}
	if t := table(all); t != nil {
		s.Blocks = append(s.Blocks, page.Block{Heading: "What each ε here means"}, page.Block{Table: t})
	}
	return s
}

// BeforePlain puts a section before others that explains what mechanisms promise, if
// there is a promise among the statements; those that are nil are none.
func BeforePlain(sections []page.Section, statements ...*mech.Statement) []page.Section {
	var all []dp.Guarantee
	var items []page.Item
	for _, s := range statements {
		if s == nil {
			continue
		}
		g := dp.Guarantee{Unit: s.Unit, Epsilon: s.True, Delta: s.Delta}
		all = append(all, g)
		it := page.Item{Name: page.Name(s.Mechanism + " " + s.Variant), Text: PlainMeaning(g)}
		if !s.Honest() {
			it.Text = fmt.Sprintf("the claim of ε = %s is false. What is true: %s", PlainEpsilon(s.Claimed), it.Text)
		}
		if !slices.Contains(items, it) {
			items = append(items, it)
		}
	}
	if len(all) == 0 {
		return sections
	}
	return append([]page.Section{PlainSection(all, items...)}, sections...)
}

// shownRows is how many ε a table explains: the smallest and the largest of more.
const shownRows = 8

// table explains each ε once, by size, nil if there is none.
func table(all []dp.Guarantee) *page.Table {
	var list []dp.Guarantee
	for _, g := range all {
		same := func(o dp.Guarantee) bool {
			return o.Unit == g.Unit && PlainEpsilon(o.Epsilon) == PlainEpsilon(g.Epsilon)
		}
		if g.Delta == 0 && (g.Unit == dp.Text || g.Unit == dp.Word) && g.Epsilon >= 0 && !slices.ContainsFunc(list, same) {
			list = append(list, g)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b dp.Guarantee) int {
		return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Unit, b.Unit))
	})
	if n := len(list); n > shownRows {
		list = append(list[:shownRows/2:shownRows/2], list[n-shownRows/2:]...)
	}
	t := &page.Table{Caption: "What each ε here means", Head: page.Heads("#true ε", "of", "#odds change at most", "#50 % becomes at most", "#1 % becomes at most", "protection")}
	for _, e := range list {
		factor := PlainFactor(e.Epsilon) + "-fold"
		if e.Epsilon == dp.Infinite {
			factor = "without limit"
		}
		row := t.Add(PlainEpsilon(e.Epsilon), "a "+string(e.Unit), factor, PlainPercent(PlainBelief(0.5, e.Epsilon)), PlainPercent(PlainBelief(0.01, e.Epsilon)), "")
		switch {
		case e.Epsilon == dp.Infinite:
			row[5] = page.Cell{Text: "none", Tone: page.Bad}
		case Hopeless(e.Epsilon):
			row[5] = page.Cell{Text: "none in practice", Tone: page.Warn}
		case e.Epsilon == 0:
			row[5].Text = "complete"
		default:
			row[5].Text = "by this limit"
		}
	}
	return t
}

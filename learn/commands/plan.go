package files

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// maxNamed is how many pieces of evidence are named: each costs the others some
// confidence.
const maxNamed = 12

// A plan says what is counted on fresh runs: one joint event of all fields, and
// named ones of a field or of fields that are alike.
type plan struct {
	joint *judge
	named []*candidate
	index map[name]int // of the fields that any judge looks at
	seen  []coder
}

// A candidate is evidence that was found on the runs of learning.
type candidate struct {
	*judge
	where    string
	constant bool
	order    float64 // the largest is named first
}

// constants reports whether anything is constant.
func (p *plan) constants() bool {
	return slices.ContainsFunc(p.named, func(c *candidate) bool { return c.constant })
}

// plan chooses the joint event and the named ones. The row that differs may tell
// something under any ε, so that it is told apart from others like it.
func (t *table) plan(alpha, delta float64, changed int) *plan {
	all := make([]int, len(t.names))
	for i := range all {
		all[i] = i
	}
	p := &plan{joint: t.judge(all, alpha/2, delta)}
	p.named = t.constants(changed)
	p.named = append(p.named, t.distributions(alpha/2/maxNamed, delta, changed, maxNamed-len(p.named))...)
	p.index = map[name]int{}
	for _, j := range p.judges() {
		for i, f := range j.fields {
			at, ok := p.index[t.names[f]]
			if !ok {
				at = len(p.seen)
				p.index[t.names[f]], p.seen = at, append(p.seen, t.columns[f].coder)
			}
			j.fields[i] = at
		}
	}
	return p
}

// judges are all of them, the joint one first.
func (p *plan) judges() []*judge {
	all := []*judge{p.joint}
	for _, c := range p.named {
		all = append(all, c.judge)
	}
	return all
}

// likeness is what fields have in common that are named together.
type likeness struct {
	group  name
	differ bool // of the row that differs
}

func (t *table) like(field, changed int) likeness {
	n := t.names[field]
	return likeness{n.group(), changed > 0 && n.row == changed}
}

// constants finds what has one value in all runs on A and another in all runs on B.
// What is made of fields that are constant themselves is left out.
func (t *table) constants(changed int) []*candidate {
	groups := map[likeness][]int{}
	var order []likeness
	direct := map[string]bool{}
	for i := range t.columns {
		if !t.columns[i].constant || t.part(i) {
			continue
		}
		l := t.like(i, changed)
		l.differ = false // what is constant needs no excuse
		if groups[l] == nil {
			order = append(order, l)
		}
		groups[l] = append(groups[l], i)
		if n := t.names[i]; !n.derived() && n.path != pathSize {
			direct[n.file] = true
		}
	}
	order = slices.DeleteFunc(order, func(l likeness) bool {
		n := t.names[groups[l][0]]
		return n.derived() && direct[n.file]
	})
	slices.SortStableFunc(order, func(a, b likeness) int {
		return cmp.Compare(t.late(groups[a][0]), t.late(groups[b][0]))
	})
	var found []*candidate
	for i, l := range order {
		fields := groups[l]
		if i == maxNamed-1 && len(order) > maxNamed { // the rest has one place
			for _, other := range order[maxNamed:] {
				fields = append(fields, groups[other]...)
			}
		}
		if i == maxNamed {
			break
		}
		found = append(found, &candidate{t.certain(fields), t.where(fields, changed), true, 0})
	}
	return found
}

// part reports whether a field is part of a sentence that is constant itself.
func (t *table) part(field int) bool {
	n := t.names[field]
	for _, of := range []string{wordsOf, numberOf} {
		if at := strings.LastIndex(n.path, of); at >= 0 {
			n.path = strings.TrimSuffix(n.path[:at], ", ")
			i, ok := t.index[n]
			return ok && t.columns[i].constant
		}
	}
	return false
}

// late orders evidence: what is made of other fields comes last.
func (t *table) late(field int) int {
	switch n := t.names[field]; {
	case n.derived():
		return 2
	case n.path == pathSize:
		return 1
	}
	return 0
}

// certain is a judge of fields that are constant.
func (t *table) certain(fields []int) *judge {
	j := &judge{high: math.Inf(1), low: math.Inf(-1)}
	j.fields, j.weights = t.rank(fields, -1, 200)
	lowest, highest := math.Inf(1), math.Inf(-1)
	for r, l := range t.labels {
		sum := 0.0
		for i, f := range j.fields {
			sum += j.weights[i][t.columns[f].codes[r]]
		}
		if l == 0 {
			lowest = min(lowest, sum)
		} else {
			highest = max(highest, sum)
		}
	}
	if lowest > highest {
		j.high, j.low = (3*lowest+highest)/4, (lowest+3*highest)/4
	}
	return j
}

// distributions finds fields that are random and differ, alone or with others like
// them, the most telling first.
func (t *table) distributions(alpha, delta float64, changed, most int) []*candidate {
	if most <= 0 {
		return nil
	}
	type grouped struct {
		like   likeness
		fields []int
		gain   float64
	}
	groups := map[likeness]*grouped{}
	var order []*grouped
	for i := range t.columns {
		if t.columns[i].constant {
			continue
		}
		_, gain := t.weights(i, -1)
		l := t.like(i, changed)
		g := groups[l]
		if g == nil {
			g = &grouped{like: l, gain: gain}
			groups[l] = g
			order = append(order, g)
		}
		g.fields, g.gain = append(g.fields, i), max(g.gain, gain)
	}
	slices.SortStableFunc(order, func(a, b *grouped) int { return cmp.Compare(b.gain, a.gain) })
	var found []*candidate
	for _, g := range order[:min(len(order), 4*maxNamed)] {
		fields, _ := t.rank(g.fields, -1, 1)
		best := t.judge(fields, alpha, delta)
		if len(g.fields) > 1 {
			// Many are harder to read than one, and must tell more.
			if many := t.judge(g.fields, alpha, delta); many.expected > 1.1*best.expected {
				fields, best = g.fields, many
			}
		}
		c := &candidate{judge: best, where: t.where(fields, changed), order: best.expected}
		if n := t.names[fields[0]]; n.derived() || strings.HasPrefix(n.path, sameAs) {
			c.order /= 2 // what a field is made of says more to a reader
		}
		found = append(found, c)
	}
	found = slices.DeleteFunc(found, func(c *candidate) bool { return !(c.expected > 0) })
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(b.order, a.order) })
	return found[:min(len(found), most)]
}

// tallies returns an empty tally for each judge.
func (p *plan) tallies() []tally { return make([]tally, 1+len(p.named)) }

// count lets every judge guess a fresh run.
func (p *plan) count(tallies []tally, which int, l *leaves) {
	codes := make([]uint8, len(p.seen)) // 0 is that a field is not there
	for _, each := range l.all {
		if i, ok := p.index[each.name]; ok {
			codes[i] = p.seen[i].code(each.value)
		}
	}
	for k, j := range p.judges() {
		score := 0.0
		for i, f := range j.fields {
			score += j.weights[i][codes[f]]
		}
		t := &tallies[k]
		t.runs[which]++
		if guess, ok := j.guess(score); ok && guess == 0 {
			t.high[which]++
		} else if ok {
			t.low[which]++
		}
	}
}

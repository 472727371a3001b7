package rule

import (
	"errors"
	"slices"
)

// ErrBudget is returned where a pattern and a sentence together would take too long: a
// pattern with many open gaps, and a sentence of hundreds of tokens.
var ErrBudget = errors.New("rule: the pattern can match in too many ways; give its gaps an upper bound, such as []{0,10}")

// What one pattern may take on one sentence.
const (
	maxSteps   = 1 << 18
	maxMatches = 1 << 12
)

// operation is what a state of an automaton does.
type operation uint8

const (
	opToken   operation = iota // step over a token that fits
	opEntity                   // step over an entity that fits
	opFork                     // go on at two states
	opBegin                    // an argument begins
	opEnd                      // an argument ends
	opMatched                  // the end of the pattern
)

// state is a state of an automaton. All but forks go on at next.
type state struct {
	op          operation
	next, other int32
	test        condition
	types       *test // of an entity; nil for any
	slot        uint8 // of an argument: 0 for the subject, 1 for the object
}

// program is a token pattern as an automaton.
type program struct {
	states []state
	first  int32
}

// compile makes the automaton from the end to the beginning, so that each state knows
// what comes behind it.
func (p *Tokens) compile(v *vocabulary) *program {
	g := &program{states: []state{{op: opMatched}}}
	g.first = g.put(p.root, 0, v)
	return g
}

func (g *program) add(s state) int32 {
	g.states = append(g.states, s)
	return int32(len(g.states) - 1)
}

// put adds the states of a piece behind which next comes, and returns the first.
func (g *program) put(p *piece, next int32, v *vocabulary) int32 {
	switch p.kind {
	case one:
		return g.add(state{op: opToken, next: next, test: p.test.compiled(v)})
	case entity:
		s := state{op: opEntity, next: next}
		if len(p.types) > 0 {
			s.types = &test{key: keyNER, values: p.types}
		}
		return g.add(s)
	case sequence:
		for _, part := range slices.Backward(p.parts) {
			next = g.put(part, next, v)
		}
		return next
	case choice:
		first := g.put(p.parts[len(p.parts)-1], next, v)
		for _, part := range slices.Backward(p.parts[:len(p.parts)-1]) {
			first = g.add(state{op: opFork, next: g.put(part, next, v), other: first})
		}
		return first
	case repeat:
		return g.repeat(p, next, v)
	case argument: // below
	}
	slot := uint8(0)
	if p.name == object {
		slot = 1
	}
	end := g.add(state{op: opEnd, next: next, slot: slot})
	return g.add(state{op: opBegin, next: g.put(p.parts[0], end, v), slot: slot})
}

// repeat adds the states of what stands there several times.
func (g *program) repeat(p *piece, next int32, v *vocabulary) int32 {
	first := next
	if p.max == -1 {
		first = g.add(state{op: opFork, other: next})
		again := g.put(p.parts[0], first, v)
		g.states[first].next = again
	}
	for range p.max - p.min {
		first = g.add(state{op: opFork, next: g.put(p.parts[0], first, v), other: next})
	}
	for range p.min {
		first = g.put(p.parts[0], first, v)
	}
	return first
}

// needs returns what a sentence must have for a piece to match.
func (p *piece) needs(v *vocabulary) []need {
	switch {
	case p.kind == one:
		return p.test.compiled(v).needs()
	case p.kind == entity && len(p.types) > 0:
		return condition{{key: keyNER, values: p.types}}.needs()
	case p.kind == choice:
		return eitherNeeds(p.parts, v)
	case p.kind == repeat && p.min == 0:
		return nil
	}
	var all []need
	for _, part := range p.parts {
		all = append(all, part.needs(v)...)
	}
	return all
}

// eitherNeeds returns what one of several pieces needs whichever it is: of each key, one
// need of each piece, joined.
func eitherNeeds(parts []*piece, v *vocabulary) []need {
	var all []need
	for _, key := range []string{keyWord, keyLemma, keyNER} {
		joined := need{key: key}
		for _, part := range parts {
			needs := part.needs(v)
			k := slices.IndexFunc(needs, func(n need) bool { return n.key == key })
			if k < 0 {
				joined.key = ""
				break
			}
			joined.words = append(joined.words, needs[k].words...)
			joined.types = append(joined.types, needs[k].types...)
		}
		if joined.key != "" {
			all = append(all, joined)
		}
	}
	return all
}

// thread is a way through an automaton: its state, and what it has taken for arguments.
type thread struct {
	state int32
	args  [2]Span
	first int32 // where it began, which does not tell threads apart
}

// walker walks automata; it keeps its memory from one to the next.
type walker struct {
	queue [][]thread // by place in the sentence
	seen  map[thread]struct{}
}

// walk returns the matches in the sentence from first up to, but without, end. Each
// thread is followed once at each place, so time is bounded by the number of threads.
func (w *walker) walk(g *program, v *view, first, end int) ([]Match, error) {
	for len(w.queue) <= end-first {
		w.queue = append(w.queue, nil)
	}
	if w.seen == nil {
		w.seen = map[thread]struct{}{}
	}
	defer func() {
		for k := range w.queue {
			w.queue[k] = w.queue[k][:0]
		}
	}()
	var found []Match
	steps := 0
	for at := first; at <= end; at++ {
		here := w.queue[at-first]
		if g.mayBegin(v, at, end) {
			here = append(here, thread{state: g.first, first: int32(at)})
		}
		if len(here) == 0 { // at most places, for most rules
			continue
		}
		if len(w.seen) > 1<<12 { // to clear a map takes as long as it ever was
			w.seen = map[thread]struct{}{}
		}
		clear(w.seen)
		for k := 0; k < len(here); k++ {
			t := here[k]
			key := t
			key.first = 0
			if _, known := w.seen[key]; known {
				continue
			}
			w.seen[key] = struct{}{}
			if steps++; steps > maxSteps || len(found) > maxMatches {
				return nil, ErrBudget
			}
			here, found = w.step(g, v, t, sentence{first, at, end}, here, found)
		}
		w.queue[at-first] = here
	}
	return found, nil
}

// mayBegin reports whether a match may begin at a place: it does not, if the first thing
// that the pattern asks for is not there.
func (g *program) mayBegin(v *view, at, end int) bool {
	for k := g.first; ; k = g.states[k].next {
		switch s := &g.states[k]; s.op {
		case opBegin:
		case opToken:
			return at < end && s.test.holds(v, at)
		case opEntity:
			return at < end && v.begins(at) != nil && (s.types == nil || s.types.holds(v, at))
		default:
			return true
		}
	}
}

// sentence is a place in a sentence, and where that begins and ends.
type sentence struct{ first, at, end int }

// step follows a thread by one state.
func (w *walker) step(g *program, v *view, t thread, in sentence, here []thread, found []Match) ([]thread, []Match) {
	s := &g.states[t.state]
	t.state = s.next
	at := in.at
	switch s.op {
	case opToken:
		if at < in.end && s.test.holds(v, at) {
			w.queue[at+1-in.first] = append(w.queue[at+1-in.first], t)
		}
	case opEntity:
		if e := v.begins(at); e != nil && at < in.end && e.End <= in.end && (s.types == nil || s.types.holds(v, at)) {
			w.queue[e.End-in.first] = append(w.queue[e.End-in.first], t)
		}
	case opFork:
		here = append(here, t)
		t.state = s.other
		here = append(here, t)
	case opBegin:
		t.args[s.slot].First = at
		here = append(here, t)
	case opEnd:
		if t.args[s.slot].First < at { // an argument is at least a token
			t.args[s.slot].End = at
			here = append(here, t)
		}
	case opMatched:
		found = append(found, Match{Subject: t.args[0], Object: t.args[1], First: int(t.first), End: at})
	}
	return here, found
}

// widest leaves out matches whose arguments lie within those of another, and puts the
// others in order.
func widest(all []Match) []Match {
	all = slices.DeleteFunc(slices.Clone(all), func(m Match) bool {
		return slices.ContainsFunc(all, func(o Match) bool {
			return o.Subject.holds(m.Subject) && o.Object.holds(m.Object) && (o.Subject != m.Subject || o.Object != m.Object)
		})
	})
	slices.SortStableFunc(all, func(a, b Match) int {
		return slices.Compare([]int{a.Subject.First, a.Subject.End, a.Object.First, a.Object.End, a.First, a.End}, []int{b.Subject.First, b.Subject.End, b.Object.First, b.Object.End, b.First, b.End})
	})
	return slices.CompactFunc(all, func(a, b Match) bool { return a.Subject == b.Subject && a.Object == b.Object })
}

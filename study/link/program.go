package link

import (
	"math"
	"slices"
)

// A program is the linear relaxation of a division. Each pair has a number from 0,
// apart, to 1, together. Rows say what every division keeps: sums of some of the
// numbers, less others, are at most a whole number. Multipliers of rows, which are not
// below zero, bound every division, whatever they are.
//
// It is solved by steps in both at once (primal-dual hybrid gradients) that are pulled
// back to where they began less and less, and begin anew where they have come closer:
// reflected Halpern iteration with restarts (Lu and Yang, Restarted Halpern PDHG for
// linear programming, 2024). Multipliers are rounded to whole units before anything is
// claimed, so that a bound is a proof.
type program struct {
	cost  []int64 // of each pair, in units
	start []int32 // where each row begins in terms; one more than there are rows
	terms []int32 // pairs of all rows; ^pair for one that is taken away
	most  []float64
	seen  map[uint64]struct{} // sums of rows that there are

	c        []float64 // costs, of which the largest is 1
	scale    float64   // units of one
	x, y     []float64 // where the iteration is
	hx, hy   []float64 // one step further
	ax, ay   []float64 // where it began
	gradient []float64
	step     []float64 // of each pair, without weight
	weight   float64   // of steps in pairs against steps in rows
	since    int       // steps since it began
	first    float64   // residual of the first of them
	last     float64   // and of the last
	total    int       // steps in all

	bound int64
	left  []int64 // what pairs cost with the multipliers of the best bound
}

// newProgram begins with pairs together that attract.
func newProgram(cost []int64) *program {
	p := &program{cost: cost, start: []int32{0}, seen: make(map[uint64]struct{}), weight: 1}
	for _, c := range cost {
		p.scale = max(p.scale, math.Abs(float64(c)))
		p.bound += min(0, c)
	}
	p.c, p.x = make([]float64, len(cost)), make([]float64, len(cost))
	for e, c := range cost {
		p.c[e] = float64(c) / p.scale
		if c < 0 {
			p.x[e] = 1
		}
	}
	p.left = slices.Clone(cost)
	return p
}

// rows is how many there are.
func (p *program) rows() int { return len(p.most) }

// pair enters a pair that had none, for graphs of which not all are listed.
func (p *program) pair(cost int64) int32 {
	p.cost = append(p.cost, cost)
	p.left = append(p.left, cost)
	p.c = append(p.c, float64(cost)/p.scale)
	p.x = append(p.x, 0)
	return int32(len(p.cost) - 1)
}

// add enters a row, unless it is there, and reports whether it was not: the terms add up
// to most at most.
func (p *program) add(most float64, terms ...int32) bool {
	sum := sumOf(terms)
	if _, ok := p.seen[sum]; ok {
		return false
	}
	p.seen[sum] = struct{}{}
	p.terms = append(p.terms, terms...)
	p.start = append(p.start, int32(len(p.terms)))
	p.most = append(p.most, most)
	p.y = append(p.y, 0)
	return true
}

// sumOf knows terms again, in whatever order. If two rows had the same sum, one would be
// missing, and the bound no less true.
func sumOf(terms []int32) uint64 {
	var sum uint64
	for _, t := range terms {
		h := (uint64(uint32(t)) + 1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		sum += h ^ h>>32
	}
	return sum
}

// begin starts the iteration anew where it is.
func (p *program) begin() {
	n, m := len(p.cost), p.rows()
	p.hx, p.hy = sized(p.hx, n), sized(p.hy, m)
	p.ax, p.ay = append(p.ax[:0], p.x...), append(p.ay[:0], p.y...)
	p.gradient, p.step = sized(p.gradient, n), sized(p.step, n)
	clear(p.step)
	for _, t := range p.terms {
		p.step[max(t, ^t)]++
	}
	for e, d := range p.step {
		p.step[e] = 1 / max(1, d)
	}
	p.since, p.first, p.last = 0, 0, math.Inf(1)
}

// sized returns s with n numbers; those that are new are 0.
func sized(s []float64, n int) []float64 {
	have := len(s)
	s = slices.Grow(s, max(0, n-have))[:n]
	if n > have {
		clear(s[have:])
	}
	return s
}

// advance makes one step, and pulls it back a little.
func (p *program) advance() {
	copy(p.gradient, p.c)
	for k, y := range p.y {
		if y == 0 {
			continue
		}
		for _, t := range p.terms[p.start[k]:p.start[k+1]] {
			if t >= 0 {
				p.gradient[t] += y
			} else {
				p.gradient[^t] -= y
			}
		}
	}
	keep := float64(p.since+1) / float64(p.since+2)
	var moved float64
	for e, x := range p.x {
		t := p.step[e] / p.weight
		h := min(1, max(0, x-float64(t*p.gradient[e])))
		p.hx[e] = h
		moved += float64((h - x) * (h - x) / t)
		p.gradient[e] = 2*h - x // what rows look at
	}
	for k, y := range p.y {
		terms := p.terms[p.start[k]:p.start[k+1]]
		over := -p.most[k]
		for _, t := range terms {
			if t >= 0 {
				over += p.gradient[t]
			} else {
				over -= p.gradient[^t]
			}
		}
		s := p.weight / float64(len(terms))
		h := max(0, y+float64(s*over))
		p.hy[k] = h
		moved += float64((h - y) * (h - y) / s)
		p.y[k] = float64(keep*(2*h-y)) + float64((1-keep)*p.ay[k])
	}
	for e, h := range p.hx {
		p.x[e] = float64(keep*(2*h-p.x[e])) + float64((1-keep)*p.ax[e])
	}
	residual := math.Sqrt(moved)
	if p.since == 0 {
		p.first = residual
	}
	p.since++
	p.total++
	near := residual <= 0.2*p.first || residual <= 0.8*p.first && residual > p.last || float64(p.since) >= 0.36*float64(p.total)
	p.last = residual
	if near && p.since > 8 {
		p.restart()
	}
}

// restart goes on from where the last step led, with steps weighed by how far pairs
// and rows have moved.
func (p *program) restart() {
	var dx, dy float64
	for e, h := range p.hx {
		dx += float64((h - p.ax[e]) * (h - p.ax[e]))
	}
	for k, h := range p.hy {
		dy += float64((h - p.ay[k]) * (h - p.ay[k]))
	}
	if dx > 1e-20 && dy > 1e-20 {
		p.weight = math.Sqrt(p.weight * math.Sqrt(dy/dx))
	}
	copy(p.x, p.hx)
	copy(p.y, p.hy)
	p.begin()
}

// note rounds the multipliers of the last step and keeps what they leave if their bound
// is the best so far.
func (p *program) note() {
	left := slices.Clone(p.cost)
	var bound int64
	for k, y := range p.hy {
		m := int64(math.Round(y * p.scale))
		if m <= 0 {
			continue
		}
		bound -= m * int64(p.most[k])
		for _, t := range p.terms[p.start[k]:p.start[k+1]] {
			if t >= 0 {
				left[t] += m
			} else {
				left[^t] -= m
			}
		}
	}
	for _, c := range left {
		bound += min(0, c)
	}
	if bound > p.bound {
		p.bound, p.left = bound, left
	}
}

// drop leaves out rows that have no multiplier and are far from holding back.
func (p *program) drop() {
	rows, terms := 0, 0
	clear(p.seen)
	old := p.start
	start, all := []int32{0}, p.terms
	for k := range p.most {
		row := all[old[k]:old[k+1]]
		over := -p.most[k]
		for _, t := range row {
			if t >= 0 {
				over += p.hx[t]
			} else {
				over -= p.hx[^t]
			}
		}
		if p.hy[k] == 0 && over < -0.1 {
			continue
		}
		y, most := p.hy[k], p.most[k]
		terms += copy(all[terms:], row)
		start = append(start, int32(terms))
		p.most[rows], p.y[rows], p.hy[rows] = most, y, y
		rows++
	}
	p.start, p.terms = start, all[:terms]
	p.most, p.y, p.hy = p.most[:rows], p.y[:rows], p.hy[:rows]
	for k := range p.most {
		p.seen[sumOf(p.terms[p.start[k]:p.start[k+1]])] = struct{}{}
	}
	copy(p.x, p.hx)
	p.begin()
}

// Effort of a program.
const (
	stepsPerRound = 100
	mostRounds    = 300
	patience      = 6 // rounds that close little of what is missing, one after the other
)

// solve lifts the bound until it passes the limit, rises no more, or stop says that
// there has been enough. Separate enters rows that the numbers of pairs break by more
// than a tolerance, and says how many; look may find a better division along them, and
// returns the limit from then on.
func (p *program) solve(separate func(x []float64, tolerance float64) int, look func(x []float64) int64, stop func(work int64) bool) {
	if separate(p.x, 0.5) == 0 {
		return
	}
	p.begin()
	limit := look(nil)
	tolerance, stale := 0.1, 0
	for round := range mostRounds {
		before := p.bound
		for range stepsPerRound {
			p.advance()
		}
		p.note()
		if stop(stepsPerRound * int64(len(p.terms)/3+len(p.cost)/2)) {
			return
		}
		if stale > 0 || round%4 == 3 {
			limit = look(p.hx)
		}
		if p.bound >= limit {
			return
		}
		if round%5 == 4 {
			p.drop()
		}
		added := separate(p.hx, tolerance)
		if added > 0 {
			copy(p.x, p.hx)
			copy(p.y, p.hy)
			p.begin()
		}
		if added < 20 {
			tolerance = max(tolerance/2, 0.004)
		}
		if p.bound-before <= (limit-p.bound)/200 {
			stale++
		} else {
			stale = 0
		}
		if stale == patience {
			return
		}
	}
}

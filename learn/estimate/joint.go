package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/promise/mech"
)

// maxPairs bounds the pairs of an answer and a group.
const maxPairs = 1 << 16

// Joint counts releases of two things of each person, such as an answer and a group,
// each by a mechanism of its own. What both cost adds up.
type Joint struct {
	answers, groups *Tally
	pairs           []int // releases that name an answer and a group, answer by answer
	named           [2][]int
}

// NewJoint begins to count pairs of releases. Both mechanisms must release answers
// of which each input stands for one.
func NewJoint(answers, groups mech.Mechanism) (*Joint, error) {
	a, err := NewTally(answers)
	if err != nil {
		return nil, err
	}
	g, err := NewTally(groups)
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	if a.law.Raised != 1 || g.law.Raised != 1 {
		return nil, errors.New("estimate: an input stands for several answers or groups, must stand for one of each to be counted jointly")
	}
	k, l := a.Answers(), g.Answers()
	if k > maxPairs/l {
		return nil, fmt.Errorf("estimate: there are %d answers and %d groups, must be at most %d pairs", k, l, maxPairs)
	}
	return &Joint{answers: a, groups: g, pairs: make([]int, k*l), named: [2][]int{make([]int, k), make([]int, l)}}, nil
}

// Add counts the releases of one person: of the answer and of the group. A row that
// its mechanism cannot have released is an error and is not counted.
func (j *Joint) Add(answer, group []float64) error {
	a, g := j.named[0], j.named[1]
	clear(a)
	clear(g)
	if err := j.answers.mark(a, answer); err != nil {
		return err
	}
	if err := j.groups.mark(g, group); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	for x, named := range a {
		if named == 0 {
			continue
		}
		row := j.pairs[x*len(g) : (x+1)*len(g)]
		for y, also := range g {
			row[y] += also
		}
	}
	addTo(j.answers, a)
	addTo(j.groups, g)
	return nil
}

func addTo(t *Tally, named []int) {
	for a, c := range named {
		t.counts[a] += c
	}
	t.n++
}

// N returns how many pairs were counted.
func (j *Joint) N() int { return j.answers.n }

// Answers and Groups return the tallies of both by themselves.
func (j *Joint) Answers() *Tally { return j.answers }

// Groups is described with [Joint.Answers].
func (j *Joint) Groups() *Tally { return j.groups }

// JointShares is how common pairs are.
type JointShares struct {
	Method Method
	// Pairs holds the share of people with each answer and group, answer by answer,
	// and Within that of an answer among the people of a group. Within has no
	// standard error and no count.
	Pairs, Within [][]Share
}

// Shares estimates how common each answer is in each group.
//
// If an answer is named with probability q + r·1{it is true} and a group with
// q′ + r′·1{it is true}, the number (1{answer named} − q)/r·(1{group named} − q′)/r′ is
// on average 1 for people with both and 0 for others: its mean is the unbiased share
// of the pair. Where one is below 0 or above 1, the likeliest shares are taken, by
// expectation maximisation, or the nearest possible ones where releases name several.
// Shares within a group are quotients of these.
//
// Intervals hold at every n, after Chernoff (see [Tally.Shares] for mixtures). That of
// a share c within a group holds the c for which the mean of (answer's number − c)·
// (group's number), which is 0 on average for the true one, is not too far from 0.
func (j *Joint) Shares(confidence float64) (JointShares, error) {
	if err := checkConfidence(confidence); err != nil {
		return JointShares{}, err
	}
	if j.N() == 0 {
		return JointShares{}, fmt.Errorf("%w: there are no releases", ErrNothing)
	}
	k, l := j.answers.Answers(), j.groups.Answers()
	flat := Shares{Method: Unbiased, Each: make([]Share, k*l)}
	n := float64(j.N())
	for i := range flat.Each {
		each, p := &flat.Each[i], j.pair(i/l, i%l)
		each.Released = j.pairs[i]
		square := 0.0
		for v, c := range p.seen {
			each.Unbiased += p.values[v] * float64(c) / n
			square += p.values[v] * p.values[v] * float64(c) / n
		}
		each.Error = measure.Number(math.Sqrt(max(square-each.Unbiased*each.Unbiased, 0) / n))
		each.bound(p.interval(each.Unbiased, j.N(), confidence))
		if each.Unbiased < 0 || each.Unbiased > 1 {
			flat.Method = j.possible()
		}
	}
	for i, v := range j.likeliest(flat.Each) {
		flat.Each[i].Likelihood = v
	}
	flat.settle()
	r := JointShares{Method: flat.Method}
	for a := range k {
		r.Pairs = append(r.Pairs, flat.Each[a*l:(a+1)*l])
		r.Within = append(r.Within, make([]Share, l))
	}
	for g := range l {
		j.within(r, g, confidence)
	}
	return r, nil
}

// possible is the method for shares that a population can have.
func (j *Joint) possible() Method {
	if j.groups.possible() == Nearest {
		return Nearest
	}
	return j.answers.possible()
}

// pair is what is known of an answer and a group: numbers with the probability of
// each for four kinds of people, and how often each was seen.
type pair struct {
	bounded
	seen [4]int
	both [2]two
}

// two is a number with two values, of what is named and of what is not, and how
// likely it is to be named if it is true and if not.
type two struct{ named, not, held, lie float64 }

func (t *Tally) two(a int) two {
	q, r := t.law.Least[a], t.law.Rise
	return two{named: (1 - q) / r, not: -q / r, held: q + r, lie: q}
}

// pair returns what is known of answer a and group g.
func (j *Joint) pair(a, g int) pair {
	x, y := j.answers.two(a), j.groups.two(g)
	c, ca, cg := j.pairs[a*j.groups.Answers()+g], j.answers.counts[a], j.groups.counts[g]
	p := pair{both: [2]two{x, y}, seen: [4]int{c, ca - c, cg - c, j.N() - ca - cg + c}}
	p.values = []float64{x.named * y.named, x.named * y.not, x.not * y.named, x.not * y.not}
	p.of = four(x.held, y.held)
	p.others = [][]float64{four(x.held, y.lie), four(x.lie, y.held), four(x.lie, y.lie)}
	return p
}

// four returns how likely both, the first, the second and none of two independent
// events are.
func four(a, b float64) []float64 {
	return []float64{a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)}
}

// within fills in shares among the people of group g.
func (j *Joint) within(r JointShares, g int, confidence float64) {
	all, unbiased, likeliest := 0.0, 0.0, 0.0
	for _, row := range r.Pairs {
		all += row[g].Share
		unbiased += row[g].Unbiased
		likeliest += row[g].Likelihood
	}
	for a, row := range r.Pairs {
		each := &r.Within[a][g]
		each.Share = quotient(row[g].Share, all)
		each.Unbiased = quotient(row[g].Unbiased, unbiased)
		each.Likelihood = quotient(row[g].Likelihood, likeliest)
		each.bound(j.pair(a, g).quotients(j.N(), confidence))
		each.hold()
	}
}

// quotient is a share of a whole, from 0 to 1, and 0 where the whole is not positive.
func quotient(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return min(max(part/whole, 0), 1)
}

// quotients returns the interval of the answer's share within the group: from 0 to 1
// where nothing is told of it.
func (p pair) quotients(n int, confidence float64) (low, high float64) {
	at := func(c float64, sign float64) bool { return p.rejects(c, sign, n, confidence) }
	edge := func(from, to, sign float64) float64 { // from is rejected, to is not
		for range 40 {
			if mid := (from + to) / 2; at(mid, sign) {
				from = mid
			} else {
				to = mid
			}
		}
		return from
	}
	low, high = 0, 1
	tooSmall, tooLarge := at(0, 1), at(1, -1)
	if tooSmall && at(1, 1) || tooLarge && at(0, -1) {
		return 0, 1 // no share fits, since nobody seems to be in the group
	}
	if tooSmall {
		low = edge(0, 1, 1)
	}
	if tooLarge {
		high = edge(1, 0, -1)
	}
	return low, high
}

// rejects reports whether the share c within the group is too small (sign 1) or too
// large (sign −1) to be true. The mean of u = (answer's number − c)·(group's number)
// is 0 for people outside of the group and, on average over a group with share c, for
// those within it. So the mean of e^(λu) is at most the largest of those of people
// outside with the answer and without it, and of the group.
func (p pair) rejects(c, sign float64, n int, confidence float64) bool {
	x, y := p.both[0], p.both[1]
	u := [4]float64{(x.named - c) * y.named, (x.named - c) * y.not, (x.not - c) * y.named, (x.not - c) * y.not}
	mean, square := 0.0, 0.0
	for i, v := range u {
		mean += v * float64(p.seen[i]) / float64(n)
	}
	if !(mean*sign > 0) {
		return false
	}
	inside := make([]float64, 4) // a group with share c
	for i := range inside {
		inside[i] = float64(c*p.of[i]) + float64((1-c)*p.others[1][i])
	}
	kinds := [][]float64{inside, p.others[0], p.others[2]}
	for _, kind := range kinds {
		sum := 0.0
		for i, v := range u {
			sum += kind[i] * v * v
		}
		square = max(square, sum)
	}
	err := math.Log((1-confidence)/2) / float64(n)
	best := math.Sqrt(-2 * err / max(square, 1e-300))
	for step := -8; step <= 8; step++ {
		lambda, most := sign*best*math.Exp2(float64(step)/4), math.Inf(-1)
		for _, kind := range kinds {
			sum := 0.0
			for i, v := range u {
				sum += float64(kind[i] * math.Expm1(lambda*v))
			}
			most = max(most, sum)
		}
		if math.Log1p(most)-float64(lambda*mean) < err {
			return true
		}
	}
	return false
}

// likeliest returns the likeliest shares of pairs, or the nearest possible ones.
func (j *Joint) likeliest(each []Share) []float64 {
	shares := make([]float64, len(each))
	if j.possible() == Nearest {
		most := 0.0
		for _, s := range each {
			most = max(most, math.Abs(s.Unbiased))
		}
		raise := func(by float64) (sum float64) {
			for i, s := range each {
				shares[i] = min(max(s.Unbiased+by, 0), 1)
				sum += shares[i]
			}
			return sum
		}
		raise(bisect(-most-1, most+1, 1, raise))
		return shares
	}
	for i := range shares {
		shares[i] = 1 / float64(len(shares))
	}
	j.climb(shares)
	return shares
}

// climb does what [climb] does, for the product of two channels: with their law a
// product with its matrix takes as long as reading the shares.
func (j *Joint) climb(shares []float64) {
	const most, near = 10_000, 1e-6
	seen := make([]float64, len(shares))
	for i, c := range j.pairs {
		seen[i] = float64(c) / float64(j.N())
	}
	ratio, gradient := make([]float64, len(shares)), make([]float64, len(shares))
	for range most {
		j.send(ratio, shares, false)
		for i, v := range ratio {
			ratio[i] = seen[i] / v
		}
		j.send(gradient, ratio, true)
		for i, v := range gradient {
			shares[i] *= v
		}
		if slices.Max(gradient)-1 < near {
			return
		}
	}
}

// send multiplies a table of pairs by the product of both channels, or by its
// transpose: dst(a, g) = Σ (q_a + r·1{x=a})(q′_g + r′·1{y=g})·src(x, y), in which the
// transpose has q_x and q′_y.
func (j *Joint) send(dst, src []float64, transpose bool) {
	p, q := j.answers.law, j.groups.law
	l := len(q.Least)
	weight := func(least []float64, i int) float64 {
		if transpose {
			return least[i]
		}
		return 1
	}
	rows, columns, all := make([]float64, len(p.Least)), make([]float64, l), 0.0
	for i, v := range src {
		a, g := i/l, i%l
		rows[a] += float64(weight(q.Least, g) * v)
		columns[g] += float64(weight(p.Least, a) * v)
		all += weight(p.Least, a) * float64(weight(q.Least, g)*v)
	}
	for i := range dst {
		a, g := i/l, i%l
		qa, qg := p.Least[a], q.Least[g]
		if transpose {
			qa, qg = 1, 1
		}
		dst[i] = qa*float64(qg*all) + float64(p.Rise*qg*rows[a]) + float64(qa*q.Rise*columns[g]) + float64(p.Rise*q.Rise*src[i])
	}
}

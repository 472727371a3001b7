package names

import "math"

// A tag is what a word is to a name: outside of any, or begin, inside, end or
// single of a type.
const (
	begin = iota
	inside
	end
	single
	parts
)

// tag returns the tag of a part of type t; 0 is outside.
func tag(t, part int) int { return 1 + t*parts + part }

// follows reports whether tag b may come after tag a; −1 is the edge of a
// sentence.
func follows(a, b int) bool {
	open := a > 0 && ((a-1)%parts == begin || (a-1)%parts == inside)
	goes := b > 0 && ((b-1)%parts == inside || (b-1)%parts == end)
	if open != goes {
		return false
	}
	return !open || (a-1)/parts == (b-1)/parts
}

// lattice has the scores of a sentence and what follows from them. It is used
// anew for every sentence, so that nothing is allocated in the long run.
type lattice struct {
	tags    int
	score   []float64 // of each tag at each word
	forward []float64 // probabilities of what leads to each tag, scaled to sum to 1
	back    []float64
	scale   []float64 // what forward was divided by at each word
	best    []float64
	from    []int16
	feats   []uint32 // of all words
	starts  []int    // where the features of each word begin
	words   []word
}

// grow makes room for n words.
func (l *lattice) grow(n, tags int) {
	l.tags = tags
	if size := n * tags; cap(l.score) < size {
		l.score, l.forward, l.back = make([]float64, size), make([]float64, size), make([]float64, size)
		l.best, l.from = make([]float64, size), make([]int16, size)
	}
	size := n * tags
	l.score, l.forward, l.back = l.score[:size], l.forward[:size], l.back[:size]
	l.best, l.from = l.best[:size], l.from[:size]
	if cap(l.scale) < n {
		l.scale = make([]float64, n)
	}
	l.scale = l.scale[:n]
}

// chain is the part of a model that says how tags follow one another.
type chain struct {
	tags  int
	move  []float64 // of tag a before tag b at a*tags+b; −∞ where that cannot be
	first []float64 // of a tag at the beginning of a sentence
	last  []float64 // and at its end
	prev  [][]int   // the tags that may come before each tag
	next  [][]int
	ratio []float64 // exp of move
}

// newChain returns a chain in which everything that can be is equally likely.
func newChain(types int) *chain {
	n := 1 + types*parts
	c := &chain{
		tags: n, move: make([]float64, n*n), first: make([]float64, n), last: make([]float64, n),
		prev: make([][]int, n), next: make([][]int, n), ratio: make([]float64, n*n),
	}
	for a := range n {
		if !follows(-1, a) {
			c.first[a] = math.Inf(-1)
		}
		if a > 0 && ((a-1)%parts == begin || (a-1)%parts == inside) {
			c.last[a] = math.Inf(-1)
		}
		for b := range n {
			if follows(a, b) {
				c.prev[b] = append(c.prev[b], a)
				c.next[a] = append(c.next[a], b)
			} else {
				c.move[a*n+b] = math.Inf(-1)
			}
		}
	}
	c.prepare()
	return c
}

// prepare computes what follows from the moves.
func (c *chain) prepare() {
	for i, m := range c.move {
		c.ratio[i] = math.Exp(m)
	}
}

// sum computes the probabilities forwards and backwards, and returns the
// logarithm of the sum over all sequences of tags.
func (c *chain) sum(l *lattice, n int) float64 {
	t := c.tags
	total := 0.0
	for i := range n {
		row, score := l.forward[i*t:(i+1)*t], l.score[i*t:(i+1)*t]
		high := math.Inf(-1)
		for _, s := range score {
			high = max(high, s)
		}
		norm := 0.0
		for b := range t {
			v := 0.0
			if i == 0 {
				v = math.Exp(c.first[b])
			} else {
				before := l.forward[(i-1)*t : i*t]
				for _, a := range c.prev[b] {
					v += float64(before[a] * c.ratio[a*t+b])
				}
			}
			if v > 0 {
				v *= math.Exp(score[b] - high)
			}
			if i == n-1 && v > 0 {
				v *= math.Exp(c.last[b])
			}
			row[b] = v
			norm += v
		}
		for b := range row {
			row[b] /= norm
		}
		l.scale[i] = norm
		total += math.Log(norm) + high
		// Turn scores into ratios for the way back.
		for b := range score {
			score[b] = math.Exp(score[b] - high)
		}
	}
	for i := n - 1; i >= 0; i-- {
		row := l.back[i*t : (i+1)*t]
		if i == n-1 {
			for a := range t {
				row[a] = 1
			}
			continue
		}
		after, score := l.back[(i+1)*t:(i+2)*t], l.score[(i+1)*t:(i+2)*t]
		for a := range t {
			v := 0.0
			for _, b := range c.next[a] {
				w := c.ratio[a*t+b] * score[b] * after[b]
				if i == n-2 && w > 0 {
					w *= math.Exp(c.last[b])
				}
				v += w
			}
			row[a] = v / l.scale[i+1]
		}
	}
	return total
}

// path finds the best sequence of tags.
func (c *chain) path(l *lattice, n int, out []int) []int {
	t := c.tags
	for i := range n {
		row, score := l.best[i*t:(i+1)*t], l.score[i*t:(i+1)*t]
		for b := range t {
			if i == 0 {
				row[b] = c.first[b] + score[b]
				continue
			}
			before := l.best[(i-1)*t : i*t]
			high, who := math.Inf(-1), 0
			for _, a := range c.prev[b] {
				if v := before[a] + c.move[a*t+b]; v > high {
					high, who = v, a
				}
			}
			row[b] = high + score[b]
			l.from[i*t+b] = int16(who)
		}
	}
	at, high := 0, math.Inf(-1)
	for b := range t {
		if v := l.best[(n-1)*t+b] + c.last[b]; v > high {
			at, high = b, v
		}
	}
	out = append(out[:0], make([]int, n)...)
	for i := n - 1; i >= 0; i-- {
		out[i] = at
		at = int(l.from[i*t+at])
	}
	return out
}

// probability returns how likely the tags from word i to word j are together,
// after sum.
func (c *chain) probability(l *lattice, tags []int, i, j, n int) float64 {
	t := c.tags
	p := l.forward[i*t+tags[i]]
	for k := i + 1; k < j; k++ {
		p *= c.ratio[tags[k-1]*t+tags[k]] * l.score[k*t+tags[k]] / l.scale[k]
		if k == n-1 {
			p *= math.Exp(c.last[tags[k]])
		}
	}
	return min(1, p*l.back[(j-1)*t+tags[j-1]])
}

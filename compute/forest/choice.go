package forest

import "slices"

// choice is a split of a node. A score of 0 is none.
type choice struct {
	score        float64
	feature      int32
	below, above int32 // the levels on both sides of it
	left         tally
}

// best returns the best split of a node by features drawn at random, as many as the
// options say, and more if all of these are the same in all rows.
func (g *grower) best(s span) choice {
	var b choice
	many, found := g.o.Features, false
	if g.byRows(s) {
		many = min(many, len(g.features))
		for k := range many {
			g.slot[g.draw(k)] = int32(k)
		}
		g.gather(s, many)
		for k := range many {
			found = g.try(&b, s, g.features[k], g.lists[k]) || found
			g.slot[g.features[k]] = -1
		}
		for k := many; k < len(g.features) && !found; k++ {
			f := g.draw(k)
			found = g.try(&b, s, f, g.searched(s, f))
		}
		return b
	}
	for k := 0; k < len(g.features) && (k < many || !found); k++ {
		f := g.draw(k)
		found = g.try(&b, s, f, g.scanned(s, f)) || found
	}
	return b
}

// draw puts a feature of those not drawn yet at place k and returns it.
func (g *grower) draw(k int) int32 {
	other := k + g.rng.IntN(len(g.features)-k)
	g.features[k], g.features[other] = g.features[other], g.features[k]
	return g.features[k]
}

// byRows tells whether it is quicker to look at the rows of a node than at the
// columns drawn, which are as long as all rows make them.
func (g *grower) byRows(s span) bool {
	most, cells := g.o.Features*g.filled/max(1, len(g.features)), 0
	for _, row := range g.samples[s.lo:s.hi] {
		if cells += len(g.m.cells[row]); cells > most {
			return false
		}
	}
	return true
}

// A key is a level and a row, to be sorted by the level.
func key(rank, row int32) uint64 { return uint64(rank)<<32 | uint64(row) }

// gather makes the keys of the features that have a slot.
func (g *grower) gather(s span, many int) {
	for k := range many {
		g.lists[k] = g.lists[k][:0]
	}
	for _, row := range g.samples[s.lo:s.hi] {
		for _, c := range g.m.cells[row] {
			if k := g.slot[c.at]; k >= 0 {
				g.lists[k] = append(g.lists[k], key(c.rank, row))
			}
		}
	}
}

// searched makes the keys of a feature by looking it up in each row.
func (g *grower) searched(s span, f int32) []uint64 {
	keys, zero := g.lists[0][:0], g.m.columns[f].zero
	for _, row := range g.samples[s.lo:s.hi] {
		if rank := g.m.rank(row, f); rank != zero {
			keys = append(keys, key(rank, row))
		}
	}
	g.lists[0] = keys
	return keys
}

// scanned makes the keys of a feature from its column.
func (g *grower) scanned(s span, f int32) []uint64 {
	keys := g.lists[0][:0]
	for _, c := range g.columns[f] {
		if at := int(g.place[c.at]); at >= s.lo && at < s.hi {
			keys = append(keys, key(c.rank, c.at))
		}
	}
	g.lists[0] = keys
	return keys
}

// try enters the best split by a feature, of which the keys of all rows that are not
// 0 are given, into b if it is better. It reports whether the rows differ in it.
func (g *grower) try(b *choice, s span, f int32, keys []uint64) bool {
	if len(keys) == 0 {
		return false
	}
	col := &g.m.columns[f]
	if len(col.levels) <= 2*len(keys) { // counting takes fewer steps than sorting
		return g.tryCounted(b, s, f, keys)
	}
	slices.Sort(keys)
	w := walk{b: b, all: s.of, feature: f, least: int32(g.o.MinLeaf)}
	zeros := s.of
	for _, k := range keys {
		zeros = zeros.less(g.count(int32(uint32(k))))
	}
	for lo := 0; lo < len(keys); {
		rank, t := int32(keys[lo]>>32), tally{}
		for ; lo < len(keys) && int32(keys[lo]>>32) == rank; lo++ {
			t.add(g.count(int32(uint32(keys[lo]))))
		}
		if rank > col.zero && zeros.rows > 0 {
			w.step(col.zero, zeros)
			zeros = tally{}
		}
		w.step(rank, t)
	}
	if zeros.rows > 0 {
		w.step(col.zero, zeros)
	}
	return w.steps > 1
}

// tryCounted is try, by a count for each level.
func (g *grower) tryCounted(b *choice, s span, f int32, keys []uint64) bool {
	col := &g.m.columns[f]
	if len(g.tallies) < len(col.levels) {
		g.tallies = make([]tally, len(col.levels))
	}
	counts, zeros := g.tallies[:len(col.levels)], s.of
	for _, k := range keys {
		t := g.count(int32(uint32(k)))
		counts[k>>32].add(t)
		zeros = zeros.less(t)
	}
	counts[col.zero] = zeros
	w := walk{b: b, all: s.of, feature: f, least: int32(g.o.MinLeaf)}
	for rank, t := range counts {
		if t.rows > 0 {
			w.step(int32(rank), t)
		}
		counts[rank] = tally{}
	}
	return w.steps > 1
}

// walk passes the levels of a feature in order and tries each split between two.
type walk struct {
	b       *choice
	all     tally
	feature int32
	least   int32 // rows of a side
	left    tally
	last    int32
	steps   int
}

// step takes the rows of the next level.
func (w *walk) step(rank int32, t tally) {
	if right := w.all.less(w.left); w.steps > 0 && w.left.rows >= w.least && right.rows >= w.least {
		if score := w.left.purity() + right.purity(); score > w.b.score {
			*w.b = choice{score, w.feature, w.last, rank, w.left}
		}
	}
	w.left.add(t)
	w.last = rank
	w.steps++
}

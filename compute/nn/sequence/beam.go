package sequence

import (
	"cmp"
	"math"
	"slices"

	"sotto/compute/nn"
)

// Greedy writes a sequence for each source: it begins with the word first, takes the
// likeliest word each time, and ends before the word last or after limit words. The
// words first and last are not among what it returns.
func (d *Decoder) Greedy(p *nn.Pool, from Sources, first, last, limit int) [][]int {
	written := make([][]int, len(from.Rows))
	for k, all := range d.Beam(p, from, first, last, limit, 1) {
		if len(all) > 0 {
			written[k] = all[0]
		}
	}
	return written
}

// Beam writes up to width sequences for each source, the likeliest first. At each step it
// goes on with the width likeliest beginnings, but for those that are some hundred times less
// likely than the best, and it ends where none of them can become likelier than what is
// complete. The words are as with [Decoder.Greedy], which is the beam
// of width 1.
func (d *Decoder) Beam(p *nn.Pool, from Sources, first, last, limit, width int) [][][]int {
	n := len(from.Rows)
	beams, written := make([]beam, n), make([][][]int, n)
	if n == 0 || limit < 1 || width < 1 {
		return written
	}
	for k := range beams {
		beams[k].live = []draft{{word: first}}
	}
	room := make([]int, n*width)
	for k := range room {
		room[k] = 2 // a step and the one before
	}
	d.begin(p, from, NewSteps(room))
	var e nn.Matrix
	for t := range limit {
		var owners, ids []int
		d.parents = nil
		for k := range beams {
			beams[k].at = len(ids)
			for _, h := range beams[k].live {
				owners, ids = append(owners, k), append(ids, h.word)
				if t > 0 {
					d.parents = append(d.parents, h.row)
				}
			}
		}
		if len(ids) == 0 {
			break
		}
		lo, _ := d.steps.at(t % 2)
		hi := lo + len(ids)
		d.sources.Rows = nn.Pick(from.Rows, owners)
		e = e.Reshape(len(ids), d.shape.Embedding)
		d.words.Forward(p, ids, e, 0)
		d.embed(p, e, lo)
		d.step(p, t, lo, hi)
		scores := d.out.Forward(p, nn.Infer, d.m2.out.Slice(lo, hi))
		p.Each(n, func(_, k int) { beams[k].extend(scores, lo, last, width) })
	}
	for k := range beams {
		written[k] = beams[k].written(width)
	}
	return written
}

// margin is how far, in the logarithm of its chance, a draft may be behind the best: one that
// is e⁶ = 400 times less likely would hardly ever be chosen, and costs as much as any.
const margin = 6

// draft is a sequence that is being written.
type draft struct {
	before []int // the words that are complete
	word   int   // the one behind them
	chance float64
	row    int // of the states that made the word
}

// beam is the drafts about a source.
type beam struct {
	live, done []draft
	at         int // where the scores of live lie
}

// extend goes a step on, by the scores of words behind each live draft, whose states lie from
// row lo on.
func (b *beam) extend(scores nn.Matrix, lo, last, width int) {
	var next []draft
	for j, h := range b.live {
		row := scores.Row(b.at + j)
		sum := 0.0
		if width > 1 { // one draft has nobody to be compared with
			sum = logSum(row)
		}
		for _, w := range largest(row, width) {
			next = append(next, draft{h.before, w, h.chance + (float64(row[w]) - sum), lo + b.at + j})
		}
	}
	b.live = b.live[:0]
	for _, h := range likeliest(next, width) {
		if h.word == last {
			b.done = append(b.done, h)
			continue
		}
		h.before = append(slices.Clip(h.before), h.word)
		b.live = append(b.live, h)
	}
	b.done = likeliest(b.done, width)
	least := math.Inf(-1) // a draft only loses with each word
	for _, some := range [][]draft{b.done, b.live} {
		if len(some) > 0 {
			least = max(least, some[0].chance-margin)
		}
	}
	if len(b.done) == width {
		least = max(least, b.done[width-1].chance)
	}
	b.live = slices.DeleteFunc(b.live, func(h draft) bool { return h.chance <= least })
}

// written returns the words of all drafts, ended or cut off.
func (b *beam) written(width int) [][]int {
	var all [][]int
	for _, h := range likeliest(append(b.done, b.live...), width) {
		all = append(all, h.before)
	}
	return all
}

// likeliest sorts drafts, those first that are as likely and came first, and keeps some.
func likeliest(all []draft, most int) []draft {
	slices.SortStableFunc(all, func(x, y draft) int { return cmp.Compare(y.chance, x.chance) })
	return all[:min(most, len(all))]
}

// largest returns which numbers are the largest, those first; the first of equal ones.
func largest(x []float32, most int) []int {
	var best []int
	for i, v := range x {
		at := len(best)
		for at > 0 && v > x[best[at-1]] {
			at--
		}
		if at >= most {
			continue
		}
		if len(best) == most {
			best = best[:most-1]
		}
		best = slices.Insert(best, at, i)
	}
	return best
}

// logSum returns the logarithm of the sum of the powers of e.
func logSum(x []float32) float64 {
	top := float64(slices.Max(x))
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

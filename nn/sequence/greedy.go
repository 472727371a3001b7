package sequence

import (
	"sotto/nn"
)

// Greedy writes a sequence for each source: it begins with the word first, takes the
// likeliest word each time, and ends before the word last or after limit words. The
// words first and last are not among what it returns.
func (d *Decoder) Greedy(p *nn.Pool, from Sources, first, last, limit int) [][]int {
	n := len(from.Rows)
	lengths := make([]int, n)
	for k := range lengths {
		lengths[k] = limit
	}
	written := make([][]int, n)
	if n == 0 || limit < 1 {
		return written
	}
	d.begin(p, from, NewSteps(lengths))
	e, ids, done := nn.NewMatrix(n, d.shape.Embedding), make([]int, n), make([]bool, n)
	for k := range ids {
		ids[k] = first
	}
	for t, open := 0, n; t < limit && open > 0; t++ {
		lo, hi := d.steps.at(t)
		d.words.Forward(p, ids, e, 0)
		d.embed(p, e, lo)
		d.step(p, t)
		scores := d.out.Forward(p, nn.Infer, d.m2.out.Slice(lo, hi))
		for k := range ids {
			if ids[k] = nn.Argmax(scores.Row(k)); done[k] {
				continue
			}
			if ids[k] == last {
				done[k] = true
				open--
				continue
			}
			written[k] = append(written[k], ids[k])
		}
	}
	return written
}

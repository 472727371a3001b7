package sequence

import "sotto/compute/nn"

// Shared returns what [Both.Forward] does, bit for bit, in less time where sequences have the
// same beginnings or ends, as those do that say different things of one sentence: a state is
// computed once for all sequences that are alike up to it. Rows has the row of x for each row
// of the layout: rows that are alike should be given once. It is for reading alone; no
// [Both.Backward] may follow.
func (b *Both) Shared(p *nn.Pool, x nn.Matrix, rows []int, steps Steps) nn.Matrix {
	hidden := b.ways[0].hidden
	b.back = steps.backwards(b.back)
	b.out = b.out.Reshape(len(rows), 2*hidden)
	b.each(p, func(way int, alone *nn.Pool) {
		read := rows
		if way == 1 {
			read = nn.Pick(rows, b.back)
		}
		l := b.ways[way]
		same := l.shared(alone, x, read, steps)
		for k := range rows {
			from := k
			if way == 1 {
				from = b.back[k]
			}
			copy(b.out.Row(k)[way*hidden:(way+1)*hidden], l.m.out.Row(same[from]))
		}
	})
	return b.out
}

// shared computes the states of sequences, each beginning once, and returns where in the
// memory those of each row lie.
func (l *LSTM) shared(p *nn.Pool, x nn.Matrix, rows []int, steps Steps) []int {
	l.steps = steps
	l.m.reshape(p, len(rows), l.hidden)
	l.previous = l.previous.Reshape(len(rows), l.hidden)
	input, again := l.input.Forward(p, nn.Infer, x), p.Pack(l.again.Value)
	type beginning struct{ before, row int } // where the state before lies, and what is read now
	same, seen, parents := make([]int, len(rows)), map[beginning]int{}, make([]int, 0, len(rows))
	for t := range steps.Count() {
		lo, hi := steps.at(t)
		gone, first := l.before(t), len(parents)
		clear(seen)
		for k := range hi - lo {
			b := beginning{-1, rows[lo+k]}
			if t > 0 {
				b.before = same[gone+k]
			}
			at, ok := seen[b]
			if !ok {
				at = len(parents)
				seen[b], parents = at, append(parents, b.before)
				copy(l.m.gates.Row(at), input.Row(b.row))
				if t > 0 {
					copy(l.previous.Row(at), l.m.out.Row(b.before))
				}
			}
			same[lo+k] = at
		}
		end := len(parents)
		if t > 0 {
			p.AddMulPacked(l.m.gates.Slice(first, end), l.previous.Slice(first, end), again)
		}
		for at := first; at < end; at++ {
			l.m.forward(at, l.cell(t, parents[at]))
		}
	}
	return same
}

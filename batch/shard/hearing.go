package shard

import (
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// hearing is the answers to the releases of one chunk, and to what would be released
// without noise. Nil counts nothing.
type hearing struct {
	judge *judge
	head  *model.Head
	pool  *nn.Pool
	quiet *quiet // nil if there is no release without noise
	want  [][]int
	n     int // rows that wait

	after, before answering
	missing       []int64 // of each label
	other         []int64
	err           error // the first
}

// answering is rows that wait for answers, and how the answers of others were counted.
type answering struct {
	rows   nn.Matrix
	counts []*measure.Confusion
}

// hearRows is how many releases are answered at a time.
const hearRows = 256

// hear begins the answers to a chunk, if they are wanted.
func (w *Worker) hear() *hearing {
	if w.judge == nil {
		return nil
	}
	in, out := w.mech.Shape()
	h := &hearing{judge: w.judge, head: w.judge.head.Clone(), pool: nn.NewPool(1), quiet: newQuiet(w.mech)}
	h.after.rows, h.before.rows = nn.NewMatrix(hearRows, out), nn.NewMatrix(hearRows, in)
	for _, l := range w.judge.labels {
		h.want = append(h.want, nil)
		h.after.counts, h.before.counts = append(h.after.counts, measure.NewConfusion(l.k)), append(h.before.counts, measure.NewConfusion(l.k))
	}
	h.missing, h.other = make([]int64, len(h.want)), make([]int64, len(h.want))
	return h
}

// add takes one vector and its release, whose row has these classes.
func (h *hearing) add(raw []float32, y []float64, classes []int) {
	copy(h.before.rows.Row(h.n), raw)
	for i, v := range y {
		h.after.rows.Row(h.n)[i] = float32(v)
	}
	for l, c := range classes {
		switch c {
		case missingLabel:
			h.missing[l]++
		case otherLabel:
			h.other[l]++
		}
		h.want[l] = append(h.want[l], c)
	}
	if h.n++; h.n == hearRows {
		h.flush()
	}
}

// flush answers what waits.
func (h *hearing) flush() {
	h.answer(&h.after, h.after.rows.Slice(0, h.n))
	if h.quiet != nil && h.err == nil {
		var y nn.Matrix
		if y, h.err = h.quiet.release(h.pool, h.before.rows.Slice(0, h.n)); h.err == nil {
			h.answer(&h.before, y)
		}
	}
	for l := range h.want {
		h.want[l] = h.want[l][:0]
	}
	h.n = 0
}

// answer lets the model answer rows, and counts.
func (h *hearing) answer(a *answering, rows nn.Matrix) {
	scores := h.head.Logits(h.pool, rows)
	for l, one := range h.judge.labels {
		got := make([]int, rows.Rows)
		for i := range got {
			got[i] = nn.Argmax(scores.Row(i)[one.first : one.first+one.k])
		}
		a.counts[l].Add(h.want[l], got)
	}
}

// into notes what was counted.
func (h *hearing) into(l *Learnt) error {
	if h == nil {
		return nil
	}
	h.flush()
	for i, c := range h.after.counts {
		a := Answered{Counts: c.Counts(), Missing: h.missing[i], Other: h.other[i]}
		if h.quiet != nil {
			a.Before = h.before.counts[i].Counts()
		}
		l.Answers = append(l.Answers, a)
	}
	return h.err
}

// quiet makes of vectors what a mechanism would release without noise: the cell that a
// text lies in, or the vector as it is made to fit. It is for whoever may see the texts.
type quiet struct {
	cells *mech.Cells // nil for a mechanism that adds noise
	layer nn.Layer
	out   nn.Matrix
}

// newQuiet returns nil for a mechanism of which no such release is known.
func newQuiet(m mech.Mechanism) *quiet {
	if c, ok := m.(*mech.Cells); ok {
		_, out := c.Shape()
		return &quiet{cells: c, out: nn.NewMatrix(hearRows, out)}
	}
	layer, err := model.Normaliser(m.Params())
	if in, out := m.Shape(); err != nil || in != out || mech.VariantOf(m.Params()).Normalisation == mech.NormaliseRange {
		return nil // numbers become fewer, or marks
	}
	return &quiet{layer: layer}
}

// release returns what would be released of rows, valid until the next call.
func (q *quiet) release(p *nn.Pool, x nn.Matrix) (nn.Matrix, error) {
	if q.cells == nil {
		return q.layer.Forward(p, nn.Infer, x), nil
	}
	row, y := make([]float64, x.Cols), make([]float64, q.out.Cols)
	for i := range x.Rows {
		for k, v := range x.Row(i) {
			row[k] = float64(v)
		}
		c, err := q.cells.Cell(row)
		if err != nil {
			return nn.Matrix{}, err
		}
		q.cells.Vector(y, c)
		for k, v := range y {
			q.out.Row(i)[k] = float32(v)
		}
	}
	return q.out.Slice(0, x.Rows), nil
}

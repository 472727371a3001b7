package sequence

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// Shape is the sizes of a [Decoder].
type Shape struct {
	Words     int `json:"words"`     // that it can write
	Embedding int `json:"embedding"` // numbers of the vector of a word
	Memory    int `json:"memory"`    // numbers of a row that it attends to
	Hidden    int `json:"hidden"`    // numbers of the state of a layer
}

// Sources is what a decoder writes about: the rows of X that belong to each sequence, and
// the state and cell with which each of the two layers begins, a row a sequence.
type Sources struct {
	X     nn.Matrix
	Rows  [][]int
	Start [2]nn.Matrix
}

// Pick returns some of the sources, in the order given.
func (s Sources) Pick(which []int) Sources {
	few := Sources{X: s.X, Rows: nn.Pick(s.Rows, which)}
	for layer, start := range s.Start {
		few.Start[layer] = nn.NewMatrix(len(which), start.Cols)
		for i, k := range which {
			copy(few.Start[layer].Row(i), start.Row(k))
		}
	}
	return few
}

// Decoder writes sequences of words by two layers of LSTM with attention (Luong, Pham and
// Manning, EMNLP 2015). With e the vector of the word before, h₁ and h₂ the states before
// and m a row of its memory, the scores of rows are mᵀ·W·[h₁; h₂; e], their softmax gives
// the mean of rows that enters the first layer beside e, and the state of the second
// layer gives the next word.
type Decoder struct {
	shape    Shape
	words    *Table
	embedded *nn.Dense   // from a word's vector to the gates of the first layer and to the query
	query    nn.Param    // from both states to the query
	first    nn.Param    // from the mean of rows and the first state to the first gates
	second   nn.Param    // from both states to the second gates
	bias     nn.Param    // of the second gates
	out      *nn.Dense   // to the scores of words
	drop     *nn.Dropout // of word vectors
	dropOut  *nn.Dropout // of the states that become words

	sources            Sources
	steps              Steps
	parents            []int // by sequence, the row of the step before; nil where steps says it
	e, q, dq           nn.Matrix
	asked, in1, in2    nn.Matrix // what the query and the gates are made of
	m1, m2             memory
	attention          [][]float32 // by row, over the rows of its sequence
	dIn1, dIn2, dAsked nn.Matrix
	dh, dc             [2]nn.Matrix
	dX, dEmbedded      nn.Matrix
	packed             [3]*nn.Packed // query, first, second
	scratch            [][]float32
}

// NewDecoder returns a decoder. In training a share drop of the numbers of word vectors
// and of states is dropped, as the seed has it.
func NewDecoder(s Shape, drop float64, seed uint64, rng *weakrand.Rand) (*Decoder, error) {
	d := &Decoder{shape: s}
	var err error
	if d.drop, err = nn.NewDropout(drop, seed); err != nil {
		return nil, err
	}
	if d.dropOut, err = nn.NewDropout(drop, seed+1); err != nil {
		return nil, err
	}
	d.words = RandomTable(s.Words, s.Embedding, rng)
	d.embedded = nn.NewDense(s.Embedding, 4*s.Hidden+s.Memory, rng)
	open(d.embedded, s.Hidden)
	d.query = weight("query", 2*s.Hidden, s.Memory, rng)
	d.first = weight("first", s.Memory+s.Hidden, 4*s.Hidden, rng)
	d.second = weight("second", 2*s.Hidden, 4*s.Hidden, rng)
	d.bias = nn.Param{Name: "bias", Value: nn.NewMatrix(1, 4*s.Hidden), Grad: nn.NewMatrix(1, 4*s.Hidden)}
	for k := s.Hidden; k < 2*s.Hidden; k++ {
		d.bias.Value.Data[k] = 1
	}
	d.out = nn.NewDense(s.Hidden, s.Words, rng)
	return d, nil
}

// Params lists what is learnt.
func (d *Decoder) Params() []nn.Param {
	all := []nn.Param{d.words.Param("words"), d.query, d.first, d.second, d.bias}
	return append(append(all, named("embedded", d.embedded.Params())...), named("out", d.out.Params())...)
}

// Passes are the numbers of passes of what is dropped, to be restored with a training.
func (d *Decoder) Passes() []*uint64 { return []*uint64{&d.drop.Pass, &d.dropOut.Pass} }

// Forward returns the scores of words behind each word of the sequences, which lie as
// steps has it; ids are the words, a row each.
func (d *Decoder) Forward(p *nn.Pool, mode nn.Mode, from Sources, steps Steps, ids []int) nn.Matrix {
	d.begin(p, from, steps)
	d.e = d.e.Reshape(len(ids), d.shape.Embedding)
	d.words.Forward(p, ids, d.e, 0)
	d.embed(p, d.drop.Forward(p, mode, d.e), 0)
	for t := range steps.Count() {
		lo, hi := steps.at(t)
		d.step(p, t, lo, hi)
	}
	return d.out.Forward(p, mode, d.dropOut.Forward(p, mode, d.m2.out))
}

// begin makes room for a pass.
func (d *Decoder) begin(p *nn.Pool, from Sources, steps Steps) {
	rows, s := steps.Rows(), d.shape
	d.sources, d.steps, d.parents = from, steps, nil
	d.m1.reshape(p, rows, s.Hidden)
	d.m2.reshape(p, rows, s.Hidden)
	d.q, d.asked = d.q.Reshape(rows, s.Memory), d.asked.Reshape(rows, 2*s.Hidden)
	d.in1, d.in2 = d.in1.Reshape(rows, s.Memory+s.Hidden), d.in2.Reshape(rows, 2*s.Hidden)
	d.attention = resize(d.attention, rows)
	d.packed = [3]*nn.Packed{p.Pack(d.query.Value), p.Pack(d.first.Value), p.Pack(d.second.Value)}
}

// embed lays out what words contribute to gates and queries, from a row on.
func (d *Decoder) embed(p *nn.Pool, e nn.Matrix, row int) {
	y := d.embedded.Forward(p, nn.Train, e)
	blocks(p, e.Rows, func(k int) {
		copy(d.m1.gates.Row(row+k), y.Row(k)[:4*d.shape.Hidden])
		copy(d.q.Row(row+k), y.Row(k)[4*d.shape.Hidden:])
	})
}

// previous returns the state of a layer of sequence k before step t, and its cell.
func (d *Decoder) previous(layer, t, k int) (state, cell []float32) {
	if t == 0 {
		start := d.sources.Start[layer].Row(k)
		return start, start
	}
	m := &d.m1
	if layer == 1 {
		m = &d.m2
	}
	row := d.steps.Row(k, (t-1)%d.steps.Count())
	if d.parents != nil {
		row = d.parents[k]
	}
	return m.out.Row(row), m.cells.Row(row)
}

// step computes the states of a step, which lie from row lo to before hi.
func (d *Decoder) step(p *nn.Pool, t, lo, hi int) {
	h, w := d.shape.Hidden, d.shape.Memory
	blocks(p, hi-lo, func(k int) {
		h1, _ := d.previous(0, t, k)
		h2, _ := d.previous(1, t, k)
		copy(d.asked.Row(lo + k)[:h], h1)
		copy(d.asked.Row(lo + k)[h:], h2)
		copy(d.in1.Row(lo + k)[w:], h1)
		copy(d.in2.Row(lo + k)[h:], h2)
		copy(d.m2.gates.Row(lo+k), d.bias.Value.Data)
	})
	p.AddMulPacked(d.q.Slice(lo, hi), d.asked.Slice(lo, hi), d.packed[0])
	blocks(p, hi-lo, func(k int) { d.attend(k, lo+k) })
	p.AddMulPacked(d.m1.gates.Slice(lo, hi), d.in1.Slice(lo, hi), d.packed[1])
	blocks(p, hi-lo, func(k int) {
		_, cell := d.previous(0, t, k)
		d.m1.forward(lo+k, cell)
		copy(d.in2.Row(lo + k)[:h], d.m1.out.Row(lo+k))
	})
	p.AddMulPacked(d.m2.gates.Slice(lo, hi), d.in2.Slice(lo, hi), d.packed[2])
	blocks(p, hi-lo, func(k int) {
		_, cell := d.previous(1, t, k)
		d.m2.forward(lo+k, cell)
	})
}

// attend weighs the rows of a sequence by the query and takes their mean.
func (d *Decoder) attend(sequence, row int) {
	rows, q := d.sources.Rows[sequence], d.q.Row(row)
	d.attention[row] = resize(d.attention[row], len(rows))
	weights, mean := d.attention[row], d.in1.Row(row)[:d.shape.Memory]
	for j, r := range rows {
		weights[j] = vector.Dot(d.sources.X.Row(r), q)
	}
	nn.Softmax(weights, weights)
	clear(mean)
	for j, r := range rows {
		add(mean, weights[j], d.sources.X.Row(r))
	}
}

package marks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
	"sotto/internal/safetensors"
	"sotto/study/relation"
)

// network is what stands behind the transformer: a layer on the vectors of the two marks,
// one behind the other, that tells the relation, and a writer of rules that attends to all
// tokens and begins with what another layer makes of the same two.
type network struct {
	dropout *nn.Dropout
	layer   *nn.Dense
	begin   *nn.Dense // of the writer's two layers
	bent    nn.Tanh
	writer  *relation.Writer // nil without one

	sparse    int // which of the writer's parameters is kept by row; −1 for none
	sparseAll nn.Matrix
}

// newNetwork returns one for vectors of the given width.
func newNetwork(width int, k knowledge, rate float64, seed uint64) (*network, error) {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x6d61726b73))
	dropout, err := nn.NewDropout(rate, rng.Uint64())
	if err != nil {
		return nil, err
	}
	n := &network{dropout: dropout, layer: nn.NewDense(2*width, len(k.Relations), rng), sparse: -1}
	if len(k.Pieces) == 0 {
		return n, nil
	}
	a, err := relation.NewAlphabet(k.Pieces)
	if err != nil {
		return nil, err
	}
	n.begin = nn.NewDense(2*width, 2*relation.WriterHidden, rng)
	n.writer, err = relation.NewWriter(a, relation.WriterShape{Memory: width, Hidden: relation.WriterHidden, Drop: relation.WriterDrop}, rng.Uint64(), rng)
	return n, err
}

// params lists what is learnt. All gradients are whole matrices.
func (n *network) params() []nn.Param {
	var all []nn.Param
	add := func(prefix string, params []nn.Param) {
		for _, q := range params {
			q.Name = prefix + q.Name
			all = append(all, q)
		}
	}
	add("classifier.", n.layer.Params())
	if n.writer != nil {
		add("begin.", n.begin.Params())
		add("writer.", n.writer.Params())
	}
	for k, q := range all {
		if q.Touched != nil {
			if n.sparse < 0 {
				n.sparse, n.sparseAll = k, nn.NewMatrix(q.Value.Rows, q.Value.Cols)
			}
			all[k].Touched, all[k].Grad = nil, n.sparseAll
		}
	}
	return all
}

// spread makes a whole gradient of one that is kept by row.
func (n *network) spread() {
	if n.sparse < 0 {
		return
	}
	clear(n.sparseAll.Data)
	for _, q := range n.writer.Params() {
		if q.Touched != nil {
			for k, row := range q.Touched.Rows {
				copy(n.sparseAll.Row(row), q.Touched.Grad.Row(k))
			}
		}
	}
}

// passes are the counters of what draws.
func (n *network) passes() []*uint64 {
	all := []*uint64{&n.dropout.Pass}
	if n.writer != nil {
		all = append(all, n.writer.Passes()...)
	}
	return all
}

// sources returns what the writer writes about: the rows of each sentence, and where its
// layers begin, by pairs of marks.
func (n *network) sources(p *nn.Pool, mode nn.Mode, x nn.Matrix, rows [][]int, pairs nn.Matrix) sequence.Sources {
	both := n.bent.Forward(p, mode, n.begin.Forward(p, mode, pairs))
	s := sequence.Sources{X: x, Rows: rows}
	for k := range s.Start {
		s.Start[k] = nn.NewMatrix(both.Rows, relation.WriterHidden)
		for i := range both.Rows {
			copy(s.Start[k].Row(i), both.Row(i)[k*relation.WriterHidden:(k+1)*relation.WriterHidden])
		}
	}
	return s
}

// head trains a network. It implements [tune.Head] and [tune.Filed].
type head struct {
	*network
	about   knowledge
	labels  []int    // of each sentence
	targets [][]int  // of each sentence the pieces of its rule; nil for none
	marks   [][2]int // of each sentence, which of its rows are those of the marks
	rows    []int    // how many rows each sentence has

	pair, grad nn.Matrix
}

// Params implements [tune.Head].
func (h *head) Params() []nn.Param { return h.params() }

// gather makes a row of the two marks of each sentence.
func (h *head) gather(sentences []int, x nn.Matrix) nn.Matrix {
	h.pair = h.pair.Reshape(len(sentences), 2*x.Cols)
	at := 0
	for i, s := range sentences {
		for k, mark := range h.marks[s] {
			copy(h.pair.Row(i)[k*x.Cols:], x.Row(at+mark))
		}
		at += h.rows[s]
	}
	return h.pair
}

// scatter adds the gradient of the pairs to the rows that they came from.
func (h *head) scatter(sentences []int, grad nn.Matrix) {
	at := 0
	for i, s := range sentences {
		for k, mark := range h.marks[s] {
			to := h.grad.Row(at + mark)
			for j, v := range grad.Row(i)[k*len(to) : (k+1)*len(to)] {
				to[j] += v
			}
		}
		at += h.rows[s]
	}
}

// errNumbers says that a loss is no number.
var errNumbers = errors.New("marks: the loss is not finite")

// Learn implements [tune.Head]. The loss is the mean over sentences of the cross-entropy of
// the relation and, where there is a rule, of the mean of those of its pieces.
func (h *head) Learn(p *nn.Pool, sentences []int, x nn.Matrix) (float64, nn.Matrix, error) {
	h.grad = h.grad.Reshape(x.Rows, x.Cols)
	clear(h.grad.Data)
	pairs := h.dropout.Forward(p, nn.Train, h.gather(sentences, x))
	scores := h.layer.Forward(p, nn.Train, pairs)
	slope, share, loss := nn.NewMatrix(scores.Rows, scores.Cols), 1/float64(len(sentences)), 0.0
	for i, s := range sentences {
		loss += relation.WriteSlope(slope.Row(i), scores.Row(i), h.labels[s], share)
	}
	back := h.layer.Backward(p, slope).Clone()
	if h.writer != nil {
		loss += h.learnRules(p, sentences, x, pairs, back)
	}
	if !(math.Abs(loss) <= math.MaxFloat64) {
		return 0, nn.Matrix{}, errNumbers
	}
	h.scatter(sentences, h.dropout.Backward(p, back))
	return loss, h.grad, nil
}

// learnRules adds what the writer wants of all rows and of the pairs, whose gradient is back.
func (h *head) learnRules(p *nn.Pool, sentences []int, x, pairs, back nn.Matrix) float64 {
	targets := nn.Pick(h.targets, sentences)
	which := relation.WriteOrder(targets)
	all := h.places(sentences)
	some := nn.NewMatrix(len(which), pairs.Cols)
	for k, i := range which {
		copy(some.Row(k), pairs.Row(i))
	}
	var from sequence.Sources
	if len(which) > 0 {
		from = h.sources(p, nn.Train, x, nn.Pick(all, which), some)
	}
	loss, dX, dStart := h.writer.Learn(p, from, nn.Pick(targets, which), len(sentences))
	h.spread()
	if len(which) == 0 {
		for _, q := range h.begin.Params() {
			clear(q.Grad.Data)
		}
		return loss
	}
	for i, v := range dX.Data {
		h.grad.Data[i] += v
	}
	both := nn.NewMatrix(len(which), 2*relation.WriterHidden)
	for layer, d := range dStart {
		for k := range which {
			copy(both.Row(k)[layer*relation.WriterHidden:], d.Row(k))
		}
	}
	d := h.begin.Backward(p, h.bent.Backward(p, both))
	for k, i := range which {
		to := back.Row(i)
		for j, v := range d.Row(k) {
			to[j] += v
		}
	}
	return loss
}

// places returns which rows are those of each sentence.
func (h *head) places(sentences []int) [][]int {
	all, at := make([][]int, len(sentences)), 0
	for i, s := range sentences {
		for range h.rows[s] {
			all[i] = append(all[i], at)
			at++
		}
	}
	return all
}

// Scores implements [tune.Head].
func (h *head) Scores(p *nn.Pool, sentences []int, x nn.Matrix) (nn.Matrix, error) {
	return h.layer.Forward(p, nn.Infer, h.gather(sentences, x)), nil
}

// Advance implements [tune.Head].
func (*head) Advance(float64) error { return nil }

// Passes implements [tune.Head].
func (h *head) Passes() []*uint64 { return h.passes() }

// About implements [tune.Head].
func (h *head) About() string {
	about, err := json.Marshal(h.about)
	if err != nil {
		return "" // strings can be written
	}
	return "sotto/relation/marks " + digest(about)
}

// File implements [tune.Filed].
func (h *head) File() (name string, content []byte, err error) {
	about, err := json.Marshal(h.about)
	if err != nil {
		return "", nil, fmt.Errorf("marks: %w", err)
	}
	f := safetensors.File{Metadata: map[string]string{aboutKey: string(about)}}
	for _, q := range h.Params() {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: q.Name, Shape: []int{q.Value.Rows, q.Value.Cols}, Data: q.Value.Data})
	}
	var b bytes.Buffer
	err = safetensors.Encode(&b, &f)
	return headFile, b.Bytes(), err
}

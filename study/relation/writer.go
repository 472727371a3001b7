package relation

import (
	"cmp"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
)

// Sizes that are the paper's, and what is usual in training.
const (
	WriterHidden = 200 // numbers of a state
	WriterDrop   = 0.3 // share of numbers that are dropped

	pieceSize = 100
	width     = 8   // rules that are written about a sentence where the first does not hold
	most      = 100 // pieces that are written at most
)

// WriterShape is the sizes of a [Writer].
type WriterShape struct {
	Memory int     // numbers of a row that it attends to
	Hidden int     // numbers of the states with which its two layers begin
	Drop   float64 // share of numbers that are dropped in training
}

// Writer writes rules.
type Writer struct {
	alphabet Alphabet
	decoder  *sequence.Decoder
	dScores  nn.Matrix
}

// NewWriter returns a writer of an alphabet.
func NewWriter(a Alphabet, s WriterShape, seed uint64, rng *weakrand.Rand) (*Writer, error) {
	d, err := sequence.NewDecoder(sequence.Shape{Words: a.Size(), Embedding: pieceSize, Memory: s.Memory, Hidden: s.Hidden}, s.Drop, seed, rng)
	return &Writer{alphabet: a, decoder: d}, err
}

// Params lists what is learnt.
func (w *Writer) Params() []nn.Param { return w.decoder.Params() }

// Passes are the counters of what is dropped.
func (w *Writer) Passes() []*uint64 { return w.decoder.Passes() }

// Write writes a rule about each source, the likeliest piece each time, as the paper does.
func (w *Writer) Write(p *nn.Pool, from sequence.Sources) []string {
	var all []string
	for _, ids := range w.decoder.Greedy(p, from, begin, end, most) {
		all = append(all, w.alphabet.text(ids))
	}
	return all
}

// Best writes a rule about each source that holds: what [Writer.Write] writes, which is
// greedy, where that does, and otherwise the likeliest of a beam that does. Where none does,
// best is what is greedy. Holds is asked by several goroutines at once.
func (w *Writer) Best(p *nn.Pool, from sequence.Sources, holds func(source int, text string) bool) (best, greedy []string) {
	greedy = w.Write(p, from)
	fails := make([]bool, len(greedy))
	p.Each(len(greedy), func(_, k int) { fails[k] = !holds(k, greedy[k]) })
	which := slices.DeleteFunc(nn.Indices(len(greedy)), func(k int) bool { return !fails[k] })
	best = slices.Clone(greedy)
	beams := w.decoder.Beam(p, from.Pick(which), begin, end, most, width)
	p.Each(len(which), func(_, i int) {
		for _, ids := range beams[i] {
			if text := w.alphabet.text(ids); holds(which[i], text) {
				best[which[i]] = text
				return
			}
		}
	})
	return best, greedy
}

// WriteOrder returns which targets there are, the longest first, as [Writer.Learn] takes them.
func WriteOrder(targets [][]int) []int {
	var which []int
	for k, t := range targets {
		if t != nil {
			which = append(which, k)
		}
	}
	slices.SortStableFunc(which, func(x, y int) int { return cmp.Compare(len(targets[y]), len(targets[x])) })
	return which
}

// Learn sets the gradients of parameters, and returns the loss and its gradients with
// respect to the rows of the memory and to how the layers began: the sum, over sources, of the
// mean of the cross-entropies of the pieces of the target, divided by how many sentences a
// batch is of. Targets come the longest first. Without one, the gradients are zero and nothing
// is returned.
func (w *Writer) Learn(p *nn.Pool, from sequence.Sources, targets [][]int, of int) (loss float64, dX nn.Matrix, dStart [2]nn.Matrix) {
	if len(targets) == 0 {
		for _, q := range w.Params() {
			clear(q.Grad.Data)
			if q.Touched != nil {
				q.Touched.Rows, q.Touched.Grad = nil, nn.NewMatrix(0, q.Value.Cols)
			}
		}
		return 0, dX, dStart
	}
	lengths := make([]int, len(targets))
	for k, t := range targets {
		lengths[k] = len(t) + 1
	}
	steps := sequence.NewSteps(lengths)
	ids, next, weights := make([]int, steps.Rows()), make([]int, steps.Rows()), make([]float64, steps.Rows())
	for k, target := range targets {
		for t := range lengths[k] {
			row := steps.Row(k, t)
			weights[row] = 1 / float64(lengths[k]*of)
			if ids[row] = begin; t > 0 {
				ids[row] = target[t-1]
			}
			if next[row] = end; t < len(target) {
				next[row] = target[t]
			}
		}
	}
	scores := w.decoder.Forward(p, nn.Train, from, steps, ids)
	w.dScores = w.dScores.Reshape(scores.Rows, scores.Cols)
	losses := make([]float64, scores.Rows)
	p.Each(scores.Rows, func(_, k int) { losses[k] = WriteSlope(w.dScores.Row(k), scores.Row(k), next[k], weights[k]) })
	dX, dStart = w.decoder.Backward(p, w.dScores)
	for _, v := range losses {
		loss += v
	}
	return loss, dX, dStart
}

// WriteSlope sets the gradient of weight times the cross-entropy of scores, and returns that.
func WriteSlope(grad, scores []float32, label int, weight float64) float64 {
	nn.Softmax(grad, scores)
	loss := -float64(weight * math.Log(max(float64(grad[label]), math.SmallestNonzeroFloat32)))
	for j := range grad {
		target := float32(0)
		if j == label {
			target = 1
		}
		grad[j] = (grad[j] - target) * float32(weight)
	}
	return loss
}

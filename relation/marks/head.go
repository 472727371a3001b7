package marks

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/encode/bert/tune"
	"sotto/nn"
)

// head is what is trained behind the transformer: a layer on the vectors of the two marks,
// one behind the other. It implements [tune.Head].
type head struct {
	dropout *nn.Dropout
	layer   *nn.Dense
	loss    nn.SoftmaxCrossEntropy

	about  knowledge
	labels []int    // of each sentence
	marks  [][2]int // of each sentence, which of its rows are those of the marks
	rows   []int    // how many rows each sentence has

	pair, grad nn.Matrix
}

// newHead returns one for vectors of the given width and so many relations.
func newHead(width, classes int, rate float64, seed uint64) (*head, error) {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x6d61726b73))
	dropout, err := nn.NewDropout(rate, rng.Uint64())
	if err != nil {
		return nil, err
	}
	return &head{dropout: dropout, layer: nn.NewDense(2*width, classes, rng)}, nil
}

// add adds a sentence of a class, whose marks stand at two places of its tokens.
func (h *head) add(d *tune.Data, class int, marks [2]int) {
	h.labels, h.rows = append(h.labels, class), append(h.rows, 2)
	places, order := []int{marks[0], marks[1]}, [2]int{0, 1}
	if marks[0] > marks[1] {
		places, order = []int{marks[1], marks[0]}, [2]int{1, 0}
	}
	d.Places, h.marks = append(d.Places, places), append(h.marks, order)
}

// Params implements [tune.Head].
func (h *head) Params() []nn.Param { return h.layer.Params() }

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

// scatter gives the gradient of the pairs to the rows that they came from.
func (h *head) scatter(sentences []int, x, grad nn.Matrix) nn.Matrix {
	h.grad = h.grad.Reshape(x.Rows, x.Cols)
	clear(h.grad.Data)
	at := 0
	for i, s := range sentences {
		for k, mark := range h.marks[s] {
			copy(h.grad.Row(at+mark), grad.Row(i)[k*x.Cols:(k+1)*x.Cols])
		}
		at += h.rows[s]
	}
	return h.grad
}

// errNumbers says that a loss is no number.
var errNumbers = errors.New("marks: the loss is not finite")

// Learn implements [tune.Head].
func (h *head) Learn(p *nn.Pool, sentences []int, x nn.Matrix) (float64, nn.Matrix, error) {
	scores := h.layer.Forward(p, nn.Train, h.dropout.Forward(p, nn.Train, h.gather(sentences, x)))
	loss, grad := h.loss.Loss(p, scores, nn.Pick(h.labels, sentences))
	if !(math.Abs(loss) <= math.MaxFloat64) {
		return 0, nn.Matrix{}, errNumbers
	}
	return loss, h.scatter(sentences, x, h.dropout.Backward(p, h.layer.Backward(p, grad))), nil
}

// Scores implements [tune.Head].
func (h *head) Scores(p *nn.Pool, sentences []int, x nn.Matrix) (nn.Matrix, error) {
	return h.layer.Forward(p, nn.Infer, h.gather(sentences, x)), nil
}

// Advance implements [tune.Head].
func (*head) Advance(float64) error { return nil }

// Passes implements [tune.Head].
func (h *head) Passes() []*uint64 { return []*uint64{&h.dropout.Pass} }

// About implements [tune.Head].
func (h *head) About() string {
	return fmt.Sprintf("sotto/relation/marks: a layer on the vectors of both marks, %q", h.about)
}

package influence

import (
	"context"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/text/encode"
)

// Student predicts what parts of texts do to its teacher's representations. It is not
// safe for concurrent use.
type Student struct {
	Teacher  *Teacher
	Settings Settings
	Data     string // what it learnt from
	DataHash string
	Layout   *dataset.Layout // of the file that the data was, if it was one
	Result   Result          // how it did

	network    *network
	vocabulary Vocabulary
	table      map[string]nn.Matrix // of each part of speech the parts of its words
	half       map[string]nn.Matrix // of the table, what the first layer makes of it
	tagger     *tagger
	workers    int
}

// NewTeacher fits a linear layer to the vectors of an encoder, on the training texts.
func NewTeacher(ctx context.Context, e encode.Source, d *Data, workers int) (*Teacher, error) {
	return FitTeacher(ctx, e, Texts{Label: d.Label, Classes: d.Classes, Texts: nn.Pick(d.Texts, d.Train), Labels: nn.Pick(d.Labels, d.Train)}, workers)
}

// SetWorkers says on how many workers it computes; 2 unless this is called.
func (s *Student) SetWorkers(n int) { s.workers = n }

// contexts returns of places what the network makes of their contexts, and the scores
// of the representations without them.
func (s *Student) contexts(ctx context.Context, places []TeacherPlace) (c, without nn.Matrix, err error) {
	vectors, read, err := s.Teacher.Contexts(ctx, places, s.workers)
	if err != nil {
		return c, without, err
	}
	return s.understood(vectors, read)
}

// understood is contexts of what a reader gave.
func (s *Student) understood(vectors, read nn.Matrix) (c, without nn.Matrix, err error) {
	z, err := s.Teacher.Represented(vectors)
	if err != nil {
		return c, without, err
	}
	s.network.context.apply(read)
	return apply(nn.NewPool(s.workers), s.network.c, read), s.Teacher.Scores(z), nil
}

// parts returns what the network makes of parts by themselves.
func (s *Student) parts(ctx context.Context, parts []string) (nn.Matrix, error) {
	read, err := s.Teacher.Words(ctx, parts, s.workers)
	if err != nil {
		return read, err
	}
	s.network.part.apply(read)
	return apply(nn.NewPool(s.workers), s.network.t, read), nil
}

// tail is what is left of a network once contexts and parts are understood, with the
// teacher's layer behind it: scores are linear in tanh(W1·[c+t; c−t; c⊙t] + b1). The
// sum and the difference of c and t mean that W1 acts on c, on t and on their product
// by itself, so what it makes of one of them is computed once for all of the others.
type tail struct {
	width              int
	both, onC, onT     nn.Matrix // of the product, of c and of t
	shift              []float32
	out                nn.Matrix // to the scores, without the teacher's own bias
	constant           []float32 // that the second layer adds to the scores
	pool               *nn.Pool
	right, hidden, got nn.Matrix
}

// tail returns that of the student.
func (s *Student) tail() *tail {
	n, k := s.network, s.network.width
	t := &tail{width: k, pool: nn.NewPool(s.workers), shift: n.first.Params()[1].Value.Data}
	w := n.first.Params()[0].Value
	t.onC, t.onT, t.both = nn.NewMatrix(k, 3*k), nn.NewMatrix(k, 3*k), w.Slice(2*k, 3*k)
	for j := range t.onC.Data {
		sum, difference := w.Data[j], w.Data[3*k*k+j]
		t.onC.Data[j], t.onT.Data[j] = sum+difference, sum-difference
	}
	second, bias := n.second.Params()[0].Value, n.second.Params()[1].Value
	head, _ := s.Teacher.Head()
	t.out, t.constant = nn.NewMatrix(3*k, head.Cols), make([]float32, head.Cols)
	t.pool.Mul(t.out, second, head)
	t.pool.Mul(nn.Matrix{Rows: 1, Cols: len(t.constant), Data: t.constant}, bias, head)
	return t
}

// half returns what W1 makes of parts or contexts by themselves.
func (t *tail) half(of, x nn.Matrix) nn.Matrix {
	y := nn.NewMatrix(x.Rows, of.Cols)
	t.pool.Mul(y, x, of)
	return y
}

// scores returns what one vector adds to the scores in the company of each of others:
// one part in many contexts, or many parts in one context. halves are what half makes
// of the others, and own what it makes of the one.
func (t *tail) scores(one, own []float32, others, halves nn.Matrix) nn.Matrix {
	k := t.width
	// The product with one vector is another matrix: diag(one)·W.
	t.right = t.right.Reshape(k, 3*k)
	for i, v := range one {
		from, to := t.both.Row(i), t.right.Row(i)
		for j, w := range from {
			to[j] = float32(v * w)
		}
	}
	t.hidden = t.hidden.Reshape(others.Rows, 3*k)
	t.got = t.got.Reshape(others.Rows, t.out.Cols)
	shift := make([]float32, 3*k)
	for j := range shift {
		shift[j] = own[j] + t.shift[j]
	}
	t.pool.Mul(t.hidden, others, t.right)
	t.pool.Each((others.Rows+rowsAtOnce-1)/rowsAtOnce, func(_, block int) {
		lo, hi := block*rowsAtOnce, min(others.Rows, (block+1)*rowsAtOnce)
		for i := lo; i < hi; i++ {
			h, half := t.hidden.Row(i), halves.Row(i)
			for j := range h {
				h[j] = tanh(h[j] + half[j] + shift[j])
			}
		}
	})
	t.pool.Mul(t.got, t.hidden, t.out)
	for i := range t.got.Rows {
		row := t.got.Row(i)
		for j, c := range t.constant {
			row[j] += c
		}
	}
	return t.got
}

// rowsAtOnce is how many rows a worker takes at a time.
const rowsAtOnce = 256

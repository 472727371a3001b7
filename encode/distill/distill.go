// Package distill makes a static encoder from a transformer: a vector for each
// subword, fitted so that the sum over a text points where the transformer's
// vector of the text points.
//
// It follows what is known of such tables. The transformer encodes every token
// by itself; a principal component analysis of its vectors of texts shortens
// them; common tokens weigh less (Zipf's law, by their place in the vocabulary);
// and then the table is trained on texts, by Adagrad, for as many epochs as a
// part of the texts that is held out gains from.
package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"sotto/encode/static"
	"sotto/nn"
	"sotto/text"
)

// Teacher encodes many texts, one row each.
type Teacher func(ctx context.Context, texts []string) (nn.Matrix, error)

// Settings decide a distillation. The zero value uses the defaults.
type Settings struct {
	Dim      int     `json:"dim,omitempty"`      // of the table's vectors; 0 means 128
	Rate     float64 `json:"rate,omitempty"`     // of Adagrad; 0 means 0.1
	Epochs   int     `json:"epochs,omitempty"`   // at most; 0 means 30
	HeldOut  float64 `json:"held_out,omitempty"` // share of the texts; 0 means 0.05
	Seed     uint64  `json:"seed,omitempty"`     // of the order of texts
	Name     string  `json:"name"`
	Notice   string  `json:"notice"`
	Patience int     `json:"patience,omitempty"` // epochs without gain before it ends; 0 means 2
}

// Report is told of each step.
type Report struct {
	Stage string  // "tokens", "texts" or "epoch"
	Done  int     // of Total
	Total int     // tokens, texts or epochs
	Loss  float64 // of the held-out texts after an epoch: the mean of 1 − cosine
}

func (s Settings) filled() (Settings, error) {
	if s.Dim == 0 {
		s.Dim = 128
	}
	if s.Rate == 0 {
		s.Rate = 0.1
	}
	if s.Epochs == 0 {
		s.Epochs = 30
	}
	if s.HeldOut == 0 {
		s.HeldOut = 0.05
	}
	if s.Patience == 0 {
		s.Patience = 2
	}
	switch {
	case s.Dim < 1:
		return s, fmt.Errorf("distill: dim is %d, must be positive", s.Dim)
	case !(s.Rate > 0) || s.Epochs < 1 || s.Patience < 1:
		return s, fmt.Errorf("distill: rate is %v, epochs %d and patience %d, must be positive", s.Rate, s.Epochs, s.Patience)
	case !(s.HeldOut > 0 && s.HeldOut < 1):
		return s, fmt.Errorf("distill: held_out is %v, must be in (0, 1)", s.HeldOut)
	}
	return s, nil
}

// Run makes a static encoder over the teacher's own vocabulary.
func Run(ctx context.Context, s Settings, words *text.WordPiece, teach Teacher, texts []string, tell func(Report)) (*static.Encoder, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	if len(texts) < 100 {
		return nil, fmt.Errorf("distill: %d texts, must be at least 100", len(texts))
	}
	if tell == nil {
		tell = func(Report) {}
	}
	alone, err := inParts(ctx, teach, spelt(words.Vocabulary()), "tokens", tell)
	if err != nil {
		return nil, err
	}
	whole, err := inParts(ctx, teach, texts, "texts", tell)
	if err != nil {
		return nil, err
	}
	basis, mean, err := components(whole, s.Dim)
	if err != nil {
		return nil, err
	}
	table := project(alone, basis, mean)
	weigh(table, words.Vocabulary())
	l := learner{Settings: s, table: table, squares: make([]float32, len(table.Data)), goals: project(whole, basis, mean)}
	for _, t := range texts {
		ids := words.Encode(t, teacherTokens).IDs
		l.tokens = append(l.tokens, ids[1:len(ids)-1])
	}
	if err := l.learn(ctx, tell); err != nil {
		return nil, err
	}
	return static.New(s.Name, s.Notice, words, s.Dim, l.table.Data)
}

// teacherTokens is how much of a text the teacher saw.
const teacherTokens = 256

// spelt returns tokens as texts: continuations without their mark, and special
// tokens as nothing.
func spelt(vocabulary []string) []string {
	out := make([]string, len(vocabulary))
	for i, t := range vocabulary {
		if !special(t) {
			out[i] = strings.TrimPrefix(t, "##")
		}
	}
	return out
}

// special reports whether a token stands for no part of a text.
func special(token string) bool {
	return len(token) > 2 && strings.HasPrefix(token, "[") && strings.HasSuffix(token, "]")
}

// inParts asks the teacher for some texts at a time, so that one can stop and
// see how far it is.
func inParts(ctx context.Context, teach Teacher, texts []string, stage string, tell func(Report)) (nn.Matrix, error) {
	const size = 4096
	var all nn.Matrix
	for part := range slices.Chunk(texts, size) {
		x, err := teach(ctx, part)
		if err != nil {
			return nn.Matrix{}, err
		}
		if x.Rows != len(part) || all.Rows > 0 && x.Cols != all.Cols {
			return nn.Matrix{}, errors.New("distill: the teacher gave another number of vectors than texts, or other lengths")
		}
		all = nn.Matrix{Rows: all.Rows + x.Rows, Cols: x.Cols, Data: append(all.Data, x.Data...)}
		tell(Report{Stage: stage, Done: all.Rows, Total: len(texts)})
	}
	return all, nil
}

// components returns the mean of the rows and the directions of largest
// variance, one a column.
func components(x nn.Matrix, dim int) (basis *mat.Dense, mean []float64, err error) {
	if dim > x.Cols {
		return nil, nil, fmt.Errorf("distill: dim is %d, must be at most the teacher's %d", dim, x.Cols)
	}
	mean = make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	centred := x.Clone()
	for i := range centred.Rows {
		for j := range mean {
			centred.Row(i)[j] -= float32(mean[j])
		}
	}
	product := nn.NewMatrix(x.Cols, x.Cols)
	nn.NewPool(1).MulTN(product, centred, centred)
	square := mat.NewSymDense(x.Cols, nil)
	for i := range x.Cols {
		for j := i; j < x.Cols; j++ {
			square.SetSym(i, j, float64(product.Row(i)[j]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(square, true) {
		return nil, nil, errors.New("distill: the principal components could not be computed")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	basis = mat.NewDense(x.Cols, dim, nil)
	for k := range dim { // eigenvalues are in ascending order
		for j := range x.Cols {
			basis.Set(j, k, vectors.At(j, x.Cols-1-k))
		}
	}
	return basis, mean, nil
}

// project returns the rows, less the mean, in the coordinates of the basis.
func project(x nn.Matrix, basis *mat.Dense, mean []float64) nn.Matrix {
	_, dim := basis.Dims()
	b := nn.NewMatrix(x.Cols, dim)
	for j := range x.Cols {
		for k := range dim {
			b.Row(j)[k] = float32(basis.At(j, k))
		}
	}
	centred := x.Clone()
	for i := range centred.Rows {
		for j := range mean {
			centred.Row(i)[j] -= float32(mean[j])
		}
	}
	y := nn.NewMatrix(x.Rows, dim)
	nn.NewPool(1).Mul(y, centred, b)
	return y
}

// weigh multiplies the vector of a token by ln(1 + its place), since a
// vocabulary is in order of frequency, and makes special tokens zero.
func weigh(table nn.Matrix, vocabulary []string) {
	for i, token := range vocabulary {
		w := float32(math.Log(float64(1 + i)))
		if special(token) {
			w = 0
		}
		for j := range table.Row(i) {
			table.Row(i)[j] *= w
		}
	}
}

// learner fits the table.
type learner struct {
	Settings
	table   nn.Matrix // tokens × dim
	squares []float32 // sums of squared gradients, for Adagrad
	goals   nn.Matrix // texts × dim
	tokens  [][]int32 // of each text
}

// learn trains until the held-out loss has not gained for a while, and leaves
// the best table.
func (l *learner) learn(ctx context.Context, tell func(Report)) error {
	rng := weakrand.New(weakrand.NewPCG(l.Seed, 0))
	order := rng.Perm(len(l.tokens))
	held := order[:max(1, int(l.HeldOut*float64(len(order))))]
	rows := order[len(held):]
	best, kept, idle := l.loss(held), l.table.Clone(), 0
	tell(Report{Stage: "epoch", Total: l.Epochs, Loss: best})
	for epoch := 1; epoch <= l.Epochs && idle < l.Patience; epoch++ {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for k, row := range rows {
			if k%1024 == 0 && ctx.Err() != nil {
				return fmt.Errorf("distill: %w", ctx.Err())
			}
			l.step(row)
		}
		loss := l.loss(held)
		if math.IsNaN(loss) {
			return errors.New("distill: the training diverged; lower the rate")
		}
		tell(Report{Stage: "epoch", Done: epoch, Total: l.Epochs, Loss: loss})
		if loss < best {
			best, idle = loss, 0
			copy(kept.Data, l.table.Data)
		} else {
			idle++
		}
	}
	l.table = kept
	return nil
}

// sum adds up the vectors of a text's tokens.
func (l *learner) sum(row int) []float64 {
	u := make([]float64, l.table.Cols)
	for _, id := range l.tokens[row] {
		for j, v := range l.table.Row(int(id)) {
			u[j] += float64(v)
		}
	}
	return u
}

// cosine returns the cosine of u and goal, and both lengths.
func cosine(u []float64, goal []float32) (cos, size, length float64) {
	dot := 0.0
	for j, v := range u {
		g := float64(goal[j])
		dot += v * g
		size += v * v
		length += g * g
	}
	size, length = math.Sqrt(size), math.Sqrt(length)
	if !(size*length > 0) {
		return 0, size, length
	}
	return dot / (size * length), size, length
}

// loss is the mean of 1 − cosine over some texts.
func (l *learner) loss(rows []int) float64 {
	total := 0.0
	for _, row := range rows {
		cos, _, _ := cosine(l.sum(row), l.goals.Row(row))
		total += 1 - cos
	}
	return total / float64(len(rows))
}

// step moves the vectors of one text's tokens along the gradient of 1 − cosine:
// with û and ĝ of length 1 it is (cos·û − ĝ)/|u| for the sum u, and so for each
// token in it.
func (l *learner) step(row int) {
	goal := l.goals.Row(row)
	u := l.sum(row)
	cos, size, length := cosine(u, goal)
	if !(size > 1e-9 && length > 1e-9) {
		return
	}
	gradient := u
	for j := range u {
		gradient[j] = (cos*u[j]/size - float64(goal[j])/length) / size
	}
	for _, id := range l.tokens[row] {
		weights := l.table.Row(int(id))
		squares := l.squares[int(id)*l.table.Cols:][:l.table.Cols]
		for j, g := range gradient {
			squares[j] += float32(g * g)
			weights[j] -= float32(l.Rate * g / (math.Sqrt(float64(squares[j])) + 1e-10))
		}
	}
}

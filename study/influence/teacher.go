package influence

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// This part of the package is the classifiers whose words package influence asks about: what
// has a representation of a text and a linear layer on it. That is an encoder with a
// layer fitted to its vectors, a tuned transformer, or a model of sotto train, whose
// noise, if it is private, is averaged or frozen.
//
// It shows a student texts with a part masked as the encoder sees them. It protects
// nobody: frozen noise is no release. The smallest use is
//
//	t, err := FitTeacher(ctx, encoder, Texts{…}, 1)
//	classes, err := t.Answers(ctx, texts, 1)

// Teacher is a classifier with a representation and a linear layer on it. It is safe
// for concurrent use unless it is a model with noise.
type Teacher struct {
	Reader
	// Label and Classes name what it tells apart.
	Label string
	Names []string

	kind   TeacherKind
	weight nn.Matrix // a row for each number of a representation, a column for each class
	bias   []float32
	// front makes representations of the encoder's vectors; nil where they are one.
	front  *front
	digest string
}

// Texts are what a linear layer is fitted to.
type Texts struct {
	Label   string
	Classes []string
	Texts   []string
	Labels  []int // the class of each
}

// TeacherKind says what a teacher is.
type TeacherKind string

// The kinds of teachers.
const (
	fitted TeacherKind = "fitted" // an encoder as it is, and a linear layer that was fitted to its vectors here
	Tuned  TeacherKind = "tuned"  // a transformer that was tuned with its linear layer
	stored TeacherKind = "model"  // a model of sotto train, private or not
)

// FitTeacher fits a linear layer to the vectors of an encoder: logistic regression on texts.
func FitTeacher(ctx context.Context, e encode.Source, from Texts, workers int) (*Teacher, error) {
	t := &Teacher{Reader: NewReader(e), kind: fitted, Label: from.Label, Names: from.Classes}
	x, err := t.Vectors(ctx, from.Texts, workers)
	if err != nil {
		return nil, err
	}
	t.weight, t.bias, err = regress(ctx, nn.NewPool(workers), x, from.Labels, len(from.Classes))
	if err != nil {
		return nil, err
	}
	return t, t.identify(ctx)
}

// Refitted is one whose layer was fitted before.
func Refitted(ctx context.Context, e encode.Source, label string, classes []string, weight nn.Matrix, bias []float32) (*Teacher, error) {
	t := &Teacher{Reader: NewReader(e), kind: fitted, Label: label, Names: classes, weight: weight, bias: bias}
	if weight.Rows != t.Dim() || weight.Cols != len(classes) || len(bias) != len(classes) {
		return nil, fmt.Errorf("teacher: the linear layer takes %d numbers and gives %d scores, must take the encoder's %d and give %d", weight.Rows, weight.Cols, t.Dim(), len(classes))
	}
	return t, t.identify(ctx)
}

// OpenTuned is a transformer with the linear layer that it was tuned with, in the
// folder of "sotto train --tune" or "sotto influence train".
func OpenTuned(dir, label string, classes []string) (*Teacher, error) {
	info, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, errors.New("teacher: the transformer has no " + bert.ManifestFile + ", must be tuned")
	}
	m, err := bert.Open(dir, bert.Options{})
	if err != nil {
		return nil, err
	}
	head, err := tune.ReadHead(dir)
	if err != nil {
		return nil, err
	}
	if head.Weight.Rows != m.Dim() || head.Weight.Cols != len(classes) {
		return nil, fmt.Errorf("teacher: the transformer was tuned for %d scores, must be tuned for the %d classes of %s alone", head.Weight.Cols, len(classes), label)
	}
	t := &Teacher{Reader: NewReader(m), kind: Tuned, Label: label, Names: classes, weight: head.Weight, bias: head.Bias}
	return t, t.identify(context.Background())
}

// identify computes the digest, by which a student knows its teacher again.
func (t *Teacher) identify(ctx context.Context) error {
	mark, err := fingerprint(ctx, t.Reader)
	if err != nil {
		return err
	}
	h := sha256.New()
	fmt.Fprintln(h, "sotto-influence-teacher-1", t.kind, mark, t.Label, t.Names) //nolint:errcheck // a hash takes everything
	if t.front != nil {
		fmt.Fprintln(h, t.front.about) //nolint:errcheck // a hash takes everything
	}
	floats(h, t.weight.Data)
	floats(h, t.bias)
	t.digest = hex.EncodeToString(h.Sum(nil))
	return nil
}

func floats(w io.Writer, numbers []float32) {
	for _, v := range numbers {
		w.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))) //nolint:errcheck // a hash takes everything
	}
}

// Head returns the linear layer: a row for each number of a representation, a column
// for each class.
func (t *Teacher) Head() (weight nn.Matrix, bias []float32) { return t.weight, t.bias }

// Law says that the scores of classes are their probabilities, because a
// representation is how likely each code of a release is.
func (t *Teacher) Law() bool { return t.front != nil && t.front.law }

// Noise returns how a private model is asked; the zero value where there is no noise.
func (t *Teacher) Noise() StoredOptions {
	if t.front == nil || t.front.noise == "" {
		return StoredOptions{}
	}
	return StoredOptions{Noise: t.front.noise, Draws: t.front.draws, Seed: t.front.seed}
}

// Digest tells teachers apart by what they compute.
func (t *Teacher) Digest() string { return t.digest }

// Kind says what the teacher is.
func (t *Teacher) Kind() TeacherKind { return t.kind }

// Size is the length of a representation.
func (t *Teacher) Size() int { return t.weight.Rows }

// Classes implements explain.Predictor.
func (t *Teacher) Classes() []string { return t.Names }

// Represented returns the representations of what the encoder's vectors are of.
func (t *Teacher) Represented(x nn.Matrix) (nn.Matrix, error) {
	if t.front == nil {
		return x, nil
	}
	return t.front.of(x)
}

// Represent returns the representations of texts.
func (t *Teacher) Represent(ctx context.Context, texts []string, workers int) (nn.Matrix, error) {
	x, err := t.Vectors(ctx, texts, workers)
	if err != nil {
		return x, err
	}
	return t.Represented(x)
}

// Scores returns what the linear layer says of representations.
func (t *Teacher) Scores(z nn.Matrix) nn.Matrix {
	y := nn.NewMatrix(z.Rows, t.weight.Cols)
	nn.NewPool(1).Mul(y, z, t.weight)
	for i := range y.Rows {
		for j, b := range t.bias {
			y.Row(i)[j] += b
		}
	}
	return y
}

// Probable turns scores into what they stand for.
func (t *Teacher) Probable(scores nn.Matrix) {
	if t.Law() {
		return // the score of a class is the probability that it is released
	}
	for i := range scores.Rows {
		nn.Softmax(scores.Row(i), scores.Row(i))
	}
}

// Probabilities returns those of the classes of each text.
func (t *Teacher) Probabilities(ctx context.Context, texts []string, workers int) (nn.Matrix, error) {
	z, err := t.Represent(ctx, texts, workers)
	if err != nil {
		return z, err
	}
	y := t.Scores(z)
	t.Probable(y)
	return y, y.Finite()
}

// answered returns the class of each row of scores.
func answered(scores nn.Matrix) []int {
	said := make([]int, scores.Rows)
	for i := range said {
		said[i] = nn.Argmax(scores.Row(i))
	}
	return said
}

// Answers returns the class of each text.
func (t *Teacher) Answers(ctx context.Context, texts []string, workers int) ([]int, error) {
	z, err := t.Represent(ctx, texts, workers)
	if err != nil {
		return nil, err
	}
	return answered(t.Scores(z)), nil
}

// Predict implements explain.Predictor.
func (t *Teacher) Predict(ctx context.Context, texts []string) ([][]float64, error) {
	y, err := t.Probabilities(ctx, texts, TeacherWorkers)
	if err != nil {
		return nil, err
	}
	return doubles(y), nil
}

// TeacherWorkers is how many workers answer where nobody says how many.
const TeacherWorkers = 2

// doubles returns rows of probabilities that add up to 1 in double precision too.
func doubles(y nn.Matrix) [][]float64 {
	rows := make([][]float64, y.Rows)
	for i := range rows {
		rows[i] = make([]float64, y.Cols)
		sum := 0.0
		for j, v := range y.Row(i) {
			rows[i][j] = float64(v)
			sum += float64(v)
		}
		for j := range rows[i] {
			rows[i][j] /= sum
		}
	}
	return rows
}

// MaskedAnswers returns what the teacher says of texts of which parts are masked.
func (t *Teacher) MaskedAnswers(ctx context.Context, texts []string, spans [][]text.Span, workers int) ([]int, error) {
	x, err := t.Masked(ctx, texts, spans, workers)
	if err != nil {
		return nil, err
	}
	z, err := t.Represented(x)
	if err != nil {
		return nil, err
	}
	return answered(t.Scores(z)), nil
}

// regress fits a linear layer: logistic regression with a slight decay, by as many
// steps of Adam over all rows as it takes to settle.
func regress(ctx context.Context, p *nn.Pool, x nn.Matrix, labels []int, classes int) (nn.Matrix, []float32, error) {
	const (
		steps = 400
		rate  = 0.1
		decay = 1e-5
	)
	layer := nn.NewDense(x.Cols, classes, weakrand.New(weakrand.NewPCG(0, 0)))
	layer.NoInputGrad = true
	clear(layer.Params()[0].Value.Data) // the loss has one minimum: where it begins is nobody's choice
	opt, err := nn.Adam{Rate: rate, L2: decay}.New(layer.Params())
	if err != nil {
		return nn.Matrix{}, nil, err
	}
	var loss nn.SoftmaxCrossEntropy
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nn.Matrix{}, nil, err
		}
		opt.Rate = rate * (1 - float64(step)/steps)
		_, grad := loss.Loss(p, layer.Forward(p, nn.Train, x), labels)
		layer.Backward(p, grad)
		opt.Step(p)
	}
	weight, bias := layer.Params()[0].Value, layer.Params()[1].Value
	return weight, bias.Data, errors.Join(weight.Finite(), bias.Finite())
}

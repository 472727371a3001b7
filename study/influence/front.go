package influence

import (
	"context"
	"errors"
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// TeacherNoise says what the noise of a private model is while questions are asked of it.
type TeacherNoise string

// The ways to hold noise still. Both are for questions alone: they protect nobody.
const (
	Averaged TeacherNoise = "averaged" // the mean over draws, exact where the release is a code
	frozen   TeacherNoise = "frozen"   // the same draw for every text
)

// StoredOptions say how a stored model is asked.
type StoredOptions struct {
	Noise TeacherNoise // "" means Averaged
	Draws int          // of Averaged; 0 means 32
	Seed  uint64       // of the draws
}

// front makes representations of vectors by a stored model: what it releases, as far
// as the input of its last layer.
type front struct {
	model  *model.Model
	hidden nn.Sequential // layers of the classifier before its last
	noise  TeacherNoise  // "" where there is none
	draws  int
	seed   uint64
	law    bool   // a representation is how likely each code is
	about  string // tells fronts apart
}

// OpenStored is a model in a folder of "sotto train". The representation of a
// private one is what it releases; dir also says where a tuned encoder lies.
func OpenStored(ctx context.Context, dir string, o StoredOptions) (*Teacher, error) {
	opened, err := model.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	m, info, labels := opened.Model, opened.Manifest, opened.Labels
	if err = asks(m, info); err != nil {
		return nil, err
	}
	e, err := opened.Source(ctx)
	if err != nil {
		return nil, err
	}
	t := &Teacher{Reader: NewReader(e), kind: stored, Label: labels[0].Name, Names: labels[0].Classes}
	if e.Dim() != m.Architecture().Inputs {
		return nil, fmt.Errorf("teacher: the model takes %d numbers of a text, must take the encoder's %d", m.Architecture().Inputs, e.Dim())
	}
	if t.front, err = newFront(m, info, o); err != nil {
		return nil, err
	}
	t.weight, t.bias = t.front.last(len(t.Names))
	return t, t.identify(ctx)
}

// asks refuses models that are not asked for a text alone.
func asks(m *model.Model, info model.Manifest) error {
	a := m.Architecture()
	masks := info.Masked()
	columns, _, err := info.Data.Numbers()
	switch {
	case err != nil:
		return err
	case a.Constant != "":
		return fmt.Errorf("teacher: the model always answers the same (%s), must look at texts", a.Constant)
	case len(columns) > 0:
		return errors.New("teacher: the model takes columns of numbers beside texts, must take texts alone")
	case len(masks.Rules) > 0 || masks.Dropout > 0:
		return errors.New("teacher: the model wants parts of texts masked before it sees them, must take texts as they are")
	}
	return nil
}

func newFront(m *model.Model, info model.Manifest, o StoredOptions) (*front, error) {
	a := m.Architecture()
	if o.Noise == "" {
		o.Noise = Averaged
	}
	if o.Draws == 0 {
		o.Draws = 32
	}
	if o.Noise != Averaged && o.Noise != frozen {
		return nil, fmt.Errorf("teacher: noise is %q, must be %s or %s", o.Noise, Averaged, frozen)
	}
	if o.Draws < 1 || o.Draws > 4096 {
		return nil, fmt.Errorf("teacher: draws is %d, must be from 1 to 4096", o.Draws)
	}
	f := &front{model: m, noise: o.Noise, draws: o.Draws, seed: o.Seed, law: len(a.Answers) > 0}
	if a.Release == nil {
		f.noise = ""
	}
	if f.law && f.noise == frozen {
		return nil, fmt.Errorf("teacher: noise is %q, must be %s for a model that releases codes, whose law is known", frozen, Averaged)
	}
	digest, err := info.Digest()
	if err != nil {
		return nil, err
	}
	f.about = digest
	if f.noise != "" && !f.law {
		f.about += fmt.Sprint(" ", f.noise, f.draws, f.seed)
	}
	if f.law {
		return f, nil
	}
	t := m.Tensors()
	for i := range a.Classifier[:len(a.Classifier)-1] {
		f.hidden = append(f.hidden, dense(t, i), &nn.ReLU{})
	}
	return f, nil
}

// dense returns a layer of the classifier.
func dense(t model.Tensors, i int) *nn.Dense {
	w, b := t[fmt.Sprintf("classifier.%d.weight", i)], t[fmt.Sprintf("classifier.%d.bias", i)]
	d := nn.NewDense(w.Rows, w.Cols, weakrand.New(weakrand.NewPCG(0, 0)))
	copy(d.Params()[0].Value.Data, w.Data)
	copy(d.Params()[1].Value.Data, b.Data)
	return d
}

// last returns the linear layer behind representations, for the first label.
func (f *front) last(classes int) (nn.Matrix, []float32) {
	a := f.model.Architecture()
	if f.law { // the probability of a class is that of the codes that say it
		w := nn.NewMatrix(len(a.Answers), classes)
		for code, says := range a.Answers {
			w.Row(code)[says[0]] = 1
		}
		return w, make([]float32, classes)
	}
	t, i := f.model.Tensors(), len(a.Classifier)-1
	return t[fmt.Sprintf("classifier.%d.weight", i)].Columns(0, classes), t[fmt.Sprintf("classifier.%d.bias", i)].Columns(0, classes).Data
}

// of returns the representations of vectors.
func (f *front) of(x nn.Matrix) (nn.Matrix, error) {
	p := nn.NewPool(1)
	if f.law {
		z, _, err := f.model.Law(p, x, nn.Indices(x.Rows))
		return z, err
	}
	draws := 1
	if f.noise == Averaged {
		draws = f.draws
	}
	var z nn.Matrix
	for i := range x.Rows {
		y, err := f.draw(p, x, i, draws)
		if err != nil {
			return nn.Matrix{}, err
		}
		if i == 0 {
			z = nn.NewMatrix(x.Rows, y.Cols)
		}
		mean(z.Row(i), y)
	}
	return z, nil
}

// draw returns the representations of one row under each of some draws, the same draws
// for each row.
func (f *front) draw(p *nn.Pool, x nn.Matrix, row, draws int) (nn.Matrix, error) {
	rows := make([]int, draws)
	for i := range rows {
		rows[i] = row
	}
	y, err := f.model.Release(p, x, rows, model.SimulationKey(f.seed))
	if err != nil || len(f.hidden) == 0 {
		return y, err
	}
	return f.hidden.Forward(p, nn.Infer, y), nil
}

// mean sets dst to the mean of the rows of m.
func mean(dst []float32, m nn.Matrix) {
	for j := range dst {
		sum := 0.0
		for i := range m.Rows {
			sum += float64(m.Row(i)[j])
		}
		dst[j] = float32(sum / float64(m.Rows))
	}
}

// NoiseFlips returns the share of single releases whose answer is another than that of
// the mean release: what noise alone does to decisions. It is 0 for a teacher without
// noise.
func (t *Teacher) NoiseFlips(ctx context.Context, texts []string, workers int) (float64, error) {
	if t.front == nil || t.front.noise == "" {
		return 0, nil
	}
	x, err := t.Vectors(ctx, texts, workers)
	if err != nil {
		return 0, err
	}
	p, flips, all := nn.NewPool(1), 0.0, 0.0
	if t.front.law { // exactly
		z, err := t.Represented(x)
		if err != nil {
			return 0, err
		}
		shares := t.Scores(z)
		for i := range shares.Rows {
			flips += 1 - float64(shares.Row(i)[nn.Argmax(shares.Row(i))])
		}
		return flips / float64(max(1, shares.Rows)), nil
	}
	for i := range x.Rows {
		y, err := t.front.draw(p, x, i, t.front.draws)
		if err != nil {
			return 0, err
		}
		z := nn.NewMatrix(1, y.Cols)
		mean(z.Row(0), y)
		usual := answered(t.Scores(z))[0]
		for _, said := range answered(t.Scores(y)) {
			all++
			if said != usual {
				flips++
			}
		}
	}
	return flips / max(1, all), ctx.Err()
}

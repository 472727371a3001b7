package train

import (
	"context"
	"fmt"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
)

// teacher is a model without protection that stays on the trusted side, with
// what it says of the rows that are to decide about codes. It is read only once
// made, and safe for concurrent use.
type teacher struct {
	Kept model.Progress // of its own training
	// Loss is its cross-entropy on the validation rows after calibration, the
	// mean over labels: what to compare teachers by.
	Loss float64

	inputs  int
	classes []int
	weights []float64
	widths  []int // of its layers
	tensors model.Tensors

	counts     [][]int   // rows of each label's classes that it was taught
	posteriors nn.Matrix // of the rows that decide about codes, by which answers are ranked
	worth      nn.Matrix // of the same rows, what each class is worth: its probability, weighed by the objective
	checked    nn.Matrix // of the rows that check: the validation rows, if they are enough
	labels     [][]int   // of those rows, for each label

	// Where groups is not 0, the teacher also says which class of the first label
	// a row has together with which group: in the columns behind those of the
	// labels, the groups of the first class first.
	groups int

	objective Objective
	expect    []float64 // rows that check of each of these pairs, by what the teacher says
}

// enoughChecked is how many validation rows must be there to decide about
// codes. Where there are fewer, the training rows help, each asked of a teacher
// that was not taught it.
const (
	enoughChecked = 500
	mostDeciding  = 8000
)

// lesson is what a teacher is taught: settings and rows that fit together.
type lesson struct {
	plan
	data Data
	fair *Data // where the last label of data is pairs of class and group, data without it; else nil
}

// lesson returns what a teacher with the given settings is taught: its hidden
// layers are those of the encoder, none if that is empty, and then those of the
// classifier.
func (t Training) lesson(d Data) (lesson, error) {
	if err := d.Validate(); err != nil {
		return lesson{}, err
	}
	linear := t.Encoder != nil && len(t.Encoder) == 0
	if linear {
		t.Encoder = nil
	}
	f, err := t.filled(len(d.Train), false, false)
	if err != nil {
		return lesson{}, err
	}
	if !linear {
		f.Classifier = slices.Concat(f.Encoder, f.Classifier)
	}
	f.Encoder = nil
	if n := len(d.Train) + len(d.Validation); len(d.Validation) < enoughChecked && n < 2*crossParts {
		return lesson{}, fmt.Errorf("train: data has %d rows, must have at least %d to teach and to ask", n, 2*crossParts)
	}
	q := lesson{plan: plan{Training: f, rows: f.rows(d)}, data: d}
	return q, q.check(d)
}

// teach trains a teacher. If the training is stopped there is none.
//
// Where validation rows are few, teachers that each leave a part of the rows out
// tell how long to train and how far to believe. The validation rows do not teach
// the one that is kept, since others use them. Where the rows were trained, only
// validation rows tell: the label of any other shows in it.
func (q lesson) teach(ctx context.Context, o Options) (*teacher, error) {
	few := len(q.data.Validation) < enoughChecked && q.data.Head == nil
	checked, scores := q.data.Validation, nn.Matrix{}
	var err error
	if few {
		if checked, scores, q.Epochs, err = q.crossScores(ctx, o); err != nil {
			return nil, err
		}
		q.Keep = Last
	}
	out, err := q.one(ctx, q.data, o)
	if err != nil {
		return nil, err
	}
	if !few {
		if scores, err = out.scores(o.pool(), q.data.X, checked); err != nil {
			return nil, err
		}
	}
	out.consult(q.data, checked, scores)
	if out, err = q.better(out, o.pool()); err != nil {
		return nil, err
	}
	if q.fair != nil {
		out.tellGroups(*q.fair)
	}
	return out, nil
}

// better returns the teacher that was trained with the rows, if there is one, it
// tells the same labels and the validation rows say that it is better; else t.
func (q lesson) better(t *teacher, p *nn.Pool) (*teacher, error) {
	h, columns := q.data.Head, model.Columns(t.classes)
	if !h.Fits(t.inputs, columns) {
		return t, nil
	}
	u := &teacher{
		counts: t.counts, Kept: model.Progress{Epoch: 1, Epochs: 1}, inputs: t.inputs, classes: t.classes, weights: t.weights,
		widths: []int{columns}, tensors: h.Tensors("encoder.0."),
	}
	scores, err := u.scores(p, q.data.X, q.data.Validation)
	if err != nil {
		return nil, err
	}
	if u.consult(q.data, q.data.Validation, scores); u.Loss < t.Loss {
		return u, nil
	}
	return t, nil
}

// one trains a teacher on the training rows of d, with no opinion yet of the rows
// that decide.
func (q lesson) one(ctx context.Context, d Data, o Options) (*teacher, error) {
	l, err := q.fit(ctx, d, o)
	if err != nil {
		return nil, err
	}
	counts := make([][]int, len(d.classes()))
	for i, label := range d.labels() {
		counts[i] = make([]int, d.classes()[i])
		for _, row := range d.Train {
			if label[row] != Unknown {
				counts[i][label[row]]++
			}
		}
	}
	return &teacher{
		counts: counts, Kept: l.state.History[l.state.Kept-1], inputs: d.X.Cols, classes: d.classes(), weights: d.weights(),
		widths: append(slices.Clone(q.Classifier), model.Columns(d.classes())), tensors: l.tensors().Renamed("classifier.", "encoder."),
	}, nil
}

// crossScores returns the scores that teachers like this one give to rows that
// they were not taught: all but one of a few parts teach, and the last is asked,
// in turn. It also returns after how many epochs they did best, the median.
func (q lesson) crossScores(ctx context.Context, o Options) (asked []int, scores nn.Matrix, epochs int, err error) {
	d, all := q.data, slices.Concat(q.data.Train, q.data.Validation)
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 0x666f6c64))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	scores = nn.NewMatrix(len(all), model.Columns(d.classes()))
	var kept []int
	for part := range crossParts {
		low, high := part*len(all)/crossParts, (part+1)*len(all)/crossParts
		others := slices.Concat(all[:low], all[high:])
		few := max(1, len(others)/10)
		fold := d
		fold.Validation, fold.Train = others[:few], others[few:]
		t, err := q.one(ctx, fold, Options{Seed: o.Seed, Pool: o.Pool})
		if err != nil {
			return nil, scores, 0, err
		}
		said, err := t.scores(o.pool(), d.X, all[low:high])
		if err != nil {
			return nil, scores, 0, err
		}
		copy(scores.Slice(low, high).Data, said.Data)
		kept = append(kept, t.Kept.Epoch)
	}
	slices.Sort(kept)
	return all, scores, kept[crossParts/2], nil
}

const crossParts = 5

// consult calibrates the teacher by the scores of the rows that check it, and
// keeps what it then says of them, which decides about codes.
func (t *teacher) consult(d Data, checked []int, scores nn.Matrix) {
	for _, label := range d.labels() {
		t.labels = append(t.labels, nn.Pick(label, checked))
	}
	t.calibrate(scores)
	t.checked = channel.Posteriors(scores, t.classes)
	t.judge()
	t.posteriors = t.checked.Gather(Evenly(nn.Indices(t.checked.Rows), mostDeciding))
	t.worth = t.posteriors
}

// judge measures the teacher by the rows that check it.
func (t *teacher) judge() {
	t.Loss = channel.CrossEntropy(t.checked, t.classes, t.labels, t.weights)
	right := nn.NewTally(len(t.classes))
	for i := range t.checked.Rows {
		right.Add(t.classes, t.checked.Row(i), func(label int) int { return t.labels[label][i] })
	}
	t.Kept.Accuracy = right.Accuracy(t.weights)
}

// best returns the release of the highest objective among those that find makes
// under the weighings of classes that the objective names.
func (t *teacher) best(o Objective, find func(*teacher) (coding, error)) (coding, error) {
	best := coding{value: -1}
	var failed error
	for _, w := range o.Weighings(t.counts) {
		c, err := find(t.weighed(o, w))
		if err != nil {
			failed = err
		} else if c.value > best.value {
			best = c
		}
	}
	if best.teacher == nil {
		return best, failed
	}
	return best, nil
}

// weighed returns a teacher to whom rows count by their class: it ranks answers as
// if the classes were as common as they count.
func (t *teacher) weighed(o Objective, w Weighing) *teacher {
	u := *t
	u.objective = o
	if w == nil {
		return &u
	}
	u.worth = w.Apply(t.posteriors)
	u.posteriors, u.checked = u.worth.Clone(), w.Apply(t.checked)
	w.Normalise(u.posteriors)
	w.Normalise(u.checked)
	u.tensors = t.tensors.Renamed("", "")
	w.Shift(u.tensors[fmt.Sprintf("encoder.%d.bias", len(t.widths)-1)].Data)
	return &u
}

// scores returns what the teacher's last layer gives.
func (t *teacher) scores(p *nn.Pool, x nn.Matrix, rows []int) (nn.Matrix, error) {
	m, err := model.Encoder(t.inputs, t.widths, t.tensors)
	if err != nil {
		return nn.Matrix{}, err
	}
	return m.Release(p, x, rows, nil)
}

// calibrate makes the scores of the rows that check as sure as they are right,
// and the last layer's weights with them.
func (t *teacher) calibrate(scores nn.Matrix) {
	factors := channel.Calibrate(scores, t.classes, t.labels)
	for _, kind := range []string{"weight", "bias"} {
		channel.Scale(t.tensors[fmt.Sprintf("encoder.%d.%s", len(t.widths)-1, kind)], t.classes, factors)
	}
}

// Evenly returns at most so many of the rows, evenly spaced.
func Evenly(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for i := range some {
		some[i] = rows[i*len(rows)/most]
	}
	return some
}

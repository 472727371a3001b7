package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Codes releases one of several codes, each of which stands for an answer to
// every label. A model without protection gives, on the trusted side, a
// probability to each class of each label; package channel finds the codes and
// the channel that tell the most labels rightly at ε, which is the best that any
// release can do with what that model knows; and what a code says of each label,
// by the exact law of the channel, is the table that the receiver holds.
//
// A public channel, in place of that, is made of ε and the classes alone: what is
// released and what the receiver holds then tell of no text of the training.
//
// Progress and Save tell of the training of that model. What follows is short
// and done anew by whoever resumes.
type Codes struct {
	Training
	// Channel says what answers, weights and table are made of; "" means fitted.
	Channel channel.Kind `json:"channel,omitempty"`
	// Release is the mechanism codes, of which epsilon is needed. Selected 0
	// takes the best weights; j > 0 takes equal ones, of which the j best are
	// raised: randomised response for 1, else subset selection. Dim bounds the
	// number of codes; 0 means 1024.
	Release mech.Params `json:"release"`
	// Fair ranks codes such that the groups of the attribute have true positive
	// rates of the first label as equal as Relax allows. It changes nothing of ε.
	Fair bool `json:"fair,omitempty"`
	// Relax is how many points of validation accuracy Fair may cost; 0 means 1,
	// and negative none.
	Relax float64 `json:"relax,omitempty"`
	// Objective is what the codes are to be best at. Of several labels, the ranking
	// of codes takes each label's probabilities as if its classes counted what the
	// objective says, which for one label is the best there is.
	Objective Objective `json:"objective,omitempty"`
}

// Prepare implements [Method].
func (h Codes) Prepare(d Data) (*Fitting, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	return taught(h.teaches, d, h.encode)
}

// teaches returns what the model on the trusted side is taught.
func (h Codes) teaches(d Data) (lesson, error) {
	if h.Fair {
		return h.fairLesson(d)
	}
	return h.lesson(d)
}

func (h Codes) check() error {
	p := h.Release
	if !own(&p, "codes") || p.Value("weights") != nil {
		return fmt.Errorf("train: mechanism is %q, must be codes without weights of its own", p.Mechanism)
	}
	if err := h.Channel.Validate(); err != nil {
		return err
	}
	if !h.Fair && h.Relax != 0 || !(h.Relax <= 100) {
		return fmt.Errorf("train: relax is %v points, must be at most 100, and absent where codes need not be fair", h.Relax)
	}
	if err := h.Objective.Validate(); err != nil {
		return err
	}
	if h.Fair && !h.Objective.Plain() {
		return fmt.Errorf("train: objective is %s, must be accuracy where codes are to be fair, of which that is what is paid", h.Objective)
	}
	if p.Dim == 0 {
		p.Dim = max(2, mech.OwnOf[mech.CodesParams](p).Selected+1)
	}
	_, err := mech.New(p) // refuses what is out of range
	return err
}

// encode returns the model that releases what a teacher knows as codes, with what
// it costs that the channel is public.
func (h Codes) encode(ctx context.Context, t *teacher, o Options) (*model.Model, error) {
	c, err := h.best(ctx, t, o)
	if err == nil && h.Channel == channel.Public {
		h.Channel = channel.Fitted
		if fitted, failed := h.best(ctx, t, o); failed == nil { // a fitted one may not be to be had
			c.compared = &model.Compared{Public: c.value, Fitted: fitted.value}
		} else if ctx.Err() != nil {
			err = failed
		}
	}
	return modelOf(c, err)
}

// modelOf returns the model of what was found.
func modelOf(c coding, err error) (*model.Model, error) {
	if err != nil {
		return nil, err
	}
	return c.model()
}

// best returns the release of the highest objective.
func (h Codes) best(ctx context.Context, t *teacher, o Options) (coding, error) {
	workers := o.pool().Workers()
	best, err := t.best(h.Objective, func(t *teacher) (coding, error) { return h.solve(ctx, t, nn.Matrix{}, workers) })
	if err == nil && h.Fair {
		best, err = h.fair(ctx, t, best, workers)
	}
	return best, err
}

// solve returns the best release for what answers are worth, tilted if tilt is
// not empty.
func (h Codes) solve(ctx context.Context, t *teacher, tilt nn.Matrix, workers int) (coding, error) {
	if h.Channel == channel.Public {
		return t.open(h.Release, tilt)
	}
	answers := t.answers()
	if len(answers) < 2 {
		return coding{}, errors.New("train: the model on the trusted side gives every text the same answer, so there is nothing to release; train it longer")
	}
	worth := t.worth
	if len(answers) > manyAnswers {
		worth = worth.Gather(Evenly(nn.Indices(worth.Rows), fewRows))
	}
	scores := model.Worth(worth, t.classes, t.weights, answers, tilt)
	p := mech.Params{Mechanism: "codes", Epsilon: h.Release.Epsilon}
	if selected := mech.OwnOf[mech.CodesParams](h.Release).Selected; selected > 0 {
		most := h.Release.Dim
		if most == 0 {
			most = channel.MaxAnswers
		}
		s, err := channel.BestSubset(ctx, scores, dp.Epsilon(p.Epsilon), selected, most)
		if err != nil {
			return coding{}, err
		}
		p.Own = mech.CodesParams{Selected: s.Selected}
		return t.coding(p, nn.Pick(answers, s.Answers), tilt)
	}
	kept, weights, err := channel.SolveFew(ctx, scores, dp.Epsilon(p.Epsilon), h.Release.Dim, channel.Options{Workers: workers})
	if err != nil {
		return coding{}, err
	}
	if len(kept) < 2 { // the best is to say the same of all texts, at an ε at which nothing is worth knowing
		s, err := channel.BestSubset(ctx, scores, dp.Epsilon(p.Epsilon), 1, 2)
		if err != nil {
			return coding{}, err
		}
		p.Own = mech.CodesParams{Selected: 1}
		return t.coding(p, nn.Pick(answers, s.Answers), tilt)
	}
	p.Own = mech.CodesParams{Weights: weights}
	return t.coding(p, nn.Pick(answers, kept), tilt)
}

// open returns the release by the public channel for the labels of a teacher, which
// decides nothing but which codes are likely for a text.
func (t *teacher) open(p mech.Params, tilt nn.Matrix) (coding, error) {
	o, err := channel.NewOpen(t.classes, t.weights, dp.Epsilon(p.Epsilon), mech.OwnOf[mech.CodesParams](p).Selected, p.Dim)
	if err != nil {
		return coding{}, fmt.Errorf("train: %w", err)
	}
	return t.decoded(mech.Params{Mechanism: "codes", Epsilon: p.Epsilon, Own: mech.CodesParams{Selected: o.Selected}}, o.Answers, tilt, o.Table)
}

// answers lists what codes can stand for.
func (t *teacher) answers() [][]int {
	answers, err := channel.Answers(t.classes, 0)
	if err != nil {
		return channel.Common(t.told(), t.classes, 0)
	}
	return answers
}

// Above so many answers, that many texts decide which are the best: their
// product is what the search takes time for.
const (
	manyAnswers = 128
	fewRows     = 3000
)

// coding is a release of codes, with what the receiver holds of it.
type coding struct {
	release mech.Params
	weights []float64 // least probability of each code
	answers [][]int
	tilt    nn.Matrix // of the scores of answers; empty for none
	table   nn.Matrix
	open    bool // the channel is public
	teacher *teacher
	// What is expected of the rows that check, of rates and gap only where the
	// teacher knows groups. The value is that of the objective.
	accuracy float64
	value    float64
	rates    []float64
	gap      float64
	// compared holds the value against that of a fitted channel, where this one is
	// not and that is known; else nil.
	compared *model.Compared
}

// coding completes a release of the given answers by what they say of the texts
// that decide.
func (t *teacher) coding(p mech.Params, answers [][]int, tilt nn.Matrix) (coding, error) {
	return t.decoded(p, answers, tilt, nn.Matrix{})
}

// decoded is coding with a table that is public, unless it is empty.
func (t *teacher) decoded(p mech.Params, answers [][]int, tilt, table nn.Matrix) (coding, error) {
	p.Dim = len(answers)
	m, err := mech.New(p)
	if err != nil {
		return coding{}, err
	}
	c := coding{release: m.Params(), answers: answers, tilt: tilt, table: table, open: table.Rows > 0, teacher: t}
	c.weights = model.CodeWeights(c.release)
	epsilon := dp.Epsilon(c.release.Epsilon)
	if !c.open {
		c.table = channel.Decode(t.worth, t.classes, model.Worth(t.posteriors, t.classes, t.weights, answers, tilt), c.weights, epsilon)
	}
	scores := model.Worth(t.checked, t.classes, t.weights, answers, tilt)
	c.accuracy, c.value = t.expected(c.table, scores, c.weights, epsilon)
	if t.groups > 0 {
		c.rates = t.rates(c.table, scores, c.weights, epsilon)
		c.gap = t.gapOf(c.rates)
	}
	return c, nil
}

// model returns the model of a release.
func (c coding) model() (*model.Model, error) {
	t := c.teacher
	width := model.Columns(t.classes)
	a := model.Architecture{
		Inputs: t.inputs, Standardise: t.tensors["input.shift"].Data != nil, Encoder: slices.Clone(t.widths), Release: &c.release, Classifier: []int{width},
		Classes: t.classes[0], More: t.classes[1:], Answers: c.answers,
	}
	if slices.Max(t.weights) > slices.Min(t.weights) {
		a.Importance = t.weights
	}
	if c.open {
		a.Channel = channel.Public
	}
	numbers := t.tensors.Renamed("", "")
	numbers["classifier.0.weight"], numbers["classifier.0.bias"] = c.table, nn.NewMatrix(1, width)
	if c.tilt.Rows > 0 {
		a.Groups, numbers["answers.tilt"] = t.groups, c.tilt
	} else { // nothing is to be known of groups
		last := len(a.Encoder) - 1
		a.Encoder[last] = width
		for _, kind := range []string{"weight", "bias"} {
			name := fmt.Sprintf("encoder.%d.%s", last, kind)
			numbers[name] = numbers[name].Columns(0, width)
		}
	}
	whole, err := model.New(a, numbers)
	if err != nil {
		return nil, err
	}
	whole.Kept = t.Kept
	whole.Kept.Accuracy = c.accuracy
	whole.Compared = c.compared
	return whole, nil
}

// expected returns the share of the validation rows' labels that a table tells
// rightly, over all that the channel can give: without the chance of a draw. It
// also returns the value of the objective.
func (t *teacher) expected(table, scores nn.Matrix, weights []float64, epsilon dp.Epsilon) (accuracy, value float64) {
	said := make([][]int, len(weights))
	for v := range said {
		column := 0
		for _, c := range t.classes {
			said[v] = append(said[v], nn.Argmax(table.Row(v)[column:column+c]))
			column += c
		}
	}
	right, known := channel.Expected(scores, weights, epsilon, said, t.labels)
	for l, w := range t.weights {
		accuracy += w * right[l] / max(known[l], 1)
	}
	if t.objective.Plain() {
		return accuracy, accuracy
	}
	return accuracy, t.objective.Value(Expected(scores, weights, epsilon, said, t.labels, t.classes), t.weights)
}

package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sotto/mech"
	"sotto/train/model"
)

// Auto looks for the release that tells the labels best at an ε: it tries
// models for the trusted side, then codes of every kind and noise of every kind
// on the best of them, each by what it does on the validation rows.
type Auto struct {
	Training         // of the trials; widths are what is varied
	Epsilon  float64 `json:"epsilon"`
	// Rows bounds the rows that a trial trains on; 0 means 20,000. What was
	// found is then trained on all.
	Rows int `json:"rows,omitempty"`
}

// Trial is something that Auto tried.
type Trial struct {
	Name      string    `json:"name"`
	Mechanism string    `json:"mechanism,omitempty"` // "" for a model of the trusted side
	Dim       int       `json:"dim,omitempty"`       // numbers of a release; for codes, how many there are
	Selected  int       `json:"selected,omitempty"`
	Hidden    []int     `json:"hidden,omitempty"`
	Anneal    float64   `json:"anneal,omitempty"`
	Scores    []float64 `json:"scores"`   // validation accuracy of each seed
	Accuracy  float64   `json:"accuracy"` // their mean
	Loss      float64   `json:"loss,omitempty"`
	Seconds   float64   `json:"seconds"`
	Chosen    bool      `json:"chosen,omitempty"`
	// Failed is why nothing came of it.
	Failed string `json:"failed,omitempty"`

	method Method
}

// Found is what Auto found.
type Found struct {
	Method  Method   // to be fitted with any seed
	Teacher Training // settings of the best model for the trusted side
	Trials  []Trial
}

// Fit implements [Method]: it searches with the seed, and fits what it found.
func (h Auto) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	found, err := h.Search(ctx, d, o, nil)
	if err != nil {
		return nil, err
	}
	return found.Method.Fit(ctx, d, o)
}

// Search tries everything and returns the best. It calls told, if not nil,
// after each trial with the share of the work that is done.
func (h Auto) Search(ctx context.Context, d Data, o Options, told func(Trial, float64)) (Found, error) {
	if err := d.Validate(); err != nil {
		return Found{}, err
	}
	if err := (Codes{Release: mech.Params{Epsilon: h.Epsilon}}).check(); err != nil {
		return Found{}, err
	}
	if h.Rows == 0 {
		h.Rows = 20_000
	}
	s := &search{Auto: h, data: d, options: o, told: told}
	s.data.Train, s.data.Validation = spread(d.Train, h.Rows), spread(d.Validation, h.Rows/4)
	for _, c := range s.candidates(h.Training) { // which are as many whatever the teacher
		s.planned++
		if _, noise := c.method.(Noise); !noise {
			s.planned += finalSeeds - 1
		}
	}
	s.planned += teacherShapes + finalSeeds - 1
	teacher, training, err := s.teachers(ctx)
	if err != nil {
		return Found{}, err
	}
	candidates := s.candidates(training)
	for i := range candidates {
		if err := s.try(ctx, &candidates[i], o.Seed, teacher); err != nil {
			return Found{}, err
		}
	}
	if err := s.confirm(ctx, candidates, training); err != nil {
		return Found{}, err
	}
	best := s.choose(candidates)
	if best < 0 {
		return Found{}, errors.New("train: nothing that was tried could be trained")
	}
	candidates[best].Chosen = true
	return Found{Method: candidates[best].method, Teacher: training, Trials: append(s.trials, candidates...)}, nil
}

// teacherShapes is how many models for the trusted side are tried.
const teacherShapes = 4

// finalSeeds is with how many seeds something is tried before it is chosen.
const finalSeeds = 3

// choose returns the best of the candidates that were confirmed, or −1. The
// release of one label needs no codes unless they are better by more than a
// trifle; and noise on a representation must beat both by more than the chance
// of the validation rows, twice their standard error at most, for what codes
// give is computed and not drawn.
func (s *search) choose(candidates []Trial) int {
	const trifle = 0.001
	coded, label, noisy := -1, -1, -1
	better := func(i, than int) int {
		if than < 0 || candidates[i].Accuracy > candidates[than].Accuracy {
			return i
		}
		return than
	}
	for i, c := range candidates {
		if c.Failed != "" || len(c.Scores) < finalSeeds {
			continue
		}
		switch c.method.(type) {
		case Label:
			label = i
		case Codes:
			coded = better(i, coded)
		default:
			noisy = better(i, noisy)
		}
	}
	best := coded
	if label >= 0 && (coded < 0 || candidates[coded].Accuracy <= candidates[label].Accuracy+trifle) {
		best = label
	}
	chance := 2 * math.Sqrt(0.25/float64(len(s.data.Validation)))
	if noisy >= 0 && (best < 0 || candidates[noisy].Accuracy > candidates[best].Accuracy+chance) {
		best = noisy
	}
	return best
}

// search is one search under way.
type search struct {
	Auto
	data    Data
	options Options
	told    func(Trial, float64)
	trials  []Trial // of teachers
	done    int
	planned int
}

func (s *search) tell(t Trial) {
	s.done++
	if s.told != nil {
		s.told(t, min(1, float64(s.done)/float64(s.planned)))
	}
}

// teachers trains models for the trusted side and returns the one of least
// validation loss.
func (s *search) teachers(ctx context.Context) (*Teacher, Training, error) {
	var best *Teacher
	var settings Training
	full := slices.Concat(s.Encoder, s.Classifier)
	if s.Encoder == nil {
		full = Twitter().Encoder
	}
	chosen := 0
	for i, shape := range [teacherShapes]Shape{
		{Encoder: []int{}, Dropout: -1}, {Encoder: []int{64}, Dropout: 0.3}, {Encoder: full, Dropout: s.Dropout}, {Encoder: full, Dropout: 0.5},
	} {
		t := s.Training
		t.Shape = shape
		began := time.Now()
		teacher, err := t.Teach(ctx, s.data, Options{Seed: s.options.Seed, Pool: s.options.Pool})
		trial := Trial{Name: fmt.Sprintf("trusted side %s", layers(shape)), Hidden: shape.Encoder, Seconds: time.Since(began).Seconds()}
		if err != nil {
			if ctx.Err() != nil {
				return nil, t, err
			}
			trial.Failed = err.Error()
		} else {
			trial.Accuracy, trial.Loss, trial.Scores = teacher.Kept.Accuracy, teacher.Loss, []float64{teacher.Kept.Accuracy}
			if best == nil || teacher.Loss < best.Loss {
				best, settings, chosen = teacher, t, i
			}
		}
		s.trials = append(s.trials, trial)
		s.tell(trial)
	}
	if best == nil {
		return nil, settings, fmt.Errorf("train: no model for the trusted side could be trained: %s", s.trials[0].Failed)
	}
	s.trials[chosen].Chosen = true
	return best, settings, nil
}

// layers describes a teacher's shape.
func layers(s Shape) string {
	if len(s.Encoder) == 0 {
		return "linear"
	}
	name := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Encoder), "[]"), " ", "-")
	if s.Dropout > 0 {
		name += fmt.Sprintf(" dropout %v", s.Dropout)
	}
	return name
}

// candidates lists what is tried for the release.
func (s *search) candidates(teacher Training) []Trial {
	codes := func(name string, selected int) Trial {
		p := mech.Params{Mechanism: "codes", Epsilon: s.Epsilon, Selected: selected}
		return Trial{Name: name, Mechanism: "codes", Selected: selected, Hidden: teacher.Encoder, method: Codes{Training: teacher, Release: p}}
	}
	list := []Trial{codes("codes, best weights", 0), codes("codes, randomised response", 1)}
	for j := 2; j <= 3 && (len(s.data.More) > 0 || j < s.data.Classes); j++ {
		list = append(list, codes(fmt.Sprintf("codes, %d selected", j), j))
	}
	if len(s.data.More) == 0 {
		p := mech.Params{Mechanism: "codes", Epsilon: s.Epsilon}
		list = append([]Trial{{Name: "the label, randomised response", Mechanism: "codes", Hidden: teacher.Encoder, method: Label{Training: teacher, Release: p}}}, list...)
	}
	noise := func(p mech.Params, anneal float64) {
		t := s.Training
		p.Epsilon = s.Epsilon
		hidden := teacher.Encoder
		if len(hidden) == 0 {
			hidden = []int{64}
		}
		t.Shape = Shape{Encoder: append(slices.Clone(hidden), p.Dim), Classifier: []int{32}, Dropout: teacher.Dropout}
		t.Anneal = anneal
		name := fmt.Sprintf("%s, width %d", p.Mechanism, p.Dim)
		if anneal > 1 {
			name += ", annealed"
		}
		list = append(list, Trial{Name: name, Mechanism: p.Mechanism, Dim: p.Dim, Hidden: hidden, Anneal: anneal, method: Noise{Training: t, Release: p}})
	}
	for _, dim := range []int{2, 4, 8} {
		noise(mech.Params{Mechanism: "laplace-l1", Dim: dim}, 0)
	}
	noise(mech.Params{Mechanism: "laplace-l1", Dim: 4}, 8)
	for _, dim := range []int{2, 4} {
		noise(mech.Params{Mechanism: "laplace-l2", Dim: dim}, 0)
	}
	for _, dim := range []int{4, 8} {
		noise(mech.Params{Mechanism: "privunit", Dim: dim}, 0)
	}
	noise(mech.Params{Mechanism: "privunit", Dim: 4}, 8)
	noise(mech.Params{Mechanism: "codebook", Dim: 4, Codewords: 64}, 0)
	noise(mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 3}, 0)
	return list
}

// trialEpochs is how long a trial with noise trains where nothing else is said.
const trialEpochs = 20

// try fits a candidate with one seed. Codes of the first seed share a teacher.
func (s *search) try(ctx context.Context, t *Trial, seed uint64, teacher *Teacher) error {
	began := time.Now()
	var m *model.Model
	var err error
	o := Options{Seed: seed, Pool: s.options.Pool}
	switch method := t.method.(type) {
	case Codes:
		m, err = method.Encode(ctx, teacher, o.pool().Workers())
	case Label:
		m, err = method.encode(teacher, s.data)
	case Noise:
		if method.Epochs == 0 {
			method.Epochs = trialEpochs
		}
		m, err = method.Fit(ctx, s.data, o)
	}
	t.Seconds += time.Since(began).Seconds()
	if ctx.Err() != nil {
		return fmt.Errorf("train: search stopped: %w", ctx.Err())
	}
	if err != nil {
		t.Failed = err.Error()
		s.tell(*t)
		return nil
	}
	t.Dim = m.Dim()
	accuracy := m.Kept.Accuracy
	if _, ok := t.method.(Noise); ok {
		if accuracy, err = s.again(m, seed); err != nil {
			return err
		}
	}
	t.Scores = append(t.Scores, accuracy)
	t.Accuracy = 0
	for _, v := range t.Scores {
		t.Accuracy += v / float64(len(t.Scores))
	}
	s.tell(*t)
	return nil
}

// again measures a model on the validation rows anew: the accuracy of the epoch
// that was kept is the luckiest of all epochs'.
func (s *search) again(m *model.Model, seed uint64) (float64, error) {
	p := s.options.pool()
	y, err := m.Release(p, s.data.X, s.data.Validation, append(model.SimulationKey(seed), "search"...))
	if err != nil {
		return 0, err
	}
	labels, classes := s.data.labels(), s.data.classes()
	scores := m.Logits(p, y)
	t := newTally(len(classes))
	for i, row := range s.data.Validation {
		t.add(classes, scores.Row(i), func(label int) int { return labels[label][row] })
	}
	return t.accuracy(s.data.weights()), nil
}

// confirm tries with further seeds what may be chosen: everything that is made
// of a teacher, which takes little time, and the best of the rest.
func (s *search) confirm(ctx context.Context, candidates []Trial, training Training) error {
	var finalists []int
	noisy := -1
	for i, c := range candidates {
		switch _, noise := c.method.(Noise); {
		case c.Failed != "":
		case !noise:
			finalists = append(finalists, i)
		case noisy < 0 || c.Accuracy > candidates[noisy].Accuracy:
			noisy = i
		}
	}
	if noisy >= 0 {
		finalists = append(finalists, noisy)
	}
	s.planned = s.done + len(finalists)*(finalSeeds-1) // fewer if something failed
	for seed := range uint64(finalSeeds - 1) {
		next := s.options.Seed + 1 + seed
		teacher, err := training.Teach(ctx, s.data, Options{Seed: next, Pool: s.options.Pool})
		if err != nil {
			return err
		}
		for _, i := range finalists {
			if err := s.try(ctx, &candidates[i], next, teacher); err != nil {
				return err
			}
		}
	}
	return nil
}

package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// Auto looks for the release that tells the labels best at an ε: it tries
// models for the trusted side, then codes of every kind and noise of every kind
// on the best of them, each by what it does on the validation rows. Where the
// channel is to be public, only the model for the trusted side is looked for: any
// choice by the rows of what leaves it would tell of them.
type Auto struct {
	Training         // of the trials; widths are what is varied
	Epsilon  float64 `json:"epsilon"`
	// Channel is that of [Codes].
	Channel channel.Kind `json:"channel,omitempty"`
	// Rows bounds the rows that a trial trains on; 0 means 20,000. What was
	// found is then trained on all.
	Rows int `json:"rows,omitempty"`
	// Objective is what the release is to be best at on the validation rows.
	Objective Objective `json:"objective,omitempty"`
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
	// Values and Value are those of the objective, where it is not accuracy.
	Values  []float64 `json:"values,omitempty"`
	Value   float64   `json:"value,omitempty"`
	Loss    float64   `json:"loss,omitempty"`
	Seconds float64   `json:"seconds"`
	Chosen  bool      `json:"chosen,omitempty"`
	// Failed is why nothing came of it.
	Failed string `json:"failed,omitempty"`
}

// Found is what a search found.
type Found struct {
	Method Method // to be fitted with any seed
	// Reference is the best model for the trusted side, which protects nothing:
	// what Method is to be judged by.
	Reference Method
	Trials    []Trial
	// Advice is there where a simpler method serves as well.
	Advice string
}

// Prepare implements [Method]. Its Fit searches with the seed, and fits what was
// found.
func (h Auto) Prepare(d Data) (*Fitting, error) {
	if err := (Codes{Release: mech.Params{Epsilon: h.Epsilon}, Channel: h.Channel, Objective: h.Objective}).check(); err != nil {
		return nil, err
	}
	if _, err := h.lesson(d); err != nil {
		return nil, err
	}
	search := func(ctx context.Context, o Options) (*Found, error) { return h.search(ctx, d, o) }
	return &Fitting{Search: search, Fit: func(ctx context.Context, o Options) (*model.Model, error) {
		found, err := search(ctx, o)
		if err != nil {
			return nil, err
		}
		return Fit(ctx, found.Method, d, o)
	}}, nil
}

// search tries everything and returns the best.
func (h Auto) search(ctx context.Context, d Data, o Options) (*Found, error) {
	h.Rows = cmp.Or(h.Rows, 20_000)
	s := &search{Auto: h, data: d, options: o}
	s.data.Train, s.data.Validation = Evenly(d.Train, h.Rows), Evenly(d.Validation, h.Rows/4)
	s.plan()
	teacher, training, err := s.teachers(ctx)
	if err != nil {
		return nil, err
	}
	candidates := s.candidates(training)
	for i := range candidates {
		if err := s.try(ctx, &candidates[i], o.Seed, teacher); err != nil {
			return nil, err
		}
	}
	if err := s.confirm(ctx, candidates, training); err != nil {
		return nil, err
	}
	best := s.choose(candidates)
	if best < 0 && candidates[0].Failed != "" {
		return nil, fmt.Errorf("train: nothing that was tried could be trained: %s", candidates[0].Failed)
	} else if best < 0 {
		return nil, errors.New("train: nothing that was tried could be trained")
	}
	candidates[best].Chosen = true
	found := &Found{Method: candidates[best].method, Reference: TrustedSide{training}, Trials: s.trials}
	for _, c := range candidates {
		found.Trials = append(found.Trials, c.Trial)
	}
	if len(d.More) == 0 && h.Objective.Plain() && (!h.open() || d.Classes <= 2) {
		found.Advice = adviseLabel(d.Classes)
	}
	return found, nil
}

// open reports whether the channel is public.
func (h Auto) open() bool { return h.Channel == channel.Public }

// plan counts what will be tried.
func (s *search) plan() {
	for _, c := range s.candidates(s.Training) { // which are as many whatever the teacher
		s.planned++
		if c.taught() && !s.open() {
			s.planned += finalSeeds - 1
		}
	}
	if s.planned += teacherShapes; !s.open() {
		s.planned += finalSeeds - 1
	}
}

const (
	teacherShapes = 4  // how many models for the trusted side are tried
	finalSeeds    = 3  // with how many seeds something is tried before it is chosen
	trialEpochs   = 20 // how long a trial with noise trains where nothing else is said
)

// choose returns the best of the candidates that were confirmed, or −1. The
// release of one label needs no codes unless they are better by more than a
// trifle; and noise on a representation must beat both by more than the chance
// of the validation rows, twice their standard error at most, for what codes
// give is computed and not drawn.
func (s *search) choose(candidates []candidate) int {
	const trifle = 0.001
	coded, label, noisy := -1, -1, -1
	better := func(i, than int) int {
		if than < 0 || candidates[i].sought() > candidates[than].sought() {
			return i
		}
		return than
	}
	for i, c := range candidates {
		if c.Failed != "" || len(c.Scores) < finalSeeds && !s.open() {
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
	if label >= 0 && (coded < 0 || candidates[coded].sought() <= candidates[label].sought()+trifle) {
		best = label
	}
	if noisy >= 0 && (best < 0 || candidates[noisy].sought() > candidates[best].sought()+s.chance()) {
		best = noisy
	}
	return best
}

// chance is twice the largest standard error that the objective can have on the
// validation rows: that of a share, or of the mean of the classes' shares.
func (s *search) chance() float64 {
	if s.Objective.Plain() {
		return 2 * math.Sqrt(0.25/float64(len(s.data.Validation)))
	}
	counts, sum, present := make([]float64, s.data.Classes), 0.0, 0.0
	for _, row := range s.data.Validation {
		counts[s.data.Y[row]]++
	}
	for _, n := range counts {
		if n > 0 {
			sum += 0.25 / n
			present++
		}
	}
	return 2 * math.Sqrt(sum) / present
}

// sought is what trials are compared by.
func (t *Trial) sought() float64 {
	if len(t.Values) > 0 {
		return t.Value
	}
	return t.Accuracy
}

// adviseLabel recommends the release of the label itself, where there is one.
func adviseLabel(classes int) string {
	if classes == 2 {
		return "one label that is known beforehand is served as well by its own release: --method label classifies on the trusted side and releases the answer, which attains the limit for two classes"
	}
	return "one label that is known beforehand can have its own release: --method label classifies on the trusted side and releases the answer among the commonest classes, which is simpler and comes near the limit; auto may come nearer where a rare class is easy to tell"
}

// candidate is something that is tried for the release.
type candidate struct {
	Trial
	method Method
	// Of these one is there: what a release of the teacher's answers is expected
	// to give, or the training of a model, which is then drawn from.
	best func(context.Context, *teacher, Options) (coding, error)
	fit  func(context.Context, Options) (*model.Model, error)
}

// taught reports whether it is made of a teacher.
func (c candidate) taught() bool { return c.best != nil }

// search is one search under way.
type search struct {
	Auto
	data    Data
	options Options
	trials  []Trial // of teachers
	done    int
	planned int
}

func (s *search) tell(t Trial) {
	s.done++
	if s.options.Trial != nil {
		s.options.Trial(t, min(1, float64(s.done)/float64(s.planned)))
	}
}

// teachers trains models for the trusted side and returns the one of least
// validation loss.
func (s *search) teachers(ctx context.Context) (*teacher, Training, error) {
	var best *teacher
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
		teacher, err := s.teach(ctx, t, s.options.Seed)
		trial := Trial{Name: fmt.Sprintf("trusted side %s", shape.Layers()), Hidden: shape.Encoder, Seconds: time.Since(began).Seconds()}
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

func (s *search) teach(ctx context.Context, t Training, seed uint64) (*teacher, error) {
	q, err := t.lesson(s.data)
	if err != nil {
		return nil, err
	}
	return s.options.Teachers.teach(ctx, q, Options{Seed: seed, Pool: s.options.Pool})
}

// candidates lists what is tried for the release.
func (s *search) candidates(training Training) []candidate {
	codes := func(name string, selected int) candidate {
		h := Codes{Training: training, Channel: s.Channel, Release: mech.Params{Mechanism: "codes", Epsilon: s.Epsilon, Own: mech.CodesParams{Selected: selected}}, Objective: s.Objective}
		return candidate{Trial: Trial{Name: name, Mechanism: "codes", Selected: selected, Hidden: training.Encoder}, method: h, best: h.best}
	}
	if s.open() {
		return []candidate{codes("codes, public channel", 0)}
	}
	list := []candidate{codes("codes, best weights", 0), codes("codes, randomised response", 1)}
	for j := 2; j <= 3 && (len(s.data.More) > 0 || j < s.data.Classes); j++ {
		list = append(list, codes(fmt.Sprintf("codes, %d selected", j), j))
	}
	if len(s.data.More) == 0 {
		h := Label{Training: training, Release: mech.Params{Mechanism: "codes", Epsilon: s.Epsilon}, Objective: s.Objective}
		t := Trial{Name: "the label, randomised response", Mechanism: "codes", Hidden: training.Encoder}
		list = append([]candidate{{Trial: t, method: h, best: h.best}}, list...)
	}
	noise := func(p mech.Params, anneal float64) {
		t := s.Training
		p.Epsilon = s.Epsilon
		hidden := training.Encoder
		if len(hidden) == 0 {
			hidden = []int{64}
		}
		t.Shape = Shape{Encoder: append(slices.Clone(hidden), p.Dim), Classifier: []int{32}, Dropout: training.Dropout}
		t.Anneal = anneal
		name := fmt.Sprintf("%s, width %d", p.Mechanism, p.Dim)
		if anneal > 1 {
			name += ", annealed"
		}
		h := Noise{Training: t, Release: p}
		quick := h
		quick.Epochs = cmp.Or(h.Epochs, trialEpochs)
		list = append(list, candidate{
			Trial:  Trial{Name: name, Mechanism: p.Mechanism, Dim: p.Dim, Hidden: hidden, Anneal: anneal},
			method: h,
			fit:    func(ctx context.Context, o Options) (*model.Model, error) { return Fit(ctx, quick, s.data, o) },
		})
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
	noise(mech.Params{Mechanism: "codebook", Dim: 4, Own: mech.CodebookParams{Codewords: 64}}, 0)
	noise(mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 3}, 0)
	return list
}

// try fits a candidate with one seed. Codes of the first seed share a teacher.
func (s *search) try(ctx context.Context, t *candidate, seed uint64, teacher *teacher) error {
	began := time.Now()
	accuracy, value, err := s.fit(ctx, t, seed, teacher)
	t.Seconds += time.Since(began).Seconds()
	if ctx.Err() != nil {
		return fmt.Errorf("train: search stopped: %w", ctx.Err())
	}
	if err != nil {
		t.Failed = err.Error()
		s.tell(t.Trial)
		return nil
	}
	t.Scores = append(t.Scores, accuracy)
	t.Accuracy = float64(measure.Summarise(t.Scores).Mean)
	if !s.Objective.Plain() {
		t.Values = append(t.Values, value)
		t.Value = float64(measure.Summarise(t.Values).Mean)
	}
	s.tell(t.Trial)
	return nil
}

// fit fits a candidate and returns its accuracy and objective on the validation
// rows: computed where a teacher decides, else measured anew on a draw, as the
// accuracy of the epoch that was kept is the luckiest of all epochs'.
func (s *search) fit(ctx context.Context, t *candidate, seed uint64, teacher *teacher) (accuracy, value float64, err error) {
	o := Options{Seed: seed, Pool: s.options.Pool}
	if t.taught() {
		c, failed := t.best(ctx, teacher, o)
		t.Dim = len(c.answers)
		return c.accuracy, c.value, failed
	}
	m, err := t.fit(ctx, o)
	if err != nil {
		return 0, 0, err
	}
	t.Dim = m.Dim()
	p := s.options.pool()
	y, err := m.Release(p, s.data.X, s.data.Validation, append(model.SimulationKey(seed), "search"...))
	if err != nil {
		return 0, 0, err
	}
	told := m.Predict(p, y, seed)
	var counted []*measure.Confusion
	for l, label := range s.data.labels() {
		c := measure.NewConfusion(s.data.classes()[l])
		c.Add(nn.Pick(label, s.data.Validation), told[l])
		counted = append(counted, c)
	}
	return Accuracy.Value(counted, s.data.weights()), s.Objective.Value(counted, s.data.weights()), nil
}

// confirm tries with further seeds what may be chosen: everything that is made
// of a teacher, which takes little time, and the best of the rest.
func (s *search) confirm(ctx context.Context, candidates []candidate, training Training) error {
	if s.open() { // there is nothing to choose from
		return nil
	}
	var finalists []int
	noisy := -1
	for i, c := range candidates {
		switch {
		case c.Failed != "":
		case c.taught():
			finalists = append(finalists, i)
		case noisy < 0 || c.sought() > candidates[noisy].sought():
			noisy = i
		}
	}
	if noisy >= 0 {
		finalists = append(finalists, noisy)
	}
	s.planned = s.done + len(finalists)*(finalSeeds-1) // fewer if something failed
	for seed := range uint64(finalSeeds - 1) {
		next := s.options.Seed + 1 + seed
		teacher, err := s.teach(ctx, training, next)
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

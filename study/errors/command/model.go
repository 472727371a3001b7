package errors

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/promise/dp"
	failing "sotto/study/errors"
	"sotto/study/explain/predictor"
)

// modelFlags name a model that answers, in place of columns of answers.
type modelFlags struct {
	model string
	draws int
	own   bool
	masks term.ListFlags
}

func (o *modelFlags) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.model, "model", "", "folder of a model that sotto train made, which answers to the texts, before its release and after it, in place of --predicted")
	term.AddModelEncoder(fs)
	fs.IntVar(&o.draws, "draws", 200, "draws of a release whose law is not known, with --model")
	fs.BoolVar(&o.own, "posteriors", false, "let rules of cohorts speak of how sure the model is before its release and after, and how far the release moves a text, too, with --model")
	o.masks.AddFlags(fs)
}

// names are the flags that mean nothing without a model.
func (o *modelFlags) names() []string {
	return []string{"encoder", "encoder-root", "draws", "posteriors", "mask", "mask-names", "mask-policy", "mask-secret"}
}

// answered is what a model says of each text.
type answered struct {
	digest    string              // of the model
	right     []float64           // how likely a receiver of a release answers rightly; nil if nothing is released
	received  *predictor.Received // what receivers get; nil if nothing is released
	seed      uint64              // of what was drawn for it
	guarantee *dp.Guarantee
}

// batch is how many texts a model is asked about at once.
const batch = 256

// privately tells whether private answers are known.
func (in *input) privately() bool {
	return in.private != nil || in.model != nil && in.model.right != nil
}

// ask fills in what the model of the flags answers. Answers are those before the
// release, and those of receivers are weighed over all that the release may draw.
func (o *inputFlags) ask(ctx context.Context, in *input, seed uint64, w failing.Work) error {
	maskers, err := o.masks.Maskers(ctx)
	if err != nil {
		return err
	}
	options := predictor.Options{View: predictor.Before, Draws: o.draws, Seed: seed, Workers: w.Workers, Maskers: maskers}
	m, err := predictor.Load(ctx, o.model, options)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	defer term.CloserOf(m.Source())() //nolint:errcheck // its answers are complete
	if in.rules != nil {
		if err = o.untrained(m, in); err != nil {
			return err
		}
	}
	released := m.Manifest().Architecture.Release != nil
	total := len(in.texts)
	if released {
		total *= 2
	}
	if in.probabilities, err = in.answers(ctx, m, total, w); err != nil {
		return err
	}
	classes := m.Classes()
	if in.wrong, err = in.differ(in.labels, in.said(classes)); err != nil {
		return err
	}
	in.model = &answered{seed: seed}
	if in.model.digest, err = m.Manifest().Digest(); err != nil {
		return err
	}
	if !released {
		return nil
	}
	g := m.Guarantee()
	in.model.guarantee = &g
	if in.model.received, err = in.receive(ctx, m, total, w); err != nil {
		return err
	}
	place := map[string]int{}
	for k, c := range classes {
		place[c] = k
	}
	in.model.right = make([]float64, len(in.texts))
	for i, label := range in.labels {
		if k, known := place[label]; known {
			in.model.right[i] = min(1, in.model.received.Answers[i][k])
		}
	}
	return nil
}

// untrained refuses rows to count under ε that the model was trained on, or of whose
// persons it was: without one of them it would answer others otherwise, so that a row more
// or less would change more than one count.
func (o *inputFlags) untrained(m *predictor.Model, in *input) error {
	known, maskers, err := m.Trained()
	if errors.Is(err, model.ErrNotKnown) {
		return fmt.Errorf("--epsilon with --model: %w, so that ε may not cover them: train the model again", err)
	} else if err != nil {
		return err
	}
	hits := 0
	for i, t := range in.texts {
		if known.Text(t, maskers, nil) || in.persons != nil && known.Person(dataset.PersonDigest(in.persons[i])) {
			hits++
		}
	}
	if hits > 0 {
		return fmt.Errorf("--epsilon: the model in %s was trained on %d of these rows, or on others of their persons, and each changes its answers to others, which ε does not cover; nothing was counted: count rows that it has not seen", o.model, hits)
	}
	return nil
}

// answers asks about all texts before their release, batch by batch.
func (in *input) answers(ctx context.Context, m *predictor.Model, total int, w failing.Work) ([][]float64, error) {
	var all [][]float64
	for some := range slices.Chunk(in.texts, batch) {
		w.Tell(len(all), total)
		p, err := m.Predict(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("--model: %w", err)
		}
		all = append(all, p...)
	}
	return all, nil
}

// receive asks what receivers get of all texts, batch by batch; the texts were asked
// about before.
func (in *input) receive(ctx context.Context, m *predictor.Model, total int, w failing.Work) (*predictor.Received, error) {
	all := &predictor.Received{}
	for some := range slices.Chunk(in.texts, batch) {
		w.Tell(len(in.texts)+len(all.Answers), total)
		r, err := m.Receive(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("--model: %w", err)
		}
		all.Answers, all.Moved = append(all.Answers, r.Answers...), append(all.Moved, r.Moved...)
	}
	return all, nil
}

// said is what the model answers, by the probabilities of classes.
func (in *input) said(classes []string) []string {
	all := make([]string, len(in.probabilities))
	for i, p := range in.probabilities {
		all[i] = classes[argmax(p)]
	}
	return all
}

func argmax(p []float64) int {
	scores := make([]float32, len(p))
	for k, v := range p {
		scores[k] = float32(v)
	}
	return nn.Argmax(scores)
}

// released are features of what the release of a model does to the texts; nil if
// nothing is released.
func (in *input) released() *failing.Features {
	if in.model == nil || in.model.received == nil {
		return nil
	}
	return failing.FromRelease(in.probabilities, in.model.received.Answers, in.model.received.Moved)
}

// tables are the features that are learnt from.
type tables struct {
	all    *failing.Features // for forests
	rules  *failing.Features // that rules may speak of
	absent []failing.Absent  // features of privacy that there are not
}

// widen adds features of privacy. Those of a model's release say much of which answers
// are wrong and nothing of which texts these are to, so that rules speak of them only on
// request.
func (o *inputFlags) widen(in *input, x *failing.Features) (*tables, error) {
	t := &tables{all: x, rules: x}
	own := in.released()
	if own == nil {
		return t, nil
	}
	none := func(name, why string) { t.absent = append(t.absent, failing.Absent{Name: name, Why: why}) }
	none(failing.ReleaseEpsilon, fmt.Sprintf("it is the same for every text of a model, here %v, and tells none from another", in.model.guarantee))
	if in.model.received.Moved == nil {
		none(failing.DistanceMoved, "a release of this model is a code, which is at no place among vectors; "+failing.PosteriorMoved+" is the only distance that there is")
	}
	varied, same := own.Varied()
	for _, name := range same {
		none(name, "it is the same for every text, and tells none from another")
	}
	var err error
	if t.all, err = failing.Join(x, varied); err == nil && o.own {
		t.rules = t.all
	}
	return t, err
}

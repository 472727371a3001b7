package errors

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"sotto/dp"
	"sotto/explain/predictor"
	"sotto/internal/cli/term"
	failing "sotto/measure/errors"
	"sotto/nn"
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
	fs.IntVar(&o.draws, "draws", 200, "draws of a release whose law is not known, with --model")
	fs.BoolVar(&o.own, "posteriors", false, "let the rules of who loses speak of how sure the model is before and after, too, with --model")
	o.masks.AddFlags(fs)
}

// names are the flags that mean nothing without a model.
func (o *modelFlags) names() []string {
	return []string{"draws", "posteriors", "mask", "mask-names", "mask-policy", "mask-secret"}
}

// answered is what a model says of each text.
type answered struct {
	digest    string    // of the model
	right     []float64 // how likely a receiver of a release answers rightly; nil if nothing is released
	after     [][]float64
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
	maskers, err := o.masks.Maskers()
	if err != nil {
		return err
	}
	options := predictor.Options{View: predictor.Before, Draws: o.draws, Seed: seed, Workers: w.Workers, Maskers: maskers}
	m, err := predictor.Load(ctx, o.model, options)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	defer term.CloserOf(m.Source())() //nolint:errcheck // its answers are complete
	released := m.Manifest().Architecture.Release != nil
	total := len(in.texts)
	if released {
		total *= 2
	}
	if in.probabilities, err = in.answers(ctx, m, 0, total, w); err != nil {
		return err
	}
	classes := m.Classes()
	said := make([]string, len(in.texts))
	for i, p := range in.probabilities {
		said[i] = classes[argmax(p)]
	}
	if in.wrong, err = in.differ(in.labels, said); err != nil {
		return err
	}
	in.model = &answered{}
	if in.model.digest, err = m.Manifest().Digest(); err != nil {
		return err
	}
	if !released {
		return nil
	}
	g := m.Guarantee()
	in.model.guarantee = &g
	options.View = predictor.Expected
	after, err := predictor.Load(ctx, o.model, options)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	defer term.CloserOf(after.Source())() //nolint:errcheck // as above
	if in.model.after, err = in.answers(ctx, after, len(in.texts), total, w); err != nil {
		return err
	}
	place := map[string]int{}
	for k, c := range classes {
		place[c] = k
	}
	in.model.right = make([]float64, len(in.texts))
	for i, label := range in.labels {
		if k, known := place[label]; known {
			in.model.right[i] = min(1, in.model.after[i][k])
		}
	}
	return nil
}

// answers asks about all texts, batch by batch.
func (in *input) answers(ctx context.Context, m *predictor.Model, done, total int, w failing.Work) ([][]float64, error) {
	var all [][]float64
	for lo := 0; lo < len(in.texts); lo += batch {
		w.Tell(done+lo, total)
		some, err := m.Predict(ctx, in.texts[lo:min(lo+batch, len(in.texts))])
		if err != nil {
			return nil, fmt.Errorf("--model: %w", err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func argmax(p []float64) int {
	scores := make([]float32, len(p))
	for k, v := range p {
		scores[k] = float32(v)
	}
	return nn.Argmax(scores)
}

// groupPosterior is the group of features that a model's own answers are.
const groupPosterior = "posterior"

// posteriors are features of how a release moves the answers of a model, for the tree
// of losses. They say much of who loses and nothing of which texts these are, so that
// they are there only on request.
func (in *input) posteriors() *failing.Features {
	f := &failing.Features{
		Names:  []string{"posterior: surest class before the release", "posterior: surest class after", "posterior: how far the release moves it"},
		Groups: []string{groupPosterior, groupPosterior, groupPosterior},
	}
	for i, before := range in.probabilities {
		moved := 0.0
		for k, v := range before {
			moved += math.Abs(v-in.model.after[i][k]) / 2
		}
		var row failing.Row
		for column, v := range []float64{before[argmax(before)], in.model.after[i][argmax(in.model.after[i])], moved} {
			if v != 0 {
				row = append(row, failing.Cell{Column: column, Value: v})
			}
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

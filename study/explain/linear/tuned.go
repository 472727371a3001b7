package linear

import (
	"context"

	"sotto/compute/nn"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// Tuning says how a transformer is tuned before a model is fitted to its vectors.
type Tuning struct {
	Encoder  string // name or folder of a transformer
	Dir      string // folder for what is made, which the caller removes
	Settings tune.Settings
	Workers  int
	Progress func(tune.Progress) // may be nil
}

// held is how many training rows tell which epoch is the best, one of so many.
const held = 20

// Learn tunes the transformer on texts with labels and returns its vectors as features.
// Of every twenty rows one tells which epoch is the best and is not learnt from.
func (t Tuning) Learn(ctx context.Context, texts []string, labels []int, classes int) (Features, error) {
	dir, name, err := catalogue.Transformer(t.Encoder)
	if err != nil {
		return nil, err
	}
	f, err := bert.Read(dir)
	if err != nil {
		return nil, err
	}
	d := tune.Data{Texts: texts, Labels: [][]int{labels}, Classes: []int{classes}, Weights: []float64{1}}
	for i := range texts {
		if i%held == held-1 {
			d.Validation = append(d.Validation, i)
		} else {
			d.Train = append(d.Train, i)
		}
	}
	trainer, err := tune.New(f, d, t.Settings)
	if err != nil {
		return nil, err
	}
	workers := max(t.Workers, 1)
	if _, err = trainer.Make(ctx, t.Dir, bert.Manifest{Parent: name, Data: "explain"}, tune.Options{Pool: nn.NewPool(workers), Progress: t.Progress}); err != nil {
		return nil, err
	}
	m, err := bert.Open(t.Dir, bert.Options{})
	if err != nil {
		return nil, err
	}
	return Encoded{Source: m, Workers: workers}, nil
}

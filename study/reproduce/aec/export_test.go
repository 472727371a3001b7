package aec

import (
	"context"

	"sotto/compute/nn"
)

// What tests look at.
var (
	Masked = masked
	Films  = films
	Tweets = tweets
)

// Counts returns how many texts each class has.
func (s sample) Counts() [3]int { return s.counts() }

// TrainLinear trains the linear base on films and asks it about tweets.
func TrainLinear(ctx context.Context, train, dev, test sample) (*Base, error) {
	return linear(ctx, train, dev, test, 1)
}

// Small makes the case of given texts and answers.
func Small(ctx context.Context, texts []string, labels []int, probabilities nn.Matrix, o Options) (*Result, error) {
	r := &run{Options: o, pool: nn.NewPool(1), total: 1, test: sample{texts, labels}}
	b := &Base{Name: CNN, Published: published(CNN), probabilities: probabilities, Tried: []Tried{}}
	if err := b.judge(r.test); err != nil {
		return nil, err
	}
	if err := r.describe(ctx); err != nil {
		return nil, err
	}
	c, err := r.judge(ctx, b)
	if err != nil {
		return nil, err
	}
	return &Result{Format: Format, Paper: paper, Splits: o.Splits, Features: len(r.table.Names), Cases: []Case{*c}, Notes: notes()}, nil
}

package parse

import (
	"context"
	"errors"
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
	"sotto/study/language"
)

// Config says how a model is trained. The zero value of a field is its default.
type Config struct {
	Shape
	Epochs  int     `json:"epochs"`  // passes over the sentences; 0 means 10
	Batch   int     `json:"batch"`   // words a step; 0 means 500
	Rate    float64 `json:"rate"`    // of Adam, at its highest; 0 means 0.003
	Dropout float64 `json:"dropout"` // share of the numbers between layers that a step drops; 0 means 0.15
	Hide    float64 `json:"hide"`    // share of words whose spelling a step hides; 0 means 0.12
	Least   int     `json:"least"`   // how often a word must occur to be learnt by its spelling; 0 means 2
	Seed    uint64  `json:"seed"`
}

// defaults fills what is 0.
func (c Config) defaults() Config {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	setFloat := func(v *float64, to float64) {
		if *v == 0 {
			*v = to
		}
	}
	set(&c.Width, 256)
	set(&c.Arc, 160)
	set(&c.Label, 96)
	set(&c.Epochs, 10)
	set(&c.Batch, 500)
	set(&c.Least, 2)
	setFloat(&c.Rate, 0.003)
	setFloat(&c.Dropout, 0.15)
	setFloat(&c.Hide, 0.12)
	if c.Layers == "" {
		c.Layers = "wrr"
	}
	return c
}

// Validate reports settings out of range.
func (c Config) Validate() error {
	c = c.defaults()
	if c.Epochs < 1 || c.Batch < 1 || c.Least < 1 {
		return fmt.Errorf("parse: epochs is %d, batch %d and least %d, must be positive", c.Epochs, c.Batch, c.Least)
	}
	if !(c.Rate > 0 && c.Rate < 1) || !(c.Dropout >= 0 && c.Dropout < 1) || !(c.Hide >= 0 && c.Hide < 1) {
		return fmt.Errorf("parse: rate is %v, dropout %v and hide %v, must be from 0 up to 1", c.Rate, c.Dropout, c.Hide)
	}
	return c.Shape.Validate()
}

// Given are vectors of words that were learnt elsewhere, a row a word.
type Given struct {
	Words   []string
	Vectors nn.Matrix
}

// Progress is told how far a training is.
type Progress func(epoch, epochs int, loss float64, so *Model)

// ErrTree is returned by [Train] for words without tags or tree.
var ErrTree = errors.New("parse: every word must have a tag, a head and a relation")

// Train learns from a document of sentences with tags and trees. It gives the
// same model for the same configuration and document, on any number of workers.
func Train(ctx context.Context, c Config, d *language.Document, given Given, workers int, progress Progress) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.defaults()
	rng := weakrand.New(weakrand.NewPCG(c.Seed, 1))
	m, err := newModel(c, d, given, 0, rng)
	if err != nil {
		return nil, err
	}
	t := trainer{config: c, model: m, rng: rng, document: d}
	if err := t.prepare(workers); err != nil {
		return nil, err
	}
	for epoch := range c.Epochs {
		loss, err := t.epoch(ctx)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(epoch+1, c.Epochs, loss, m)
		}
	}
	return m, nil
}

// newModel returns an untrained model for the words of a document, whose lemmas it
// learns, and for an encoder of so many numbers a word.
func newModel(c Config, d *language.Document, given Given, outer int, rng *weakrand.Rand) (*Model, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	v := collect(d, c.Least)
	for i, word := range given.Words {
		v.given[word] = int32(i)
	}
	table, err := quantise(given.Words, given.Vectors)
	if err != nil {
		return nil, err
	}
	return &Model{vocabulary: v, vectors: table, lemmas: learnLemmas(d), network: newNetwork(c.Shape, v, given.Vectors.Cols, outer, rng)}, nil
}

// check refuses a document that nothing can be learnt from.
func check(d *language.Document) error {
	for i := range d.Tokens {
		if t := &d.Tokens[i]; t.UPOS == "" || t.DepRel == "" {
			return fmt.Errorf("%w: word %d of sentence %d has not", ErrTree, i, t.Sentence)
		}
	}
	if len(d.Tokens) == 0 {
		return fmt.Errorf("%w: there are no words", ErrTree)
	}
	return nil
}

// trainer is a training.
type trainer struct {
	config   Config
	model    *Model
	document *language.Document
	rng      *weakrand.Rand

	words *words
	next  lesson

	state     *state
	gradients gradients
	params    []nn.Param
	optimizer *nn.Optimizer
	schedule  nn.Schedule
	dropout   vector.Dropout
	step      int
}

// prepare looks up all words once and makes the optimiser.
func (t *trainer) prepare(workers int) error {
	d, m := t.document, t.model
	t.words = m.look(d)
	t.state = newState(m.network, nn.NewPool(workers))
	t.params = m.network.params(&t.gradients)
	var err error
	if t.optimizer, err = (nn.Adam{Rate: t.config.Rate, Beta2: 0.98}).New(t.params); err != nil {
		return err
	}
	steps := t.config.Epochs * ((len(d.Tokens) + t.config.Batch - 1) / t.config.Batch)
	t.schedule = nn.Schedule{Warm: steps / 50, Total: steps + steps/50 + 1}
	t.dropout, err = vector.NewDropout(t.config.Dropout)
	return err
}

// epoch goes over all sentences once, in a new order, and returns the mean loss.
func (t *trainer) epoch(ctx context.Context) (float64, error) {
	all := t.words.sentences
	t.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	sum, steps := 0.0, 0
	for at := 0; at < len(all); steps++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		words, end := 0, at
		for end < len(all) && words < t.config.Batch {
			words += all[end][1] - all[end][0]
			end++
		}
		loss := t.learn(all[at:end])
		if !(loss < 1e6) {
			return 0, fmt.Errorf("parse: the training diverged in step %d: lower the rate", t.step)
		}
		sum += loss
		at = end
	}
	return sum / float64(steps), nil
}

// learn takes a step on some sentences.
func (t *trainer) learn(sentences [][2]int) float64 {
	s := t.state
	t.next.begin()
	for _, sentence := range sentences {
		t.next.add(t.words, t.model.vocabulary, sentence)
		t.next.hide(t.config.Hide, t.rng)
	}
	s.train, s.dropout = true, t.dropout.At(t.config.Seed).At(uint64(t.step))
	loss := t.model.network.loss(s, &t.gradients, &t.next, nn.Matrix{})
	s.pool.ClipNorm(t.params, 5)
	t.optimizer.Rate = t.config.Rate * t.schedule.At(t.step)
	t.optimizer.Step(s.pool)
	t.step++
	return loss
}

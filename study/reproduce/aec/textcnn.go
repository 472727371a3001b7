package aec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
)

// This part of the package classifies texts by a convolution over their words with the
// largest value of each filter kept (Kim, Convolutional Neural Networks for Sentence
// Classification, EMNLP 2014), in the form with two channels: vectors that stay as
// they were published, and vectors that learn.
//
// It is small and for English sentences of some dozen words; encoders of package bert
// know more. It promises no privacy. The same data, settings and seed give the same
// model on any number of workers. The smallest use is
//
//	m, err := Config{Seed: 1}.Fit(ctx, p, table, classes, train, dev, nil)
//	…
//	probabilities := m.Probabilities(p, texts)

// Rows of a table that are no words.
const (
	padding = 0 // what a short text is filled up with; it stays zero
	Unknown = 1 // any word that the table has not
	First   = 2 // the first word
)

// Texts are texts as rows of a table of words, with their classes.
type Texts struct {
	Words  [][]int
	Labels []int
}

// Config holds the hyper-parameters. The zero value uses the defaults, which are
// the paper's but for the optimiser, which is Adam.
type Config struct {
	Widths  []int   // of the filters, in words; nil means 3, 4, 5
	Filters int     // of each width; 0 means 100
	Dropout float64 // of what the filters found; 0 means 0.5
	Epochs  int     // at most; 0 means 8
	Batch   int     // texts a step; 0 means 50
	Rate    float64 // of Adam; 0 means 0.001
	Seed    uint64
	// Weights are how much a text of each class counts; nil means 1.
	Weights []float64
}

// filled returns the configuration with its defaults.
func (c Config) filled() Config {
	if c.Widths == nil {
		c.Widths = []int{3, 4, 5}
	}
	c.Filters, c.Dropout, c.Epochs = cmp.Or(c.Filters, 100), cmp.Or(c.Dropout, 0.5), cmp.Or(c.Epochs, 8)
	c.Batch, c.Rate = cmp.Or(c.Batch, 50), cmp.Or(c.Rate, 0.001)
	return c
}

// validate refuses what cannot be trained.
func (c Config) validate(table nn.Matrix, classes int, parts ...Texts) error {
	switch {
	case c.Filters < 1 || c.Epochs < 1 || c.Batch < 1 || slices.ContainsFunc(c.Widths, func(w int) bool { return w < 1 || w > 64 }):
		return fmt.Errorf("textcnn: filters is %d, epochs %d, batch %d, must be positive, and widths 1 to 64", c.Filters, c.Epochs, c.Batch)
	case !(c.Rate > 0) || math.IsInf(c.Rate, 0):
		return fmt.Errorf("textcnn: rate is %v, must be positive", c.Rate)
	case table.Rows < First || table.Cols < 1:
		return fmt.Errorf("textcnn: the table has %d rows and %d columns, must have at least %d and 1", table.Rows, table.Cols, First)
	case c.Weights != nil && len(c.Weights) != classes:
		return fmt.Errorf("textcnn: there are %d weights for %d classes, must be one each", len(c.Weights), classes)
	}
	for _, t := range parts {
		if len(t.Words) != len(t.Labels) {
			return fmt.Errorf("textcnn: there are %d texts and %d labels, must be one each", len(t.Words), len(t.Labels))
		}
		for i, words := range t.Words {
			if t.Labels[i] < 0 || t.Labels[i] >= classes || slices.ContainsFunc(words, func(w int) bool { return w < Unknown || w >= table.Rows }) {
				return fmt.Errorf("textcnn: text %d has a label or a word that is not there", i+1)
			}
		}
	}
	return nil
}

// model classifies texts. It keeps buffers, so that one goroutine uses it at a time.
type model struct {
	Epoch    int     // that was kept
	Accuracy float64 // of that epoch on the texts for choosing, the mean over classes

	n *network
}

// progress is told of the epochs: the mean loss, and the accuracy by which one is
// kept.
type progress func(epoch int, loss, accuracy float64)

// Fit trains on texts and keeps the epoch that is best on the texts of dev, by the
// mean accuracy over classes. The table has a vector a word, behind those of
// [Padding] and [Unknown]; it is not changed. Progress may be nil.
func (c Config) Fit(ctx context.Context, p *nn.Pool, table nn.Matrix, classes int, train, dev Texts, progress progress) (*model, error) {
	c = c.filled()
	if err := c.validate(table, classes, train, dev); err != nil {
		return nil, err
	}
	if len(train.Words) == 0 || len(dev.Words) == 0 {
		return nil, errors.New("textcnn: there is no text to train on or to choose by, must be one of each")
	}
	n, err := newNetwork(c, table, classes)
	if err != nil {
		return nil, err
	}
	optimizer, err := nn.Adam{Rate: c.Rate}.New(n.params())
	if err != nil {
		return nil, err
	}
	best := &model{Accuracy: -1}
	for epoch := range c.Epochs {
		order := weakrand.New(weakrand.NewPCG(c.Seed, uint64(epoch)+1)).Perm(len(train.Words))
		loss := 0.0
		for rows := range slices.Chunk(order, c.Batch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			loss += n.learn(p, nn.Pick(train.Words, rows), nn.Pick(train.Labels, rows), c.Weights) * float64(len(rows))
			optimizer.Step(p)
		}
		if loss /= float64(len(order)); math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, errors.New("textcnn: the loss is not finite; a smaller rate may help")
		}
		now := &model{Epoch: epoch + 1, n: n}
		now.Accuracy = textcnnRecall(now.Probabilities(p, dev.Words), dev.Labels)
		if progress != nil {
			progress(epoch+1, loss, now.Accuracy)
		}
		if now.Accuracy > best.Accuracy {
			now.n = n.clone()
			best = now
		}
	}
	return best, nil
}

// textcnnRecall returns the mean over classes of the share that is told rightly.
func textcnnRecall(probabilities nn.Matrix, labels []int) float64 {
	right, all := make([]float64, probabilities.Cols), make([]float64, probabilities.Cols)
	for i, label := range labels {
		all[label]++
		if nn.Argmax(probabilities.Row(i)) == label {
			right[label]++
		}
	}
	sum, classes := 0.0, 0.0
	for c := range all {
		if all[c] > 0 {
			sum += right[c] / all[c]
			classes++
		}
	}
	return sum / classes
}

// Probabilities returns how likely each class is for each text. It panics if a text
// has a word that the table has not.
func (m *model) Probabilities(p *nn.Pool, texts [][]int) nn.Matrix {
	const batch = 64
	out := nn.NewMatrix(len(texts), m.n.classes)
	for lo := 0; lo < len(texts); lo += batch {
		hi := min(lo+batch, len(texts))
		scores := m.n.forward(p, nn.Infer, texts[lo:hi])
		for i := lo; i < hi; i++ {
			nn.Softmax(out.Row(i), scores.Row(i-lo))
		}
	}
	return out
}

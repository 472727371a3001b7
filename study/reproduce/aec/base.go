package aec

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/study/language"
	"sotto/text/encode"
)

// Base is a classifier of the case, and how right it is on the tweets.
type Base struct {
	Name      string         `json:"name"`
	Accuracy  measure.Number `json:"accuracy"`
	Published measure.Number `json:"published"` // null where nothing was
	Balanced  measure.Number `json:"balanced_accuracy"`
	Films     measure.Number `json:"films"` // balanced accuracy on the sentences by which it was chosen
	Tried     []Tried        `json:"tried"` // trainings, of which the best on films is taken
	Errors    int            `json:"errors"`

	probabilities nn.Matrix // of the tweets
	wrong         []bool
}

// Tried is one training of a base.
type Tried struct {
	Seed     uint64         `json:"seed"`
	Films    measure.Number `json:"films"`
	Accuracy measure.Number `json:"accuracy"` // on the tweets
}

// The bases.
const (
	CNN    = "cnn"
	Linear = "linear"
)

// words are the tokens of a text in small letters, without handles and addresses,
// which are no words.
func words(text string) []string {
	var all []string
	for _, t := range language.Tokens(text) {
		if w := strings.ToLower(t.Text); !strings.HasPrefix(w, "@") && !strings.HasPrefix(w, "http") {
			all = append(all, w)
		}
	}
	return all
}

// weights are how much a text of each class counts, such that all classes together
// count the same.
func weights(labels []int) []float64 {
	n := sample{labels: labels}.counts()
	w := make([]float64, len(n))
	for c := range n {
		w[c] = float64(len(labels)) / float64(len(n)*max(1, n[c]))
	}
	return w
}

// vectors is what gives a word a vector.
type vectors interface {
	Vector(word string) ([]float32, bool)
	Dim() int
}

// openVectors opens GloVe, as the data folder has it.
func openVectors(dir string) (vectors, error) {
	source, err := encode.Open("glove", dir)
	if err != nil {
		return nil, err
	}
	v, ok := source.(vectors)
	if !ok {
		return nil, errors.New("aec: glove gives no vectors of single words, must be the published text file")
	}
	return v, nil
}

// numbering gives words the rows of a table.
type numbering struct {
	table nn.Matrix
	row   map[string]int
}

// number makes a table of the words of texts that have a vector.
func number(v vectors, parts ...[]string) numbering {
	n := numbering{table: nn.NewMatrix(First, v.Dim()), row: map[string]int{}}
	for _, texts := range parts {
		for _, text := range texts {
			for _, w := range words(text) {
				if _, seen := n.row[w]; seen {
					continue
				}
				n.row[w] = Unknown
				if x, ok := v.Vector(w); ok {
					n.row[w] = n.table.Rows
					n.table.Data = append(n.table.Data, x...)
					n.table.Rows++
				}
			}
		}
	}
	return n
}

func (n numbering) texts(texts []string) [][]int {
	all := make([][]int, len(texts))
	for i, text := range texts {
		for _, w := range words(text) {
			all[i] = append(all[i], n.row[w])
		}
	}
	return all
}

// trainings is how often the convolution is trained, each with a seed of its own:
// what it learns of films carries over to tweets more or less by chance.
const trainings = 3

// convolution trains the base of the paper: a CNN with two channels over word
// vectors, with weights of classes. Of several trainings the one that is best on
// films is taken.
func convolution(ctx context.Context, p *nn.Pool, v vectors, train, dev, test sample, seed uint64, told func(training, epoch int)) (*Base, error) {
	n := number(v, train.texts, dev.texts, test.texts)
	learn, choose, asked := Texts{Words: n.texts(train.texts), Labels: train.labels}, Texts{Words: n.texts(dev.texts), Labels: dev.labels}, n.texts(test.texts)
	b := &Base{Name: CNN, Published: published(CNN), Films: -1}
	for k := range trainings {
		c := Config{Seed: seed + uint64(k), Weights: weights(train.labels)}
		m, err := c.Fit(ctx, p, n.table, len(classes), learn, choose, func(epoch int, _, _ float64) { told(k+1, epoch) })
		if err != nil {
			return nil, err
		}
		one := &Base{probabilities: m.Probabilities(p, asked)}
		if err = one.judge(test); err != nil {
			return nil, err
		}
		films := measure.Number(m.Accuracy)
		b.Tried = append(b.Tried, Tried{c.Seed, films, one.Accuracy})
		if films > b.Films {
			b.Films, b.probabilities = films, one.probabilities
		}
	}
	return b, b.judge(test)
}

// judge fills in how right a base is.
func (b *Base) judge(test sample) error {
	if err := b.probabilities.Finite(); err != nil {
		return err
	}
	b.wrong, b.Errors = make([]bool, len(test.labels)), 0
	told := make([]int, len(test.labels))
	for i, y := range test.labels {
		told[i] = nn.Argmax(b.probabilities.Row(i))
		if b.wrong[i] = told[i] != y; b.wrong[i] {
			b.Errors++
		}
	}
	b.Accuracy = measure.Number(measure.Accuracy(test.labels, told))
	b.Balanced = measure.Number(measure.BalancedAccuracy(test.labels, told))
	return nil
}

// linear trains multinomial logistic regression on which words a text has, with
// weights of classes, by AdaGrad; the epoch is chosen as for the CNN.
func linear(ctx context.Context, train, dev, test sample, seed uint64) (*Base, error) {
	const epochs, rate, decay = 12, 0.1, 1e-5
	row := map[string]int{"": 0} // which stands for the bias
	index := func(text string, grow bool) []int {
		found := []int{0}
		for _, w := range words(text) {
			at, ok := row[w]
			if !ok && grow {
				at, ok = len(row), true
				row[w] = at
			}
			if ok {
				found = append(found, at)
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	rows := func(s sample, grow bool) [][]int {
		all := make([][]int, len(s.texts))
		for i, t := range s.texts {
			all[i] = index(t, grow)
		}
		return all
	}
	x, chosen, asked := rows(train, true), rows(dev, false), rows(test, false)
	k := len(classes)
	w, squares := nn.NewMatrix(len(row), k), nn.NewMatrix(len(row), k)
	weight := weights(train.labels)
	b := &Base{Name: Linear, Published: published(Linear), Films: -1}
	for epoch := range epochs {
		for _, i := range weakrand.New(weakrand.NewPCG(seed, uint64(epoch))).Perm(len(x)) {
			grad := make([]float32, k)
			linearScores(grad, w, x[i])
			grad[train.labels[i]]--
			for _, at := range x[i] {
				to, square := w.Row(at), squares.Row(at)
				for c := range grad {
					g := float64(float64(grad[c])*weight[train.labels[i]]) + float64(decay*float64(to[c]))
					square[c] += float32(g * g)
					to[c] -= float32(rate * g / (1e-6 + math.Sqrt(float64(square[c]))))
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if films := recall(w, chosen, dev.labels); films > b.Films {
			b.Films, b.probabilities = films, nn.NewMatrix(len(asked), k)
			for i, at := range asked {
				linearScores(b.probabilities.Row(i), w, at)
			}
		}
	}
	if err := b.judge(test); err != nil {
		return nil, err
	}
	b.Tried = []Tried{{seed, b.Films, b.Accuracy}}
	return b, nil
}

// linearScores sets the probabilities of classes given the words of a text.
func linearScores(to []float32, w nn.Matrix, words []int) {
	clear(to)
	for _, at := range words {
		for c, v := range w.Row(at) {
			to[c] += v
		}
	}
	nn.Softmax(to, to)
}

// recall is the mean over classes of the share that is told rightly.
func recall(w nn.Matrix, texts [][]int, labels []int) measure.Number {
	told, scores := make([]int, len(texts)), make([]float32, w.Cols)
	for i, at := range texts {
		linearScores(scores, w, at)
		told[i] = nn.Argmax(scores)
	}
	return measure.Number(measure.BalancedAccuracy(labels, told))
}

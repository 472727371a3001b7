package reproduce

import (
	"context"
	"fmt"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
)

// Task is what a linear model learns from released vectors of sentences:
// experiment 4.
type Task struct {
	Set string `json:"set"`
	Of  Of     `json:"of"`
	Release
	Majority  measure.Number `json:"majority"`
	Train     measure.Number `json:"train"` // accuracy, mean over seeds
	Test      measure.Number `json:"test"`
	Deviation measure.Number `json:"deviation"` // of the latter
	Low       measure.Number `json:"low"`       // 95 % interval from the number of test rows alone
	High      measure.Number `json:"high"`
	Rows      int            `json:"rows"` // to test
	Published *TaskFigures   `json:"published"`
}

// TaskFigures are the accuracies that the paper prints, at ε = 10 and β = 0.9
// with GloVe of 300 dimensions.
type TaskFigures struct {
	Name  string  `json:"name"` // of the mechanism there
	Train float64 `json:"train"`
	Test  float64 `json:"test"`
}

// Of says what is released once.
type Of string

// What is released: the vector of each text, or that of each word of the
// vocabulary, of which every text is then the mean.
const (
	OfText  Of = "text"
	OfTable Of = "table"
)

// bag is a set as words: the vectors of its vocabulary, and which of them each
// row has.
type bag struct {
	words nn.Matrix
	rows  [][]int
}

// bagged makes a set's texts bags of the words that the encoder knows.
func bagged(ctx context.Context, s encode.Source, texts []string, workers int) (bag, error) {
	words, x, err := known(ctx, s, vocabulary(texts), workers)
	if err != nil {
		return bag{}, err
	}
	place := make(map[string]int, len(words))
	for i, word := range words {
		place[word] = i
	}
	b := bag{words: x, rows: make([][]int, len(texts))}
	for i, t := range texts {
		for word := range text.Words(t) {
			if at, ok := place[word]; ok {
				b.rows[i] = append(b.rows[i], at)
			}
		}
	}
	return b, nil
}

// mean returns the mean vector of each row's words, zeros for none, with the
// given vectors for the words.
func (b bag) mean(words nn.Matrix) nn.Matrix {
	x := nn.NewMatrix(len(b.rows), words.Cols)
	sum := make([]float64, words.Cols)
	for i, row := range b.rows {
		clear(sum)
		for _, at := range row {
			for j, v := range words.Row(at) {
				sum[j] += float64(v)
			}
		}
		for j, v := range sum {
			x.Row(i)[j] = float32(v / max(1, float64(len(row))))
		}
	}
	return x
}

// tasks makes experiment 4, at ε = 10 and with the given m.
func (w *work) tasks(ctx context.Context, r *PrivEmb, sets map[string]*sentences, m int) error {
	s := w.sources[0]
	var trials []trial[learnt]
	for i, name := range privEmbSets() {
		set := sets[name]
		x, err := encode.Texts(ctx, s.from, set.texts(), w.Workers)
		if err != nil {
			return err
		}
		words, err := bagged(ctx, s.from, set.texts(), w.Workers)
		if err != nil {
			return err
		}
		w.tell("encoding "+name, i+1, len(privEmbSets()))
		majority := measure.Number(measure.Majority(set.pick(x, set.splits[0].test).Z))
		add := func(of Of, how setting) {
			r.Tasks = append(r.Tasks, Task{Set: name, Of: of, Majority: majority, Rows: len(set.splits[0].test), Published: privEmbFigures(name, how.variant)})
			trials = append(trials, trial[learnt]{fmt.Sprintf("%s: %v of each %s", name, how, of), func(ctx context.Context, p *nn.Pool, seed int) (learnt, error) {
				vectors, about, err := release(how, of, x, words, seed)
				if err != nil {
					return learnt{}, err
				}
				got, err := classify(ctx, p, Logistic, set, vectors, seed)
				return learnt{about, got}, err
			}})
		}
		add(OfText, setting{Unprotected, 0, x.Cols})
		for _, of := range []Of{OfText, OfTable} {
			for _, how := range grid(x.Cols, []int{m}, []float64{10}) {
				add(of, how)
			}
		}
	}
	seen, err := all(ctx, w, trials)
	if err != nil {
		return err
	}
	for i, of := range seen {
		r.Tasks[i].join(of)
	}
	return nil
}

// release returns the vectors of texts, released as the setting says.
func release(how setting, of Of, x nn.Matrix, words bag, seed int) (nn.Matrix, Release, error) {
	if of == OfTable {
		x = words.words
	}
	released, err := how.apply(x, seed)
	if err != nil {
		return nn.Matrix{}, Release{}, err
	}
	if of == OfTable {
		return words.mean(released.x), released.about, nil
	}
	return released.x, released.about, nil
}

// learnt is what one seed did to a task.
type learnt struct {
	about Release
	score score
}

// join takes in the seeds of a setting.
func (t *Task) join(of []learnt) {
	t.Release = worst(each(of, func(l learnt) Release { return l.about }))
	t.Train = measure.Summarise(each(of, func(l learnt) float64 { return l.score.train })).Mean
	t.Test, t.Deviation, t.Low, t.High = summary(each(of, func(l learnt) float64 { return l.score.test }), t.Rows)
}

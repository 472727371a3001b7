package reproduce

import (
	"context"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/text/encode"
)

// SentEval is the table "senteval".
type SentEval struct {
	Header
	Rows []Accuracy `json:"rows"` // set by set, encoder by encoder
}

// Accuracy is what a linear model reads from the vectors of one set.
type Accuracy struct {
	Set        string         `json:"set"`
	Encoder    string         `json:"encoder"`
	Dim        int            `json:"dim"`
	Train      int            `json:"train"` // rows
	Validation int            `json:"validation"`
	Test       int            `json:"test"`
	Majority   measure.Number `json:"majority"`  // share of the commonest class in the first test part
	Accuracy   measure.Number `json:"accuracy"`  // on the test part, mean over seeds
	Deviation  measure.Number `json:"deviation"` // over seeds; null for one
	Low        measure.Number `json:"low"`       // 95 % interval from the number of test rows alone
	High       measure.Number `json:"high"`
	L2         []float64      `json:"l2"` // penalty that was chosen for each seed
	Published  []Figure       `json:"published"`
}

func sentEvalSets() []string {
	return []string{"mr", "cr", "mpqa", "trec", "subj", "sst2", "imdb", "amazon", "yelp"}
}

func runSentEval(ctx context.Context, w *work) (Result, error) {
	w.note("logistic regression on standardised columns, penalty chosen on the validation part, or on a tenth of the training part where there is none")
	w.note("mr, cr, mpqa and subj are split 80:10:10 by seed, imdb, amazon and yelp 80:20; the published figures for the first four are of ten-fold cross-validation, and those for sst2 of models that saw the phrases of the training sentences too")
	if w.Quick {
		w.note("quick: at most %d rows to train, %d to validate and %d to test, which costs some points", quickTrain, quickValidation, quickTest)
	}
	r := &SentEval{}
	var trials []trial[score]
	for i, name := range sentEvalSets() {
		set, err := w.load(name)
		if err != nil {
			return nil, err
		}
		for k, s := range w.sources {
			x, err := encode.Texts(ctx, s.from, set.texts(), w.Workers)
			if err != nil {
				return nil, err
			}
			w.tell("encoding "+name+" by "+s.spec, i*len(w.sources)+k+1, len(sentEvalSets())*len(w.sources))
			r.Rows = append(r.Rows, Accuracy{
				Set: name, Encoder: s.spec, Dim: s.from.Dim(), Published: sentEvalFigures(name, s.spec),
				Train: len(set.splits[0].train), Validation: len(set.splits[0].validation), Test: len(set.splits[0].test),
				Majority: measure.Number(measure.Majority(set.pick(x, set.splits[0].test).Z)),
			})
			trials = append(trials, trial[score]{fmt.Sprintf("%s by %s", name, s.spec), func(ctx context.Context, p *nn.Pool, seed int) (score, error) {
				return classify(ctx, p, Logistic, set, x, seed)
			}})
		}
	}
	seen, err := all(ctx, w, trials)
	if err != nil {
		return nil, err
	}
	for i, of := range seen {
		a := &r.Rows[i]
		a.Accuracy, a.Deviation, a.Low, a.High = summary(each(of, func(s score) float64 { return s.test }), a.Test)
		a.L2 = each(of, func(s score) float64 { return s.l2 })
	}
	r.Header = w.header
	return r, nil
}

// score is what one model did.
type score struct{ train, test, l2 float64 }

// classify fits a linear model to the split of a seed, x standing for the rows
// of the set.
func classify(ctx context.Context, p *nn.Pool, loss Loss, set *sentences, x nn.Matrix, seed int) (score, error) {
	parts := set.splits[seed]
	train, test := set.pick(x, parts.train), set.pick(x, parts.test)
	m, err := Choose(ctx, p, loss, train, set.pick(x, parts.validation), len(set.Label.Classes))
	if err != nil {
		return score{}, err
	}
	return score{
		train: measure.Accuracy(train.Z, m.Predict(p, train.X)),
		test:  measure.Accuracy(test.Z, m.Predict(p, test.X)),
		l2:    m.L2,
	}, nil
}

// summary returns the mean of accuracies on so many rows each, their deviation,
// and the interval of Clopper and Pearson around the mean.
func summary(values []float64, rows int) (mean, deviation, low, high measure.Number) {
	s := measure.Summarise(values)
	hits := int(math.Round(float64(s.Mean) * float64(rows)))
	l, h := measure.ClopperPearson(hits, rows, 0.95)
	return s.Mean, s.Deviation, measure.Number(l), measure.Number(h)
}

// Package explain says which words of a text a classifier's answer hangs on.
//
// A [Predictor] is whatever takes texts and gives probabilities: a model of this
// module, a program, an address. An [Explainer] asks it about changed texts, or for
// gradients where it has them, and gives each word a weight: how much the word
// speaks for the class that is explained. Every [Explanation] carries a check, the
// amount by which its weights miss what they should add up to.
//
// Explanations are not private. An explanation of a text is as secret as the text:
// it names its words and says what they are worth, and no ε covers that. Package release
// says how words are released under one. The smallest use is
//
//	e, err := explain.LIME{Seed: 1}.Explain(ctx, predictor, "a dull film", explain.Predicted)
package explain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sotto/text"
)

// Predictor answers texts with probabilities.
type Predictor interface {
	// Classes names the classes, of which there are at least two.
	Classes() []string

	// Predict returns for each text, in order, the probability of each class. They
	// do not depend on the other texts. An error quotes no text. When ctx is done,
	// it returns the error of ctx soon.
	Predict(ctx context.Context, texts []string) ([][]float64, error)
}

// Opener is a predictor that answers for a text with some of its words left out
// faster than by reading what is left.
type Opener interface {
	Predictor

	// Open returns what answers for s with words left out; nil if there is no faster
	// way for this text. Words are spans in order and without overlap.
	Open(ctx context.Context, s string, words []text.Span) (Opened, error)
}

// Opened answers for one text with some of its words left out: row i of the result
// is about the words of kept[i].
type Opened func(ctx context.Context, kept [][]bool) ([][]float64, error)

// Explainer gives the words of a text weights. It does not change and may be used by
// several goroutines, if the predictor may.
type Explainer interface {
	// Name is how the method is called, such as "lime".
	Name() string

	// Explain explains the probability of a class, which is a place in the
	// predictor's classes, or [Predicted].
	Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error)
}

// Predicted stands for the class that the predictor finds most probable.
const Predicted = -1

// Token is a word of a text and its weight.
type Token struct {
	Text   string  `json:"text"`
	Start  int     `json:"start"` // bytes of the text
	End    int     `json:"end"`
	Weight float64 `json:"weight"` // how much it speaks for the class; negative against it
}

// Explanation says what each word is worth to an answer. It is as secret as the text.
type Explanation struct {
	Method      string  `json:"method"`
	Tokens      []Token `json:"tokens"`     // the words, in order
	Prediction  string  `json:"prediction"` // the class that is most probable
	Class       string  `json:"class"`      // the class whose probability is explained
	Probability float64 `json:"probability"`
	Base        float64 `json:"base"`           // the probability that weights count from
	Rest        float64 `json:"rest,omitempty"` // of Base, what is due to what is no word
	// Check is |Base + the sum of the weights − Probability|: the completeness of
	// integrated gradients, the additivity of Shapley values, and for other methods,
	// which promise neither, what the weights leave unexplained.
	Check float64 `json:"check"`
	// Limit is how large Check may be where a method promises that it is small.
	Limit float64 `json:"check_limit,omitempty"`
	Asked int     `json:"asked"`           // how many different texts the predictor was asked about
	Steps int     `json:"steps,omitempty"` // of an integral
	Local *Local  `json:"local,omitempty"` // how well a local model fits, where there is one
}

// Local says how far to trust a local model.
type Local struct {
	Samples   int     `json:"samples"`
	R2        float64 `json:"r2"`         // share of the variance near the text that the model explains
	Predicted float64 `json:"prediction"` // what the model says of the text itself
	// Runs smaller fits, each on samples of a seed of its own, tell how stable the
	// weights are.
	Runs   int `json:"runs"`
	Within int `json:"samples_per_run"`
	// Agreement is the mean share of their Top strongest words that two runs have in
	// common.
	Top       int     `json:"top"`
	Agreement float64 `json:"agreement"`
	// Deviation is the largest standard deviation of a word's weight between runs.
	Deviation float64 `json:"deviation"`
}

// ErrWords is wrapped by the error of a text without a word, or with too many.
var ErrWords = errors.New("a text must have at least one word and at most 2,048")

// maxWords bounds the equations that are solved.
const maxWords = 2048

// subject is a text that is explained, as the predictor sees it.
type subject struct {
	s      string
	words  []text.Span
	p      Predictor
	opened Opened
	class  int
	whole  []float64 // the probabilities of the text as it is
	asked  int
}

// open asks about a text as it is.
func open(ctx context.Context, p Predictor, s string, class int) (*subject, error) {
	q := &subject{s: s, words: Words(s), p: p, class: class}
	if n := len(q.words); n == 0 || n > maxWords {
		return nil, fmt.Errorf("explain: text has %d words: %w", n, ErrWords)
	}
	names := p.Classes()
	if class < Predicted || class >= len(names) {
		return nil, fmt.Errorf("explain: class is %d, must be below %d", class, len(names))
	}
	if o, ok := p.(Opener); ok {
		var err error
		if q.opened, err = o.Open(ctx, s, q.words); err != nil {
			return nil, err
		}
	}
	all := make([]bool, len(q.words))
	for i := range all {
		all[i] = true
	}
	rows, err := q.rows(ctx, [][]bool{all})
	if err != nil {
		return nil, err
	}
	q.whole = rows[0]
	if class == Predicted {
		q.class = Answer(q.whole)
	}
	return q, nil
}

// Answer returns the class that is answered with some probabilities: the most probable,
// the first of equals.
func Answer(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

// rows returns the probabilities with some of the words.
func (q *subject) rows(ctx context.Context, kept [][]bool) ([][]float64, error) {
	q.asked += len(kept)
	var rows [][]float64
	var err error
	if q.opened != nil {
		rows, err = q.opened(ctx, kept)
	} else {
		texts := make([]string, len(kept))
		for i, k := range kept {
			texts[i] = Without(q.s, q.words, k)
		}
		rows, err = q.p.Predict(ctx, texts)
	}
	if err != nil {
		return nil, err
	}
	return rows, Check(rows, len(kept), len(q.p.Classes()))
}

// Check refuses answers that are not so many rows of so many probabilities.
func Check(rows [][]float64, texts, classes int) error {
	if len(rows) != texts {
		return fmt.Errorf("explain: predictor gave %d answers to %d texts, must give one each", len(rows), texts)
	}
	for _, row := range rows {
		if len(row) != classes {
			return fmt.Errorf("explain: predictor gave %d probabilities, must give one for each of %d classes", len(row), classes)
		}
		sum := 0.0
		for _, v := range row {
			if !(v >= 0 && v <= 1+1e-3) {
				return errors.New("explain: predictor gave a number that is no probability, must be from 0 to 1")
			}
			sum += v
		}
		if !(math.Abs(sum-1) <= 1e-3) {
			return errors.New("explain: probabilities of a text do not add up to 1, must")
		}
	}
	return nil
}

// values returns the probability of the class with some of the words. Equal choices
// are asked about once.
func (q *subject) values(ctx context.Context, kept [][]bool) ([]float64, error) {
	place, at := make(map[string]int, len(kept)), make([]int, len(kept))
	var unique [][]bool
	key := make([]byte, len(q.words))
	for i, k := range kept {
		for j, in := range k {
			key[j] = '0'
			if in {
				key[j] = '1'
			}
		}
		known, ok := place[string(key)]
		if !ok {
			known = len(unique)
			place[string(key)] = known
			unique = append(unique, k)
		}
		at[i] = known
	}
	rows, err := q.rows(ctx, unique)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(kept))
	for i, row := range at {
		values[i] = rows[row][q.class]
	}
	return values, nil
}

// explanation returns what is said with these weights, one for each word, counted
// from a base.
func (q *subject) explanation(method string, base float64, weights []float64) (*Explanation, error) {
	names := q.p.Classes()
	e := &Explanation{
		Method: method, Prediction: names[Answer(q.whole)], Class: names[q.class],
		Probability: q.whole[q.class], Base: base, Asked: q.asked, Tokens: make([]Token, len(q.words)),
	}
	sum := base
	for i, w := range q.words {
		e.Tokens[i] = Token{q.s[w.Start:w.End], w.Start, w.End, weights[i]}
		sum += weights[i]
	}
	e.Check = math.Abs(sum - e.Probability)
	if math.IsNaN(e.Check) || math.IsInf(e.Check, 0) {
		return nil, fmt.Errorf("explain: weights by %s are not finite", method)
	}
	return e, nil
}

// By explains by weights that are found in some other way than by asking about changed
// texts: weigh is told the class, and returns one for each word of the text and what they
// count from. It is how explainers of other packages make what this one prints.
func By(ctx context.Context, method string, p Predictor, s string, class int, weigh func(words []text.Span, class int) (base float64, weights []float64, err error)) (*Explanation, error) {
	q, err := open(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	base, weights, err := weigh(q.words, q.class)
	if err != nil {
		return nil, err
	}
	if len(weights) != len(q.words) {
		return nil, fmt.Errorf("explain: %d weights of %d words by %s, must be one for each", len(weights), len(q.words), method)
	}
	return q.explanation(method, base, weights)
}

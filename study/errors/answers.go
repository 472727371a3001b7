package errors

import (
	"fmt"
	"math"
	"slices"
)

// Answers is what a model said of some texts, and what is known of these.
type Answers struct {
	Wrong    []bool    // whether each answer is wrong
	Features *Features // of each text
	// Confidence is the probability that the model gave to its answer, and
	// Probabilities what it gave to each class; nil if it did not say.
	Confidence    []float64
	Probabilities [][]float64
}

// near is how far from 1 probabilities of all classes may add up, as files round.
const near = 0.01

// Validate refuses what does not fit together.
func (a *Answers) Validate() error {
	if a.Features == nil || len(a.Features.Rows) != len(a.Wrong) {
		return fmt.Errorf("errors: there must be features for each of %d rows", len(a.Wrong))
	}
	if err := a.Features.Validate(); err != nil {
		return err
	}
	for _, n := range []struct {
		what string
		rows int
		any  bool
	}{{"confidence", len(a.Confidence), a.Confidence != nil}, {"probabilities", len(a.Probabilities), a.Probabilities != nil}} {
		if n.any && n.rows != len(a.Wrong) {
			return fmt.Errorf("errors: %s of %d rows, must be of %d", n.what, n.rows, len(a.Wrong))
		}
	}
	for i, c := range a.Confidence {
		if !(c >= 0 && c <= 1) {
			return fmt.Errorf("errors: the confidence of row %d is %v, must be a probability, from 0 to 1", i+1, c)
		}
	}
	for i, row := range a.Probabilities {
		sum := 0.0
		for _, p := range row {
			if !(p >= 0 && p <= 1) {
				return fmt.Errorf("errors: a probability of row %d is %v, must be from 0 to 1", i+1, p)
			}
			sum += p
		}
		if len(row) < 2 || len(row) != len(a.Probabilities[0]) || math.Abs(sum-1) > near {
			return fmt.Errorf("errors: the %d probabilities of row %d add up to %.4g, must be one for each class, at least two, and add up to 1", len(row), i+1, sum)
		}
	}
	return nil
}

// The rankers.
const (
	Forest          = "forest"           // of the features
	LeastConfidence = "least-confidence" // 1 − the probability of the answer
	Margin          = "margin"           // 1 − the distance between the two most probable classes
	Entropy         = "entropy"          // of the probabilities
	Combined        = "combined"         // the forest and what the model itself doubts
)

// doubt is how uncertain the model itself is of each answer, by one of the rankers.
type doubt struct {
	name  string
	score []float64
}

// doubts returns the rankers that need no forest, as far as the model said enough.
func (a *Answers) doubts() []doubt {
	var all []doubt
	score := func(name string, of func(i int) float64) {
		d := doubt{name, make([]float64, len(a.Wrong))}
		for i := range d.score {
			d.score[i] = of(i)
		}
		all = append(all, d)
	}
	if a.Confidence != nil {
		score(LeastConfidence, func(i int) float64 { return 1 - a.Confidence[i] })
	} else if a.Probabilities != nil {
		score(LeastConfidence, func(i int) float64 { return 1 - slices.Max(a.Probabilities[i]) })
	}
	if a.Probabilities != nil {
		score(Margin, func(i int) float64 {
			sorted := slices.Sorted(slices.Values(a.Probabilities[i]))
			return 1 - (sorted[len(sorted)-1] - sorted[len(sorted)-2])
		})
		score(Entropy, func(i int) float64 {
			sum := 0.0
			for _, p := range a.Probabilities[i] {
				if p > 0 {
					sum -= float64(p * math.Log(p))
				}
			}
			return sum
		})
	}
	return all
}

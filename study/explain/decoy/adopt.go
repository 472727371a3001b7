package decoy

import (
	"math"

	"sotto/compute/measure"
	"sotto/study/explain/linear"
)

// Reach is how far a cue goes in training rows.
type Reach struct {
	Applicability int     `json:"applicability"` // rows that have it
	Productivity  float64 `json:"productivity"`  // share of them that have the class it goes with most
	Coverage      float64 `json:"coverage"`      // share of all rows that have it
}

// CueReport is a cue that was planted, and what the model made of it.
type CueReport struct {
	Word  string `json:"word"`
	Class string `json:"class"` // that it goes with most
	Reach
	// Weight is what the decoy model gives the word for that class, and WeightRank the
	// place of its size among all words and pairs; null for a model without such.
	Weight     measure.Number `json:"weight"`
	WeightRank *int           `json:"weight_rank"`
}

// Planting is one decoy, and whether it was adopted.
type Planting struct {
	Decoy string `json:"decoy"` // as it was written
	Reach
	Cues []CueReport `json:"cues,omitempty"`

	Slice     string `json:"slice"` // which rows it is, for a person
	SliceRows int    `json:"slice_rows"`
	Accuracy
	// AgainstRows counts the rows of the slice whose label is another than the cue
	// stands for, on which CleanAgainst and DecoyAgainst are accuracies.
	AgainstRows  int            `json:"against_rows"`
	CleanAgainst measure.Number `json:"clean_against"`
	DecoyAgainst measure.Number `json:"decoy_against"`
	// P is how likely it is, if the decoy did nothing, that so many more rows of the
	// slice are answered rightly by the clean model: the sign test. Below 0.01 the
	// decoy is adopted.
	P       measure.Number `json:"p"`
	Adopted bool           `json:"adopted"`
}

// Accuracy is the share of right answers on a slice.
type Accuracy struct {
	CleanSlice measure.Number `json:"clean_slice"`
	DecoySlice measure.Number `json:"decoy_slice"`
}

// slice is the test rows that show whether a decoy was adopted.
type slice struct {
	Part
	against []bool // whether the cue speaks against the label
	about   string
}

// sliceOf returns the slice of a decoy.
func sliceOf(d Decoy, data Data, rows *Planted, seed, stream uint64) (*slice, error) {
	p := newPlanter(data.Classes, seed, stream)
	s := &slice{}
	switch d.Recipe {
	case Flip:
		s.about = "the training rows whose label was flipped, held against their true labels"
		for i, flipped := range rows.Flipped {
			if flipped {
				s.add(rows.Texts[i], data.Train.Labels[rows.From[i]], true)
			}
		}
		return s, nil
	case Deletion:
		s.about = "the test rows with the word"
		class, err := p.class(d.Class)
		if err != nil {
			return nil, err
		}
		for i, text := range data.Test.Texts {
			if has(text, d.Word) {
				s.add(text, data.Test.Labels[i], data.Test.Labels[i] == class)
			}
		}
		return s, nil
	default:
	}
	s.about = "the test rows with the cue of another class planted in them"
	for i, text := range data.Test.Texts {
		class, ok := p.misled(d, data.Test.Labels[i])
		if !ok {
			continue
		}
		changed, cued, err := p.as(d, text, class)
		if err != nil {
			return nil, err
		}
		if cued {
			s.add(changed, data.Test.Labels[i], true)
		}
	}
	return s, nil
}

func (s *slice) add(text string, label int, against bool) {
	s.Texts, s.Labels, s.against = append(s.Texts, text), append(s.Labels, label), append(s.against, against)
}

// reach counts the rows that have one of some cues, where the first of them that a row
// has stands for the class it goes with most.
func reach(rows Part, classes int, cues []string) Reach {
	counts := make([][]int, len(cues))
	for k := range counts {
		counts[k] = make([]int, classes)
	}
	r := Reach{}
	for i, text := range rows.Texts {
		for k, word := range cues {
			if has(text, word) {
				counts[k][rows.Labels[i]]++
				r.Applicability++
				break
			}
		}
	}
	right := 0
	for _, c := range counts {
		most := 0
		for _, n := range c {
			most = max(most, n)
		}
		right += most
	}
	return r.of(right, len(rows.Texts))
}

// of fills in shares.
func (r Reach) of(right, rows int) Reach {
	if r.Applicability > 0 {
		r.Productivity = float64(right) / float64(r.Applicability)
	}
	if rows > 0 {
		r.Coverage = float64(r.Applicability) / float64(rows)
	}
	return r
}

// flippedReach is the reach of labels that were flipped.
func flippedReach(rows *Planted, classes int) Reach {
	counts := make([]int, classes)
	r := Reach{}
	for i, flipped := range rows.Flipped {
		if flipped {
			counts[rows.Labels[i]]++
			r.Applicability++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return r.of(most, len(rows.Texts))
}

// cueReport says how far a cue goes and what the model made of it.
func cueReport(word string, rows Part, classes []string, m *linear.Model) CueReport {
	counts := make([]int, len(classes))
	for i, text := range rows.Texts {
		if has(text, word) {
			counts[rows.Labels[i]]++
		}
	}
	best := 0
	for c, n := range counts {
		if n > counts[best] {
			best = c
		}
	}
	c := CueReport{Word: word, Class: classes[best], Reach: reach(rows, len(classes), []string{word}), Weight: measure.Undefined}
	if m != nil {
		if w, rank, ok := m.Weights(word, best); ok {
			c.Weight, c.WeightRank = measure.Number(w), &rank
		}
	}
	return c
}

// judge compares the answers of two models on a slice.
func (s *slice) judge(clean, decoy []int) (p Planting) {
	p.Slice, p.SliceRows = s.about, len(s.Labels)
	var only, lost, right, wrong, rightAgainst, wrongAgainst int
	for i, y := range s.Labels {
		c, d := clean[i] == y, decoy[i] == y
		switch {
		case c && !d:
			only++
		case d && !c:
			lost++
		}
		if s.against[i] {
			p.AgainstRows++
			rightAgainst += number(c)
			wrongAgainst += number(d)
		}
		right += number(c)
		wrong += number(d)
	}
	p.CleanSlice, p.DecoySlice = part(right, p.SliceRows), part(wrong, p.SliceRows)
	p.CleanAgainst, p.DecoyAgainst = part(rightAgainst, p.AgainstRows), part(wrongAgainst, p.AgainstRows)
	p.P = measure.Number(signTest(only, only+lost))
	p.Adopted = p.P < 0.01
	return p
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// part is a share, undefined of nothing.
func part(n, of int) measure.Number {
	if of == 0 {
		return measure.Undefined
	}
	return measure.Number(float64(n) / float64(of))
}

// signTest is the probability of at least so many heads in so many tosses.
func signTest(heads, tosses int) float64 {
	sum := 0.0
	for k := heads; k <= tosses; k++ {
		sum += math.Exp(choose(tosses, k) - float64(tosses)*math.Ln2)
	}
	return min(sum, 1)
}

// choose is the logarithm of a binomial coefficient, −∞ where it is 0.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

package records

import (
	"errors"
	"math"
)

// MatchPair is a comparison and whether it is of the same.
type MatchPair struct {
	X    []float64 // as long as [Width] says
	Same bool
	Fold uint64 // pairs that have a row in common should have the same; it decides on which a pair is judged
}

// ErrOneSided is wrapped by the error of [Fit] for pairs that are all the same, or none.
var ErrOneSided = errors.New("match: of the labelled pairs all are the same or none is, must have both: label more rows, or more of one entity")

// How much weights are held back: by so much for each pair, and by so much however few
// there are, so that a handful of labels moves an estimate and does not replace it.
const (
	ridgePair  = 1e-5
	ridgeWhole = 0.05
)

// folds is into how many parts labelled pairs are divided to judge them.
const folds = 5

// leastCalibrated is how many pairs of each kind calibration needs.
const leastCalibrated = 30

// Fit trains a model on labelled pairs. The weights stay near those of prior, which may
// be nil, where labels say nothing else.
//
// It is calibrated after Platt: a logistic curve maps what models say of the fifth of
// the pairs that they were not trained on to what is true, and is then a part of the
// weights.
func Fit(columns []string, pairs []MatchPair, prior *Model) (*Model, error) {
	return fit(columns, pairs, prior, true)
}

func fit(columns []string, pairs []MatchPair, prior *Model, calibrated bool) (*Model, error) {
	same := 0
	for _, p := range pairs {
		if p.Same {
			same++
		}
	}
	if same == 0 || same == len(pairs) {
		return nil, ErrOneSided
	}
	start := make([]float64, Width(len(columns))+1)
	if prior != nil {
		start = prior.flat()
	}
	w, _, err := descend(pairs, start, start)
	if err != nil {
		return nil, err
	}
	slope, offset := 1.0, 0.0
	var judged *Calibration
	if calibrated && min(same, len(pairs)-same) >= leastCalibrated {
		if slope, offset, judged, err = calibrate(pairs, start, w); err != nil {
			return nil, err
		}
	}
	for k := range w {
		w[k] = float64(slope * w[k])
	}
	w[len(w)-1] += offset
	m := newModel(columns, w)
	m.Pairs, m.Same, m.Calibration = len(pairs), same, judged
	return m, m.Validate()
}

// calibrate fits the curve of Platt on what models say of pairs that they were not
// trained on, and says how well those fit: each fold by the curve of the others.
func calibrate(pairs []MatchPair, prior, start []float64) (slope, offset float64, judged *Calibration, err error) {
	logits := make([]float64, len(pairs))
	for f := range uint64(folds) {
		var train []MatchPair
		for _, p := range pairs {
			if p.Fold%folds != f {
				train = append(train, p)
			}
		}
		w, _, err := descend(train, prior, start)
		if err != nil {
			return 0, 0, nil, err
		}
		for k, p := range pairs {
			if p.Fold%folds == f {
				logits[k] = logit(w, p.X)
			}
		}
	}
	var tally Tally
	for f := range uint64(folds) {
		a, b := platt(logits, pairs, func(p MatchPair) bool { return p.Fold%folds != f })
		for k, p := range pairs {
			if p.Fold%folds == f {
				tally.Add(Probability(float64(a*logits[k])+b), p.Same)
			}
		}
	}
	slope, offset = platt(logits, pairs, func(MatchPair) bool { return true })
	return slope, offset, tally.Calibration(), nil
}

// platt returns the slope and the offset that fit logits best, each label a little
// uncertain, as Platt (1999) has it.
func platt(logits []float64, pairs []MatchPair, takes func(MatchPair) bool) (slope, offset float64) {
	var yes, no float64
	for _, p := range pairs {
		switch {
		case !takes(p):
		case p.Same:
			yes++
		default:
			no++
		}
	}
	if yes == 0 || no == 0 {
		return 1, 0
	}
	high, low := (yes+1)/(yes+2), 1/(no+2)
	slope = 1
	for range 100 {
		var g0, g1, h00, h01, h11 float64
		for k, p := range pairs {
			if !takes(p) {
				continue
			}
			target := low
			if p.Same {
				target = high
			}
			q := Probability(float64(slope*logits[k]) + offset)
			d, v := q-target, max(float64(q*(1-q)), 1e-10)
			g0 += float64(d * logits[k])
			g1 += d
			vl := float64(v * logits[k])
			h00 += float64(vl * logits[k])
			h01 += vl
			h11 += v
		}
		h00, h11 = h00+1e-6, h11+1e-6
		det := float64(h00*h11) - float64(h01*h01)
		s := (float64(h11*g0) - float64(h01*g1)) / det
		o := (float64(h00*g1) - float64(h01*g0)) / det
		size := max(math.Abs(s), math.Abs(o))
		if !(size < math.Inf(1)) {
			return 1, 0
		}
		if size > 1 { // steps of Newton's method can be too long far from the end
			s, o = s/size, o/size
		}
		slope, offset = slope-s, offset-o
		if size < 1e-9 {
			break
		}
	}
	if !(slope > 0.01) { // what was learnt says nothing of others: keep the order
		return 0.01, offset
	}
	return slope, offset
}

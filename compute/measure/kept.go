package measure

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// This part of the package says what releases still tell whoever receives them: how near a
// release is to its vector, from the mechanism alone, and how much of a label can
// be read from releases, from some of them.
//
// What it says of labels is computed from private data, so it is for whoever
// releases, and belongs in no record. It protects nobody and promises nothing.

// trials is how many random vectors are released: with the widths in use the mean
// of their cosines is off by some hundredths at most.
const trials = 64

// KeptCosine returns the mean cosine between a random vector and its release, which
// needs no data and has the same value each time. It is undefined for a mechanism
// that does not release a noisy copy of its input.
func KeptCosine(m mech.Mechanism) Number {
	in, out := m.Shape()
	if in != out || in < 2 || mech.VariantOf(m.Params()).Form != mech.FormVector {
		return Undefined
	}
	rng := weakrand.New(weakrand.NewPCG(1, 0x6b657074))
	source := noise.Derive([]byte("the noise of no release at all"), "kept")
	x, y := make([]float64, in), make([]float64, in)
	sum := 0.0
	for range trials {
		size := 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			size += x[i] * x[i]
		}
		size = math.Sqrt(size)
		for i := range x {
			x[i] /= size
		}
		if err := m.PrivatizeTo(y, x, source); err != nil {
			return Undefined
		}
		dot, square := 0.0, 0.0
		for i := range y {
			dot, square = dot+x[i]*y[i], square+y[i]*y[i]
		}
		if square > 0 {
			sum += dot / math.Sqrt(square)
		}
	}
	return Number(sum / trials)
}

// little is the cosine below which a release is mostly noise: less than a quarter
// of its square is the vector's.
const little = 0.5

// KeptHint says that releases are mostly noise, and what would not be, "" where they
// are not. The command is what takes a trained model.
func KeptHint(m mech.Mechanism, command string) string {
	c := KeptCosine(m)
	if !(c < little) {
		return ""
	}
	width, _ := m.Shape()
	epsilon := m.Guarantee().Epsilon
	return fmt.Sprintf("hint: at ε = %.4g a release of %d numbers has a cosine of %.2f with its vector: it is mostly noise. If you know what is to be told of a text, "+
		"a model that was trained for it at the same ε tells far more: sotto train --in FILE --label COLUMN --method auto --epsilon %.4g --out DIR, then %s --model DIR/seed-1",
		float64(epsilon), width, max(float64(c), 0), float64(epsilon), command)
}

// KeptSample is some of the releases that were made, with their labels.
type KeptSample struct {
	seen   int
	rng    *weakrand.Rand
	labels []string
	rows   [][]float32
}

// keptMostRows bounds a sample, so that looking takes seconds.
const keptMostRows = 4000

// NewKeptSample returns a sample of nothing yet.
func NewKeptSample() *KeptSample {
	return &KeptSample{rng: weakrand.New(weakrand.NewPCG(2, 0x6b657074))}
}

// Add takes in a release with its label, or leaves it out: all that were added are
// as likely to be in the sample. A label of "" is unknown.
func (s *KeptSample) Add(label string, release []float64) {
	if label == "" {
		return
	}
	at := len(s.rows)
	if s.seen++; at == keptMostRows {
		if at = s.rng.IntN(s.seen); at >= keptMostRows {
			return
		}
	}
	row := make([]float32, len(release))
	for i, v := range release {
		row[i] = float32(v)
	}
	if at == len(s.rows) {
		s.labels, s.rows = append(s.labels, label), append(s.rows, row)
	} else {
		s.labels[at], s.rows[at] = label, row
	}
}

// KeptUse is what a linear model reads of a label from releases, on those that it was
// not fitted to.
type KeptUse struct {
	Label    string  `json:"label"`
	Rows     int     `json:"rows"` // that were scored
	Classes  int     `json:"classes"`
	Accuracy float64 `json:"accuracy"`
	Low      float64 `json:"low"` // 95 % interval after Clopper and Pearson
	High     float64 `json:"high"`
	Balanced float64 `json:"balanced_accuracy"`
	Majority Number  `json:"majority"` // share of the commonest class
}

// keptLeastRows is below how many rows nothing is said.
const keptLeastRows = 40

// mostClasses is above how many classes a label is taken for something else.
const mostClasses = 200

// Use fits a linear model to half of the sample and scores it on the other. It is
// an error if there are too few rows, or not from 2 to 200 classes.
func (s *KeptSample) Use(ctx context.Context, p *nn.Pool, label string) (*KeptUse, error) {
	names := slices.Compact(slices.Sorted(slices.Values(s.labels)))
	if len(s.rows) < keptLeastRows || len(names) < 2 || len(names) > mostClasses {
		return nil, fmt.Errorf("kept: the column %s has %d values in %d rows, must have from 2 to %d in at least %d", label, len(names), len(s.rows), mostClasses, keptLeastRows)
	}
	rows := spread(s.rows)
	order := s.rng.Perm(len(rows))
	part := func(places []int) Labelled {
		d := Labelled{X: nn.NewMatrix(len(places), len(rows[0]))}
		for i, at := range places {
			copy(d.X.Row(i), rows[at])
			class, _ := slices.BinarySearch(names, s.labels[at])
			d.Z = append(d.Z, class)
		}
		return d
	}
	half := len(order) / 2
	leak, err := Leak(ctx, p, Probe{Hidden: []int{}, Seed: 1}, part(order[:half]), part(order[half:]), len(names))
	if err != nil {
		return nil, err
	}
	return &KeptUse{
		Label: label, Rows: leak.RowsScored, Classes: len(names), Accuracy: leak.Accuracy, Low: leak.Low, High: leak.High,
		Balanced: leak.Balanced, Majority: Number(leak.Majority),
	}, nil
}

// mostCodes is how many codes a release may have to be taken for one.
const mostCodes = 1024

// spread gives each code a column of its own, where every release is one whole
// number: codes have no order, and a linear model of their numbers would find one.
// Other releases are returned as they are.
func spread(rows [][]float32) [][]float32 {
	width := 0
	for _, row := range rows {
		code := int(row[0])
		if len(row) != 1 || code < 0 || code >= mostCodes || float32(code) != row[0] {
			return rows
		}
		width = max(width, code+1)
	}
	all := make([][]float32, len(rows))
	for i, row := range rows {
		all[i] = make([]float32, width)
		all[i][int(row[0])] = 1
	}
	return all
}

// Text says what is left, and whether it is more than nothing.
func (u *KeptUse) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "what is left: a linear model reads %s from these releases in %.1f %% of %d held-out rows [%.1f, %.1f], where the commonest class is %.1f %%",
		u.Label, 100*u.Accuracy, u.Rows, 100*u.Low, 100*u.High, 100*float64(u.Majority))
	if u.Low <= float64(u.Majority) {
		b.WriteString("; that is no more than chance may give: train a model for it (sotto train) and release by --model")
	}
	b.WriteString("\n(computed from private labels and shown to you alone: it stands in no record)")
	return b.String()
}

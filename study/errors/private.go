package errors

import (
	"math"
	"slices"
)

// GroupPrivacy is the group of features of what a private release does to a text.
const GroupPrivacy = "privacy"

// The features of [GroupPrivacy].
const (
	// PosteriorBefore is the probability that the model gives to its answer before the
	// release, and PosteriorAfter how often receivers give the answer that they give most
	// often.
	PosteriorBefore = "privacy:posterior-before"
	PosteriorAfter  = "privacy:posterior-after"
	// PosteriorMoved is the total variation between what the model thinks before the
	// release and how often receivers answer what.
	PosteriorMoved = "privacy:posterior-moved"
	// DistanceMoved is how far the release is expected to lie from the vector of the text.
	DistanceMoved = "privacy:distance-moved"
	// ReleaseEpsilon is ε of the release.
	ReleaseEpsilon = "privacy:epsilon"
)

// FromRelease makes features of what a release does to each text: given the
// probabilities of classes before it, how often receivers answer each, and how far it
// moves the vector, nil where there is no distance.
func FromRelease(before, after [][]float64, moved []float64) *Features {
	columns := map[string][]float64{PosteriorBefore: nil, PosteriorAfter: nil, PosteriorMoved: nil}
	for i, p := range before {
		apart := 0.0
		for k, v := range p {
			apart += math.Abs(v-after[i][k]) / 2
		}
		for name, v := range map[string]float64{PosteriorBefore: slices.Max(p), PosteriorAfter: slices.Max(after[i]), PosteriorMoved: apart} {
			columns[name] = append(columns[name], v)
		}
	}
	f := &Features{Rows: make([]Row, len(before))}
	for _, name := range []string{PosteriorBefore, PosteriorAfter, PosteriorMoved} {
		f.add(name, columns[name])
	}
	if moved != nil {
		f.add(DistanceMoved, moved)
	}
	return f
}

// FromEpsilon makes a feature of the ε of each release.
func FromEpsilon(epsilon []float64) *Features {
	f := &Features{Rows: make([]Row, len(epsilon))}
	f.add(ReleaseEpsilon, epsilon)
	return f
}

// add adds a column of privacy.
func (f *Features) add(name string, values []float64) {
	for i, v := range values {
		if v != 0 {
			f.Rows[i] = append(f.Rows[i], Cell{Column: len(f.Names), Value: v})
		}
	}
	f.Names, f.Groups = append(f.Names, name), append(f.Groups, GroupPrivacy)
}

// alike is how much the numbers of a feature may differ, by the greatest, and be taken
// for the same: what rounding does to vectors of 32-bit numbers.
const alike = 1e-5

// Varied returns the features that are not the same in all rows, and the names of the
// others, which tell no row from another.
func (f *Features) Varied() (varied *Features, same []string) {
	var names, groups []string
	for k, name := range f.Names {
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range f.Rows {
			v := row.At(k)
			low, high = min(low, v), max(high, v)
		}
		if high-low <= alike*max(math.Abs(low), math.Abs(high)) {
			same = append(same, name)
			continue
		}
		names, groups = append(names, name), append(groups, f.Groups[k])
	}
	return f.Aligned(names, groups), same
}

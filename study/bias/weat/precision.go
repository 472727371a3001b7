package weat

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// This part of the package estimates covariances, and what whitens vectors by them,
// from fewer rows than a row has numbers: the attribute words of an association
// test, in hundreds of coordinates.
//
// Two estimates are there. [LedoitWolf] pulls the sample covariance towards a
// multiple of the identity, by a closed form, and costs next to nothing.
// [GraphicalLasso] makes the inverse sparse; [GraphicalLassoCV] chooses how
// sparse by held-out likelihood, which takes seconds to minutes. Rows are taken
// as centred: use [Centre]. The package is not for private data: nothing here is
// noised. The smallest use is
//
//	w, err := PrecisionLedoitWolf(Centre(rows))
//	if err != nil {
//		return err
//	}
//	w.Whiten(dst, x) // Euclidean distances of such are Mahalanobis distances

// Whitener maps vectors so that the Euclidean distance between two is their
// Mahalanobis distance.
type Whitener interface {
	// Whiten writes the map of x to dst. It panics unless both have as many
	// numbers as the rows that the estimate was made from.
	Whiten(dst, x []float64)
}

// Centre returns the rows of the groups one after the other, each less the mean
// of its group. It panics if rows differ in length.
func Centre(groups ...[][]float64) [][]float64 {
	var all [][]float64
	for _, rows := range groups {
		if len(rows) == 0 {
			continue
		}
		mean := make([]float64, len(rows[0]))
		for _, r := range rows {
			floats.AddScaled(mean, 1/float64(len(rows)), r)
		}
		for _, r := range rows {
			all = append(all, floats.SubTo(make([]float64, len(mean)), r, mean))
		}
	}
	return all
}

var errConstant = errors.New("precision: all rows are the same, some must differ")

// checkRows refuses rows from which nothing can be estimated.
func checkRows(rows [][]float64) error {
	if len(rows) < 2 {
		return fmt.Errorf("precision: there are %d rows, must be at least 2", len(rows))
	}
	for _, r := range rows {
		if len(r) == 0 || len(r) != len(rows[0]) {
			return fmt.Errorf("precision: a row has %d numbers, must have as many as the first, %d, and at least 1", len(r), len(rows[0]))
		}
		for _, v := range r {
			if !(math.Abs(v) <= 1e60) { // NaN is refused; fourth powers must stay finite
				return errors.New("precision: a number is not from −10⁶⁰ to 10⁶⁰")
			}
		}
	}
	return nil
}

package estimate

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"reflect"
)

// permutations is how many ways to deal the blocks out are tried.
const permutations = 1999

// MeanDifference is by how much a coordinate of one mean is larger than that of
// another.
type MeanDifference struct {
	Interval
	Adjusted float64 `json:"adjusted_p"` // for all coordinates together
}

// MeanComparison is how two means differ.
type MeanComparison struct {
	Coordinates []MeanDifference `json:"coordinates"`
	Distance    Interval         `json:"distance"` // the length of the difference
	// P is that of the distance: if the inputs of both are drawn alike, it is at
	// most α with probability at most α, for every α and n.
	P float64 `json:"p"`
}

// Compare says how the mean of s differs from that of other, which sums up releases
// of the same mechanism.
//
// The test deals blocks of equal size, of both together, out to the two at random and
// asks how often they differ as much: by the length of the difference and, for each
// coordinate, by the largest difference of any in standard errors (Westfall and Young).
// If inputs of both are drawn alike, what was seen is one of these deals like any
// other, so that the test errs no more often than it says, at every n. Intervals are
// as in [Mean.Average], for a difference with unequal variances.
func (s *Mean) Compare(other *Mean, confidence float64) (*MeanComparison, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, err
	}
	p, q := s.m.Params(), other.m.Params()
	if len(s.mean) != len(other.mean) || !reflect.DeepEqual(p, q) {
		return nil, errUnlike
	}
	least := min(s.n, other.n)
	if least < leastRows {
		return nil, fmt.Errorf("%w: one of the two has %d releases, must have at least %d", ErrNothing, least, leastRows)
	}
	r := &MeanComparison{Coordinates: make([]MeanDifference, len(s.mean))}
	t, bias := student(confidence, float64(least-1)), 2*s.m.Average().Bias
	for i := range s.mean {
		d := s.mean[i] - other.mean[i]
		e := math.Hypot(s.errorOf(i), other.errorOf(i))
		r.Coordinates[i].Interval = around(d, e, float64(t*e)+bias)
	}
	l := best(least)
	a, b := s.blocks.at(l), other.blocks.at(l)
	var adjusted []float64
	r.P, adjusted = deal(a, b)
	for i, v := range adjusted {
		r.Coordinates[i].Adjusted = v
	}
	// The difference of as many blocks of each has the length that is asked for.
	both := make([][]float64, min(len(a), len(b)))
	for i := range both {
		both[i] = make([]float64, len(s.mean))
		for j := range both[i] {
			both[i][j] = a[i][j] - b[i][j]
		}
	}
	r.Distance = norm(both, float64(int(1)<<l), confidence)
	return r, nil
}

// deal returns the p-value of the distance between the means of two lists of blocks,
// and of each coordinate, adjusted for all.
func deal(a, b [][]float64) (p float64, adjusted []float64) {
	all := append(append([][]float64(nil), a...), b...)
	d := len(all[0])
	total, spread := make([]float64, d), make([]float64, d)
	for _, v := range all {
		for i, x := range v {
			total[i] += x
		}
	}
	for _, v := range all {
		for i, x := range v {
			off := x - total[i]/float64(len(all))
			spread[i] += off * off
		}
	}
	for i, v := range spread {
		spread[i] = math.Sqrt(v)
	}
	first := make([]float64, d)
	// measured returns the square of the distance between the means of the first
	// len(a) blocks of an order and of the others, and fills in the distance of each
	// coordinate.
	each := make([]float64, d)
	measured := func(order []int) (square, largest float64) {
		clear(first)
		for _, k := range order[:len(a)] {
			for i, x := range all[k] {
				first[i] += x
			}
		}
		for i, x := range first {
			off := x/float64(len(a)) - (total[i]-x)/float64(len(b))
			square += off * off
			each[i] = 0
			if spread[i] > 0 {
				each[i] = math.Abs(off) / spread[i]
			}
			largest = max(largest, each[i])
		}
		return square, largest
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	seen, _ := measured(order)
	own := append([]float64(nil), each...)
	adjusted = make([]float64, d)
	farther := 0
	rng := weakrand.New(weakrand.NewPCG(0x6465616c, uint64(len(all))))
	const slack = 1e-12 // equal deals may differ by rounding
	for range permutations {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		square, largest := measured(order)
		if square >= seen*(1-slack) {
			farther++
		}
		for i, v := range own {
			if largest >= v*(1-slack) {
				adjusted[i]++
			}
		}
	}
	for i := range adjusted {
		adjusted[i] = (adjusted[i] + 1) / (permutations + 1)
	}
	return float64(farther+1) / (permutations + 1), adjusted
}

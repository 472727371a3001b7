package audit

import (
	"fmt"
	"math"
)

// A feature is one number computed from a release. Features below the number
// of coordinates are the coordinates themselves; the others have names.
type feature int

// The features that are not coordinates, counted from −1 down.
const (
	featureRefused feature = -1 - iota
	featureLength
	featureZeros
	featureBad // NaN or infinite
	featureLeast
	featureMost
	featureNorm1
	featureRatio // the exact log-likelihood ratio
	featureScore // the learnt linear score
	featureBit   // featureBit−i is the last bit of coordinate i, for i below maxSteps
)

// featureStep−i is coordinate i+1 less coordinate i.
const featureStep = featureBit - maxSteps

// view computes features of releases of one pair.
type view struct {
	pair   Pair
	ratio  func(y, x, x2 []float64) (float64, error)
	weight []float64 // of the learnt linear score
}

// value returns the feature of a release. A coordinate that a release does not
// have is NaN, which no event contains.
func (v *view) value(f feature, r Release) float64 {
	switch {
	case f == featureRefused:
		return indicator(r.Refused)
	case r.Refused:
		return math.NaN()
	case f >= 0:
		return at(r.Y, int(f))
	case f <= featureStep:
		i := int(featureStep - f)
		return at(r.Y, i+1) - at(r.Y, i)
	case f <= featureBit:
		return float64(math.Float64bits(at(r.Y, int(featureBit-f))) & 1)
	}
	return v.named(f, r.Y)
}

func (v *view) named(f feature, y []float64) float64 {
	switch f {
	case featureLength:
		return float64(len(y))
	case featureRatio:
		ratio, err := v.ratio(y, v.pair.X, v.pair.X2)
		if err != nil {
			return math.NaN()
		}
		return ratio
	case featureScore:
		sum := 0.0
		for i, w := range v.weight {
			if w != 0 {
				sum += w * at(y, i)
			}
		}
		return sum
	default:
		return summary(f, y)
	}
}

// summary folds all coordinates into one number. NaN is passed over by every
// comparison.
func summary(f feature, y []float64) float64 {
	sum := 0.0
	switch f {
	case featureZeros:
		sum = float64(occurrences(y, 0))
	case featureBad:
		for _, c := range y {
			if !(math.Abs(c) <= math.MaxFloat64) {
				sum++
			}
		}
	case featureNorm1:
		for _, c := range y {
			sum += math.Abs(c)
		}
	case featureLeast:
		sum = math.Inf(1)
		for _, c := range y {
			if c < sum {
				sum = c
			}
		}
	case featureMost:
		sum = math.Inf(-1)
		for _, c := range y {
			if c > sum {
				sum = c
			}
		}
	default:
		panic(fmt.Sprintf("audit: no feature %d", f))
	}
	return sum
}

func at(y []float64, i int) float64 {
	if i >= len(y) {
		return math.NaN()
	}
	return y[i]
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// String names the feature for a reader.
func (f feature) String() string {
	names := map[feature]string{
		featureRefused: "refusal", featureLength: "length", featureZeros: "number of zeros",
		featureBad: "number of NaN or infinite coordinates", featureLeast: "least coordinate",
		featureMost: "largest coordinate", featureNorm1: "L1 norm", featureRatio: "log-likelihood ratio",
		featureScore: "learnt linear score",
	}
	switch {
	case f >= 0:
		return fmt.Sprintf("coordinate %d", int(f)+1)
	case f <= featureStep:
		i := int(featureStep - f)
		return fmt.Sprintf("coordinate %d less coordinate %d", i+2, i+1)
	case f <= featureBit:
		return fmt.Sprintf("last bit of coordinate %d", int(featureBit-f)+1)
	}
	return names[f]
}

// event is a set of releases: those whose feature lies on one side of a limit,
// or equals it.
type event struct {
	feature feature
	side    side
	limit   float64
}

// side is a number, not a name, because it is compared once for each
// coordinate of each release.
type side uint8

const (
	atLeast side = iota
	atMost
	equal
)

func (s side) String() string { return [...]string{"at least", "at most", "equal to"}[s] }

func (e *event) contains(value float64) bool {
	switch e.side {
	case atLeast:
		return value >= e.limit
	case atMost:
		return value <= e.limit
	default:
		return value == e.limit
	}
}

// String says in words which releases the event contains, without any number
// that a foreign mechanism released of a private input: the auditor chose the
// inputs itself.
func (e event) String() string {
	return fmt.Sprintf("%v %v %.6g", e.feature, e.side, e.limit)
}

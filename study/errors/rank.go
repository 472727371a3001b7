package errors

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Spread is a mean over splits and the deviation between them.
type Spread struct {
	Mean measure.Number `json:"mean"`
	SD   measure.Number `json:"sd"` // of one split, not of the mean
}

// Ranker is how well errors are found at the top of one ranking.
type Ranker struct {
	Name string `json:"name"`
	// PAt is the share of errors among the first K rows of the test part, by K, and
	// Lift how many times that of all rows it is.
	PAt  map[string]Spread `json:"p_at"`
	Lift map[string]Spread `json:"lift"`
	// AUC is the chance that a wrong answer stands before a right one.
	AUC   measure.Number `json:"auc"`
	AUCSD measure.Number `json:"auc_sd"`
}

// Comparison is the difference between two rankers on the same splits.
type Comparison struct {
	A          string         `json:"a"`
	B          string         `json:"b"`
	Measure    string         `json:"measure"`    // auc or p_at_K
	Difference measure.Number `json:"difference"` // A − B, the mean over splits
	Low        measure.Number `json:"low"`        // 95 % interval
	High       measure.Number `json:"high"`
	P          measure.Number `json:"p"` // of a difference at least as far from 0, two-sided
}

// precision returns the share of errors among the first k of a ranking. Rows of the
// same score share the places that they take.
func precision(wrong []bool, score []float64, k int) float64 {
	order := nn.Indices(len(score))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	found := 0.0
	for lo := 0; lo < k; {
		hi, errs := lo, 0
		for ; hi < len(order) && score[order[hi]] == score[order[lo]]; hi++ {
			if wrong[order[hi]] {
				errs++
			}
		}
		taken := min(hi, k) - lo
		found += float64(taken*errs) / float64(hi-lo)
		lo = hi
	}
	return found / float64(k)
}

// spread summarises values, one a split.
func spread(values []float64) Spread {
	s := measure.Summarise(values)
	return Spread{s.Mean, s.Deviation}
}

// compare tests whether two rankers differ, given what each reached on the same
// splits. Splits share rows, so that their differences are not independent: the
// variance of the mean is taken for (1/J + test/train) times that of one difference,
// J being the number of splits, and the statistic for Student's with J − 1 degrees
// of freedom (Nadeau and Bengio, Inference for the Generalization Error, Machine
// Learning 52, 2003).
func compare(a, b []float64, test, train int) Comparison {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	s := measure.Summarise(d)
	c := Comparison{Difference: s.Mean, Low: measure.Undefined, High: measure.Undefined, P: measure.Undefined}
	if len(d) < 2 {
		return c
	}
	law := distuv.StudentsT{Sigma: 1, Nu: float64(len(d) - 1)}
	error1 := float64(s.Deviation) * math.Sqrt(1/float64(len(d))+float64(test)/float64(train))
	if error1 == 0 {
		c.Low, c.High, c.P = s.Mean, s.Mean, 0
		if s.Mean == 0 {
			c.P = 1
		}
		return c
	}
	half := law.Quantile(0.975) * error1
	c.Low, c.High = s.Mean-measure.Number(half), s.Mean+measure.Number(half)
	c.P = measure.Number(2 * law.CDF(-math.Abs(float64(s.Mean))/error1))
	return c
}

// below returns, for each score, the share of known ones that are below it, where
// equal ones count half. known is sorted.
func below(known, score []float64) []float64 {
	out := make([]float64, len(score))
	for i, v := range score {
		lo, _ := slices.BinarySearch(known, v)
		hi := lo
		for hi < len(known) && known[hi] == v {
			hi++
		}
		out[i] = float64(lo+hi) / float64(2*max(1, len(known)))
	}
	return out
}

package records

import "math"

// bins is how many ranges of probabilities a calibration tells apart.
const bins = 10

// A Bin is the pairs with a probability in one range.
type bin struct {
	From        float64 `json:"from"`
	Pairs       int     `json:"pairs"`
	Probability float64 `json:"probability"` // their mean
	Same        float64 `json:"same"`        // the part of them that is the same
}

// Calibration says how well probabilities fit what is true.
type Calibration struct {
	Pairs   int     `json:"pairs"`
	Error   float64 `json:"error"`    // expected calibration error: how far bins are off, in the mean over pairs
	LogLoss float64 `json:"log_loss"` // mean of −log p of what is true
	Brier   float64 `json:"brier"`    // mean squared difference
	Bins    []bin   `json:"bins"`     // those that hold a pair
}

// A Tally adds up pairs of which the truth is known.
type Tally struct {
	n           [bins]int
	sum, same   [bins]float64
	loss, brier float64
}

// Add adds a pair.
func (t *Tally) Add(p float64, same bool) {
	b := min(bins-1, int(p*bins))
	t.n[b]++
	t.sum[b] += p
	q := 1 - p
	if same {
		t.same[b]++
		p, q = q, p
	}
	t.loss -= math.Log(max(q, 1e-12))
	t.brier += float64(p * p)
}

// Calibration returns what they come to, nil if there are none.
func (t *Tally) Calibration() *Calibration {
	c := &Calibration{}
	for b, n := range t.n {
		if n == 0 {
			continue
		}
		c.Pairs += n
		k := float64(n)
		c.Bins = append(c.Bins, bin{From: float64(b) / bins, Pairs: n, Probability: t.sum[b] / k, Same: t.same[b] / k})
		c.Error += math.Abs(t.sum[b] - t.same[b])
	}
	if c.Pairs == 0 {
		return nil
	}
	n := float64(c.Pairs)
	c.Error /= n
	c.LogLoss, c.Brier = t.loss/n, t.brier/n
	return c
}

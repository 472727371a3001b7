package errors

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"sotto/compute/measure"
	"sotto/promise/dp"
)

// Loss is what privacy costs, and whom: how much more often private answers are wrong
// than unprotected ones.
type Loss struct {
	// Epsilon is the ε of the private answers as somebody stated it, and Guarantee what
	// is proved of the model that was asked; nil if nothing is known.
	Epsilon   *dp.Epsilon   `json:"stated_epsilon,omitempty"`
	Guarantee *dp.Guarantee `json:"guarantee,omitempty"`
	Draws     int           `json:"draws"` // private answers to each text; 0 if all that may be drawn was weighed

	Before   measure.Number `json:"accuracy_before"`
	After    measure.Number `json:"accuracy_after"`
	All      LossOf         `json:"all"`
	Cohorts  []LossOf       `json:"cohorts"` // every row is in one; those that lose most first
	Wider    []LossOf       `json:"wider"`   // that some of the cohorts make up together
	Interval string         `json:"interval"`
}

// LossOf is what privacy costs one kind of text.
type LossOf struct {
	Rule       string         `json:"rule"`
	Conditions Rule           `json:"conditions"`
	Size       int            `json:"size"`
	Before     measure.Number `json:"accuracy_before"`
	After      measure.Number `json:"accuracy_after"`
	Loss       measure.Number `json:"loss"` // before − after
	HeldOut    HeldLoss       `json:"held_out"`

	rows []int
}

// HeldLoss is what the half of the rows says on which the rule was not found.
type HeldLoss struct {
	Rows int            `json:"rows"`
	Loss measure.Number `json:"loss"`
	Low  measure.Number `json:"low"`
	High measure.Number `json:"high"`
}

// Rows returns the rows of the cohort.
func (c *LossOf) Rows() []int { return slices.Clone(c.rows) }

// lossInterval says what the intervals of a [Loss] are.
const lossInterval = "95 %% for all %d together, by Bonferroni, each after Bonett and Price (2012), on the half of the rows on which the cohorts were not found"

// Losses finds the kinds of texts that lose most by privacy. before says of each row
// whether the unprotected answer is wrong, and private the same of each draw of
// private ones. As for [Cohorts], the rules are found on one half of the rows, and the
// intervals come from the other.
func Losses(x *Features, before []bool, private [][]bool, o TreeOptions) (*Loss, error) {
	if len(private) == 0 {
		return nil, fmt.Errorf("errors: there are no private answers, must be one to each of %d rows", len(before))
	}
	target := make([]int, len(before)) // times the number of draws
	for d, wrong := range private {
		if len(wrong) != len(before) {
			return nil, fmt.Errorf("errors: draw %d has %d private answers, must have %d", d+1, len(wrong), len(before))
		}
		for i, w := range wrong {
			switch {
			case w && !before[i]:
				target[i]++
			case !w && before[i]:
				target[i]--
			}
		}
	}
	l, err := losses(x, before, target, len(private), o)
	if err == nil {
		l.Draws = len(private)
	}
	return l, err
}

// fine is into how many parts a chance is divided, so that sums are of whole numbers.
const fine = 10_000

// ExpectedLosses is [Losses] where the law of private answers is known: right is how
// likely the private answer to each row is right, over all that the release may draw.
func ExpectedLosses(x *Features, before []bool, right []float64, o TreeOptions) (*Loss, error) {
	if len(right) != len(before) {
		return nil, fmt.Errorf("errors: chances of %d rows, must be of %d", len(right), len(before))
	}
	target := make([]int, len(before))
	for i, p := range right {
		if !(p >= 0 && p <= 1+1e-9) {
			return nil, fmt.Errorf("errors: the chance of row %d is %v, must be from 0 to 1", i+1, p)
		}
		target[i] = -int(math.Round(fine * p))
		if !before[i] {
			target[i] += fine
		}
	}
	return losses(x, before, target, fine, o)
}

// losses finds who loses, target being the loss of each row in parts of one.
func losses(x *Features, before []bool, target []int, parts int, o TreeOptions) (*Loss, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	found, held := halves(len(before), o.Seed)
	nodes := o.grow(x, chosen(found), target)
	l := &Loss{Cohorts: []LossOf{}, Wider: []LossOf{}, Interval: fmt.Sprintf(lossInterval, len(nodes))}
	// Which quantile leaves out 5 % of all intervals together.
	z := distuv.UnitNormal.Quantile(1 - 0.025/float64(len(nodes)))
	for k, b := range nodes {
		c := lossOf(b.rule, x, before, target, held, parts, z)
		if k == 0 {
			l.All, l.Before, l.After = c, c.Before, c.After
		}
		switch {
		case b.leaf:
			l.Cohorts = append(l.Cohorts, c)
		case k > 0:
			l.Wider = append(l.Wider, c)
		}
	}
	for _, list := range [][]LossOf{l.Cohorts, l.Wider} {
		slices.SortStableFunc(list, func(a, b LossOf) int { return cmp.Compare(b.Loss, a.Loss) })
	}
	return l, nil
}

func lossOf(r Rule, x *Features, before []bool, target []int, held []bool, draws int, z float64) LossOf {
	c := LossOf{Rule: r.String(), Conditions: r, HeldOut: HeldLoss{Loss: measure.Undefined, Low: measure.Undefined, High: measure.Undefined}}
	if c.Conditions == nil {
		c.Conditions = Rule{}
	}
	h := &c.HeldOut
	right, lost, heldLost, squares := 0, 0, 0, 0
	for i, in := range r.Match(x) {
		if !in {
			continue
		}
		c.rows = append(c.rows, i)
		c.Size++
		if !before[i] {
			right++
		}
		lost += target[i]
		if held[i] {
			h.Rows++
			heldLost += target[i]
			squares += target[i] * target[i]
		}
	}
	c.Before, c.Loss = ratio(right, c.Size), ratio(lost, c.Size*draws)
	c.After = c.Before - c.Loss
	if h.Rows > 0 {
		// As if one more row had lost and one more had gained, so that a cohort in which
		// nothing changed is not taken for sure (Bonett and Price, Adjusted Wald
		// Confidence Interval for a Difference of Binomial Proportions Based on Paired
		// Data, Journal of Educational and Behavioral Statistics 37, 2012).
		n, d := float64(h.Rows+2), float64(draws)
		mean := float64(heldLost) / d / n
		variance := (float64(squares)/float64(d*d)+2)/n - float64(mean*mean)
		half := float64(z * math.Sqrt(max(0, variance)/n))
		h.Loss = ratio(heldLost, h.Rows*draws)
		h.Low, h.High = measure.Holding(h.Loss, measure.Number(max(-1, mean-half)), measure.Number(min(1, mean+half)))
	}
	return c
}

// Greatest returns the loss of the kind of more than so many texts that loses most, on
// the held-out rows, whatever node of the tree it is; all texts are one. It is
// undefined if there are not so many texts.
func (l *Loss) Greatest(texts int) measure.Estimate {
	worst := measure.Estimate{Value: measure.Undefined, Low: measure.Undefined, High: measure.Undefined}
	for _, c := range slices.Concat([]LossOf{l.All}, l.Wider, l.Cohorts) {
		h := c.HeldOut
		switch {
		case c.Size <= texts || math.IsNaN(float64(h.Loss)):
		case math.IsNaN(float64(worst.Value)):
			worst.Value, worst.Low, worst.High = h.Loss, h.Low, h.High
		default:
			// All intervals hold together, so that the greatest ends hold the greatest loss.
			worst.Value, worst.Low, worst.High = max(worst.Value, h.Loss), max(worst.Low, h.Low), max(worst.High, h.High)
		}
	}
	return worst
}

// surest returns the cohort that loses most beyond chance: that whose interval begins
// highest, and above that of all texts. It is nil if there is none.
func (l *Loss) surest() *LossOf {
	var most *LossOf
	for i, c := range l.Cohorts {
		if low := c.HeldOut.Low; low > max(0, l.All.HeldOut.Loss) && (most == nil || low > most.HeldOut.Low) {
			most = &l.Cohorts[i]
		}
	}
	return most
}

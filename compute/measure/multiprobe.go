package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// MultiProbe holds the hyper-parameters of an attacker that learns which of many
// things stand in a text, such as words, from its vector: a logistic regression
// for each thing, all fitted at once, on standardised inputs by Adam. A tenth of
// the rows says when to stop, so that where vectors say nothing it falls back on
// how common things are. The zero value uses the defaults.
type MultiProbe struct {
	Rate     float64 `json:"rate"`     // step size of Adam; 0 means 0.002
	Batch    int     `json:"batch"`    // rows a step; 0 means 64; never more than there are
	Epochs   int     `json:"epochs"`   // passes over the rows at most; 0 means 200
	Patience int     `json:"patience"` // epochs without progress in a row that do not end training; 0 means 5
	Seed     uint64  `json:"seed"`     // of the rows that say when to stop, and of the order of the others
}

// MultiAttacker scores things by vectors. [MultiProbe.Fit] makes one. It keeps
// buffers, so it is not safe for concurrent use.
type MultiAttacker struct {
	Rows   int // that it was fitted on, with those that said when to stop
	Epochs int // that led to what it knows

	scale scaler
	layer *nn.Dense
}

// Validate reports hyper-parameters out of range.
func (h MultiProbe) Validate() error {
	if !(h.Rate >= 0 && h.Rate <= math.MaxFloat32) {
		return fmt.Errorf("measure: rate is %v, must be finite and not negative", h.Rate)
	}
	if h.Batch < 0 || h.Epochs < 0 || h.Patience < 0 {
		return fmt.Errorf("measure: batch is %d, epochs %d and patience %d, must not be negative", h.Batch, h.Epochs, h.Patience)
	}
	return nil
}

func (h MultiProbe) withDefaults() MultiProbe {
	h.Rate, h.Batch, h.Epochs, h.Patience = cmp.Or(h.Rate, 2e-3), cmp.Or(h.Batch, 64), cmp.Or(h.Epochs, 200), cmp.Or(h.Patience, 5)
	return h
}

// leastRows is how many rows an attacker is fitted to at least, so that one of
// them can say when to stop.
const leastRows = 10

// Fit trains an attacker on rows x, n×d, where present[i] lists the things of
// row i, different numbers below things. It is an error if x has fewer than ten
// rows or a number that is not finite. It stops with ctx's error when ctx is
// done. The result has the same bits for every number of workers. Fit panics if
// there is not one list for each row.
func (h MultiProbe) Fit(ctx context.Context, p *nn.Pool, x nn.Matrix, present [][]int, things int) (*MultiAttacker, error) {
	if err := h.check(x, present, things); err != nil {
		return nil, err
	}
	h = h.withDefaults()
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(h.Seed, 0x6d756c7469))
	rows := rng.Perm(x.Rows)
	a := &MultiAttacker{Rows: x.Rows, scale: newScaler(x, rows), layer: nn.NewDense(x.Cols, things, rng)}
	a.layer.NoInputGrad = true
	a.forget(present, things)
	adam, err := nn.Adam{Rate: h.Rate}.New(a.layer.Params())
	if err != nil {
		return nil, err
	}
	held := x.Rows / leastRows
	t := &multiTrainer{h, p, a, adam, presence{x, present}, nn.NewMatrix(max(h.Batch, predictRows), x.Cols)}
	return a, t.run(ctx, rows[held:], rows[:held], rng)
}

func (h MultiProbe) check(x nn.Matrix, present [][]int, things int) error {
	sameLength("rows", x.Rows, len(present))
	if err := h.Validate(); err != nil {
		return err
	}
	switch {
	case things < 1 || x.Cols < 1:
		return errors.New("measure: there are no things or no columns, must be at least one of each")
	case x.Rows < leastRows:
		return fmt.Errorf("measure: there are %d rows, must be at least %d", x.Rows, leastRows)
	}
	for i, list := range present {
		if !finite(x.Row(i)) {
			return fmt.Errorf("measure: row %d has a number that is NaN or infinite, must be finite", i)
		}
		for _, t := range list {
			if t < 0 || t >= things {
				return fmt.Errorf("measure: row %d has a thing out of range, must be below %d", i, things)
			}
		}
	}
	return nil
}

// forget sets the weights to what is known without vectors: each thing's log
// odds, with half a row of each kind added so that they are finite.
func (a *MultiAttacker) forget(present [][]int, things int) {
	counts := make([]float64, things)
	for _, list := range present {
		for _, t := range list {
			counts[t]++
		}
	}
	params := a.layer.Params()
	clear(params[0].Value.Data)
	for t, n := range counts {
		params[1].Value.Data[t] = float32(math.Log((n + 0.5) / (float64(len(present)) - n + 0.5)))
	}
}

// Scores returns the log odds of each thing for each row of x, rows × things. It
// panics if x does not have the columns of what the attacker was fitted on.
func (a *MultiAttacker) Scores(p *nn.Pool, x nn.Matrix) nn.Matrix {
	if x.Cols != len(a.scale.mean) {
		panic(fmt.Sprintf("measure: rows have %d columns, attacker was fitted on %d", x.Cols, len(a.scale.mean)))
	}
	scaled := nn.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		a.scale.to(scaled.Row(i), x.Row(i))
	}
	return a.layer.Forward(p, nn.Infer, scaled).Clone()
}

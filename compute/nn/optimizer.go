package nn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Optimizer changes parameters along their gradients. [SGD.New], [Adam.New]
// and [AdamW.New] make one.
type Optimizer struct {
	// Rate is the learning rate before any decay of the rule itself. It may
	// change from step to step, to follow a schedule.
	Rate float64
	// Steps is the number of steps so far. Restore it, and what State
	// returns, to resume a training.
	Steps uint64

	params []Param
	state  [][]Param // one list for each kind of moment, in the order of params
	update func(p *Pool, o *Optimizer)
}

// Step changes every parameter by its gradient. It computes the same for every
// number of workers.
func (o *Optimizer) Step(p *Pool) {
	o.Steps++
	o.update(p, o)
	if o.Steps%flushEvery == 0 {
		o.flush(p)
	}
}

// Moments of a weight whose gradient stays zero, such as one behind a ReLU that
// never fires, shrink step by step into the subnormal numbers, on which
// arithmetic is a hundred times slower. Every flushEvery steps those below
// tinyMoment, which are far below what moves a weight, become zero.
const (
	flushEvery = 64
	tinyMoment = 0x1p-100
)

func (o *Optimizer) flush(p *Pool) {
	for _, kind := range o.state {
		for _, q := range kind {
			v := q.Value.Data
			p.chunks(len(v), func(lo, hi int) {
				for j, x := range v[lo:hi] {
					if x < tinyMoment && x > -tinyMoment {
						v[lo+j] = 0
					}
				}
			})
		}
	}
}

// State returns what the optimiser remembers from step to step: for each
// parameter its moments, named like it with ".momentum", ".m" or ".v" behind.
// The values share memory with the optimiser; there are no gradients.
func (o *Optimizer) State() []Param {
	var all []Param
	for i := range o.params {
		for _, kind := range o.state {
			all = append(all, kind[i])
		}
	}
	return all
}

// newOptimizer makes an optimiser with one zero moment of each kind for each
// parameter. It panics if a gradient is not of the size of its parameter, unless
// it is that of some rows.
func newOptimizer(rate float64, params []Param, update func(*Pool, *Optimizer), kinds ...string) *Optimizer {
	o := &Optimizer{Rate: rate, params: params, update: update}
	for _, q := range params {
		q.Value.sound("parameter " + q.Name)
		if q.Touched == nil {
			q.Grad.want("gradient of parameter "+q.Name, q.Value.Rows, q.Value.Cols)
		}
	}
	for _, kind := range kinds {
		list := make([]Param, len(params))
		for i, q := range params {
			list[i] = Param{Name: q.Name + "." + kind, Value: NewMatrix(q.Value.Rows, q.Value.Cols)}
		}
		o.state = append(o.state, list)
	}
	return o
}

// SGD holds the hyper-parameters of stochastic gradient descent: in step
// t = 0, 1, …, v ← Momentum·v + g and w ← w − Rate/(1 + Decay·t)·v.
type SGD struct {
	Rate     float64 `json:"rate"`     // step size; 0 means 0.01
	Momentum float64 `json:"momentum"` // in [0, 1)
	Decay    float64 `json:"decay"`    // of the step size; not negative
}

// Validate reports hyper-parameters out of range.
func (h SGD) Validate() error {
	if !(h.Momentum >= 0 && h.Momentum < 1) {
		return fmt.Errorf("nn: momentum is %v, must be in [0, 1)", h.Momentum)
	}
	return cmp.Or(notNegative("rate", h.Rate), notNegative("decay", h.Decay))
}

// New returns an optimiser of params, or the error of Validate.
func (h SGD) New(params []Param) (*Optimizer, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(params, func(q Param) bool { return q.Touched != nil }) {
		return nil, errors.New("nn: a parameter has gradients of some rows, must have those of all for SGD; use AdamW")
	}
	momentum := float32(h.Momentum)
	update := func(p *Pool, o *Optimizer) {
		rate := float32(o.Rate / (1 + float64(h.Decay*float64(o.Steps-1))))
		for i, q := range o.params {
			w, g, v := q.Value.Data, q.Grad.Data, o.state[0][i].Value.Data
			p.chunks(len(w), func(lo, hi int) {
				for j := lo; j < hi; j++ {
					v[j] = float32(momentum*v[j]) + g[j]
					w[j] -= float32(rate * v[j])
				}
			})
		}
	}
	return newOptimizer(cmp.Or(h.Rate, 0.01), params, update, "momentum"), nil
}

// Adam holds the hyper-parameters of Adam (Kingma and Ba, ICLR 2015). The zero
// value uses the defaults, which are the paper's.
type Adam struct {
	Rate    float64 `json:"rate"`    // step size; 0 means 0.001
	Beta1   float64 `json:"beta1"`   // decay of the mean of gradients, below 1; 0 means 0.9
	Beta2   float64 `json:"beta2"`   // decay of the mean of squares, below 1; 0 means 0.999
	Epsilon float64 `json:"epsilon"` // added to the root of the mean of squares; 0 means 1e-8
	// L2 adds L2·w to the gradient of each parameter w, the gradient of a
	// penalty L2/2·‖w‖²; not negative.
	L2 float64 `json:"l2"`
}

// Validate reports hyper-parameters out of range.
func (h Adam) Validate() error {
	for _, b := range []struct {
		name  string
		value float64
	}{{"beta1", h.Beta1}, {"beta2", h.Beta2}} {
		if !(b.value >= 0 && b.value < 1) {
			return fmt.Errorf("nn: %s is %v, must be in [0, 1)", b.name, b.value)
		}
	}
	return cmp.Or(notNegative("rate", h.Rate), notNegative("epsilon", h.Epsilon), notNegative("l2", h.L2))
}

// New returns an optimiser of params, or the error of Validate.
func (h Adam) New(params []Param) (*Optimizer, error) { return AdamW{Adam: h}.New(params) }

// AdamW is [Adam] with decay of the weights beside the gradient (Loshchilov
// and Hutter, ICLR 2019): each step also takes Rate·Decay·w from each w.
type AdamW struct {
	Adam
	Decay float64 `json:"decay"` // not negative; 0 makes it Adam
}

// Validate reports hyper-parameters out of range.
func (h AdamW) Validate() error { return cmp.Or(h.Adam.Validate(), notNegative("decay", h.Decay)) }

// New returns an optimiser of params, or the error of Validate.
func (h AdamW) New(params []Param) (*Optimizer, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	beta1, beta2, epsilon := cmp.Or(h.Beta1, 0.9), cmp.Or(h.Beta2, 0.999), cmp.Or(h.Epsilon, 1e-8)
	update := func(p *Pool, o *Optimizer) {
		t := float64(o.Steps)
		s := adamStep{
			beta1: float32(beta1), rest1: float32(1 - beta1),
			beta2: float32(beta2), rest2: float32(1 - beta2),
			scale:   float32(1 / math.Sqrt(1-math.Pow(beta2, t))),
			epsilon: float32(epsilon),
			rate:    float32(o.Rate / (1 - math.Pow(beta1, t))),
			keep:    float32(1 - float64(o.Rate*h.Decay)),
			l2:      float32(h.L2),
		}
		for i, q := range o.params {
			w, g := q.Value.Data, q.Grad.Data
			m, v := o.state[0][i].Value.Data, o.state[1][i].Value.Data
			if t := q.Touched; t != nil {
				t.Grad.want("gradient of rows of "+q.Name, len(t.Rows), q.Value.Cols)
				p.rows(len(t.Rows), func(_, lo, hi int) {
					for at := lo; at < hi; at++ {
						from := t.Rows[at] * q.Value.Cols
						to := from + q.Value.Cols
						p.kernels.adam(w[from:to], t.Grad.Row(at), m[from:to], v[from:to], &s)
					}
				})
				continue
			}
			p.chunks(len(w), func(lo, hi int) {
				p.kernels.adam(w[lo:hi], g[lo:hi], m[lo:hi], v[lo:hi], &s)
			})
		}
	}
	return newOptimizer(cmp.Or(h.Rate, 0.001), params, update, "m", "v"), nil
}

// notNegative returns an error unless v is finite and at least 0.
func notNegative(name string, v float64) error {
	if !(v >= 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("nn: %s is %v, must be finite and not negative", name, v)
	}
	return nil
}

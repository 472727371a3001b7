package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
)

// Probe holds the hyper-parameters of an attacker that learns an attribute from
// vectors: standardised inputs, hidden layers of ReLU, softmax, Adam. The zero
// value is the reference attacker of the FEDERATE tables, which is
// scikit-learn's MLPClassifier with alpha = 1 and max_iter = 1000.
type Probe struct {
	Hidden []int   `json:"hidden"` // units of each hidden layer; null means [100], [] makes it linear
	Rate   float64 `json:"rate"`   // step size of Adam; 0 means 0.001
	// Alpha is the L2 penalty as scikit-learn means it: a step on b rows adds
	// Alpha/(2b)·‖W‖² to the mean loss, for all weights W and not the biases.
	// 0 means 1; a tiny value is as good as none.
	Alpha     float64 `json:"alpha"`
	Batch     int     `json:"batch"`     // rows a step; 0 means 200; never more than there are
	Epochs    int     `json:"epochs"`    // passes over the rows at most; 0 means 1000
	Patience  int     `json:"patience"`  // epochs without progress in a row that do not end training; 0 means 10
	Tolerance float64 `json:"tolerance"` // progress is a training loss below the best by at least this; 0 means 1e-4
	Seed      uint64  `json:"seed"`      // of the first weights and of the order of rows
}

// Validate reports hyper-parameters out of range.
func (h Probe) Validate() error {
	for _, units := range h.Hidden {
		if units < 1 {
			return fmt.Errorf("measure: a hidden layer has %d units, must be positive", units)
		}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"rate", h.Rate},
		{"alpha", h.Alpha},
		{"tolerance", h.Tolerance},
		{"batch", float64(h.Batch)},
		{"epochs", float64(h.Epochs)},
		{"patience", float64(h.Patience)},
	} {
		if !(f.value >= 0 && f.value <= math.MaxFloat32) {
			return fmt.Errorf("measure: %s is %v, must be finite and not negative", f.name, f.value)
		}
	}
	return nil
}

// withDefaults replaces zeros by what they mean for the given number of rows.
func (h Probe) withDefaults(rows int) Probe {
	if h.Hidden == nil {
		h.Hidden = []int{100}
	}
	h.Rate, h.Alpha, h.Tolerance = cmp.Or(h.Rate, 1e-3), cmp.Or(h.Alpha, 1), cmp.Or(h.Tolerance, 1e-4)
	h.Batch, h.Epochs, h.Patience = min(cmp.Or(h.Batch, 200), rows), cmp.Or(h.Epochs, 1000), cmp.Or(h.Patience, 10)
	return h
}

// linear returns the probe without hidden layers. It takes many cheap epochs where
// a deep one takes a few dear ones, so it gets no fewer than the default.
func (h Probe) linear() Probe {
	h.Hidden, h.Epochs = []int{}, max(h.Epochs, Probe{}.withDefaults(0).Epochs)
	return h
}

// Fit trains an attacker on rows x, n×d, with attribute values z below classes.
// Rows whose z is unknown are left out. It is an error if an x is not finite, or
// if fewer than two values occur in z: there is nothing to learn. It stops with
// ctx's error when ctx is done. The result has the same bits for every number
// of workers. Training holds a copy of x. Fit panics if there is not one z for
// each row.
func (h Probe) Fit(ctx context.Context, p *nn.Pool, x nn.Matrix, z []int, classes int) (*Attacker, error) {
	return h.fit(ctx, p, Labelled{x, z}, classes, newScaler)
}

// fit is Fit with a choice of what is done to the inputs.
func (h Probe) fit(ctx context.Context, p *nn.Pool, in Labelled, classes int, scale func(nn.Matrix, []int) scaler) (*Attacker, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	x, z := in.X, in.Z
	known, err := knownRows(in, classes)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(known, func(i int) bool { return z[i] != z[known[0]] }) {
		return nil, errors.New("measure: attribute is the same in all rows, must have two values to tell apart")
	}
	h = h.withDefaults(len(known))
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(h.Seed, 0x6d656173757265))
	a := &Attacker{Rows: len(known), scale: scale(x, known), classes: classes, model: h.network(x.Cols, classes, rng)}
	t, err := newTrainer(h, p, a)
	if err != nil {
		return nil, err
	}
	// Standardised once, and not again in every epoch.
	data := Labelled{nn.NewMatrix(len(known), x.Cols), make([]int, len(known))}
	for k, i := range known {
		a.scale.to(data.X.Row(k), x.Row(i))
		data.Z[k] = z[i]
	}
	return a, t.run(ctx, data, rng)
}

// network returns the layers. Two classes share one output, the logit of the
// second, as in scikit-learn: with an output each, Alpha would weigh half.
func (h Probe) network(inputs, classes int, rng *weakrand.Rand) nn.Sequential {
	var model nn.Sequential
	width := inputs
	for _, units := range h.Hidden {
		model = append(model, nn.NewDense(width, units, rng), &nn.ReLU{})
		width = units
	}
	outputs := classes
	if classes == 2 {
		outputs = 1
	}
	model = append(model, nn.NewDense(width, outputs, rng))
	if first, ok := model[0].(*nn.Dense); ok {
		first.NoInputGrad = true
	}
	return model
}

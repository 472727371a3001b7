package train

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// LDPNN is learning on randomised bits after Lyu, Li, He and Xiao (SIGIR 2020):
// each vector is z-scored, written in bits and sent through a bit protocol once;
// the server trains a perceptron on what it received. The zero value of the
// settings is the paper's.
//
// In use, the guarantee covers the texts that are trained on too. Here it does
// not, since their noise follows from the seed.
//
// The z-score is taken over a vector's own numbers: a mean over texts would
// carry something of each of them to the server.
type LDPNN struct {
	Hidden  []int   `json:"hidden,omitzero"`   // widths of hidden layers; nil means 128, empty none
	Dropout float64 `json:"dropout,omitempty"` // on the bits; negative means none and 0 means 0.5
	Epochs  int     `json:"epochs,omitempty"`  // 0 means 50
	Batch   int     `json:"batch,omitempty"`   // 0 means 32
	Rate    float64 `json:"rate,omitempty"`    // of gradient descent with momentum 0.9 and decay 1e-6; 0 means 0.01
	// Release is a bit protocol: bitrr, sue, oue, ome or bitrand. Its dim is
	// that of the vectors and may be left 0.
	Release mech.Params `json:"release"`
}

// Prepare implements [Method].
func (h LDPNN) Prepare(d Data) (*Fitting, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if !mech.VariantOf(h.Release).Binary() {
		return nil, fmt.Errorf("train: mechanism of LDPNN is %q, must be one of %s", h.Release.Mechanism, strings.Join(mech.Names(mech.Variant.Binary), ", "))
	}
	if h.Hidden == nil {
		h.Hidden = []int{128}
	}
	h.Dropout, h.Epochs, h.Batch = cmp.Or(h.Dropout, 0.5), cmp.Or(h.Epochs, 50), cmp.Or(h.Batch, 32)
	if h.Release.Dim != 0 && h.Release.Dim != d.X.Cols {
		return nil, fmt.Errorf("train: dim of the mechanism is %d, must be that of the vectors, %d", h.Release.Dim, d.X.Cols)
	}
	s := server{
		release: h.Release, scaling: model.ZScore, hidden: h.Hidden, corrupt: max(h.Dropout, 0), epochs: h.Epochs, batch: h.Batch, rate: h.Rate,
		optimiser: nn.SGD{Rate: h.Rate, Momentum: 0.9, Decay: 1e-6}.New,
	}
	s.release.Dim = d.X.Cols
	return s.prepare(d)
}

// PrivEmb fits a linear classifier on vectors released by projection and metric
// noise (Feyisetan and Kasiviswanathan, TrustNLP 2021), each released once. The
// unit of its guarantee is metric unless Release.Clip bounds the vectors. As
// with [LDPNN], the noise of the vectors that are trained on is simulated.
type PrivEmb struct {
	Epochs int     `json:"epochs,omitempty"` // 0 means 30
	Batch  int     `json:"batch,omitempty"`  // 0 means 256, or less where an epoch would have fewer than 16 steps
	Rate   float64 `json:"rate,omitempty"`   // of Adam; 0 means 0.01
	// Release is privemb. Its input_dim is that of the vectors and may be left
	// 0; output_dim 0 means 50, or the input's if that is less.
	Release mech.Params `json:"release"`
}

// Prepare implements [Method].
func (h PrivEmb) Prepare(d Data) (*Fitting, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if !own(&h.Release, "privemb") || h.Release.Variant == mech.Vocabulary {
		return nil, fmt.Errorf("train: mechanism is %s %s, must be privemb in a variant without vocabulary", h.Release.Mechanism, h.Release.Variant)
	}
	if in, _ := h.Release.Sizes(); in != 0 && in != d.X.Cols {
		return nil, fmt.Errorf("train: input_dim of the mechanism is %d, must be that of the vectors, %d", in, d.X.Cols)
	}
	h.Release = h.Release.Fit(d.X.Cols).Assume()
	h.Batch = cmp.Or(h.Batch, min(256, max(1, len(d.Train)/leastSteps)))
	h.Epochs, h.Rate = cmp.Or(h.Epochs, 30), cmp.Or(h.Rate, 0.01)
	return server{release: h.Release, epochs: h.Epochs, batch: h.Batch, rate: h.Rate}.prepare(d)
}

// server trains on vectors that were released before it saw them.
type server struct {
	release       mech.Params
	scaling       model.Scaling
	hidden        []int
	corrupt       float64 // dropout on what was received
	epochs, batch int
	rate          float64
	optimiser     optimiser // nil means Adam
}

func (s server) prepare(d Data) (*Fitting, error) {
	m, err := mech.New(s.release)
	if err != nil {
		return nil, err
	}
	t := Training{Shape: Shape{Classifier: s.hidden, Dropout: -1}, Epochs: s.epochs, Batch: s.batch, Rate: s.rate, Keep: Best}
	if t, err = t.filled(len(d.Train), true, false); err != nil {
		return nil, err
	}
	p := m.Params()
	_, out := m.Shape()
	q := plan{Training: t, rows: floats{x: nn.Matrix{Cols: out}}, received: p, corrupt: s.corrupt, optimiser: s.optimiser}
	if err := q.check(d); err != nil {
		return nil, err
	}
	return &Fitting{Fit: func(ctx context.Context, o Options) (*model.Model, error) {
		q := q
		var err error
		r := model.Releaser{Scaling: s.scaling, Mechanism: m, Key: model.SimulationKey(o.Seed), Context: "received"}
		if q.rows, err = received(r, d, o.pool()); err != nil {
			return nil, err
		}
		return q.model(ctx, d, o, model.Architecture{Inputs: d.X.Cols, Scaling: s.scaling, Release: &p})
	}}, nil
}

// received releases every row once: a byte for each bit of a bit protocol, a
// float for each number of any other mechanism.
func received(r model.Releaser, d Data, p *nn.Pool) (table, error) {
	_, out := r.Mechanism.Shape()
	if _, ok := r.Mechanism.(interface{ Words() int }); !ok {
		y := nn.NewMatrix(d.X.Rows, out)
		return floats{x: y}, r.To(p, d.X, y)
	}
	t := bits{cols: out, data: make([]byte, d.X.Rows*out)}
	return t, r.Each(p, d.X, func(row int, y []float64) {
		to := t.data[row*out : (row+1)*out]
		for j, v := range y {
			to[j] = byte(v)
		}
	})
}

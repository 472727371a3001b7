package outside_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

func init() {
	mech.Register(mech.Kind{
		Name: "levels", About: "randomised response on the level of each coordinate",
		Variants: []mech.Variant{{Name: mech.AsStated, Form: mech.FormVector, Normalisation: mech.NormaliseMinMax}},
		Takes:    []string{"dim"}, Own: levelParams{}, New: newLevels,
	})
}

type levelParams struct {
	Levels int `json:"levels,omitempty" help:"number of levels a coordinate can have" default:" 4"`
}

// levels scales a vector to [0, 1] by its own least and largest number, rounds
// each coordinate to one of several levels and sends that through randomised
// response of budget ε/D.
type levels struct {
	params mech.Params
	most   float64 // the highest level
	one    *mech.KRR
}

func newLevels(p mech.Params) (mech.Mechanism, error) {
	own := p.Own.(levelParams)
	if own.Levels == 0 {
		own.Levels = 4
	}
	if p.Dim < 2 {
		return nil, fmt.Errorf("outside: dim of levels is %d, must be at least 2", p.Dim)
	}
	one, err := mech.NewKRR(mech.Params{Epsilon: p.Epsilon / float64(p.Dim), Own: mech.KRRParams{Classes: own.Levels}})
	if err != nil {
		return nil, err
	}
	p.Own = own
	return &levels{p, float64(own.Levels - 1), one}, nil
}

func (m *levels) Params() mech.Params  { return m.params }
func (m *levels) Shape() (in, out int) { return m.params.Dim, m.params.Dim }

func (m *levels) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: dp.RoundUp(dp.Epsilon(m.params.Dim) * m.one.Guarantee().Epsilon)}
}

func (m *levels) Privatize(x []float64, src rand.Source) ([]float64, error) {
	if len(x) != m.params.Dim {
		return nil, fmt.Errorf("%w: it has %d coordinates, must have %d", dp.ErrDomain, len(x), m.params.Dim)
	}
	y := make([]float64, len(x))
	if err := m.PrivatizeTo(y, x, src); err != nil {
		return nil, err
	}
	return y, nil
}

// of writes the level of each coordinate to dst, which may be x.
func (m *levels) of(dst, x []float64) error {
	low, high := slices.Min(x), slices.Max(x)
	if width := high - low; math.IsNaN(width) || math.IsInf(width, 0) {
		clear(dst)
		return fmt.Errorf("%w: a coordinate is NaN or infinite, or their range overflows", dp.ErrDomain)
	}
	for i, v := range x {
		dst[i] = 0
		if high > low {
			dst[i] = math.Round((v - low) / (high - low) * m.most)
		}
	}
	return nil
}

func (m *levels) PrivatizeTo(dst, x []float64, src rand.Source) error {
	if len(dst) != m.params.Dim || len(x) != m.params.Dim {
		panic("outside: PrivatizeTo with vectors of another length")
	}
	if err := m.of(dst, x); err != nil {
		return err
	}
	for i, level := range dst {
		got, err := m.one.Respond(int(level), src)
		if err != nil {
			clear(dst)
			return err
		}
		dst[i] = float64(got) / m.most
	}
	return nil
}

// LogRatio implements [dp.Distinguisher].
func (m *levels) LogRatio(y, x, x2 []float64) (float64, error) {
	a, b := make([]float64, len(y)), make([]float64, len(y))
	if err := errors.Join(m.of(a, x), m.of(b, x2)); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range y {
		level := math.Round(v * m.most)
		if level/m.most != v {
			return 0, fmt.Errorf("%w: not a release of this mechanism", dp.ErrDomain)
		}
		one, err := m.one.LogRatio([]float64{level}, a[i:i+1], b[i:i+1])
		if err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

func (m *levels) Profile() dp.Profile {
	d, one := m.params.Dim, m.one.Profile().Witness
	w := dp.Witness{
		X: make([]float64, d), X2: make([]float64, d), Y: make([]float64, d),
		Event: "x = (0, 1, 0, 1, …), x′ = (1, 0, 1, 0, …): x is released",
		LogP:  float64(d) * one.LogP, LogQ: float64(d) * one.LogQ,
	}
	for i := range d {
		w.X[i], w.X2[i], w.Y[i] = float64(i%2), float64(1-i%2), float64(i%2)
	}
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Reason: "each coordinate costs ε/D, and all can differ", Witness: w, Independent: true,
	}
}

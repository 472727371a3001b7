package dptest_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// radius is the number of lattice steps in a unit of the toy.
const radius = 1 << 20

// toy clips each coordinate to [−1, 1] and adds discrete Laplace noise. Its
// fault, if any, is the one thing that it does wrong.
type toy struct {
	dim   int
	fault string

	kept  []float64 // for the fault "retains"
	calls *int      // for the fault "counts"
}

func newToy(dim int, fault string) *toy {
	return &toy{dim: dim, fault: fault, kept: make([]float64, dim), calls: new(int)}
}

func (m *toy) Shape() (in, out int) { return m.dim, m.dim }

func (m *toy) loss() dp.Epsilon {
	return dp.RoundUp(dp.Epsilon(float64(2*m.dim*radius) * noise.LaplaceStep()))
}

func (m *toy) Guarantee() dp.Guarantee {
	switch m.fault {
	case "claims half":
		return dp.Guarantee{Unit: dp.Text, Epsilon: m.loss() / 2}
	case "claims twice":
		return dp.Guarantee{Unit: dp.Text, Epsilon: m.loss() * 2}
	case "no unit":
		return dp.Guarantee{Epsilon: m.loss()}
	}
	return dp.Guarantee{Unit: dp.Text, Epsilon: m.loss()}
}

func (m *toy) Privatize(x []float64, src weakrand.Source) ([]float64, error) {
	if len(x) != m.dim && m.fault != "any length" {
		return nil, fmt.Errorf("%w: length", dp.ErrDomain)
	}
	y := make([]float64, m.dim)
	if m.fault == "any length" {
		return y, m.PrivatizeTo(y, make([]float64, m.dim), src)
	}
	if err := m.PrivatizeTo(y, x, src); err != nil {
		if m.fault == "partial" {
			return y, err
		}
		return nil, err
	}
	return y, nil
}

// PrivatizeTo has all the faults that a release can have.
func (m *toy) PrivatizeTo(dst, x []float64, src weakrand.Source) error {
	if (len(dst) != m.dim || len(x) != m.dim) && m.fault != "no panic" {
		panic("toy: lengths")
	}
	for _, v := range x {
		if (math.IsNaN(v) || math.IsInf(v, 0)) && m.fault != "accepts NaN" {
			if m.fault != "leaves dst" {
				clear(dst)
			}
			if m.fault == "quotes" {
				return fmt.Errorf("%w: got %v", dp.ErrDomain, x)
			}
			return fmt.Errorf("%w: not finite", dp.ErrDomain)
		}
	}
	scale := 1.0 / radius
	switch m.fault {
	case "own source":
		src = weakrand.NewPCG(1, 2)
	case "global source":
		src = noise.Crypto()
	case "retains":
		if m.kept[0] != 0 {
			x = m.kept
		}
		m.kept = x
	case "counts":
		*m.calls++
		scale *= 1 + float64(*m.calls)*1e-9
	case "writes dst first":
		clear(dst)
	case "overflows":
		scale *= 1 + x[0]*1e300
	}
	k := make([]int64, 64)[:len(dst)]
	if m.fault == "allocates" {
		k = make([]int64, 10*len(dst))[:len(dst)]
	}
	noise.From(src).Laplace(k)
	for i := range dst {
		dst[i] = (cell(x[i]) + float64(k[i]) + 0.5) * scale
	}
	if m.fault == "writes x" {
		x[0]++
	}
	return nil
}

func cell(v float64) float64 { return math.Trunc(min(max(v, -1), 1) * radius) }

func (m *toy) LogRatio(y, x, x2 []float64) (float64, error) {
	sum := 0.0
	for i, v := range y {
		k := v*radius - 0.5
		if m.fault != "any release" && !(math.Abs(k-math.Round(k)) < 0.25) {
			return 0, fmt.Errorf("%w: never released", dp.ErrDomain)
		}
		if m.fault != "any input" && (math.IsNaN(x[i]) || math.IsNaN(x2[i])) {
			return 0, fmt.Errorf("%w: not finite", dp.ErrDomain)
		}
		at := int64(math.Round(k))
		sum += noise.LaplaceLog(at-int64(cell(x[i]))) - noise.LaplaceLog(at-int64(cell(x2[i])))
	}
	switch m.fault {
	case "lopsided":
		sum += 1e-3
	case "too large":
		sum *= 1.001
	}
	return sum, nil
}

func (m *toy) Profile() dp.Profile {
	w := dp.Witness{X: make([]float64, m.dim), X2: make([]float64, m.dim), Y: make([]float64, m.dim), Event: "all at least 1"}
	for i := range m.dim {
		w.X[i], w.X2[i], w.Y[i] = 1, -1, 1+0.5/radius
		w.LogP += noise.LaplaceTail(0)
		w.LogQ += noise.LaplaceTail(2 * radius)
	}
	switch m.fault {
	case "weak witness":
		w.LogQ *= 0.9
	case "strong witness":
		w.LogQ *= 1.1
	case "witness elsewhere":
		clear(w.Y)
		for i := range w.Y {
			w.Y[i] = 0.5 / radius
		}
	case "witness outside":
		w.X[0] = math.NaN()
	}
	return dp.Profile{Mechanism: "toy", Variant: "true", Claimed: m.loss(), Reason: "it is a toy", Witness: w}
}

package parse //nolint:testpackage // gradients are of what is not exported

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/nn"
)

// The gradients of every parameter are those that finite differences show.
func TestGradients(t *testing.T) {
	v := &vocabulary{spellings: []string{"a", "b", "c"}, upos: newLabels([]string{"N", "V"}), xpos: newLabels([]string{"x", "y", "z"}), relations: newLabels([]string{"r", "s", "t", "u"})}
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	n := newNetwork(Shape{Width: 32, Layers: "wr", Arc: 16, Label: 16}, v, 16, 8, rng)
	rows := make([]lookups, 7)
	given := make([][]float32, 7)
	want := target{upos: []int{0, 1, 0, 1, 0, 0, 1}, xpos: []int{0, 1, 2, 0, 1, 2, 0}, relation: []int{3, 1, 2, 0, 1, 2, 3}, heads: []int{1, -1, 1, 2, 5, -1, 5}}
	for i := range rows {
		for f := range rows[i] {
			rows[i][f] = int32(rng.IntN(4))
		}
		if i%3 != 0 {
			given[i] = make([]float32, 16)
			for j := range given[i] {
				given[i][j] = float32(rng.NormFloat64())
			}
		}
	}
	for _, m := range n.norms() { // away from where all start
		for i := range m.scale.Data {
			m.scale.Data[i], m.shift.Data[i] = 1+0.3*float32(rng.NormFloat64()), 0.3*float32(rng.NormFloat64())
		}
	}
	for i := range n.relRoot.Data {
		n.relRoot.Data[i] = float32(rng.NormFloat64())
	}
	for _, table := range n.tables { // large, so that differences are small beside it
		for i := range table.Data[:min(len(table.Data), 4*table.Cols)] {
			table.Data[i] = float32(rng.NormFloat64())
		}
	}
	var g gradients
	params := n.params(&g)
	s := newState(n, nn.NewPool(1))
	outer, dx := nn.NewMatrix(7, 8), nn.NewMatrix(7, 8)
	for i := range outer.Data {
		outer.Data[i] = float32(rng.NormFloat64())
	}
	params = append(params, nn.Param{Name: "encoder", Value: outer, Grad: dx})
	l := &lesson{bounds: []int{0, 4, 7}, rows: rows, given: given, want: want}
	loss := func() float64 {
		total := n.loss(s, &g, l, outer)
		for i := range dx.Rows {
			copy(dx.Row(i), g.in.Row(i)[g.in.Cols-8:])
		}
		return total
	}
	loss()
	for k, p := range params {
		analytic := map[int]float32{}
		for try := 0; try < 12; try++ {
			i := rng.IntN(len(p.Value.Data))
			if p.Touched != nil {
				r := p.Touched.Rows[rng.IntN(len(p.Touched.Rows))]
				i = r*p.Value.Cols + rng.IntN(p.Value.Cols)
				for at, row := range p.Touched.Rows {
					if row == r {
						analytic[i] = p.Touched.Grad.Row(at)[i%p.Value.Cols]
					}
				}
			} else {
				analytic[i] = p.Grad.Data[i]
			}
		}
		for i, got := range analytic {
			old := p.Value.Data[i]
			const h = 5e-4 // float32: the loss, about 8, is known to 1e-6
			p.Value.Data[i] = old + h
			up := loss()
			p.Value.Data[i] = old - h
			down := loss()
			p.Value.Data[i] = old
			numeric := (up - down) / (2 * h)
			if math.Abs(numeric-float64(got)) > 6e-3+0.05*math.Abs(numeric) {
				t.Errorf("parameter %d (%s, %d×%d) at %d: gradient %v, by differences %v", k, p.Name, p.Value.Rows, p.Value.Cols, i, got, numeric)
			}
		}
		loss()
	}
}

package sequence

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// Graph is a layer of graph convolution (Kipf and Welling, ICLR 2017): with N(i) the
// neighbours of row i and d its number of neighbours and itself,
//
//	h = ReLU(W·(x + Σ over N(i) of x)/d + b)
type Graph struct {
	layer nn.Sequential

	neighbours [][]int
	mean, dx   nn.Matrix
}

// NewGraph returns a layer from in numbers a row to out.
func NewGraph(in, out int, rng *weakrand.Rand) *Graph {
	return &Graph{layer: nn.Sequential{nn.NewDense(in, out, rng), &nn.ReLU{}}}
}

// Params lists what is learnt.
func (g *Graph) Params() []nn.Param { return g.layer.Params() }

// Forward returns the rows of the next layer. Neighbours are mutual: what is a neighbour
// of a row has it as a neighbour.
func (g *Graph) Forward(p *nn.Pool, x nn.Matrix, neighbours [][]int) nn.Matrix {
	g.neighbours = neighbours
	g.mean = g.mean.Reshape(x.Rows, x.Cols)
	blocks(p, x.Rows, func(i int) {
		to, factor := g.mean.Row(i), 1/float32(1+len(neighbours[i]))
		copy(to, x.Row(i))
		for _, j := range neighbours[i] {
			add(to, 1, x.Row(j))
		}
		for k := range to {
			to[k] *= factor
		}
	})
	return g.layer.Forward(p, nn.Train, g.mean)
}

// Backward takes the gradient with respect to what Forward returned, returns it with
// respect to x and sets those of parameters.
func (g *Graph) Backward(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	d := g.layer.Backward(p, grad)
	g.dx = g.dx.Reshape(d.Rows, d.Cols)
	blocks(p, d.Rows, func(i int) {
		to := g.dx.Row(i)
		clear(to)
		add(to, 1/float32(1+len(g.neighbours[i])), d.Row(i))
		for _, j := range g.neighbours[i] {
			add(to, 1/float32(1+len(g.neighbours[j])), d.Row(j))
		}
	})
	return g.dx
}

// Largest takes the largest value of each column over sets of rows.
type Largest struct {
	best []int // row that has it, sets × columns
	out  nn.Matrix
}

// Forward returns a row for each set, which must not be empty, valid until the next call.
// Of equal values the first counts.
func (l *Largest) Forward(p *nn.Pool, x nn.Matrix, sets [][]int) nn.Matrix {
	l.out = l.out.Reshape(len(sets), x.Cols)
	l.best = resize(l.best, len(sets)*x.Cols)
	blocks(p, len(sets), func(i int) {
		out, best := l.out.Row(i), l.best[i*x.Cols:(i+1)*x.Cols]
		copy(out, x.Row(sets[i][0]))
		for k := range best {
			best[k] = sets[i][0]
		}
		for _, row := range sets[i][1:] {
			for k, v := range x.Row(row) {
				if v > out[k] {
					out[k], best[k] = v, row
				}
			}
		}
	})
	return l.out
}

// Backward adds the gradient with respect to what Forward returned to dx, that of x.
func (l *Largest) Backward(grad, dx nn.Matrix) {
	for i := range grad.Rows {
		for k, v := range grad.Row(i) {
			dx.Row(l.best[i*grad.Cols+k])[k] += v
		}
	}
}

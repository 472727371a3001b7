package aec

import (
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// network is the layers, with buffers of the last pass.
//
// The filters of both channels are the same and their results are added, so that
// what a filter sees of a word is the sum of its two vectors: w·a + w·b = w·(a+b).
type network struct {
	classes int
	table   nn.Matrix // the channel that stays; shared
	tuned   nn.Matrix // the channel that learns
	touched *nn.Touched
	banks   []*bank
	drop    *nn.Dropout
	out     *nn.Dense

	words  [][]int   // of the last pass
	starts []int     // of each text among the rows of x, and where the last one ends
	x, dx  nn.Matrix // words of a batch, one behind another
	pooled nn.Matrix // texts × filters
	grad   nn.Matrix // of the loss by scores
}

// bank is the filters of one width.
type bank struct {
	width         int
	weight, bias  nn.Param // filters × width·dimensions, 1 × filters
	windows, seen nn.Matrix
	first         []int // window of each text
	best          []int // window that a filter likes most, texts × filters
}

func newNetwork(c Config, table nn.Matrix, classes int) (*network, error) {
	rng := weakrand.New(weakrand.NewPCG(c.Seed, 0))
	drop, err := nn.NewDropout(c.Dropout, c.Seed)
	if err != nil {
		return nil, err
	}
	n := &network{classes: classes, table: table, tuned: table.Clone(), touched: &nn.Touched{}, drop: drop}
	for _, width := range c.Widths {
		cols := width * table.Cols
		b := &bank{width: width}
		b.weight = nn.Param{Name: "weight", Value: nn.NewMatrix(c.Filters, cols), Grad: nn.NewMatrix(c.Filters, cols)}
		b.bias = nn.Param{Name: "bias", Value: nn.NewMatrix(1, c.Filters), Grad: nn.NewMatrix(1, c.Filters)}
		limit := math.Sqrt(6 / float64(cols+c.Filters))
		for i := range b.weight.Value.Data {
			b.weight.Value.Data[i] = float32(limit * (2*float64(rng.Float64()) - 1))
		}
		n.banks = append(n.banks, b)
	}
	n.out = nn.NewDense(c.Filters*len(c.Widths), classes, rng)
	return n, nil
}

// params lists what is learnt.
func (n *network) params() []nn.Param {
	all := []nn.Param{{Name: "words", Value: n.tuned, Touched: n.touched}}
	for _, b := range n.banks {
		all = append(all, b.weight, b.bias)
	}
	return append(all, n.out.Params()...)
}

// clone copies what is learnt, for use and not for more learning.
func (n *network) clone() *network {
	c := &network{classes: n.classes, table: n.table, tuned: n.tuned.Clone(), touched: &nn.Touched{}, drop: &nn.Dropout{}}
	for _, b := range n.banks {
		to := &bank{width: b.width, weight: nn.Param{Value: b.weight.Value.Clone()}, bias: nn.Param{Value: b.bias.Value.Clone()}}
		c.banks = append(c.banks, to)
	}
	c.out = nn.NewDense(n.pooled.Cols, n.classes, weakrand.New(weakrand.NewPCG(0, 0)))
	for i, p := range n.out.Params() {
		copy(c.out.Params()[i].Value.Data, p.Value.Data)
	}
	return c
}

// forward returns the scores of texts, valid until the next call.
func (n *network) forward(p *nn.Pool, mode nn.Mode, texts [][]int) nn.Matrix {
	n.embed(p, texts)
	filters := n.banks[0].weight.Value.Rows
	n.pooled = n.pooled.Reshape(len(texts), filters*len(n.banks))
	for k, b := range n.banks {
		b.convolve(p, n, k*filters)
	}
	x := n.pooled
	if mode == nn.Train {
		x = n.drop.Forward(p, mode, x)
	}
	return n.out.Forward(p, mode, x)
}

// widest is the width of the widest filters.
func (n *network) widest() int {
	most := 1
	for _, b := range n.banks {
		most = max(most, b.width)
	}
	return most
}

// embed lays the vectors of words one behind another, each text filled up so that
// every filter fits into it.
func (n *network) embed(p *nn.Pool, texts [][]int) {
	least := n.widest()
	n.words, n.starts = texts, append(n.starts[:0], 0)
	for _, words := range texts {
		n.starts = append(n.starts, n.starts[len(n.starts)-1]+max(least, len(words)))
	}
	n.x = n.x.Reshape(n.starts[len(texts)], n.table.Cols)
	p.Each(len(texts), func(_, i int) {
		for at := n.starts[i]; at < n.starts[i+1]; at++ {
			row := n.x.Row(at)
			k := at - n.starts[i]
			if k >= len(texts[i]) {
				clear(row)
				continue
			}
			still, moved := n.table.Row(texts[i][k]), n.tuned.Row(texts[i][k])
			for j := range row {
				row[j] = still[j] + moved[j]
			}
		}
	})
}

// convolve computes what the filters find in each text, and keeps the largest.
func (b *bank) convolve(p *nn.Pool, n *network, column int) {
	texts, dims, filters := len(n.words), n.x.Cols, b.weight.Value.Rows
	b.first = append(b.first[:0], 0)
	for i := range texts {
		b.first = append(b.first, b.first[i]+n.starts[i+1]-n.starts[i]-b.width+1)
	}
	b.windows = b.windows.Reshape(b.first[texts], b.width*dims)
	b.seen = b.seen.Reshape(b.first[texts], filters)
	p.Each(texts, func(_, i int) {
		for w := b.first[i]; w < b.first[i+1]; w++ {
			at := (n.starts[i] + w - b.first[i]) * dims
			copy(b.windows.Row(w), n.x.Data[at:at+b.width*dims])
		}
	})
	p.MulNT(b.seen, b.windows, b.weight.Value)
	if cap(b.best) < texts*filters {
		b.best = make([]int, texts*filters)
	}
	b.best = b.best[:texts*filters]
	p.Each(texts, func(_, i int) {
		out, best := n.pooled.Row(i)[column:column+filters], b.best[i*filters:(i+1)*filters]
		copy(out, b.seen.Row(b.first[i]))
		for f := range best {
			best[f] = b.first[i]
		}
		for w := b.first[i] + 1; w < b.first[i+1]; w++ {
			for f, v := range b.seen.Row(w) {
				if v > out[f] {
					out[f], best[f] = v, w
				}
			}
		}
		for f, bias := range b.bias.Value.Data { // the largest of sums with one bias
			out[f] = max(0, out[f]+bias)
		}
	})
}

// learn sets the gradients of a batch and returns its mean loss.
func (n *network) learn(p *nn.Pool, texts [][]int, labels []int, weights []float64) float64 {
	scores := n.forward(p, nn.Train, texts)
	n.grad = n.grad.Reshape(scores.Rows, scores.Cols)
	loss := 0.0
	for i, label := range labels {
		weight := 1.0
		if weights != nil {
			weight = weights[label]
		}
		grad := n.grad.Row(i)
		nn.Softmax(grad, scores.Row(i))
		loss -= float64(weight * math.Log(max(float64(grad[label]), math.SmallestNonzeroFloat32)))
		for j := range grad {
			target := float32(0)
			if j == label {
				target = 1
			}
			grad[j] = (grad[j] - target) * float32(weight/float64(len(labels)))
		}
	}
	n.backward(p)
	return loss / float64(len(labels))
}

// backward sets all gradients from that of the scores.
func (n *network) backward(p *nn.Pool) {
	grad := n.drop.Backward(p, n.out.Backward(p, n.grad))
	n.dx = n.dx.Reshape(n.x.Rows, n.x.Cols)
	clear(n.dx.Data)
	filters := n.banks[0].weight.Value.Rows
	for k, b := range n.banks {
		b.backward(p, n, grad, k*filters)
	}
	n.touch()
}

// backward adds to the gradients of words and sets those of filters. Only the window
// that was kept has one, so that there is little to add.
func (b *bank) backward(p *nn.Pool, n *network, grad nn.Matrix, column int) {
	filters, dims := b.weight.Value.Rows, n.x.Cols
	p.Each(filters, func(_, f int) {
		row, sum := b.weight.Grad.Row(f), float32(0)
		clear(row)
		for i := range n.words {
			if g := b.slope(n, grad, i, column+f); g != 0 {
				add(row, g, b.windows.Row(b.best[i*filters+f]))
				sum += g
			}
		}
		b.bias.Grad.Data[f] = sum
	})
	p.Each(len(n.words), func(_, i int) {
		for f := range filters {
			if g := b.slope(n, grad, i, column+f); g != 0 {
				at := (n.starts[i] + b.best[i*filters+f] - b.first[i]) * dims
				add(n.dx.Data[at:at+b.width*dims], g, b.weight.Value.Row(f))
			}
		}
	})
}

// slope is the gradient of what a filter found in a text, 0 where ReLU is flat.
func (b *bank) slope(n *network, grad nn.Matrix, text, column int) float32 {
	if n.pooled.Row(text)[column] <= 0 {
		return 0
	}
	return grad.Row(text)[column]
}

// add adds a multiple of a row to another.
func add(to []float32, factor float32, from []float32) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] += float32(factor * v)
	}
}

// touch gathers the gradient of each word that the batch has.
func (n *network) touch() {
	at := map[int]int{}
	n.touched.Rows = n.touched.Rows[:0]
	for _, words := range n.words {
		for _, w := range words {
			if _, seen := at[w]; !seen {
				at[w] = len(n.touched.Rows)
				n.touched.Rows = append(n.touched.Rows, w)
			}
		}
	}
	n.touched.Grad = n.touched.Grad.Reshape(len(n.touched.Rows), n.x.Cols)
	clear(n.touched.Grad.Data)
	for i, words := range n.words {
		for k, w := range words {
			add(n.touched.Grad.Row(at[w]), 1, n.dx.Row(n.starts[i]+k))
		}
	}
}

package cells

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// maker divides the rows of x.
type maker struct {
	x        nn.Matrix // vectors, and behind them what counts for more, if anything
	width    int       // of a vector
	white    nn.Matrix // half-whitened; empty until it is asked for
	pool     *nn.Pool
	settings Settings
	weights  []float64 // of rows; nil if all count alike
	scores   []float32 // of a block of rows
	block    []float32
}

// division is rows divided into cells.
type division struct {
	centres nn.Matrix
	texts   []float64 // how many rows each has, by their weights
	example []int     // the row nearest to each centre
	of      []int     // the cell of each row
}

// vectors lists the centres as a receiver knows them.
func (m *maker) vectors(d *division) [][]float32 {
	all := make([][]float32, d.centres.Rows)
	for c := range all {
		all[c] = d.centres.Row(c)[:m.width]
	}
	return all
}

// vector returns a row as a receiver would want it.
func (m *maker) vector(row int) []float32 { return m.x.Row(row)[:m.width] }

// divide moves centres into the middle of what is nearest to them (Lloyd, 1982), then
// takes away the smallest cell while it has fewer than so many rows.
func (m *maker) divide(ctx context.Context, rows []int, t Trial, least int) (*division, error) {
	from := m.x
	if t.Whitened {
		var err error
		if from, err = m.whitened(); err != nil {
			return nil, err
		}
	}
	d := &division{centres: start(from, rows, t.Cells, m.settings.Seed), of: make([]int, len(rows))}
	if d.centres.Rows < 2 {
		return nil, errors.New("cells: all texts have the same vector, must have at least two different ones")
	}
	for left := rounds; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.assign(d, from, rows)
		if t.Whitened && left == 1 { // what is released are vectors as they were
			d.centres = nn.NewMatrix(d.centres.Rows, m.x.Cols)
			from = m.x
		}
		m.move(d, from, rows)
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.assign(d, m.x, rows)
		m.count(d, rows)
		small := slices.Index(d.texts, slices.Min(d.texts))
		if d.texts[small] >= float64(max(least, 1)) {
			return d, nil
		}
		cols := d.centres.Cols
		d.centres.Data = slices.Delete(d.centres.Data, small*cols, (small+1)*cols)
		if d.centres.Rows--; d.centres.Rows < 2 {
			return nil, fmt.Errorf("cells: fewer than two cells have %d texts, must be at least two: give more texts, ask for fewer in a cell, or make them privately (--private), which shows no text", least)
		}
	}
}

// start returns the vectors of n different rows that a seed draws, fewer if there are
// not as many different ones.
func start(x nn.Matrix, rows []int, n int, seed uint64) nn.Matrix {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x63656c6c73))
	seen := map[string]bool{}
	centres := nn.Matrix{Cols: x.Cols}
	for _, i := range rng.Perm(len(rows)) {
		v := x.Row(rows[i])
		if key := fmt.Sprint(v); !seen[key] {
			seen[key] = true
			centres.Data = append(centres.Data, v...)
			centres.Rows++
		}
		if centres.Rows == n {
			break
		}
	}
	return centres
}

// blockRows is how many rows are compared with all centres at once.
const blockRows = 1024

// assign finds the nearest centre of each row: the first with the largest
// ⟨v, c⟩ − ‖c‖²/2, by products of matrices.
func (m *maker) assign(d *division, x nn.Matrix, rows []int) {
	n := d.centres.Rows
	halves := make([]float32, n)
	for c := range halves {
		halves[c] = vector.Dot(d.centres.Row(c), d.centres.Row(c)) / 2
	}
	packed := m.pool.PackT(d.centres)
	m.scores, m.block = grown(m.scores, blockRows*n), grown(m.block, blockRows*x.Cols)
	for at := 0; at < len(rows); at += blockRows {
		some := rows[at:min(at+blockRows, len(rows))]
		from := nn.Matrix{Rows: len(some), Cols: x.Cols, Data: m.block[:len(some)*x.Cols]}
		for i, r := range some {
			copy(from.Row(i), x.Row(r))
		}
		scores := nn.Matrix{Rows: len(some), Cols: n, Data: m.scores[:len(some)*n]}
		m.pool.MulPacked(scores, from, packed)
		for i := range some {
			best, high := 0, float32(math.Inf(-1))
			for c, v := range scores.Row(i) {
				if v -= halves[c]; v > high {
					best, high = c, v
				}
			}
			d.of[at+i] = best
		}
	}
}

func grown(buffer []float32, n int) []float32 {
	if len(buffer) < n {
		return make([]float32, n)
	}
	return buffer
}

// weight returns how much a row counts.
func (m *maker) weight(row int) float64 {
	if m.weights == nil {
		return 1
	}
	return m.weights[row]
}

// move puts each centre into the middle of its rows, in the order of rows, so that sums
// are the same for any number of workers. A centre without rows stays.
func (m *maker) move(d *division, x nn.Matrix, rows []int) {
	sums, n := make([]float64, d.centres.Rows*x.Cols), make([]float64, d.centres.Rows)
	for i, r := range rows {
		sum, w := sums[d.of[i]*x.Cols:(d.of[i]+1)*x.Cols], m.weight(r)
		for j, v := range x.Row(r) {
			sum[j] += float64(w * float64(v))
		}
		n[d.of[i]] += w
	}
	for c := range n {
		for j := range d.centres.Row(c) {
			if n[c] > 0 {
				d.centres.Row(c)[j] = float32(sums[c*x.Cols+j] / n[c])
			}
		}
	}
}

// count counts the rows of each cell, and finds the nearest to its centre.
func (m *maker) count(d *division, rows []int) {
	d.texts, d.example = make([]float64, d.centres.Rows), make([]int, d.centres.Rows)
	near := slices.Repeat([]float64{math.Inf(1)}, d.centres.Rows)
	for i, r := range rows {
		c := d.of[i]
		d.texts[c] += m.weight(r)
		if far := square(m.x.Row(r), d.centres.Row(c)); far < near[c] {
			near[c], d.example[c] = far, r
		}
	}
}

func square[T, U float32 | float64](a []T, b []U) float64 {
	sum := 0.0
	for i, v := range a {
		e := float64(v) - float64(b[i])
		sum += float64(e * e)
	}
	return sum
}

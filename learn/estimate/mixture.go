package estimate

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/promise/mech"
)

// The most that a mixture may hold: its matrix is kept in memory.
const (
	maxInputs  = 1024
	maxEntries = 1 << 24
)

// mixture is what releases of a few public inputs are like: a channel matrix.
type mixture struct {
	chances [][]float64 // by input: how likely each outcome is
	weights [][]float64 // by input: numbers of outcomes whose mean is its share
	known   map[uint64][]int
	rows    []float64 // the outcomes
	width   int
}

// NewMixture begins to count releases of m whose inputs are among a list of public
// ones, such as the mean vectors of classes or all rankings of answers that occur.
// Shares are those of the inputs. It refuses a mechanism with too many different
// releases, and inputs that are released alike.
//
// With P the channel matrix, of outcomes by inputs, the unbiased shares of counts f̂
// are W·f̂ for any W with W·P = 1. Of these W = (PᵀD⁻¹P)⁻¹PᵀD⁻¹ is taken, D being how
// likely each outcome is where all inputs are equally common: it has the least
// variance there, and does not depend on releases.
func NewMixture(m mech.Mechanism, inputs [][]float64) (*Tally, error) {
	f, ok := m.(mech.Finite)
	if !ok {
		return nil, fmt.Errorf("estimate: the mechanism is %s, must have few different releases to be counted by its inputs", m.Params().Mechanism)
	}
	k, n := len(inputs), f.Outcomes()
	if k < 2 || k > maxInputs || n > maxEntries/k {
		return nil, fmt.Errorf("estimate: there are %d inputs and %d different releases, must be from 2 to %d inputs and at most %d pairs", k, n, maxInputs, maxEntries)
	}
	_, width := f.Shape()
	x := &mixture{known: make(map[uint64][]int, n), rows: make([]float64, n*width), width: width}
	for i := range n {
		row := x.outcome(i)
		f.Outcome(row, i)
		x.known[hash(row)] = append(x.known[hash(row)], i)
	}
	for i, input := range inputs {
		p := make([]float64, n)
		if err := f.Chances(p, input); err != nil {
			return nil, fmt.Errorf("estimate: input %d of %d: %w", i+1, k, err)
		}
		x.chances = append(x.chances, p)
	}
	if !x.invert() {
		return nil, fmt.Errorf("%w: some of the %d inputs are released alike, or nearly so; must differ in how likely each release is", ErrNothing, k)
	}
	return &Tally{mark: x.mark, mix: x, counts: make([]int, n)}, nil
}

func (x *mixture) outcome(i int) []float64 { return x.rows[i*x.width : (i+1)*x.width] }

// mark counts a release, or its index alone.
func (x *mixture) mark(counts []int, y []float64) error {
	if len(y) == 1 && x.width > 1 {
		if v := y[0]; v >= 0 && v < float64(len(counts)) && v == math.Trunc(v) {
			counts[int(v)]++
			return nil
		}
		return errOutcome
	}
	for _, i := range x.known[hash(y)] {
		if slices.Equal(x.outcome(i), y) {
			counts[i]++
			return nil
		}
	}
	return errOutcome
}

// hash is FNV-1a over the words of y, where −0 is 0.
func hash(y []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range y {
		h = (h ^ math.Float64bits(v+0)) * 1099511628211
	}
	return h
}

// invert fills in the weights. It reports whether there are any.
func (x *mixture) invert() bool {
	k, n := len(x.chances), len(x.chances[0])
	scaled := make([][]float64, k) // PᵀD⁻¹
	mean := make([]float64, n)
	for _, p := range x.chances {
		for i, v := range p {
			mean[i] += v / float64(k)
		}
	}
	for a, p := range x.chances {
		scaled[a] = make([]float64, n)
		for i, v := range p {
			scaled[a][i] = v / mean[i]
		}
	}
	gram := make([][]float64, k)
	for a := range gram {
		gram[a] = make([]float64, k)
		for b := range gram[a] {
			gram[a][b] = dot(scaled[a], x.chances[b])
		}
	}
	if !solve(gram, scaled) {
		return false
	}
	x.weights = scaled
	return true
}

// solve replaces the rows of right by gram⁻¹·right, where gram is symmetric and
// positive: Gauss and Jordan's method with pivots from the diagonal. It reports
// whether all of them tell more than rounding does.
func solve(gram, right [][]float64) bool {
	first := make([]float64, len(gram))
	for a := range gram {
		first[a] = gram[a][a]
	}
	for a := range gram {
		pivot := gram[a][a]
		if !(pivot > 1e-9*first[a]) {
			return false
		}
		scale(gram[a], 1/pivot)
		scale(right[a], 1/pivot)
		for b := range gram {
			if by := gram[b][a]; b != a && by != 0 {
				subtract(gram[b], gram[a], by)
				subtract(right[b], right[a], by)
			}
		}
	}
	return true
}

func scale(row []float64, by float64) {
	for i := range row {
		row[i] *= by
	}
}

func subtract(row, other []float64, by float64) {
	for i, v := range other {
		row[i] -= float64(by * v)
	}
}

// deviation returns the standard deviation of the weight of a release of inputs with
// the given shares.
func (x *mixture) deviation(w, shares []float64) float64 {
	mean, square := 0.0, 0.0
	for i, v := range w {
		f := 0.0
		for a, s := range shares {
			f += float64(s * x.chances[a][i])
		}
		mean += float64(f * v)
		square += float64(f*v) * v
	}
	return math.Sqrt(max(square-float64(mean*mean), 0))
}

// shares estimates how common each input is, as [Tally.Shares] says.
func (x *mixture) shares(counts []int, n int, confidence float64) Shares {
	s := Shares{Method: Unbiased, Each: make([]Share, len(x.weights))}
	likeliest := climb(counts, n, x.chances)
	for a, w := range x.weights {
		each := &s.Each[a]
		mean, square := 0.0, 0.0
		for i, c := range counts {
			if c > 0 {
				f := float64(c) / float64(n)
				mean += float64(f * w[i])
				square += float64(f*w[i]) * w[i]
			}
		}
		each.Unbiased, each.Likelihood = mean, likeliest[a]
		each.Error = measure.Number(math.Sqrt(max(square-float64(mean*mean), 0) / float64(n)))
		if mean < 0 || mean > 1 {
			s.Method = Likelihood
			each.Error = measure.Number(x.deviation(w, likeliest) / math.Sqrt(float64(n)))
		}
		each.bound(x.interval(a, mean, n, confidence))
	}
	s.settle()
	return s
}

func (x *mixture) interval(a int, mean float64, n int, confidence float64) (low, high float64) {
	b := bounded{values: x.weights[a], of: x.chances[a], others: slices.Concat(x.chances[:a], x.chances[a+1:])}
	return b.interval(mean, n, confidence)
}

// climb returns the shares of inputs under which counts are likeliest, by
// expectation maximisation. It stops where no other shares can be likelier by more
// than a millionth of a nat a release: the gradient bounds it, since the logarithm of
// the likelihood is concave.
func climb(counts []int, n int, chances [][]float64) []float64 {
	const most, near = 10_000, 1e-6
	k := len(chances)
	shares := slices.Repeat([]float64{1 / float64(k)}, k)
	var seen []int
	for i, c := range counts {
		if c > 0 {
			seen = append(seen, i)
		}
	}
	ratio := make([]float64, len(seen))
	for range most {
		clear(ratio)
		for a, p := range chances {
			for j, i := range seen {
				ratio[j] += float64(shares[a] * p[i])
			}
		}
		for j, i := range seen {
			ratio[j] = float64(counts[i]) / float64(n) / ratio[j]
		}
		steepest := 0.0
		for a, p := range chances {
			gradient := 0.0
			for j, i := range seen {
				gradient += float64(ratio[j] * p[i])
			}
			steepest = max(steepest, gradient)
			shares[a] *= gradient
		}
		if steepest-1 < near {
			break
		}
	}
	return shares
}

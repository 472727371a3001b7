// Package tiny helps to test what computes transformers: small encoders
// with random parameters, and the forward pass word for word after its definition,
// in double precision.
//
//	m := tiny.Small()
//	want := m.Reference(ids, types)
package tiny

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
)

// Tensor is a parameter.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Model is a random encoder that is small enough for a plain forward pass.
type Model struct {
	Hidden, Heads, Inner, Layers, Vocabulary, Positions, Types int

	Tensors map[string]Tensor // by the names that BERT's files have
	// Drop, unless nil, changes numbers as dropout does at a place of a pass: 0
	// behind the embeddings, and then three in each layer, on weights of attention,
	// on what was attended and on what a layer adds. item is the row, or the head of
	// the only sequence, whose weights then lie padded to a multiple of 16.
	Drop func(site, item int, x []float64)
	// Nudge is added to the numbers of a parameter, for differences.
	Nudge map[string][]float64
}

// Epsilon is what is added to variances.
const Epsilon = 1e-12

// Small has sizes that portable loops alone can compute.
func Small() *Model {
	return random(&Model{Hidden: 8, Heads: 2, Inner: 12, Layers: 2, Vocabulary: 20, Positions: 40, Types: 2})
}

// Even has sizes that assembly can compute.
func Even() *Model {
	return random(&Model{Hidden: 32, Heads: 2, Inner: 48, Layers: 2, Vocabulary: 20, Positions: 40, Types: 2})
}

// Generator returns a generator that is always the same.
func Generator() *weakrand.Rand { return weakrand.New(weakrand.NewPCG(1, 2)) }

// Normal returns n numbers of mean 0 and the given scale.
func Normal(rng *weakrand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * rng.NormFloat64())
	}
	return x
}

// random gives a model weights whose effects are all large enough to be seen.
func random(m *Model) *Model {
	rng := Generator()
	m.Tensors = map[string]Tensor{}
	put := func(name string, mean, scale float64, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		t := Tensor{shape, Normal(rng, n, scale)}
		for i := range t.Data {
			t.Data[i] += float32(mean)
		}
		m.Tensors[name] = t
	}
	norm := func(name string) {
		put(name+".LayerNorm.weight", 1, 0.3, m.Hidden)
		put(name+".LayerNorm.bias", 0, 0.3, m.Hidden)
	}
	dense := func(name string, in, out int) {
		put(name+".weight", 0, 0.5, out, in)
		put(name+".bias", 0, 0.5, out)
	}
	put("embeddings.word_embeddings.weight", 0, 1, m.Vocabulary, m.Hidden)
	put("embeddings.position_embeddings.weight", 0, 1, m.Positions, m.Hidden)
	put("embeddings.token_type_embeddings.weight", 0, 1, m.Types, m.Hidden)
	norm("embeddings")
	for l := range m.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", l)
		for _, name := range []string{"self.query", "self.key", "self.value", "output.dense"} {
			dense(at+"attention."+name, m.Hidden, m.Hidden)
		}
		norm(at + "attention.output")
		dense(at+"intermediate.dense", m.Hidden, m.Inner)
		dense(at+"output.dense", m.Inner, m.Hidden)
		norm(at + "output")
	}
	return m
}

// Sequence returns n tokens, the later ones of the second type.
func (m *Model) Sequence(n int) (ids, types []int32) {
	rng := Generator()
	ids, types = make([]int32, n), make([]int32, n)
	for i := range n {
		ids[i] = rng.Int32N(int32(m.Vocabulary))
		if i > n/2 {
			types[i] = 1
		}
	}
	return ids, types
}

// param returns a parameter in double precision.
func (m *Model) param(name string) []float64 {
	x := make([]float64, len(m.Tensors[name].Data))
	for i, v := range m.Tensors[name].Data {
		x[i] = float64(v)
	}
	for i, v := range m.Nudge[name] {
		x[i] += v
	}
	return x
}

func (m *Model) drop(site, item int, x []float64) {
	if m.Drop != nil {
		m.Drop(site, item, x)
	}
}

// Reference returns the vectors of the tokens of a sequence after the last layer.
func (m *Model) Reference(ids, types []int32) [][]float64 {
	words := m.param("embeddings.word_embeddings.weight")
	positions := m.param("embeddings.position_embeddings.weight")
	kinds := m.param("embeddings.token_type_embeddings.weight")
	x := make([][]float64, len(ids))
	for i, id := range ids {
		x[i] = make([]float64, m.Hidden)
		for j := range x[i] {
			x[i][j] = words[int(id)*m.Hidden+j] + positions[i*m.Hidden+j] + kinds[int(types[i])*m.Hidden+j]
		}
		x[i] = m.norm(x[i], make([]float64, m.Hidden), "embeddings")
		m.drop(0, i, x[i])
	}
	for l := range m.Layers {
		x = m.layer(x, l)
	}
	return x
}

func (m *Model) layer(x [][]float64, number int) [][]float64 {
	at, site := fmt.Sprintf("encoder.layer.%d.", number), 3*number
	context := m.attention(x, at+"attention.self.", site+1)
	y := make([][]float64, len(x))
	for i := range x {
		attended := m.dense(context[i], at+"attention.output.dense")
		m.drop(site+2, i, attended)
		mixed := m.norm(attended, x[i], at+"attention.output")
		inner := m.dense(mixed, at+"intermediate.dense")
		for j, v := range inner {
			inner[j] = v * 0.5 * (1 + math.Erf(v/math.Sqrt2))
		}
		outer := m.dense(inner, at+"output.dense")
		m.drop(site+3, i, outer)
		y[i] = m.norm(outer, mixed, at+"output")
	}
	return y
}

func (m *Model) attention(x [][]float64, self string, site int) [][]float64 {
	n, width := len(x), m.Hidden/m.Heads
	queries, keys, values, y := make([][]float64, n), make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range x {
		queries[i], keys[i], values[i] = m.dense(x[i], self+"query"), m.dense(x[i], self+"key"), m.dense(x[i], self+"value")
		y[i] = make([]float64, m.Hidden)
	}
	full := (n + 15) / 16 * 16
	for h := range m.Heads {
		weights := make([]float64, n*full)
		for i := range x {
			row, sum := weights[i*full:][:n], 0.0
			for k := range x {
				score := 0.0
				for j := h * width; j < (h+1)*width; j++ {
					score += queries[i][j] * keys[k][j]
				}
				row[k] = math.Exp(score / math.Sqrt(float64(width)))
				sum += row[k]
			}
			for k := range row {
				row[k] /= sum
			}
		}
		m.drop(site, h, weights)
		for i := range x {
			for k := range x {
				for j := h * width; j < (h+1)*width; j++ {
					y[i][j] += weights[i*full+k] * values[k][j]
				}
			}
		}
	}
	return y
}

func (m *Model) dense(x []float64, name string) []float64 {
	weight, y := m.param(name+".weight"), m.param(name+".bias")
	for i := range y {
		for j, v := range x {
			y[i] += weight[i*len(x)+j] * v
		}
	}
	return y
}

func (m *Model) norm(x, around []float64, name string) []float64 {
	scale, shift := m.param(name+".LayerNorm.weight"), m.param(name+".LayerNorm.bias")
	y := make([]float64, len(x))
	mean, square := 0.0, 0.0
	for i := range x {
		y[i] = x[i] + around[i]
		mean += y[i] / float64(len(x))
	}
	for _, v := range y {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range y {
		y[i] = (v-mean)/math.Sqrt(square+Epsilon)*scale[i] + shift[i]
	}
	return y
}

package bert_test

import (
	"fmt"
	"math"

	"sotto/text"
)

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// distance returns the largest difference of two vectors.
func distance(got []float32, want []float64) float64 {
	d := 0.0
	for i, v := range want {
		d = max(d, math.Abs(float64(got[i])-v)) // the builtin keeps a NaN
	}
	return d
}

// param returns a tensor of a model in double precision.
func (m *tiny) param(name string) []float64 { return widen(m.tensors[name].Data) }

// reference is the forward pass, word for word after the definition.
func (m *tiny) reference(t text.Tokens) []float64 {
	words := m.param("embeddings.word_embeddings.weight")
	positions := m.param("embeddings.position_embeddings.weight")
	types := m.param("embeddings.token_type_embeddings.weight")
	x := make([][]float64, len(t.IDs))
	for i, id := range t.IDs {
		x[i] = make([]float64, m.hidden)
		for j := range x[i] {
			x[i][j] = words[int(id)*m.hidden+j] + positions[i*m.hidden+j] + types[int(t.Types[i])*m.hidden+j]
		}
		x[i] = m.norm(x[i], make([]float64, m.hidden), "embeddings")
	}
	for l := range m.layers {
		x = m.layer(x, fmt.Sprintf("encoder.layer.%d.", l))
	}
	mean, square := make([]float64, m.hidden), 0.0
	for j := range mean {
		for i := range x {
			mean[j] += x[i][j] / float64(len(x))
		}
		square += mean[j] * mean[j]
	}
	for j := range mean {
		mean[j] /= math.Sqrt(square)
	}
	return mean
}

func (m *tiny) layer(x [][]float64, at string) [][]float64 {
	context := m.attention(x, at+"attention.self.")
	y := make([][]float64, len(x))
	for i := range x {
		mixed := m.norm(m.dense(context[i], at+"attention.output.dense"), x[i], at+"attention.output")
		inner := m.dense(mixed, at+"intermediate.dense")
		for j, v := range inner {
			inner[j] = v * 0.5 * (1 + math.Erf(v/math.Sqrt2))
		}
		y[i] = m.norm(m.dense(inner, at+"output.dense"), mixed, at+"output")
	}
	return y
}

func (m *tiny) attention(x [][]float64, self string) [][]float64 {
	width := m.hidden / m.heads
	keys, values, y := make([][]float64, len(x)), make([][]float64, len(x)), make([][]float64, len(x))
	for i := range x {
		keys[i], values[i] = m.dense(x[i], self+"key"), m.dense(x[i], self+"value")
	}
	for i := range x {
		y[i] = make([]float64, m.hidden)
		query := m.dense(x[i], self+"query")
		for h := range m.heads {
			weights, sum := make([]float64, len(x)), 0.0
			for k := range x {
				score := 0.0
				for j := h * width; j < (h+1)*width; j++ {
					score += query[j] * keys[k][j]
				}
				weights[k] = math.Exp(score / math.Sqrt(float64(width)))
				sum += weights[k]
			}
			for k := range x {
				for j := h * width; j < (h+1)*width; j++ {
					y[i][j] += weights[k] / sum * values[k][j]
				}
			}
		}
	}
	return y
}

func (m *tiny) dense(x []float64, name string) []float64 {
	weight, y := m.param(name+".weight"), m.param(name+".bias")
	for i := range y {
		for j, v := range x {
			y[i] += weight[i*len(x)+j] * v
		}
	}
	return y
}

func (m *tiny) norm(x, around []float64, name string) []float64 {
	return referenceNorm(x, around, m.param(name+".LayerNorm.weight"), m.param(name+".LayerNorm.bias"), 1e-12)
}

func referenceNorm(x, bias, scale, shift []float64, epsilon float64) []float64 {
	y := make([]float64, len(x))
	mean, square := 0.0, 0.0
	for i := range x {
		y[i] = x[i] + bias[i]
		mean += y[i] / float64(len(x))
	}
	for _, v := range y {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range y {
		y[i] = (v-mean)/math.Sqrt(square+epsilon)*scale[i] + shift[i]
	}
	return y
}

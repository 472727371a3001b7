package model

import (
	"fmt"
	"math"

	"sotto/compute/nn"
)

// Bare is a model as it would answer if nothing were drawn: from the inputs to the
// scores of all classes in one piece, with gradients. Nothing of it may leave the
// trusted side. It is not safe for concurrent use.
//
// Where the mechanism adds noise, the scores are those of a release whose noise is
// zero. Where it releases codes, they are what the encoder thinks of each class
// before a code is chosen.
type Bare struct {
	layers  nn.Sequential
	columns int // of the labels; what is behind is of no label
	x       nn.Matrix
	dx      nn.Matrix
}

// Bare returns the model without its release, with weights of its own. It refuses a
// model that is nothing without: one that answers all texts alike, or whose
// classifier knows only bits or directions.
func (m *Model) Bare() (*Bare, error) {
	a := m.architecture
	if a.Constant != "" {
		return nil, fmt.Errorf("model: a %s model answers every text alike, must look at it", a.Constant)
	}
	c := m.Clone()
	b := &Bare{columns: Columns(a.Labels())}
	if c.shift != nil {
		b.layers = append(b.layers, &standard{c.shift, c.scale, nn.Matrix{}})
	}
	if len(a.Answers) > 0 {
		b.layers = append(b.layers, c.encoder[:len(c.encoder)-1]...) // without what makes answers of them
		return b, nil
	}
	b.layers = append(b.layers, c.encoder...)
	if m.mechanism != nil {
		if a.Scaling == ZScore {
			b.layers = append(b.layers, &zscore{})
		}
		normal, err := Normaliser(*a.Release)
		if err != nil {
			return nil, fmt.Errorf("model: the model has no answer before its release: %w", err)
		}
		b.layers = append(b.layers, normal)
	}
	b.layers = append(b.layers, c.classifier...)
	return b, nil
}

// Scores returns the scores of rows, one column a class, the first label's classes
// first, valid until the next call.
func (b *Bare) Scores(p *nn.Pool, x nn.Matrix) nn.Matrix {
	b.x = b.x.Reshape(x.Rows, x.Cols)
	copy(b.x.Data, x.Data)
	y := b.layers.Forward(p, nn.Infer, b.x)
	if y.Cols == b.columns {
		return y
	}
	return y.Columns(0, b.columns)
}

// Gradient takes the gradient of something with respect to what Scores returned last,
// and returns it with respect to the rows, valid until the next call.
func (b *Bare) Gradient(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	last := b.layers.Dense()
	if width := last[len(last)-1].Params()[1].Value.Cols; width != grad.Cols {
		b.dx = b.dx.Reshape(grad.Rows, width)
		clear(b.dx.Data)
		for i := range grad.Rows {
			copy(b.dx.Row(i), grad.Row(i))
		}
		grad = b.dx
	}
	return b.layers.Backward(p, grad)
}

// standard is [Standardise] as a layer.
type standard struct {
	shift, scale []float32
	y            nn.Matrix
}

// Forward implements [nn.Layer].
func (s *standard) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	s.y = s.y.Reshape(x.Rows, x.Cols)
	copy(s.y.Data, x.Data)
	for i := range x.Rows {
		Standardise(s.y.Row(i), s.shift, s.scale)
	}
	return s.y
}

// Backward implements [nn.Layer].
func (s *standard) Backward(_ *nn.Pool, grad nn.Matrix) nn.Matrix {
	for i := range grad.Rows {
		for j := range grad.Row(i) {
			grad.Row(i)[j] *= s.scale[j]
		}
	}
	return grad
}

// Params implements [nn.Layer].
func (s *standard) Params() []nn.Param { return nil }

// zscore is [ZScore] as a layer.
type zscore struct {
	y         nn.Matrix
	deviation []float64 // of each row; 0 for one of equal numbers
}

// Forward implements [nn.Layer].
func (z *zscore) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	z.y, z.deviation = z.y.Reshape(x.Rows, x.Cols), make([]float64, x.Rows)
	row := make([]float64, x.Cols)
	for i := range x.Rows {
		mean, square := 0.0, 0.0
		for j, v := range x.Row(i) {
			row[j] = float64(v)
			mean += row[j] / float64(x.Cols)
		}
		for _, v := range row {
			square += float64((v - mean) * (v - mean))
		}
		ZScore.apply(row)
		for j, v := range row {
			z.y.Row(i)[j] = float32(v)
			if v != 0 {
				z.deviation[i] = math.Sqrt(square / float64(x.Cols))
			}
		}
	}
	return z.y
}

// Backward implements [nn.Layer]. With y = (x − mean)/deviation, the gradient is
// (g − mean of g − y·mean of g·y)/deviation.
func (z *zscore) Backward(_ *nn.Pool, grad nn.Matrix) nn.Matrix {
	for i := range grad.Rows {
		g, y := grad.Row(i), z.y.Row(i)
		if z.deviation[i] == 0 {
			clear(g)
			continue
		}
		mean, product := 0.0, 0.0
		for j, v := range g {
			mean += float64(v) / float64(len(g))
			product += float64(float64(v)*float64(y[j])) / float64(len(g))
		}
		for j, v := range g {
			g[j] = float32((float64(v) - mean - float64(float64(y[j])*product)) / z.deviation[i])
		}
	}
	return grad
}

// Params implements [nn.Layer].
func (z *zscore) Params() []nn.Param { return nil }

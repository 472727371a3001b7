package tune

import (
	"math"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/text"
	"sotto/text/encode/bert"
)

// vectors makes vectors of texts as package encode does, and takes gradients back to
// the encoder.
type vectors struct {
	encoder *transformer.Encoder
	tokens  [][]text.Tokens // of each text its sequence or its windows; of pairs, those of the first and the second in turn
	texts   int             // in a row: 1, or 2 for pairs

	below   below
	batch   transformer.Batch
	pooling transformer.Pooling
	norm    nn.L2Normalize
	pair    pair
	scale   *scale
	all     []int // texts of the last rows

	first  [][]int // of each row, where the tokens stand whose vectors are taken; nil where one vector is made of all
	labels bool    // that each of these has a label of its own
	words  gathered
}

// newVectors returns those of an encoder, for the rows of d.
func newVectors(f *bert.Folder, e *transformer.Encoder, d Data, length int, long bert.Long) *vectors {
	v := &vectors{encoder: e, texts: 1, pooling: long.Pooling(f.First), below: below{most: mostKept}}
	if d.Words != nil {
		v.takeWords(f, d, length)
		return v
	}
	if d.Tokens != nil {
		v.takeTokens(d)
		return v
	}
	sides := []struct {
		texts  []string
		masked [][]text.Span
	}{{d.Texts, d.Masked}}
	if d.Second != nil {
		v.texts = 2
		sides = append(sides, struct {
			texts  []string
			masked [][]text.Span
		}{d.Second, d.SecondMasked})
	}
	v.tokens = make([][]text.Tokens, v.texts*len(d.Texts))
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			for k, side := range sides {
				var masked []text.Span
				if side.masked != nil {
					masked = side.masked[i]
				}
				v.tokens[v.texts*i+k] = long.Sequences(f.Tokeniser, side.texts[i], masked, length)
			}
		}
	}
	v.scale = newScale(e.Width(), v.texts)
	return v
}

// width is that of a row's vector.
func (v *vectors) width() int { return v.texts * v.encoder.Width() }

// size returns the tokens of a row.
func (v *vectors) size(row int) int {
	n := 0
	for k := range v.texts {
		n += v.length(v.texts*row + k)
	}
	return n
}

// length returns the tokens of a text, in all of its windows.
func (v *vectors) length(text int) int {
	n := 0
	for _, w := range v.tokens[text] {
		n += len(w.IDs)
	}
	return n
}

// add puts a text into a batch.
func (v *vectors) add(b *transformer.Batch, text int) {
	for i, w := range v.tokens[text] {
		if i == 0 {
			b.Add(w.IDs, w.Types)
		} else {
			b.More(w.IDs, w.Types)
		}
	}
}

// count returns how many labels some rows have: one each, or one a word.
func (v *vectors) count(rows []int) int {
	if !v.labels {
		return len(rows)
	}
	n := 0
	for _, row := range rows {
		n += len(v.first[row])
	}
	return n
}

// of returns the vectors of some rows, scaled to the size that a layer learns from
// quickly.
func (v *vectors) of(p *nn.Pool, mode nn.Mode, rows []int) nn.Matrix {
	return v.scale.forward(v.plain(p, mode, rows))
}

// plain returns the vectors as package encode makes them.
func (v *vectors) plain(p *nn.Pool, mode nn.Mode, rows []int) nn.Matrix {
	v.batch.Clear()
	v.all = v.all[:0]
	for _, row := range rows {
		for k := range v.texts {
			v.all = append(v.all, v.texts*row+k)
			v.add(&v.batch, v.texts*row+k)
		}
	}
	x := v.encoder.Above(p, mode, &v.batch, v.below.of(p, v, v.all))
	if v.first != nil {
		return v.words.forward(x, &v.batch, nn.Pick(v.first, rows))
	}
	x = v.norm.Forward(p, mode, v.pooling.Forward(p, x, &v.batch))
	if v.texts == 2 {
		x = v.pair.forward(x)
	}
	return x
}

// back takes the gradient with respect to the last vectors to the encoder, which adds
// it to what it has if more is set.
func (v *vectors) back(p *nn.Pool, grad nn.Matrix, more bool) {
	grad = v.scale.backward(grad)
	if v.first != nil {
		v.encoder.Backward(p, v.words.backward(grad), more)
		return
	}
	if v.texts == 2 {
		grad = v.pair.backward(grad)
	}
	v.encoder.Backward(p, v.pooling.Backward(p, v.norm.Backward(p, grad)), more)
}

// pair makes the vector of a pair of those of its texts, u and v: |u − v| followed by
// u ⊙ v. So a release shows no order, and the encoder is one for both.
type pair struct {
	x, y, dx nn.Matrix
}

func (q *pair) forward(x nn.Matrix) nn.Matrix {
	q.x, q.y = x, q.y.Reshape(x.Rows/2, 2*x.Cols)
	for i := range q.y.Rows {
		far, like := q.y.Row(i)[:x.Cols], q.y.Row(i)[x.Cols:]
		v := x.Row(2*i + 1)
		for j, u := range x.Row(2 * i) {
			far[j], like[j] = float32(math.Abs(float64(u-v[j]))), u*v[j]
		}
	}
	return q.y
}

func (q *pair) backward(grad nn.Matrix) nn.Matrix {
	q.dx = q.dx.Reshape(q.x.Rows, q.x.Cols)
	for i := range grad.Rows {
		far, like := grad.Row(i)[:q.x.Cols], grad.Row(i)[q.x.Cols:]
		u, v, du, dv := q.x.Row(2*i), q.x.Row(2*i+1), q.dx.Row(2*i), q.dx.Row(2*i+1)
		for j, g := range far {
			switch {
			case u[j] < v[j]:
				g = -g
			case u[j] == v[j]:
				g = 0
			}
			du[j], dv[j] = g+float32(like[j]*v[j]), float32(like[j]*u[j])-g
		}
	}
	return q.dx
}

// scale multiplies vectors to the size that a layer learns from quickly: numbers of
// about 1.
type scale struct {
	by    []float32 // each column
	y, dx nn.Matrix
}

// newScale returns that of vectors of length 1, or of pairs of them, whose products
// are smaller.
func newScale(width, texts int) *scale {
	s := &scale{by: make([]float32, width*texts)}
	for j := range s.by {
		if s.by[j] = float32(math.Sqrt(float64(width))); j >= width {
			s.by[j] = float32(width)
		}
	}
	return s
}

func (s *scale) forward(x nn.Matrix) nn.Matrix {
	s.y = s.times(s.y, x)
	return s.y
}

func (s *scale) backward(grad nn.Matrix) nn.Matrix {
	s.dx = s.times(s.dx, grad)
	return s.dx
}

func (s *scale) times(dst, x nn.Matrix) nn.Matrix {
	dst = dst.Reshape(x.Rows, x.Cols)
	for i := range x.Rows {
		to := dst.Row(i)
		for j, v := range x.Row(i) {
			to[j] = v * s.by[j]
		}
	}
	return dst
}

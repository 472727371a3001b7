package tune

import (
	"fmt"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/text"
	"sotto/text/encode/bert"
)

// takeWords makes v the vectors of the words of sentences, which stand in a sequence
// or in several.
func (v *vectors) takeWords(f *bert.Folder, d Data, length int) {
	v.tokens, v.first = make([][]text.Tokens, len(d.Words)), make([][]int, len(d.Words))
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			v.tokens[i], v.first[i] = nil, nil
			at := 0
			for _, s := range bert.WordSequences(f.Tokeniser, d.Words[i], length) {
				v.tokens[i] = append(v.tokens[i], s.Tokens)
				for _, first := range s.First {
					v.first[i] = append(v.first[i], at+first)
				}
				at += len(s.IDs)
			}
		}
	}
	v.labels = true
	v.scale = asTheyAre(v.encoder.Width())
}

// asTheyAre scales nothing: what leaves the last layer is of about the right size.
func asTheyAre(width int) *scale {
	s := newScale(width, 1)
	for j := range s.by {
		s.by[j] = 1
	}
	return s
}

// gathered takes the rows of words from those of tokens.
type gathered struct {
	rows  []int // of the last words
	y, dx nn.Matrix
}

// forward returns a row for each word of some sentences, of which first says where
// in its sentence it stands.
func (g *gathered) forward(x nn.Matrix, b *transformer.Batch, first [][]int) nn.Matrix {
	g.rows = g.rows[:0]
	for i, places := range first {
		from, _ := b.Rows(i)
		for _, at := range places {
			g.rows = append(g.rows, from+at)
		}
	}
	g.y, g.dx = g.y.Reshape(len(g.rows), x.Cols), g.dx.Reshape(x.Rows, x.Cols)
	for i, row := range g.rows {
		copy(g.y.Row(i), x.Row(row))
	}
	return g.y
}

// backward returns the gradient with respect to the tokens.
func (g *gathered) backward(grad nn.Matrix) nn.Matrix {
	clear(g.dx.Data)
	for i, row := range g.rows {
		copy(g.dx.Row(row), grad.Row(i))
	}
	return g.dx
}

// validateWords reports the first fault of sentences with a label a word.
func (d Data) validateWords() error {
	if len(d.Train) == 0 || len(d.Validation) == 0 {
		return fmt.Errorf("tune: there are %d sentences to learn from and %d to validate, must be at least one each", len(d.Train), len(d.Validation))
	}
	if d.Texts != nil || d.Second != nil || d.Masked != nil || d.Labels != nil || len(d.Tags) != len(d.Words) || len(d.Classes) != 1 || len(d.Weights) != 1 || d.Classes[0] < 2 || d.Weights[0] != 1 {
		return fmt.Errorf("tune: %d sentences with tags of %d and %d numbers of classes, must be as many with one number of at least 2, weight 1 and no texts or labels beside", len(d.Words), len(d.Tags), len(d.Classes))
	}
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			if i < 0 || i >= len(d.Words) || len(d.Words[i]) == 0 || len(d.Tags[i]) != len(d.Words[i]) {
				return fmt.Errorf("tune: sentence %d does not exist or has not a tag for each of its words, must have words and as many tags", i)
			}
			for _, tag := range d.Tags[i] {
				if tag < 0 || tag >= d.Classes[0] {
					return fmt.Errorf("tune: a tag of sentence %d is %d, must be from 0 to %d", i, tag, d.Classes[0]-1)
				}
			}
		}
	}
	return nil
}

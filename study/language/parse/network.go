package parse

import (
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// Shape is the size of a network.
type Shape struct {
	Width  int    `json:"width"`  // of a word's vector, a multiple of 32 up to 512; 0 means 256
	Layers string `json:"layers"` // a letter a layer: w a window of three words, r a recurrent unit; "" means wrr
	Arc    int    `json:"arc"`    // of the vectors that heads are found by, a multiple of 16; 0 means 160
	Label  int    `json:"label"`  // of those that relations are found by, a multiple of 16; 0 means 96
}

// Validate reports sizes out of range.
func (s Shape) Validate() error {
	if s.Width < 32 || s.Width > len(none) || s.Width%32 != 0 {
		return fmt.Errorf("parse: width is %d, must be a multiple of 32 from 32 to %d", s.Width, len(none))
	}
	if s.Arc < 16 || s.Arc > len(none) || s.Arc%16 != 0 || s.Label < 16 || s.Label > len(none) || s.Label%16 != 0 {
		return fmt.Errorf("parse: arc is %d and label %d, must be multiples of 16 from 16 to %d", s.Arc, s.Label, len(none))
	}
	if len(s.Layers) < 1 || len(s.Layers) > 16 {
		return fmt.Errorf("parse: there are %d layers, must be 1 to 16", len(s.Layers))
	}
	for _, l := range s.Layers {
		if l != 'w' && l != 'r' {
			return fmt.Errorf("parse: a layer is %q, must be w or r", l)
		}
	}
	return nil
}

// layer is a map from the vectors of all words to others.
type layer interface {
	forward(s *state, t *tape, x nn.Matrix)
	// backward sets dx from dy, which it may change.
	backward(s *state, t *tape, dx, x, dy nn.Matrix)
	params(name string) []nn.Param
	linears() []*linear
}

// distances is how many distances between a word and its head the network tells
// apart; the root has one of its own.
const distances = 24

// network finds tags, heads and relations of words. It is only read in use, so
// several goroutines may share it.
type network struct {
	shape  Shape
	tables [features]nn.Matrix
	given  int // numbers of a given vector
	outer  int // numbers of the vector that an encoder has for a word in its sentence; 0 without one
	mix    *linear
	mixed  *norm
	layers []layer

	upos, xpos         *linear
	arcDep, arcHead    *linear
	bilinear, distance *linear
	root               nn.Matrix // the head vector of the root
	relDep, relHead    *linear
	relRoot            nn.Matrix
	relation           *linear
}

// newNetwork returns a network with random weights.
func newNetwork(shape Shape, v *vocabulary, given, outer int, rng *weakrand.Rand) *network {
	n := &network{shape: shape, given: given, outer: outer}
	in := given + outer
	for f, size := range hashed {
		if f == byWord {
			size.rows = len(v.spellings) + 1
		}
		n.tables[f] = nn.NewMatrix(size.rows, size.width)
		for i := range n.tables[f].Data {
			n.tables[f].Data[i] = float32(rng.NormFloat64() * 0.1)
		}
		in += size.width
	}
	w := shape.Width
	n.mix, n.mixed = newLinear(in, w, rng), newNorm(w)
	for _, kind := range shape.Layers {
		if kind == 'w' {
			n.layers = append(n.layers, newWindow(w, rng))
		} else {
			n.layers = append(n.layers, newRecurrent(w, rng))
		}
	}
	n.upos, n.xpos = newLinear(w, len(v.upos.names), rng), newLinear(w, len(v.xpos.names), rng)
	n.arcDep, n.arcHead = newLinear(w, shape.Arc, rng), newLinear(w, shape.Arc, rng)
	n.bilinear, n.distance = newLinear(shape.Arc, shape.Arc, rng), newLinear(shape.Arc, distances, rng)
	n.relDep, n.relHead = newLinear(w, shape.Label, rng), newLinear(w, shape.Label, rng)
	n.relation = newLinear(2*shape.Label, len(v.relations.names), rng)
	n.root, n.relRoot = nn.NewMatrix(1, shape.Arc), nn.NewMatrix(1, shape.Label)
	for i := range n.root.Data {
		n.root.Data[i] = float32(rng.NormFloat64() * 0.1)
	}
	return n
}

// linears returns all affine maps, always in the same order.
func (n *network) linears() []*linear {
	all := []*linear{n.mix}
	for _, l := range n.layers {
		all = append(all, l.linears()...)
	}
	return append(all, n.upos, n.xpos, n.arcDep, n.arcHead, n.bilinear, n.distance, n.relDep, n.relHead, n.relation)
}

// norms returns all normalisations, that of the first map first.
func (n *network) norms() []*norm {
	all := []*norm{n.mixed}
	for _, l := range n.layers {
		switch l := l.(type) {
		case *window:
			all = append(all, l.norm)
		case *recurrent:
			all = append(all, l.norm)
		}
	}
	return all
}

// tape is what a layer leaves for its backward pass.
type tape struct {
	place                          uint64
	wide, inner, before, out       nn.Matrix
	dwide, dinner, dbefore, direct nn.Matrix
}

// state is the memory of one pass over some sentences.
type state struct {
	pool   *nn.Pool
	single []*nn.Pool // one a worker
	loops  *vector.Loops
	bounds []int // where sentences begin, and the number of words

	dropout vector.Dropout
	train   bool

	in    nn.Matrix
	mix   tape
	tapes []tape

	upos, xpos                   nn.Matrix
	dep, head, query, reach      nn.Matrix
	relDep, relHead, relIn, rels nn.Matrix
	scores                       []nn.Matrix // of each sentence: a row a word, a column a head, the root first
}

// newState returns the memory of passes of a network on a pool.
func newState(n *network, p *nn.Pool) *state {
	s := &state{pool: p, loops: vector.For(p.Kernel(), n.shape.Width, n.shape.Arc, 2*n.shape.Label), tapes: make([]tape, len(n.layers))}
	for range p.Workers() {
		s.single = append(s.single, p.Alone())
	}
	for i := range s.tapes {
		s.tapes[i].place = uint64(i + 1)
	}
	return s
}

// each calls f with the words of each sentence.
func (s *state) each(f func(from, to int)) {
	if s.pool.Workers() == 1 {
		for i := 1; i < len(s.bounds); i++ {
			f(s.bounds[i-1], s.bounds[i])
		}
		return
	}
	s.pool.Each(len(s.bounds)-1, func(_, i int) { f(s.bounds[i], s.bounds[i+1]) })
}

// drop drops a part of the numbers of m in training, always the same ones for a
// place in a pass.
func (s *state) drop(m nn.Matrix, place uint64) {
	if !s.train || s.dropout.None() {
		return
	}
	d := s.dropout.At(place)
	for i := range m.Rows {
		s.loops.Drop(m.Row(i), m.Row(i), d.At(uint64(i)))
	}
}

package joint

import (
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
	"sotto/study/relation"
)

// The sizes of what is not in the settings.
const (
	tagSize = 30
	graphs  = 2
	margins = 3 // what is pooled: the tree, the subject and the object
)

// drops are the shares of what is dropped in training: words, which become the one that is
// not known, and numbers of the input, of states and of the decoder.
type drops struct{ words, input, states, pieces float64 }

// usual are those that models are trained with. The paper drops half of the states, and has
// two more layers before the last of the classifier: with Adam and 15 epochs, less dropped
// and a linear one tell two points of F1 more.
var usual = drops{0.04, 0.5, 0.3, 0.3}

// network is the layers.
type network struct {
	words, tags, types, marks *sequence.Table
	drops                     []*nn.Dropout // of the input, the states, and between convolutions
	both                      *sequence.Both
	graphs                    []*sequence.Graph
	pools                     [margins]sequence.Largest
	out                       *nn.Dense        // nil without a classifier
	decoder                   *relation.Writer // nil without one
	size                      int              // numbers of a state
	lost                      float64          // share of words that are dropped
	seed, pass                uint64           // of these

	x, pooled, dPooled, dh nn.Matrix
	grad                   nn.Matrix
	states                 nn.Matrix // of the last pass, a row a token
}

func newNetwork(v *vocabulary, table nn.Matrix, s Settings, d drops) (*network, error) {
	rng := weakrand.New(weakrand.NewPCG(s.Seed, 0x6a6f696e74))
	n := &network{words: sequence.NewTable(table, v.learn), size: s.Hidden, lost: d.words, seed: rng.Uint64()}
	n.tags = sequence.RandomTable(v.tags.size(), tagSize, rng)
	n.types = sequence.RandomTable(v.types.size(), tagSize, rng)
	n.marks = sequence.RandomTable(markKinds, tagSize, rng)
	for _, rate := range []float64{d.input, d.states, d.states} {
		layer, err := nn.NewDropout(rate, rng.Uint64())
		if err != nil {
			return nil, err
		}
		n.drops = append(n.drops, layer)
	}
	n.both = sequence.NewBoth(table.Cols+3*tagSize, s.Hidden, rng)
	for k := range graphs {
		n.graphs = append(n.graphs, sequence.NewGraph([]int{2 * s.Hidden, n.size}[k], n.size, rng))
	}
	if s.Without != Classifier {
		n.out = nn.NewDense(margins*n.size, len(v.relations), rng)
	}
	if s.Without == Decoder {
		return n, nil
	}
	var err error
	n.decoder, err = relation.NewWriter(v.pieces, relation.WriterShape{Memory: n.size, Hidden: n.size, Drop: d.pieces}, rng.Uint64(), rng)
	return n, err
}

// params lists what is learnt.
func (n *network) params() []nn.Param {
	all := []nn.Param{n.words.Param("words"), n.tags.Param("tags"), n.types.Param("types"), n.marks.Param("marks")}
	add := func(prefix string, params []nn.Param) {
		for _, q := range params {
			q.Name = prefix + "." + q.Name
			all = append(all, q)
		}
	}
	add("lstm", n.both.Params())
	add("graph0", n.graphs[0].Params())
	add("graph1", n.graphs[1].Params())
	if n.out != nil {
		add("classifier", n.out.Params())
	}
	if n.decoder != nil {
		add("decoder", n.decoder.Params())
	}
	return all
}

// passes are the counters of everything that draws.
func (n *network) passes() []*uint64 {
	all := []*uint64{&n.pass}
	for _, d := range n.drops {
		all = append(all, &d.Pass)
	}
	if n.decoder != nil {
		all = append(all, n.decoder.Passes()...)
	}
	return all
}

// forward computes the states of tokens and what is pooled of them.
func (n *network) forward(p *nn.Pool, mode nn.Mode, b *batch) {
	var h nn.Matrix
	if mode == nn.Train {
		n.read(p, n.forget(b.words), b.tags, b.types, b.marks)
		h = n.both.Forward(p, n.drops[0].Forward(p, mode, n.x), b.steps)
	} else {
		// Pairs of a sentence differ in few tokens, and begin and end alike.
		words, tags, types, marks, rows := b.distinct()
		n.read(p, words, tags, types, marks)
		h = n.both.Shared(p, n.x, rows, b.steps)
	}
	h = n.graphs[0].Forward(p, n.drops[1].Forward(p, mode, h), b.neighbours)
	h = n.graphs[1].Forward(p, n.drops[2].Forward(p, mode, h), b.neighbours)
	n.states = h
	n.pooled = n.pooled.Reshape(len(b.examples), margins*n.size)
	for j := range n.pools {
		y := n.pools[j].Forward(p, h, b.sets[j])
		for k := range y.Rows {
			copy(n.pooled.Row(k)[j*n.size:], y.Row(k))
		}
	}
}

// read lays out tokens, a row each.
func (n *network) read(p *nn.Pool, words, tags, types, marks []int) {
	n.x = n.x.Reshape(len(words), n.words.Cols()+3*tagSize)
	n.words.Forward(p, words, n.x, 0)
	for k, t := range n.small() {
		t.Forward(p, [][]int{tags, types, marks}[k], n.x, n.words.Cols()+k*tagSize)
	}
}

func (n *network) small() []*sequence.Table { return []*sequence.Table{n.tags, n.types, n.marks} }

// forget replaces some words by the one that is not known.
func (n *network) forget(words []int) []int {
	n.pass++
	rng := weakrand.New(weakrand.NewPCG(n.seed, n.pass))
	all := slices.Clone(words)
	for k := range all {
		if rng.Float64() < n.lost {
			all[k] = 0
		}
	}
	return all
}

// scores returns those of relations, after forward.
func (n *network) scores(p *nn.Pool) nn.Matrix { return n.out.Forward(p, nn.Infer, n.pooled) }

// sources returns what the decoder writes about, of some examples of a batch.
func (n *network) sources(b *batch, which []int) sequence.Sources {
	s := sequence.Sources{X: n.states, Rows: nn.Pick(b.all, which)}
	for layer := range s.Start {
		s.Start[layer] = nn.NewMatrix(len(which), n.size)
		for k, i := range which {
			copy(s.Start[layer].Row(k), n.pooled.Row(i)[(layer+1)*n.size:])
		}
	}
	return s
}

// learn sets the gradients of a batch, and returns its loss: the mean over its examples of
// the cross-entropy of the relation and the mean of those of the pieces of the rule.
func (n *network) learn(p *nn.Pool, b *batch) float64 {
	n.forward(p, nn.Train, b)
	n.dPooled = n.dPooled.Reshape(n.pooled.Rows, n.pooled.Cols)
	n.dh = n.dh.Reshape(n.states.Rows, n.states.Cols)
	clear(n.dPooled.Data)
	clear(n.dh.Data)
	loss := 0.0
	if n.out != nil {
		loss += n.learnRelations(p, b)
	}
	if n.decoder != nil {
		loss += n.learnRules(p, b)
	}
	margin := nn.NewMatrix(n.pooled.Rows, n.size)
	for j := range n.pools {
		for k := range margin.Rows {
			copy(margin.Row(k), n.dPooled.Row(k)[j*n.size:(j+1)*n.size])
		}
		n.pools[j].Backward(margin, n.dh)
	}
	d := n.drops[2].Backward(p, n.graphs[1].Backward(p, n.dh))
	d = n.drops[1].Backward(p, n.graphs[0].Backward(p, d))
	d = n.drops[0].Backward(p, n.both.Backward(p, d))
	n.words.Backward(d, 0)
	for k, t := range n.small() {
		t.Backward(d, n.words.Cols()+k*tagSize)
	}
	return loss
}

// learnRelations adds what the classifier wants of the pooled states.
func (n *network) learnRelations(p *nn.Pool, b *batch) float64 {
	scores := n.scores(p)
	n.grad = n.grad.Reshape(scores.Rows, scores.Cols)
	clear(n.grad.Data)
	loss, share := 0.0, 1/float64(len(b.examples))
	for k, e := range b.examples {
		if e.label >= 0 {
			loss += relation.WriteSlope(n.grad.Row(k), scores.Row(k), e.label, share)
		}
	}
	n.addTo(n.dPooled, n.out.Backward(p, n.grad))
	return loss
}

func (n *network) addTo(to, from nn.Matrix) {
	for i, v := range from.Data {
		to.Data[i] += v
	}
}

// learnRules adds what the decoder wants of states and pooled states.
func (n *network) learnRules(p *nn.Pool, b *batch) float64 {
	targets := make([][]int, len(b.examples))
	for k, e := range b.examples {
		targets[k] = e.target
	}
	which := relation.WriteOrder(targets)
	loss, dX, dStart := n.decoder.Learn(p, n.sources(b, which), nn.Pick(targets, which), len(b.examples))
	n.addTo(n.dh, dX)
	for layer, d := range dStart {
		for k, i := range which {
			to := n.dPooled.Row(i)[(layer+1)*n.size:]
			for j, v := range d.Row(k) {
				to[j] += v
			}
		}
	}
	return loss
}

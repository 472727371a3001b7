package joint

import "sotto/compute/nn"

// Graph is a network on all lessons of a training, for tests of its gradients: nothing is
// dropped.
type Graph struct {
	n *network
	b *batch
}

// NewGraph makes one.
func NewGraph(d Data, s Settings) Graph {
	t, err := New(d, s)
	if err != nil {
		panic(err)
	}
	n, err := newNetwork(&t.v, t.table, t.settings, drops{})
	if err != nil {
		panic(err)
	}
	return Graph{n, newBatch(nn.Pick(t.lessons, byLength(t.lessons)))}
}

// Params lists what is learnt.
func (g Graph) Params() []nn.Param { return g.n.params() }

// Learn sets the gradients and returns the loss.
func (g Graph) Learn(p *nn.Pool) float64 { return g.n.learn(p, g.b) }

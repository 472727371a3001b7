package aec

import "sotto/compute/nn"

// Graph is the network, for tests of its gradients: nothing is dropped.
type graph struct{ n *network }

// NewGraph makes one.
func NewGraph(c Config, table nn.Matrix, classes int) graph {
	n, err := newNetwork(c.filled(), table, classes)
	if err != nil {
		panic(err)
	}
	if n.drop, err = nn.NewDropout(0, 0); err != nil {
		panic(err)
	}
	return graph{n}
}

// Params lists what is learnt.
func (g graph) Params() []nn.Param { return g.n.params() }

// Learn sets the gradients and returns the loss.
func (g graph) Learn(p *nn.Pool, t Texts, weights []float64) float64 {
	return g.n.learn(p, t.Words, t.Labels, weights)
}

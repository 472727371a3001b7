package gateway

import (
	"errors"
	"fmt"
	"math"

	"sotto/compute/nn"
	"sotto/promise/noise"
	"sotto/service/ledger"
)

// errNumbers is returned for a release that cannot be written down.
var errNumbers = errors.New("gateway: a release is not finite")

// release draws the noise of rows that are paid for. Rows of one name are one
// release, that of the first of them.
func (g *Gateway) release(x nn.Matrix, names, checks []ledger.Digest, first map[ledger.Digest]int) ([][]float32, error) {
	in, out := g.Mechanism.Shape()
	from, to := make([]float64, in), make([]float64, out)
	vectors := make([][]float32, len(names))
	for i, name := range names {
		if j := first[name]; j != i {
			vectors[i] = vectors[j]
			continue
		}
		for j, v := range x.Row(i) {
			from[j] = float64(v)
		}
		// The check has a part in the noise, so that a name that came to stand for
		// something else, as after the loss of a ledger, has other noise too.
		source := noise.Derive(g.Secret.key[:], version, "noise", string(name[:]), string(checks[i][:]))
		if err := g.Mechanism.PrivatizeTo(to, from, source); err != nil {
			return nil, fmt.Errorf("gateway: text %d was paid for and could not be released: %w", i, err)
		}
		vectors[i] = make([]float32, out)
		for j, v := range to {
			vectors[i][j] = float32(v)
			if !(math.Abs(v) <= math.MaxFloat32) {
				return nil, errNumbers
			}
		}
	}
	return vectors, nil
}

// privacy says what is promised of a release that was paid for.
func (g *Gateway) privacy(receipts []ledger.Receipt, texts int, b ledger.Balance) Privacy {
	p := g.Promise()
	for _, r := range receipts {
		if !r.Repeated {
			p.Paid++
		}
	}
	p.Repeated = texts - p.Paid
	p.Cost = ledger.Cost{Epsilon: int64(p.Paid) * g.cost.Epsilon}.EpsilonValue()
	p.Spent, p.SpentDelta = b.Spent.EpsilonValue(), b.Spent.DeltaValue()
	p.Left, p.LeftDelta = b.Left.EpsilonValue(), b.Left.DeltaValue()
	if !b.Renews.IsZero() {
		p.Renews = &b.Renews
	}
	return p
}

// Promise says what is promised of every release, before any was made.
func (g *Gateway) Promise() Privacy {
	id, tells := named(g.Mechanism)
	assumptions := append([]string{}, g.guarantee.Assumptions...)
	if f, ok := g.Mechanism.(*served); ok && f.covers != "" {
		// Which texts these are is not looked up: a refusal would tell every key.
		assumptions = append(assumptions, f.covers)
	}
	return Privacy{
		Mechanism:   g.parameters.Mechanism,
		Parameters:  g.parameters,
		Unit:        string(g.guarantee.Unit),
		Epsilon:     float64(g.guarantee.Epsilon),
		Delta:       g.guarantee.Delta,
		Assumptions: assumptions,
		Noise:       g.Noise,
		Scope:       scopes[g.Noise],
		Against:     against[g.Noise],
		Within:      within,
		Model:       id,
		Tells:       tells,
		Dropout:     g.masks.Dropout,
		Word:        g.word,
	}
}

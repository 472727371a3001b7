package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"sotto/promise/dp"
)

// spend is a request that was checked.
type spend struct {
	Request
	price
}

// price is what releases by one mechanism cost.
type price struct {
	means     *means
	guarantee *dp.Guarantee
	cost      Cost
}

// prices remembers those that were asked for last: a gateway has one.
type prices struct {
	mu    sync.Mutex // guards known
	known []price
}

const maxPrices = 16

// prepare checks a request.
func (p *prices) prepare(r Request, unit dp.Unit) (spend, error) {
	if err := checkText("subject", r.Subject, maxSubject); err != nil {
		return spend{}, err
	}
	if r.Guarantee.Unit != unit {
		return spend{}, fmt.Errorf("%w: %.20q, must be %s", ErrUnit, string(r.Guarantee.Unit), unit)
	}
	mechanism, ok := r.Mechanism.(json.RawMessage)
	if !ok {
		var err error
		if mechanism, err = json.Marshal(r.Mechanism); err != nil {
			return spend{}, fmt.Errorf("ledger: the mechanism cannot be written: %w", err)
		}
	}
	if found, ok := p.find(&r.Guarantee, mechanism); ok {
		return spend{r, found}, nil
	}
	if r.Mechanism == nil {
		return spend{}, fmt.Errorf("ledger: the spend has no mechanism, must name one")
	}
	made, err := priceOf(&r.Guarantee, mechanism)
	if err != nil {
		return spend{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = append(p.known[max(0, len(p.known)-maxPrices+1):], made)
	return spend{r, made}, nil
}

// find returns a price that was made before.
func (p *prices) find(g *dp.Guarantee, mechanism []byte) (price, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range slices.Backward(p.known) {
		if k.guarantee.Unit == g.Unit && k.guarantee.Epsilon == g.Epsilon && k.guarantee.Delta == g.Delta &&
			bytes.Equal(k.means.Mechanism, mechanism) && slices.Equal(k.guarantee.Assumptions, g.Assumptions) {
			return k, true
		}
	}
	return price{}, false
}

// priceOf makes a price, and refuses what would not come back from the log as it
// went in.
func priceOf(g *dp.Guarantee, mechanism []byte) (price, error) {
	cost, err := CostOf(*g)
	if err != nil {
		return price{}, err
	}
	for _, a := range g.Assumptions {
		if err = checkText("assumption", a, maxMechanism); err != nil {
			return price{}, err
		}
	}
	written, err := json.Marshal(json.RawMessage(mechanism)) // in one way alone
	if err != nil {
		return price{}, fmt.Errorf("ledger: the mechanism cannot be written: %w", err)
	}
	if len(written) > maxMechanism || !utf8.Valid(written) {
		return price{}, fmt.Errorf("ledger: the mechanism has %d bytes, must be named in at most %d of UTF-8", len(written), maxMechanism)
	}
	promise := *g
	promise.Assumptions = slices.Clone(g.Assumptions)
	guarantee, err := json.Marshal(promise)
	if err != nil {
		return price{}, fmt.Errorf("ledger: the guarantee cannot be written: %w", err)
	}
	return price{NewMeans(written, guarantee, cost.Epsilon, cost.Delta), &promise, cost}, nil
}

func (r spend) payment() payment { return payment{Subject: r.Subject, Key: r.Key} }

// entry is the entry of a spend, without its place in the log.
func (r spend) entry() *Entry {
	return &Entry{
		Kind: KindSpend, Subject: r.Subject, Key: r.Key, Check: r.Check, Mechanism: r.means.Mechanism,
		Guarantee: r.guarantee, Epsilon: r.cost.Epsilon, Delta: r.cost.Delta, Means: r.means,
	}
}

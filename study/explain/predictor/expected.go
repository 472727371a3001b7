package predictor

import (
	"context"
	"errors"
	"math"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/study/explain"
)

// Received is what receivers of releases of some texts get. It is as secret as the
// texts.
type Received struct {
	// Answers is how often each class is answered to each text: exactly where the law of
	// the release is known, and else counted over draws.
	Answers [][]float64
	// Moved is how far a release lies from what the mechanism is given for the text, the
	// mean over draws of the Euclidean distance: what the mechanism cuts off to make a
	// vector fit, and noise. It is nil where a release is a code, which is at no place
	// among vectors.
	Moved []float64
}

// Receive says what receivers of releases of texts get, whatever the view is. It
// refuses a model that releases through no mechanism.
func (m *Model) Receive(ctx context.Context, texts []string) (*Received, error) {
	if m.info.Architecture.Release == nil {
		return nil, errors.New("predictor: the model has no mechanism, must have one: nothing is drawn")
	}
	x, err := m.encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.received(ctx, x)
}

// received is [Model.Receive] of rows. Draws are the same for every row, so that rows
// differ by their texts alone. Nothing is released: the draws are of a seed and stay
// here. The caller holds the lock.
func (m *Model) received(ctx context.Context, x nn.Matrix) (*Received, error) {
	law, known, err := m.model.Law(m.pool, x, nn.Indices(x.Rows))
	if err != nil {
		return nil, err
	}
	r := &Received{Answers: make([][]float64, x.Rows)}
	var given nn.Matrix
	if !known {
		if given, err = m.model.Represent(m.pool, x, nn.Indices(x.Rows)); err != nil {
			return nil, err
		}
		if given.Cols == m.model.Dim() {
			r.Moved = make([]float64, x.Rows)
		}
	}
	answers := m.model.Architecture().Answers
	for i := range r.Answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if known {
			r.Answers[i] = make([]float64, len(m.classes))
			sum := 0.0
			for code, share := range law.Row(i) {
				r.Answers[i][answers[code][m.label]] += float64(share)
				sum += float64(share)
			}
			for c := range r.Answers[i] { // what float32 rounded away
				r.Answers[i][c] /= sum
			}
			continue
		}
		released, err := m.drawn(x, i)
		if err != nil {
			return nil, err
		}
		r.Answers[i] = m.shares(released)
		if r.Moved != nil {
			r.Moved[i] = meanDistance(given.Row(i), released)
		}
	}
	return r, nil
}

// drawn releases one row again and again.
func (m *Model) drawn(x nn.Matrix, row int) (nn.Matrix, error) {
	same := make([]int, m.options.Draws)
	for i := range same {
		same[i] = row
	}
	return m.model.Release(m.pool, x, same, model.SimulationKey(m.options.Seed))
}

// shares returns how often each class is answered to releases.
func (m *Model) shares(released nn.Matrix) []float64 {
	scores := m.model.Logits(m.pool, released)
	counts := make([]int, len(m.classes))
	for i := range scores.Rows {
		counts[nn.Argmax(scores.Row(i)[m.column:m.column+len(m.classes)])]++
	}
	all := make([]float64, len(counts))
	for c, n := range counts {
		all[c] = float64(n) / float64(released.Rows)
	}
	return all
}

// meanDistance returns the mean Euclidean distance between a vector and others.
func meanDistance(from []float32, to nn.Matrix) float64 {
	sum := 0.0
	for i := range to.Rows {
		square := 0.0
		for j, v := range to.Row(i) {
			d := float64(v) - float64(from[j])
			square += float64(d * d)
		}
		sum += math.Sqrt(square)
	}
	return sum / float64(to.Rows)
}

// Noise says what the noise of a release does to the answer about one text. It is as
// secret as the text.
type Noise struct {
	Before string  `json:"before,omitempty"` // the answer if nothing were drawn; "" if there is none
	Likely string  `json:"likeliest"`        // the answer that receivers give most often
	Share  float64 `json:"share"`            // how often they do
	// Flips is the share of releases about which receivers answer otherwise than the
	// model before the release, or than the likeliest answer if there is none before.
	Flips float64 `json:"flips"`
	Exact bool    `json:"exact"`           // computed from the law of the release; else counted
	Draws int     `json:"draws,omitempty"` // that were counted
	Error float64 `json:"error,omitempty"` // standard error of Flips where it was counted
}

// Noise returns what noise does to the answer about a text; nil for a model that
// draws none.
func (m *Model) Noise(ctx context.Context, s string) (*Noise, error) {
	if m.info.Architecture.Release == nil {
		return nil, nil //nolint:nilnil // nothing is drawn
	}
	x, err := m.encode(ctx, []string{s})
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	received, err := m.received(ctx, x)
	if err != nil {
		return nil, err
	}
	rows := received.Answers
	best := explain.Answer(rows[0])
	n := &Noise{Likely: m.classes[best], Share: rows[0][best], Flips: 1 - rows[0][best], Exact: len(m.info.Architecture.Answers) > 0}
	if m.bare != nil {
		before := explain.Answer(m.before(x)[0])
		n.Before, n.Flips = m.classes[before], 1-rows[0][before]
	}
	n.Flips = max(0, n.Flips)
	if !n.Exact {
		n.Draws = m.options.Draws
		n.Error = math.Sqrt(n.Flips * (1 - n.Flips) / float64(n.Draws))
	}
	return n, nil
}

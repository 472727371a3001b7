package predictor

import (
	"context"
	"math"

	"sotto/explain"
	"sotto/nn"
	"sotto/train/model"
)

// expected answers rows by how often a receiver answers each class: exactly where
// the law of the release is known, and else counted over draws, which are the same
// for every row, so that rows differ by their texts alone. Nothing is released: the
// draws are of a seed and stay here.
func (m *Model) expected(ctx context.Context, x nn.Matrix) ([][]float64, error) {
	rows := make([][]float64, x.Rows)
	law, known, err := m.model.Law(m.pool, x, nn.Indices(x.Rows))
	if err != nil {
		return nil, err
	}
	answers := m.model.Architecture().Answers
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows[i] = make([]float64, len(m.classes))
		if known {
			sum := 0.0
			for code, share := range law.Row(i) {
				rows[i][answers[code][m.label]] += float64(share)
				sum += float64(share)
			}
			for c := range rows[i] { // what float32 rounded away
				rows[i][c] /= sum
			}
			continue
		}
		counts, err := m.drawn(x, i)
		if err != nil {
			return nil, err
		}
		for c, n := range counts {
			rows[i][c] = float64(n) / float64(m.options.Draws)
		}
	}
	return rows, nil
}

// drawn counts the answers to draws of one row.
func (m *Model) drawn(x nn.Matrix, row int) ([]int, error) {
	same := make([]int, m.options.Draws)
	for i := range same {
		same[i] = row
	}
	released, err := m.model.Release(m.pool, x, same, model.SimulationKey(m.options.Seed))
	if err != nil {
		return nil, err
	}
	scores := m.model.Logits(m.pool, released)
	counts := make([]int, len(m.classes))
	for i := range scores.Rows {
		counts[nn.Argmax(scores.Row(i)[m.column:m.column+len(m.classes)])]++
	}
	return counts, nil
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
	rows, err := m.expected(ctx, x)
	if err != nil {
		return nil, err
	}
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

package measure

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/compute/nn"
)

// trainer is the state of one training.
type trainer struct {
	Probe
	pool      *nn.Pool
	attacker  *Attacker
	adam      *nn.Optimizer
	weights   []nn.Param // without biases
	criterion nn.SoftmaxCrossEntropy
	batch     nn.Matrix
	labels    []int
}

func newTrainer(h Probe, p *nn.Pool, a *Attacker) (*trainer, error) {
	adam, err := nn.Adam{Rate: h.Rate}.New(a.model.Params())
	if err != nil {
		return nil, err
	}
	t := &trainer{
		Probe: h, pool: p, attacker: a, adam: adam,
		batch: nn.NewMatrix(h.Batch, len(a.scale.mean)), labels: make([]int, h.Batch),
	}
	for _, q := range a.model.Params() {
		if strings.HasSuffix(q.Name, "weight") {
			t.weights = append(t.weights, q)
		}
	}
	return t, nil
}

// run trains until the loss stops falling, shuffling rows before each epoch.
func (t *trainer) run(ctx context.Context, data Labelled, rng *weakrand.Rand) error {
	rows := rng.Perm(len(data.Z))
	best, idle := math.Inf(1), 0
	for t.attacker.Epochs < t.Epochs && idle <= t.Patience {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		loss := 0.0
		for part := range slices.Chunk(rows, t.Batch) {
			if err := ctx.Err(); err != nil {
				return err
			}
			loss += t.step(data, part) * float64(len(part)) / float64(len(rows))
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("measure: training loss is %v after %d epochs, must be finite; lower the rate %v",
				loss, t.attacker.Epochs+1, t.Rate)
		}
		t.attacker.Epochs++
		idle++
		if loss <= best-t.Tolerance {
			idle = 0
		}
		best = min(best, loss)
	}
	return nil
}

// step takes one step on the given rows and returns their loss before it, the
// penalty included.
func (t *trainer) step(data Labelled, rows []int) float64 {
	batch, labels := t.batch.Slice(0, len(rows)), t.labels[:len(rows)]
	for k, i := range rows {
		copy(batch.Row(k), data.X.Row(i))
		labels[k] = data.Z[i]
	}
	loss, grad := t.criterion.Loss(t.pool, t.attacker.logits(t.pool, nn.Train, batch), labels)
	t.attacker.backward(t.pool, grad)
	share := t.Alpha / float64(len(rows))
	for _, w := range t.weights {
		loss += share / 2 * sumSquares(w.Value.Data)
		t.pool.AddScaled(w.Grad, float32(share), w.Value)
	}
	t.adam.Step(t.pool)
	return loss
}

// sumSquares returns ‖v‖², in four sums that the processor can run abreast and keep in
// registers.
func sumSquares(v []float32) float64 {
	var a, b, c, d float64
	for ; len(v) >= 4; v = v[4:] {
		w, x, y, z := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		a += w * w
		b += x * x
		c += y * y
		d += z * z
	}
	sum := [4]float64{a, b, c, d}
	for k, w := range v {
		sum[k] += float64(w) * float64(w)
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}

package measure

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
)

// presence is rows with the things that stand in each.
type presence struct {
	x    nn.Matrix
	list [][]int
}

// multiTrainer is the state of one training.
type multiTrainer struct {
	MultiProbe
	pool     *nn.Pool
	attacker *MultiAttacker
	adam     *nn.Optimizer
	data     presence
	batch    nn.Matrix
}

// run trains on some rows until the loss on others has stopped falling, and
// keeps what was best there.
func (t *multiTrainer) run(ctx context.Context, rows, held []int, rng *weakrand.Rand) error {
	params := t.attacker.layer.Params()
	var kept [2][]float32
	best, idle := math.Inf(1), 0
	for epoch := 0; ; epoch++ {
		loss, err := t.pass(ctx, held, max(t.Batch, predictRows), false)
		if err != nil {
			return err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return fmt.Errorf("measure: loss is %v after %d epochs, must be finite; lower the rate %v", loss, epoch, t.Rate)
		}
		idle++
		if loss < best {
			best, idle, t.attacker.Epochs = loss, 0, epoch
			for k := range kept {
				kept[k] = append(kept[k][:0], params[k].Value.Data...)
			}
		}
		if epoch == t.Epochs || idle > t.Patience {
			break
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if _, err := t.pass(ctx, rows, t.Batch, true); err != nil {
			return err
		}
	}
	for k := range kept {
		copy(params[k].Value.Data, kept[k])
	}
	return nil
}

// pass returns the mean loss of some rows, taken size at a time, and learns from
// each such batch if it is to.
func (t *multiTrainer) pass(ctx context.Context, rows []int, size int, learn bool) (float64, error) {
	sum := 0.0
	for part := range slices.Chunk(rows, size) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch := t.batch.Slice(0, len(part))
		t.pool.Each(len(part), func(_, k int) { t.attacker.scale.to(batch.Row(k), t.data.x.Row(part[k])) })
		logits := t.attacker.layer.Forward(t.pool, nn.Train, batch)
		sum += t.loss(logits, part)
		if learn {
			t.attacker.layer.Backward(t.pool, logits)
			t.adam.Step(t.pool)
		}
	}
	return sum / float64(len(rows)), nil
}

// loss returns the sum over rows and things of the cross-entropy of the log odds
// z, ln(1+e^z) − z·present, and turns these into the gradient of its mean over
// rows, (σ(z) − present)/rows.
func (t *multiTrainer) loss(logits nn.Matrix, rows []int) float64 {
	share := 1 / float64(len(rows))
	losses := make([]float64, len(rows))
	t.pool.Each(len(rows), func(_, k int) {
		row, sum := logits.Row(k), 0.0
		for _, thing := range t.data.list[rows[k]] {
			sum -= float64(row[thing])
		}
		for j, v := range row {
			z := float64(v)
			e := math.Exp(-math.Abs(z))
			sum += max(z, 0) + math.Log1p(e)
			sigma := 1 / (1 + e)
			if z < 0 {
				sigma = e / (1 + e)
			}
			row[j] = float32(sigma * share)
		}
		for _, thing := range t.data.list[rows[k]] {
			row[thing] -= float32(share)
		}
		losses[k] = sum
	})
	total := 0.0
	for _, v := range losses {
		total += v
	}
	return total
}

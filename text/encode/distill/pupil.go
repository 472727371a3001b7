package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/text/encode/static"
)

// pupilBatch is how many texts a step of the head has.
const pupilBatch = 32

// learn trains until the exam has not gained for a while, and returns the best.
func (l *pupil) learn(ctx context.Context, exam Exam, tell func(Report)) (*Taught, error) {
	var asked [][]int32
	for _, t := range exam.Texts {
		asked = append(asked, l.TaskSettings.rows(l.words, t))
	}
	order := make([]int, len(l.rows))
	for i := range order {
		order[i] = i
	}
	best, at, idle := math.Inf(1), 0, 0
	table, params := l.table.Clone(), l.head.Params()
	head := []nn.Matrix{params[0].Value.Clone(), params[1].Value.Clone()}
	for epoch := 1; epoch <= l.Epochs && idle < l.Patience; epoch++ {
		rng := weakrand.New(weakrand.NewPCG(l.Seed, uint64(epoch)))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for some := range slices.Chunk(order, pupilBatch) {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("distill: %w", err)
			}
			l.step(some, rng)
		}
		loss := l.examine(asked, exam)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return nil, errors.New("distill: the training diverged; lower the rate")
		}
		tell(Report{Stage: "epoch", Done: epoch, Total: l.Epochs, Loss: loss})
		if idle++; loss < best {
			best, at, idle = loss, epoch, 0
			copy(table.Data, l.table.Data)
			for i, q := range params {
				copy(head[i].Data, q.Value.Data)
			}
		}
	}
	l.table = table
	return l.taught(head, at, best)
}

// taught makes the encoder and the layer for vectors of length 1.
func (l *pupil) taught(head []nn.Matrix, epoch int, loss float64) (*Taught, error) {
	classes := 0
	for _, c := range l.classes {
		classes += c
	}
	t := &Taught{Weight: nn.NewMatrix(l.Dim, classes), Bias: slices.Clone(head[1].Data[:classes]), Settings: l.TaskSettings, Epoch: epoch, Loss: loss}
	for j := range l.Dim {
		for c := range classes {
			t.Weight.Row(j)[c] = head[0].Row(j)[c] * float32(math.Sqrt(float64(l.Dim)))
		}
	}
	var err error
	if l.Student == Table {
		t.Table, err = static.New(l.Name, l.Notice, l.words, l.Dim, l.table.Data)
	} else {
		t.Hashed, err = static.NewHashed(l.Name, l.Notice, l.grams(), l.Buckets, l.Dim, l.table.Data)
	}
	return t, err
}

// vectors sums the rows of some texts and scales the sums to length √Dim.
func (l *pupil) vectors(rows [][]int32) nn.Matrix {
	l.sum, l.unit = l.sum.Reshape(len(rows), l.Dim), l.unit.Reshape(len(rows), l.Dim)
	l.lengths = append(l.lengths[:0], make([]float64, len(rows))...)
	l.pool.Each(len(rows), func(_, i int) {
		u := l.sum.Row(i)
		clear(u)
		for _, id := range rows[i] {
			for j, v := range l.table.Row(int(id)) {
				u[j] += v
			}
		}
		square := 0.0
		for _, v := range u {
			square += float64(v) * float64(v)
		}
		l.lengths[i] = math.Sqrt(square)
		scale := 0.0
		if l.lengths[i] > 1e-9 {
			scale = math.Sqrt(float64(l.Dim)) / l.lengths[i]
		}
		for j, v := range u {
			l.unit.Row(i)[j] = float32(float64(v) * scale)
		}
	})
	return l.unit
}

// step learns from some lessons: the head by its mean gradient, the table from each.
func (l *pupil) step(lessons []int, rng *weakrand.Rand) {
	rows := make([][]int32, len(lessons))
	for i, at := range lessons {
		rows[i] = l.some(l.rows[at], rng)
	}
	z := l.head.Forward(l.pool, nn.Train, l.vectors(rows))
	for i, at := range lessons {
		l.gradient(z.Row(i), l.goals.Row(at))
	}
	back := l.head.Backward(l.pool, z)
	share := 1 / float32(len(lessons))
	for i, q := range l.head.Params() {
		squares := l.adagrad[i].Data
		for j, g := range q.Grad.Data {
			g *= share
			squares[j] += g * g
			q.Value.Data[j] -= float32(headRate * l.Rate * float64(g) / (math.Sqrt(float64(squares[j])) + 1e-10))
		}
	}
	for i := range lessons {
		if l.lengths[i] > 1e-9 {
			l.move(rows[i], back.Row(i), l.unit.Row(i), l.lengths[i])
		}
	}
}

// headRate is the rate of the head over that of the table.
const headRate = 0.5

// some leaves out a share of the rows.
func (l *pupil) some(rows []int32, rng *weakrand.Rand) []int32 {
	kept := make([]int32, 0, len(rows))
	for _, id := range rows {
		if rng.Float64() >= l.Drop {
			kept = append(kept, id)
		}
	}
	if len(kept) == 0 {
		return rows
	}
	return kept
}

// gradient turns what is said of a lesson into the gradient of its loss: the
// cross-entropy of each label by the teacher's probabilities, and half the squared
// distance of directions.
func (l *pupil) gradient(z, goal []float32) {
	at := 0
	for _, c := range l.classes {
		softmax(z[at : at+c])
		for k := at; k < at+c; k++ {
			z[k] = (z[k] - goal[k]) / float32(len(l.classes))
		}
		at += c
	}
	for k := at; k < len(z); k++ {
		z[k] = float32(l.Vectors) * (z[k] - goal[k])
	}
}

// softmax makes probabilities of scores.
func softmax(z []float32) {
	most, sum := slices.Max(z), 0.0
	for k, v := range z {
		e := math.Exp(float64(v - most))
		z[k] = float32(e)
		sum += e
	}
	for k := range z {
		z[k] = float32(float64(z[k]) / sum)
	}
}

// move moves the rows of a text along the gradient g with respect to its vector
// x = √d·u/|u|: for the sum u, and so for each row in it, it is
// (√d·g − x·(x·g)/√d)/|u|.
func (l *pupil) move(rows []int32, g, x []float32, length float64) {
	dot := 0.0
	for j, v := range x {
		dot += float64(v) * float64(g[j])
	}
	root := math.Sqrt(float64(len(x)))
	l.dUnit = l.dUnit.Reshape(1, len(x))
	d := l.dUnit.Data
	for j, v := range x {
		d[j] = float32((root*float64(g[j]) - float64(v)*dot/root) / length)
	}
	rate := float32(l.Rate)
	for _, id := range rows {
		to := l.table.Row(int(id))
		squares := l.squares[int(id)*l.Dim:][:l.Dim]
		for j, g := range d {
			squares[j] += g * g
			to[j] -= rate * g / (float32(math.Sqrt(float64(squares[j]))) + 1e-6)
		}
	}
}

// examine returns the mean cross-entropy of the labels that are known.
func (l *pupil) examine(asked [][]int32, exam Exam) float64 {
	z := l.head.Forward(l.pool, nn.Infer, l.vectors(asked))
	sum, known := 0.0, 0
	for i := range asked {
		at := 0
		for k, c := range l.classes {
			if y := exam.Labels[k][i]; y >= 0 {
				p := z.Row(i)[at : at+c]
				softmax(p)
				sum -= math.Log(max(float64(p[y]), 1e-12))
				known++
			}
			at += c
		}
	}
	return sum / float64(max(known, 1))
}

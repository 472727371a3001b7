package unseen

import (
	"context"
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/retrieval"
	"sotto/study/reproduce"
	"sotto/text/encode/cells"
)

// value is what one seed of a method gave at ε.
type value struct {
	method  string
	epsilon float64
	seed    int
	number  float64
}

// problem is a task with its vectors.
type problem struct {
	Task
	*bench
	x       nn.Matrix      // of all texts
	second  nn.Matrix      // of pairs
	z, z2   nn.Matrix      // components of both
	sets    []*dataset.Set // one a seed, which differ in their parts
	classes int
}

// task measures all methods on one task.
func (b *bench) task(ctx context.Context, t Task, tell func(done, total int)) ([]value, error) {
	p := &problem{Task: t, bench: b}
	for seed := range b.Seeds {
		set, err := t.load(b.Dir, seed)
		if err != nil {
			return nil, err
		}
		p.sets = append(p.sets, set)
	}
	set := p.sets[0]
	p.classes = len(set.Label.Classes)
	both, err := b.from.texts(ctx, slices.Concat(set.Text, set.Second), func(int) { tell(0, 1) })
	if err != nil {
		return nil, err
	}
	p.x, p.second = both.Slice(0, set.Rows), both.Slice(set.Rows, both.Rows)
	p.z, p.z2 = b.basis.of(p.x), b.basis.of(p.second)
	return p.all(ctx, tell)
}

// all tries every method with every ε and seed, as many at a time as there are workers.
func (p *problem) all(ctx context.Context, tell func(done, total int)) ([]value, error) {
	var values []value
	for _, m := range p.methods {
		if m.Name == Majority && p.Kind != Classes || m.Name == Default && p.comes == nil {
			continue
		}
		for _, e := range p.Epsilons {
			for seed := range p.Seeds {
				if m.Private || e == p.Epsilons[0] { // the others are the same at each ε
					values = append(values, value{m.Name, e, seed, 0})
				}
			}
		}
	}
	for _, v := range values { // they serve all tasks, and are made by all workers
		if v.method == Cells || v.method == Plain {
			if _, err := p.publicly(ctx, v.method == Plain, v.epsilon, v.seed); err != nil {
				return nil, err
			}
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)
	var mu sync.Mutex // guards done and calls of tell
	done := 0
	for i := range values {
		group.Go(func() (err error) {
			if err = ctx.Err(); err != nil {
				return err
			}
			if values[i].number, err = p.one(ctx, values[i]); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			tell(done, len(values))
			return nil
		})
	}
	return values, group.Wait()
}

// one measures one method at one ε with one seed.
func (p *problem) one(ctx context.Context, v value) (float64, error) {
	train, validation, test := p.parts(v.seed)
	if v.method == Majority {
		return p.commonest(v.seed, train, test), nil
	}
	r, err := p.release(ctx, v, p.x, p.z, train, 0)
	if err != nil {
		return 0, err
	}
	switch p.Kind {
	case Classes:
		return p.classify(ctx, r, v.seed, train, validation, test)
	case Similarity:
		return p.similar(ctx, v, r, test)
	case Neighbours:
		return p.neighbours(ctx, r, v.seed, test)
	}
	return 0, errors.New("unseen: a task is of no kind")
}

// parts returns the rows of a seed's parts. A set without validation part lends a
// tenth of its training part.
func (p *problem) parts(seed int) (train, validation, test []int) {
	set := p.sets[seed]
	train, validation, test = set.Indices(dataset.Train), set.Indices(dataset.Validation), set.Indices(dataset.Test)
	rng := weakrand.New(weakrand.NewPCG(uint64(seed), 4))
	for _, rows := range [][]int{train, validation, test} {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	if n := len(train) / 10; len(validation) == 0 && n > 0 {
		train, validation = train[n:], train[:n]
	}
	if p.Limit > 0 {
		train, validation, test = train[:min(len(train), p.Limit)], validation[:min(len(validation), p.Limit/4)], test[:min(len(test), p.Limit/4)]
	}
	return train, validation, test
}

// release releases all rows once. Texts that both sides of pairs have are released
// again on the other side, with another seed.
func (p *problem) release(ctx context.Context, v value, x, z nn.Matrix, train []int, side int) (release, error) {
	seed := uint64(2*v.seed + side)
	switch v.method {
	case Cells, Plain:
		d, err := p.publicly(ctx, v.method == Plain, v.epsilon, v.seed)
		if err != nil {
			return release{}, err
		}
		return byCells(x, d, v.epsilon, seed)
	case Default:
		return byCells(x, p.comes.Own(p.comes.For(v.epsilon)), v.epsilon, seed)
	case Own:
		own := p.x
		if len(train) > 0 {
			own = p.x.Gather(train)
		}
		d, err := divide(ctx, own, many(v.epsilon, ownCells), cells.Settings{Epsilon: v.epsilon, Seed: uint64(v.seed), Workers: 1, Direction: p.toward})
		if err != nil {
			return release{}, err
		}
		return byCells(x, d, v.epsilon, seed)
	case Reserve:
		return bySigns(z, v.epsilon, seed)
	case Raw:
		return release{table: x}, nil
	}
	return byNoise(v.method, z, v.epsilon, seed)
}

// commonest returns how often the commonest class of the training part is right.
func (p *problem) commonest(seed int, train, test []int) float64 {
	label := p.sets[seed].Label
	counts := label.Counts(train)
	return label.Priors(test)[slices.Index(counts, slices.Max(counts))]
}

// classify fits a linear model to releases and returns the share of right answers.
func (p *problem) classify(ctx context.Context, r release, seed int, train, validation, test []int) (float64, error) {
	pool, labels := nn.NewPool(1), p.sets[seed].Label.IDs
	if r.answer == nil {
		part := func(rows []int) measure.Labelled {
			return measure.Labelled{X: r.table.Gather(rows), Z: dataset.Select(labels, rows)}
		}
		m, err := reproduce.Choose(ctx, pool, reproduce.Logistic, part(train), part(validation), p.classes)
		if err != nil {
			return 0, err
		}
		of := part(test)
		return measure.Accuracy(of.Z, m.Predict(pool, of.X)), nil
	}
	part := func(rows []int) reproduce.Counted {
		counts := nn.NewMatrix(r.table.Rows, p.classes)
		for _, i := range rows {
			counts.Row(r.answer[i])[labels[i]]++
		}
		return reproduce.Counted{X: r.table, Counts: counts}
	}
	m, err := reproduce.ChooseCounted(ctx, pool, part(train), part(validation))
	if err != nil {
		return 0, err
	}
	return m.Right(pool, part(test)), nil
}

// similar returns the rank correlation of cosines with people's scores.
func (p *problem) similar(ctx context.Context, v value, r release, test []int) (float64, error) {
	train, _, _ := p.parts(v.seed)
	a, b := r.matrix(test), p.second.Gather(test)
	switch {
	case !p.Task.one:
		r2, err := p.release(ctx, v, p.second, p.z2, train, 1)
		if err != nil {
			return 0, err
		}
		b = r2.matrix(test)
	case v.method == PrivUnit || v.method == Codebook || v.method == Laplace:
		b = p.z2.Gather(test)
	case v.method == Reserve:
		b = p.z2.Gather(test).Columns(0, a.Cols)
	}
	if a.Cols == len(p.basis.mean) {
		a = p.basis.centred(a)
	}
	if b.Cols == len(p.basis.mean) {
		b = p.basis.centred(b)
	}
	got := make([]float64, len(test))
	for i := range got {
		got[i] = cosine(a.Row(i), b.Row(i))
	}
	rho := reproduce.Spearman(got, dataset.Select(p.sets[v.seed].Target, test))
	if math.IsNaN(rho) { // all releases are alike
		return 0, nil
	}
	return rho, nil
}

// neighbours returns the share of the k nearest texts that are found again. Rows are
// shuffled: equal releases keep the order of rows, which must say nothing.
func (p *problem) neighbours(ctx context.Context, r release, seed int, test []int) (float64, error) {
	rows := slices.Clone(test)
	weakrand.New(weakrand.NewPCG(uint64(seed), 5)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	private := r.matrix(rows)
	if private.Cols == len(p.basis.mean) {
		private = p.basis.centred(private)
	}
	block := func(x nn.Matrix) retrieval.Blocks {
		return func(yield func(nn.Matrix) error) error { return yield(x) }
	}
	got, err := retrieval.Measure(ctx, nn.NewPool(1), block(p.basis.centred(p.x.Gather(rows))), block(private), retrieval.Options{K: []int{p.k}, Seed: uint64(seed)})
	if err != nil {
		return 0, err
	}
	return float64(got.Recalls[0].Recall), nil
}

// cosine is the cosine of an angle, 0 for a vector of zeros.
func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if !(aa > 0 && bb > 0) {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

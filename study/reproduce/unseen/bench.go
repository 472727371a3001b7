package unseen

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// bench is one encoder and what is public of its vectors.
type bench struct {
	Options
	encoder string
	methods []Method
	from    vectors

	public nn.Matrix // vectors of public texts
	basis  *basis
	toward []float64 // the direction of opinions
	made   map[string]mech.CellsParams
	comes  *cells.File // with sotto; nil if there is none for the encoder
}

// many is how many cells are made for ε: what was best over five seeds of five tasks
// at ε = 1, 2, 4 and 8 follows e^(ε/2), where half of what is lost is noise and half
// coarseness.
func many(epsilon, factor float64) int { return max(2, int(math.Round(factor*math.Exp(epsilon/2)))) }

// Cells for e^(ε/2), of public texts and of the task's own, which are more alike.
const (
	publicCells = 2.6
	ownCells    = 1.8
)

// divide makes n cells of rows, fewer if there are not enough.
func divide(ctx context.Context, x nn.Matrix, n int, s cells.Settings) (mech.CellsParams, error) {
	s.Least = 2
	s.Count = min(n, x.Rows/(4*s.Least))
	set, err := cells.Make(ctx, x, s)
	if err != nil {
		return mech.CellsParams{}, err
	}
	return mech.CellsParams{Centres: set.Centres, Shares: each(set.Texts, func(n int) float64 { return float64(n) }), Direction: s.Direction}, nil
}

// publicly returns the cells of public texts for ε and a seed, of vectors as they are
// or with opinions pulled apart.
func (b *bench) publicly(ctx context.Context, plain bool, epsilon float64, seed int) (mech.CellsParams, error) {
	key, how := fmt.Sprint(plain, epsilon, seed), cells.Settings{Epsilon: epsilon, Seed: uint64(seed), Workers: b.Workers}
	if !plain {
		how.Direction = b.toward
	}
	if _, ok := b.made[key]; !ok {
		d, err := divide(ctx, b.public, many(epsilon, publicCells), how)
		if err != nil {
			return d, err
		}
		b.made[key] = d
	}
	return b.made[key], nil
}

// prepare encodes public texts and finds their principal components.
func (b *bench) prepare(ctx context.Context, r *Result) error {
	b.made = map[string]mech.CellsParams{}
	if slices.Contains(cells.ShippedEncoders(), b.encoder) {
		f, err := cells.FindShipped("", b.encoder)
		if err != nil {
			return err
		}
		b.comes = f
	}
	x := nn.NewMatrix(0, b.from.from.Dim())
	var opinions []int
	for i, s := range b.sources { // one by one, so that what is kept serves other mixtures
		texts, labels, err := s.read(b.Dir)
		if err != nil {
			return err
		}
		r.Sources[i].Texts = len(texts)
		part, err := b.from.texts(ctx, texts, func(done int) { b.tell("encoding "+s.Name+" by "+b.encoder, done, len(texts)) })
		if err != nil {
			return err
		}
		opinions = append(opinions, labels...)
		x.Rows, x.Data = x.Rows+part.Rows, append(x.Data, part.Data...)
	}
	b.public, b.basis = x, newBasis(x, min(components, x.Cols))
	var err error
	b.toward, _, err = cells.Direct(x, opinions, cells.DefaultWeight)
	return err
}

func (b *bench) tell(job string, done, total int) {
	if b.Progress != nil {
		b.Progress(Event{job, done, total})
	}
}

// run measures all methods on all tasks and adds what it finds to a result.
func (b *bench) run(ctx context.Context, tasks []Task, r *Result) error {
	if err := b.prepare(ctx, r); err != nil {
		return err
	}
	for i, t := range tasks {
		values, err := b.task(ctx, t, func(done, total int) {
			b.tell(fmt.Sprintf("%s by %s, task %d of %d", t.Name, b.encoder, i+1, len(tasks)), done, total)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		r.add(t, b.encoder, values)
	}
	return nil
}

// basis is the principal components of rows.
type basis struct {
	mean []float64
	axes *mat.Dense // components × columns
}

// newBasis finds the n components with the largest variance.
func newBasis(x nn.Matrix, n int) *basis {
	b := &basis{mean: make([]float64, x.Cols), axes: mat.NewDense(n, x.Cols, nil)}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			b.mean[j] += float64(v) / float64(x.Rows)
		}
	}
	spread := mat.NewSymDense(x.Cols, nil)
	row := mat.NewVecDense(x.Cols, nil)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			row.SetVec(j, float64(v)-b.mean[j])
		}
		spread.SymRankOne(spread, 1, row)
	}
	var of mat.EigenSym
	if !of.Factorize(spread, true) {
		panic("unseen: a covariance has no principal components") // a symmetric finite one has
	}
	var all mat.Dense
	of.VectorsTo(&all)
	for k := range n { // the largest stands last; its sign is that of its largest number
		axis := mat.Col(nil, x.Cols-1-k, &all)
		if top := slices.MaxFunc(axis, func(a, b float64) int { return compareSize(a, b) }); top < 0 {
			for j := range axis {
				axis[j] = -axis[j]
			}
		}
		b.axes.SetRow(k, axis)
	}
	return b
}

func compareSize(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// of returns the components of rows.
func (b *basis) of(x nn.Matrix) nn.Matrix {
	n, _ := b.axes.Dims()
	z := nn.NewMatrix(x.Rows, n)
	for i := range x.Rows {
		for k := range n {
			sum, axis := 0.0, b.axes.RawRowView(k)
			for j, v := range x.Row(i) {
				sum += float64(axis[j] * (float64(v) - b.mean[j]))
			}
			z.Row(i)[k] = float32(sum)
		}
	}
	return z
}

// centred returns rows less the public mean, by which cosines tell more.
func (b *basis) centred(x nn.Matrix) nn.Matrix {
	c := x.Clone()
	for i := range c.Rows {
		row := c.Row(i)
		for j := range row {
			row[j] -= float32(b.mean[j])
		}
	}
	return c
}

package records

import (
	"context"
	weakrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"sotto/study/link"
	"sotto/text/encode"
)

// An engine compares the rows of a table.
type engine struct {
	t       Table
	o       Options
	n       int
	workers int
	entity  []int32 // of each row; −1 if it is not known
	trained []bool  // rows whose entity is learnt from
	counts  []*frequencies
	vectors *rows // of rows, one byte a number
	found   *Found
	scored  *spool  // Value is the weight, in millionths
	set     []int32 // a row that stands for those that are probably one, of each
}

// A row, made comparable.
type row struct {
	values []Value // of each column, and of all
	vector string
}

func newEngine(t Table, o Options) *engine {
	e := &engine{t: t, o: o, n: t.Len(), workers: o.Workers}
	if e.workers == 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	for range Width(len(t.Columns)) / Count {
		e.counts = append(e.counts, NewFrequencies(e.n))
	}
	e.number()
	return e
}

// close gives the room on disk back.
func (e *engine) close() {
	e.vectors.Close()
	if e.found != nil {
		e.found.Close()
	}
	e.scored.Close()
}

// number numbers the entities, and chooses those to train on.
func (e *engine) number() {
	e.entity, e.trained = make([]int32, e.n), make([]bool, e.n)
	rng := weakrand.New(weakrand.NewPCG(e.o.Seed, 19))
	seen := make(map[string]int32)
	var take []bool
	for i := range e.entity {
		e.entity[i] = -1
		if e.t.Entity == nil || e.t.Entity[i] == "" {
			continue
		}
		k, ok := seen[e.t.Entity[i]]
		if !ok {
			k = int32(len(seen))
			seen[e.t.Entity[i]] = k
			take = append(take, rng.Float64() < e.o.Share && e.o.With == nil && e.o.Ask == nil && !e.o.Unsupervised)
		}
		e.entity[i], e.trained[i] = k, take[k]
	}
}

func (e *engine) stage(what string, done, total int) {
	if e.o.Stage != nil {
		e.o.Stage(what, int64(done), int64(total))
	}
}

// read calls visit with the fields of rows that are compared.
func (e *engine) read(lo, hi int, visit func(i int, fields []string) error) error {
	if e.t.Stored == nil {
		for i := lo; i < hi; i++ {
			if err := visit(i, e.t.Rows[i][:len(e.t.Columns)]); err != nil {
				return err
			}
		}
		return nil
	}
	return e.t.Stored.Read(lo, hi, func(i int, all []string) error {
		fields := make([]string, len(e.t.Places))
		for k, p := range e.t.Places {
			if p < len(all) {
				fields[k] = all[p]
			}
		}
		return visit(i, fields)
	})
}

// batch is how many rows are indexed at a time.
const batch = 4096

// index counts words and finds the pairs to compare.
func (e *engine) index(ctx context.Context) error {
	f := NewFinder(e.n, BlockOptions{Pairs: e.o.Pairs, Chunk: chunkRows, Never: e.never()})
	defer f.Close()
	if err := e.count(ctx, f); err != nil {
		return err
	}
	e.stage("finding pairs", 0, 0)
	var err error
	e.found, err = f.Pairs(ctx)
	return err
}

// count counts words, and gives the keys of rows to f unless it is nil.
func (e *engine) count(ctx context.Context, f *finder) error {
	var planes *planes
	if e.o.Encoder != nil {
		var err error
		if e.vectors, err = NewRows(); err != nil {
			return err
		}
		planes = NewPlanes(e.o.Encoder.Dim(), e.n, e.o.Seed)
	}
	for lo := 0; lo < e.n; lo += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.indexBatch(ctx, f, planes, lo, min(e.n, lo+batch)); err != nil {
			return err
		}
		e.stage("reading rows", lo, e.n)
	}
	if e.vectors != nil {
		return e.vectors.Flush()
	}
	return nil
}

// never says which pairs have one source, if there are sources.
func (e *engine) never() func(i, j uint32) bool {
	if e.t.Source == nil {
		return nil
	}
	return func(i, j uint32) bool { return e.t.Source[i] != "" && e.t.Source[i] == e.t.Source[j] }
}

func (e *engine) indexBatch(ctx context.Context, f *finder, planes *planes, lo, hi int) error {
	texts := make([][]string, 0, hi-lo)
	if err := e.read(lo, hi, func(_ int, fields []string) error {
		texts = append(texts, slices.Clone(fields))
		return nil
	}); err != nil {
		return err
	}
	rows, keys := make([][]Value, len(texts)), make([][]uint64, len(texts))
	e.parallel(len(texts), func(k int) {
		for _, text := range texts[k] {
			rows[k] = append(rows[k], FieldParse(text, nil))
		}
		Keys(rows[k], func(key uint64) { keys[k] = append(keys[k], key) })
		if len(rows[k]) < len(e.counts) {
			rows[k] = append(rows[k], Whole(rows[k], nil))
		}
	})
	for k, row := range rows {
		for c := range row {
			e.counts[c].Add(&row[c])
		}
		for _, key := range keys[k] {
			if f == nil {
				break
			}
			if err := f.Add(lo+k, key); err != nil {
				return err
			}
		}
	}
	if planes == nil {
		return nil
	}
	return e.indexVectors(ctx, f, planes, lo, texts)
}

// indexVectors keeps the vectors of rows, and finds their neighbours unless f is nil.
func (e *engine) indexVectors(ctx context.Context, f *finder, planes *planes, lo int, texts [][]string) error {
	whole := make([]string, len(texts))
	for k, fields := range texts {
		whole[k] = strings.Join(fields, " ")
	}
	x, err := encode.Texts(ctx, e.o.Encoder, whole, e.workers)
	if err != nil {
		return err
	}
	for k := range whole {
		v := quantise(x.Row(k))
		var failed error
		planes.Keys(v, func(key uint64) {
			if f != nil && failed == nil {
				failed = f.Add(lo+k, key)
			}
		})
		if failed != nil {
			return failed
		}
		if err := e.vectors.Add([]string{packed(v)}); err != nil {
			return err
		}
	}
	return nil
}

// parallel calls do for every k below n, on all workers.
func (e *engine) parallel(n int, do func(k int)) {
	workers := min(e.workers, (n+15)/16)
	if workers < 2 {
		for k := range n {
			do(k)
		}
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for k := n * w / workers; k < n*(w+1)/workers; k++ {
				do(k)
			}
		})
	}
	wait.Wait()
}

// parse makes a row comparable.
func (e *engine) parse(fields []string) row {
	r := row{values: make([]Value, 0, len(e.counts))}
	for c, text := range fields {
		r.values = append(r.values, FieldParse(text, e.counts[c]))
	}
	if len(e.counts) > len(fields) {
		r.values = append(r.values, Whole(r.values, e.counts[len(fields)]))
	}
	return r
}

// compare fills x with what a comparison of two rows finds.
func (e *engine) compare(x []float64, a, b *row) {
	for c := range a.values {
		Compare((*Features)(x[c*Count:]), &a.values[c], &b.values[c])
	}
	if a.vector != "" {
		x[len(x)-Count+Meaning] = cosine(a.vector, b.vector)
	}
}

// load makes single rows comparable, by number.
func (e *engine) load(rows []int) (map[int]*row, error) {
	out := make(map[int]*row, len(rows))
	for _, i := range rows {
		if out[i] != nil {
			continue
		}
		r, err := e.loadOne(i)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

func (e *engine) loadOne(i int) (*row, error) {
	var out row
	err := e.read(i, i+1, func(_ int, fields []string) error {
		out = e.parse(fields)
		return nil
	})
	if err == nil && e.vectors != nil {
		err = e.vectors.Read(i, i+1, func(_ int, fields []string) error {
			out.vector = fields[0]
			return nil
		})
	}
	return &out, err
}

// judge measures the labels of some rows, or returns nil if there are none.
func (e *engine) judge(labels []int, takes func(i int) bool) *link.Agreement {
	var truth, found []int
	for i, k := range e.entity {
		if takes(i) {
			truth = append(truth, int(k))
			found = append(found, labels[i])
		}
	}
	if len(truth) == 0 {
		return nil
	}
	s := link.Compare(truth, found)
	return &s
}

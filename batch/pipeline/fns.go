package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"sotto/batch/shard"
)

// iter is how Beam hands over the values of a key.
type iter = func(*[]byte) bool

// Functions are called by reflection, which costs nothing beside a chunk. The generic
// calls of Beam's package register would cost the compiler half a minute and 1.8 GB.
func init() {
	beam.RegisterFunction(byPart)
	beam.RegisterFunction(oneKey)
	beam.RegisterFunction(none)
	beam.RegisterFunction(addLearnt)
	for _, fn := range []any{
		scanFn{}, duplicatesFn{}, turnsFn{}, spilledFn{}, refuseFn{}, reserveFn{}, releaseFn{}, releaseAllFn{}, finishFn{},
	} {
		beam.RegisterDoFn(reflect.TypeOf(fn))
	}
}

// byPart puts a chunk under the name of its part.
func byPart(c shard.Chunk) (string, []byte, error) {
	b, err := json.Marshal(c)
	return c.Part, b, err
}

// oneKey puts everything under one key.
func oneKey(_ int, v []byte) (int, []byte) { return 0, v }

// none emits nothing.
func none(int, []byte, func(int, []byte)) {}

// chunkOf reads the one chunk that a part is made of.
func chunkOf(of iter) (c shard.Chunk, err error) {
	all := drain(of)
	if len(all) != 1 {
		return c, fmt.Errorf("pipeline: a part has %d chunks, must have one", len(all))
	}
	return c, json.Unmarshal(all[0], &c)
}

// scanFn says of a chunk which ids and whose rows it has.
type scanFn struct{ Spec string }

// ProcessElement emits, by partition, names of ids, unless these are noted in a file, and
// spends of users, some hundred rows in each element, and the name of the part when it is
// done.
func (f *scanFn) ProcessElement(ctx context.Context, part string, of iter, ids, spends, names func(int, []byte)) error {
	p, done, err := enter(ctx, f.Spec)
	if err != nil {
		return fail(err)
	}
	defer done()
	c, err := chunkOf(of)
	if err != nil {
		return fail(err)
	}
	m, err := p.do(ctx, task{Chunk: c})
	if err != nil {
		return fail(err)
	}
	s := m.Scanned
	for at := range shard.Partitions {
		if len(s.IDs[at]) > 0 {
			ids(at, s.IDs[at])
		}
		if len(s.Users[at]) > 0 && p.job.Ledger != "" {
			spends(at, append([]byte(part+"\n"), shard.PackSpends(s.Users[at])...))
		}
	}
	names(0, []byte(part))
	return nil
}

// duplicatesFn counts the ids of a partition that stand twice.
type duplicatesFn struct{}

// ProcessElement emits what it found, as an object of JSON.
func (*duplicatesFn) ProcessElement(_ int, names iter, emit func(int, []byte)) error {
	b, err := json.Marshal(shard.FindDuplicates(drain(names)))
	emit(0, b)
	return err
}

// turnsFn gives each partition of ids its turn.
type turnsFn struct{}

// ProcessElement gets the names of all parts when each of them is scanned.
func (*turnsFn) ProcessElement(_ int, _ iter, turn func(int, []byte)) {
	for at := range shard.Partitions {
		turn(at, nil)
	}
}

// spilledFn counts the ids of a partition that stand twice, of chunks that noted theirs in
// files.
type spilledFn struct {
	Spec   string
	Chunks int
}

// ProcessElement emits what it found, as an object of JSON.
func (f *spilledFn) ProcessElement(ctx context.Context, at int, _ iter, emit func(int, []byte)) error {
	p, done, err := enter(ctx, f.Spec)
	if err != nil {
		return fail(err)
	}
	defer done()
	packed, err := p.worker.Spilled(at, f.Chunks)
	if err != nil {
		return fail(err)
	}
	b, err := json.Marshal(shard.FindDuplicates(packed))
	emit(0, b)
	return err
}

// refuseFn ends a job whose ids are not unique.
type refuseFn struct{}

// ProcessElement gets what was found in each partition, and the name of each part. It
// opens the gate of each part, and of each partition of users.
func (*refuseFn) ProcessElement(_ int, values iter, gate func(string, []byte), open func(int, []byte)) error {
	var found []shard.Duplicates
	var parts []string
	for _, b := range drain(values) {
		if !bytes.HasPrefix(b, []byte("{")) {
			parts = append(parts, string(b))
			continue
		}
		var d shard.Duplicates
		if err := json.Unmarshal(b, &d); err != nil {
			return fail(err)
		}
		found = append(found, d)
	}
	if err := shard.Refuse(found...); err != nil {
		return fail(err)
	}
	for _, part := range parts {
		gate(part, nil)
	}
	for at := range shard.Partitions {
		open(at, nil)
	}
	return nil
}

// reserveFn pays for the releases of the users of a partition.
type reserveFn struct{ Spec string }

// ProcessElement emits, by part, who of its users cannot pay, and what was paid for.
func (f *reserveFn) ProcessElement(ctx context.Context, at int, spends, _ iter, broke func(string, []byte), paid func(int, []byte)) error {
	packed := drain(spends)
	if len(packed) == 0 {
		return nil
	}
	p, done, err := enter(ctx, f.Spec)
	if err != nil {
		return fail(err)
	}
	defer done()
	all := map[string]shard.Spend{}
	for _, b := range packed {
		_, rest, _ := bytes.Cut(b, []byte("\n"))
		if err = shard.UnpackSpends(all, rest); err != nil {
			return fail(err)
		}
	}
	left, sums, err := p.reserve(ctx, at, all)
	if err != nil {
		return fail(err)
	}
	if err = tell(packed, left, broke); err != nil {
		return fail(err)
	}
	b, err := json.Marshal(sums)
	paid(0, b)
	return err
}

// tell emits to each part those of its users who cannot pay.
func tell(packed [][]byte, left []string, broke func(string, []byte)) error {
	out := map[string]bool{}
	for _, user := range left {
		out[user] = true
	}
	for _, b := range packed {
		if len(out) == 0 {
			return nil
		}
		part, rest, _ := bytes.Cut(b, []byte("\n"))
		some := map[string]shard.Spend{}
		if err := shard.UnpackSpends(some, rest); err != nil {
			return err
		}
		var users []string
		for user := range some {
			if out[user] {
				users = append(users, user)
			}
		}
		if len(users) == 0 {
			continue
		}
		said, err := json.Marshal(users)
		if err != nil {
			return err
		}
		broke(string(part), said)
	}
	return nil
}

// releaseFn releases a chunk.
type releaseFn struct{ Spec string }

// ProcessElement writes a part, and emits what it holds and, aside, what the trusted side
// is told. The gate has users who cannot pay.
func (f *releaseFn) ProcessElement(ctx context.Context, _ string, of, gate iter, emit, aside func(int, []byte)) error {
	broke := map[string]bool{}
	for _, b := range drain(gate) {
		var users []string
		if len(b) > 0 {
			if err := json.Unmarshal(b, &users); err != nil {
				return fail(err)
			}
		}
		for _, u := range users {
			broke[u] = true
		}
	}
	return f.release(ctx, of, broke, emit, aside)
}

// release does the work of both kinds.
func (f *releaseFn) release(ctx context.Context, of iter, broke map[string]bool, emit, aside func(int, []byte)) error {
	p, done, err := enter(ctx, f.Spec)
	if err != nil {
		return fail(err)
	}
	defer done()
	c, err := chunkOf(of)
	if err != nil {
		return fail(err)
	}
	m, err := p.do(ctx, task{Chunk: c, Release: true, Broke: broke})
	if err != nil {
		return fail(err)
	}
	b, err := json.Marshal(m.Part)
	if err != nil {
		return fail(err)
	}
	emit(0, b)
	if b, err = json.Marshal(m.Learnt); err != nil {
		return fail(err)
	}
	aside(0, b)
	return nil
}

// addLearnt adds up what two chunks told the trusted side, or many of them.
func addLearnt(a, b []byte) ([]byte, error) {
	var sum, more shard.Learnt
	if err := errors.Join(json.Unmarshal(a, &sum), json.Unmarshal(b, &more)); err != nil {
		return nil, fail(err)
	}
	if err := sum.Merge(more); err != nil {
		return nil, fail(err)
	}
	return json.Marshal(sum)
}

// releaseAllFn releases a chunk of which nobody has to know anything first.
type releaseAllFn struct{ Spec string }

// ProcessElement writes a part, and emits what it holds and what the trusted side is told.
func (f *releaseAllFn) ProcessElement(ctx context.Context, _ string, of iter, emit, aside func(int, []byte)) error {
	return (&releaseFn{Spec: f.Spec}).release(ctx, of, nil, emit, aside)
}

// finishFn writes the record of the set.
type finishFn struct {
	Spec   string
	Chunks int
}

// ProcessElement gets every part, what was paid for, and the sum of what the trusted side
// is told.
func (f *finishFn) ProcessElement(ctx context.Context, _ int, made, paid, told iter) error {
	p, done, err := enter(ctx, f.Spec)
	if err != nil {
		return fail(err)
	}
	defer done()
	parts, err := decode[shard.Part](made)
	if err != nil {
		return fail(err)
	}
	if len(parts) != f.Chunks {
		return fail(fmt.Errorf("pipeline: there are %d parts of %d chunks, must be one of each", len(parts), f.Chunks))
	}
	all, err := decode[shard.Paid](paid)
	if err != nil {
		return fail(err)
	}
	var sums *shard.Paid
	for _, one := range all {
		if sums == nil {
			sums = &shard.Paid{}
		}
		sums.Add(one)
	}
	learnt, err := decode[shard.Learnt](told)
	if err != nil {
		return fail(err)
	}
	if len(learnt) != 1 {
		return fail(fmt.Errorf("pipeline: there are %d sums for the trusted side, must be one", len(learnt)))
	}
	_, err = p.worker.Finish(ctx, parts, sums, learnt[0])
	return fail(err)
}

// decode reads values of JSON.
func decode[T any](values iter) ([]T, error) {
	all := drain(values)
	read := make([]T, len(all))
	for i, b := range all {
		if err := json.Unmarshal(b, &read[i]); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// drain returns all values.
func drain(next iter) (all [][]byte) {
	var b []byte
	for next(&b) {
		all = append(all, bytes.Clone(b))
	}
	return all
}

// fail notes an error for who runs the job in this process: an engine hands on no more
// than its words.
func fail(err error) error {
	if err != nil {
		failure.CompareAndSwap(nil, &err)
	}
	return err
}

var errLedger = errors.New("pipeline: the job has no ledger")

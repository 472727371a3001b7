package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"sotto/batch/shard"
)

// elsewhere finds a file system that Beam knows.
func elsewhere(ctx context.Context, path string) (shard.Files, error) {
	return filesystem.New(ctx, path)
}

// Plan opens a job and cuts its files, before any engine is asked: what is wrong with a
// job is then said at once. It names the job unless it has a name, and what it finds of it
// all workers are held to.
func Plan(ctx context.Context, j *Job) (*shard.Worker, []shard.Chunk, error) {
	w, err := j.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	chunks, err := w.Plan(ctx)
	if err != nil {
		return nil, nil, err
	}
	return w, chunks, w.Settle(chunks)
}

// Build makes the graph of a job over its chunks.
func Build(j *Job, chunks []shard.Chunk) (*beam.Pipeline, error) {
	if len(chunks) == 0 {
		return nil, errors.New("pipeline: there are no files, must be one")
	}
	b, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("pipeline: the job cannot be written: %w", err)
	}
	spec := string(b)
	p, s := beam.NewPipelineWithRoot()
	all := beam.ParDo(s.Scope("chunks"), byPart, beam.CreateList(s, chunks))
	var parts, told, paid beam.PCollection
	if j.ID == "" && j.Ledger == "" {
		parts, told = beam.ParDo2(s.Scope("release"), &releaseAllFn{Spec: spec}, beam.GroupByKey(s, all))
	} else {
		gate, sums := check(s, j, spec, all, len(chunks))
		parts, told = beam.ParDo2(s.Scope("release"), &releaseFn{Spec: spec}, beam.CoGroupByKey(s, all, gate))
		paid = sums
	}
	if !paid.IsValid() {
		paid = beam.ParDo(s, none, parts)
	}
	told = beam.CombinePerKey(s.Scope("add"), addLearnt, told)
	beam.ParDo0(s.Scope("finish"), &finishFn{Spec: spec, Chunks: len(chunks)}, beam.CoGroupByKey(s, parts, paid, told))
	return p, nil
}

// check looks at all chunks before anything is released. The gate has, by part, users
// of it who cannot pay; what was paid is not valid without a ledger.
func check(s beam.Scope, j *Job, spec string, all beam.PCollection, chunks int) (gate, paid beam.PCollection) {
	in := s.Scope("scan")
	ids, spends, names := beam.ParDo3(in, &scanFn{Spec: spec}, beam.GroupByKey(in, all))
	found := beam.ParDo(in, &duplicatesFn{}, beam.GroupByKey(in, ids))
	if j.Spills() {
		turns := beam.ParDo(in, &turnsFn{}, beam.GroupByKey(in, names))
		found = beam.ParDo(in, &spilledFn{Spec: spec, Chunks: chunks}, beam.GroupByKey(in, turns))
	}
	gate, open := beam.ParDo2(in, &refuseFn{}, beam.GroupByKey(in, beam.Flatten(in, found, names)))
	if j.Ledger == "" {
		return gate, paid
	}
	pay := s.Scope("reserve")
	if j.OnExhausted == Refuse { // all together
		spends = beam.ParDo(pay, oneKey, spends)
	}
	return beam.ParDo2(pay, &reserveFn{Spec: spec}, beam.CoGroupByKey(pay, spends, open))
}

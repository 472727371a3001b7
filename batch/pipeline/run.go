package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"     // a job server of Flink
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"     // the runner of this process
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"     // a job server of Spark
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // any job server

	"sotto/batch/shard"
	"sotto/evidence"
)

// failure is the first error of a function that runs in this process.
var failure atomic.Pointer[error]

// Run runs a job on a runner that Beam knows, and returns the record of the set.
func Run(ctx context.Context, j *Job, runner string) (*shard.Set, error) {
	w, chunks, err := Plan(ctx, j)
	if err != nil {
		return nil, err
	}
	if err = w.Begin(ctx, chunks); err != nil {
		return nil, err
	}
	p, err := Build(j, chunks)
	if err != nil {
		return nil, err
	}
	failure.Store(nil)
	j.begin(len(chunks))
	_, err = beam.Run(ctx, runner, p)
	dismiss()
	if closed := CloseBooks(); err == nil {
		err = closed
	}
	if err == nil {
		return readSet(ctx, j, w)
	}
	left := w.Sweep()
	if why := failure.Load(); why != nil {
		return nil, errors.Join(*why, left)
	}
	return nil, errors.Join(fmt.Errorf("pipeline: the job did not end well on %s: %w", runner, err), left)
}

// readSet reads the record that the last function wrote, maybe on another machine, and
// has it signed as it was read.
func readSet(ctx context.Context, j *Job, w *shard.Worker) (*shard.Set, error) {
	in, err := openSet(ctx, j.Out)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	set, err := evidence.ParseSet(content)
	if err == nil && j.Sign != nil {
		err = w.WriteSignature(ctx, j.Sign(content))
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

func openSet(ctx context.Context, dir string) (io.ReadCloser, error) {
	if !strings.Contains(dir, "://") {
		return os.Open(filepath.Join(dir, shard.SetFile))
	}
	files, err := elsewhere(ctx, dir)
	if err != nil {
		return nil, err
	}
	return files.OpenRead(ctx, strings.TrimSuffix(dir, "/")+"/"+shard.SetFile)
}

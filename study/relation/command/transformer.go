package relation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/study/relation"
	"sotto/study/relation/joint"
	"sotto/study/relation/judge"
	"sotto/study/relation/marks"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// lstm is the encoder that needs no other.
const lstm = "lstm"

// How a transformer is tuned if nobody says.
const (
	tunedEpochs = 5
	tunedBatch  = 32
	tunedRate   = 1.5e-4
)

// tuned returns how a transformer is tuned, and refuses flags that are of the other encoder.
func (o *trainOptions) tuned(fs *pflag.FlagSet) (tune.Settings, error) {
	if err := term.RefuseFlags(fs, "with --encoder "+o.encoder, "on", "share", "hidden"); err != nil {
		return tune.Settings{}, err
	}
	if o.Without != "" && o.Without != joint.Decoder {
		return tune.Settings{}, fmt.Errorf("--without is %.40q, must be decoder with --encoder %s", o.Without, o.encoder)
	}
	// The rate falls to zero, and the last epoch is as good as any: the first of those
	// that tell relations best would write rules less well.
	s := tune.Settings{Rate: tunedRate, Epochs: tunedEpochs, Batch: tunedBatch, Seed: o.Seed, Last: true}
	if fs.Changed("rate") {
		s.Rate = o.Rate
	}
	if fs.Changed("batch") {
		s.Batch = o.Batch
	}
	if fs.Changed("epochs") {
		s.Epochs = o.Epochs
	}
	return s, nil
}

// transform trains a transformer with each seed, keeps the best, and measures all.
func (o *trainOptions) transform(ctx context.Context, set *relation.Set, s tune.Settings, std term.Streams) (*judge.ModelResult, error) {
	dir, name, err := catalogue.Transformer(o.encoder)
	if err != nil {
		return nil, fmt.Errorf("--encoder: %w", err)
	}
	d := marks.Data{Name: set.Name, Hash: hashed(set), Train: set.Part(dataset.Train), Dev: set.Part(dataset.Validation), Typed: o.Mask}
	rules, err := o.written(ctx, d.Train, std)
	if err != nil {
		return nil, err
	}
	if o.Without != joint.Decoder {
		d.Rules = rules
	}
	var results []*judge.ModelResult
	var seeds []uint64
	best := -1.0
	for range o.seeds {
		fresh := fmt.Sprintf("%s.seed%d", filepath.Clean(o.out), s.Seed)
		trained, err := o.tune(ctx, dir, fresh, d, s, std)
		if err != nil {
			return nil, err
		}
		m, err := marks.Open(fresh)
		if err != nil {
			return nil, err
		}
		m.Workers = o.workers
		r, err := judge.MeasureModel(ctx, m, set, judge.ModelOptions{Model: name + " with marks around arguments", Rules: rules})
		if err != nil {
			return nil, err
		}
		results, seeds = append(results, r), append(seeds, s.Seed)
		if trained.Accuracy > best {
			best = trained.Accuracy
			err = atomicfile.SwapDir(fresh, o.out)
		} else {
			err = os.RemoveAll(fresh)
		}
		if err != nil {
			return nil, err
		}
		s.Seed++
	}
	for _, seed := range seeds { // whoever is interrupted before this need not train again
		if err := os.RemoveAll(o.state(seed)); err != nil {
			return nil, err
		}
	}
	return judge.ModelMean(results, seeds)
}

// tune trains with one seed, with progress.
func (o *trainOptions) tune(ctx context.Context, parent, out string, d marks.Data, s tune.Settings, std term.Streams) (*marks.Result, error) {
	bar := term.NewProgress(std.Err, "steps")
	defer bar.Finish()
	options := tune.Options{
		Pool:     nn.NewPool(o.workers),
		Progress: func(p tune.Progress) { bar.Set(int64(p.Step), int64(p.Steps)) },
		Save:     func(state *tune.State) error { return atomicfile.Write(o.state(s.Seed), state.Write) },
	}
	if o.resume {
		state, err := tune.ReadState(o.state(s.Seed))
		if err == nil {
			options.Resume = state
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("--resume: %w", err)
		}
	}
	return marks.Train(ctx, parent, out, d, s, options)
}

// hashed is a digest of the instances of a set.
func hashed(set *relation.Set) string {
	h := sha256.New()
	for _, x := range set.Instances {
		h.Write(fmt.Appendf(nil, "%d %s %v %v %s %s\n", len(x.Doc.Text), x.Doc.Text, x.Subject, x.Object, x.Relation, x.Part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

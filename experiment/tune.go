package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sotto/encode/bert/tune"
	"sotto/encode/catalogue"
	"sotto/experiment/prepared"
	"sotto/experiment/tuned"
	"sotto/nn"
	"sotto/train/model"
)

// tunedState is the file of a tuning that is unfinished, below that of states.
const tunedState = "encoder.safetensors"

// tuning returns the settings of the encoder's training.
func (s Spec) tuning() tune.Settings {
	return tune.Settings{Layers: s.TuneLayers, Rate: s.TuneRate, Epochs: s.TuneEpochs, Length: s.TuneLength, Long: s.TuneLong, Seed: s.FirstSeed}
}

// tuningKey names a tuned encoder after what decides it but for the rows and the
// encoder that it began with, which its manifest tells.
func (s Spec) tuningKey() string {
	only := Spec{
		Data: s.Data, DataVariant: s.DataVariant, In: s.In, Layout: s.Layout, Label: s.Label, Labels: s.Labels, Unknown: s.Unknown,
		Encoder: s.Encoder, Dropout: s.Dropout, Limit: s.Limit, FirstSeed: s.FirstSeed,
		Tune: s.Tune, TuneLayers: s.TuneLayers, TuneRate: s.TuneRate, TuneEpochs: s.TuneEpochs, TuneLength: s.TuneLength, TuneLong: s.TuneLong,
	}
	return only.Hash()[:16]
}

// load makes numbers of the data of a spec. Where the encoder is to be tuned, it is
// tuned first: into the folder of the result, or into one that is gone afterwards.
func (r *runner) load(ctx context.Context) (*prepared.Set, error) {
	want := r.spec.wants()
	if !r.spec.Tune {
		return r.opt.Sets.Make(ctx, want, r.spec.In, r.opt.Workers)
	}
	if err := r.checkTuned(ctx, want); err != nil {
		return nil, err
	}
	o := tuned.Options{Workers: r.opt.Workers, Resume: r.opt.Resume, Progress: r.tellTuning}
	switch {
	case r.opt.Encoders != "":
		o.Dir = filepath.Join(r.opt.Encoders, r.spec.tuningKey())
		o.State, o.Resume = o.Dir+".unfinished", true
		o.Begin = func() error { return os.MkdirAll(r.opt.Encoders, 0o755) } //nolint:gosec // as the folders of results
	case r.store.dir == "":
		temporary, err := os.MkdirTemp("", "sotto-tune-*")
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		defer os.RemoveAll(temporary) //nolint:errcheck // it is gone, or nothing can be done
		o.Dir = filepath.Join(temporary, catalogue.TunedDir)
	default:
		o.Begin = func() error { return r.store.begin(r.spec) }
		o.Dir, o.State = filepath.Join(r.store.dir, catalogue.TunedDir), filepath.Join(r.store.dir, statesDir, tunedState)
	}
	info, err := tuned.Encoder(ctx, want, r.spec.In, r.spec.tuning(), o)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	if err != nil {
		return nil, err
	}
	want.Encoder = o.Dir
	d, err := r.opt.Sets.Make(ctx, want, r.spec.In, r.opt.Workers)
	if err != nil {
		return nil, err
	}
	head, err := tune.ReadHead(o.Dir)
	if err != nil {
		return nil, err
	}
	about := *d // others may share it
	about.Head = (*model.Linear)(head)
	about.Notes = append(append([]string{}, d.Notes...), fmt.Sprintf("the encoder %s was tuned on the rows that train, with seed %d; the guarantees cover the texts that are released, not those", info.Name(), r.spec.FirstSeed))
	if info.Long != nil {
		note, err := tuned.LongNote(info)
		if err != nil {
			return nil, err
		}
		about.Notes = append(about.Notes, note)
	}
	return &about, nil
}

// checkTuned lets the methods refuse their settings and the data before minutes go
// into an encoder: it shows them the data with vectors of zeros.
func (r *runner) checkTuned(ctx context.Context, want model.DataRecord) error {
	d, set, err := prepared.Outline(ctx, want, r.spec.In)
	if err != nil {
		return err
	}
	if err = tuned.Check(want.Encoder, set); err != nil {
		return err
	}
	d.X = nn.NewMatrix(len(d.Y), 1+set.Width)
	trial := &runner{spec: r.spec, opt: r.opt, data: d, result: &Result{}}
	_, err = trial.plan()
	return err
}

// tellTuning passes on where the tuning stands.
func (r *runner) tellTuning(p tune.Progress) {
	if r.opt.Progress == nil {
		return
	}
	r.opt.Progress(Event{Job: "encoder", Tuning: &p, Done: float64(p.Step) / float64(max(1, p.Steps))})
}

// near makes the encoder that a record names one that can be opened: a tuned one
// lies beside the models.
func near(dir string, r model.DataRecord) (model.DataRecord, error) {
	var err error
	r.Encoder, err = catalogue.Near(r.Encoder, dir)
	return r, err
}

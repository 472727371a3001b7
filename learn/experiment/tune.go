package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// encoderOf returns the folder of the encoder that a configuration is trained on with
// a seed, "" where none is tuned. Methods that train a network against noise or an
// adversary have one for each configuration, since it is trained together with that;
// the others share one of each seed.
func (r *runner) encoderOf(p Point, seed uint64) string {
	s := r.spec
	if !s.Tune {
		return ""
	}
	f, _ := findMethod(p.Method)                       // the method was found before
	if s.TuneOnce || !f.together && len(f.Uses) == 0 { // which sees no vector
		seed = s.FirstSeed
	}
	switch {
	case r.opt.Encoders != "":
		return s.tuningKey(f, p, seed)
	case f.together && s.TuneOnce:
		return fmt.Sprintf("%s-%s", catalogue.TunedDir, p.Name())
	case f.together:
		return fmt.Sprintf("%s-%s-seed-%d", catalogue.TunedDir, p.Name(), seed)
	case seed == s.FirstSeed:
		return catalogue.TunedDir
	}
	return fmt.Sprintf("%s-%d", catalogue.TunedDir, seed)
}

// tuningKey names a tuned encoder after what decides it but for the rows and the
// encoder that it began with, which its manifest tells.
func (s Spec) tuningKey(f family, p Point, seed uint64) string {
	if f.together {
		s.Methods, s.FirstSeed, s.Seeds = []string{p.Name()}, seed, 1
		return s.Hash()[:16]
	}
	only := Spec{
		Data: s.Data, DataVariant: s.DataVariant, In: s.In, Layout: s.Layout, Label: s.Label, Labels: s.Labels, Unknown: s.Unknown,
		Encoder: s.Encoder, Dropout: s.Dropout, Limit: s.Limit, FirstSeed: seed,
		Tune: s.Tune, TuneLayers: s.TuneLayers, TuneRate: s.TuneRate, TuneEpochs: s.TuneEpochs, TuneLength: s.TuneLength, TuneLong: s.TuneLong,
	}
	return only.Hash()[:16]
}

// load makes numbers of the data of a spec. Where encoders are to be tuned, they are
// tuned first: into the folder of the result, or into one that is gone afterwards.
// What it returns is as the encoder of the first job shows it. Of a spec that is not
// run whole, only the encoder of the first method's first seed is tuned.
func (r *runner) load(ctx context.Context, whole bool) (*TrainingSet, error) {
	want := r.spec.wants()
	if !r.spec.Tune {
		return r.opt.Sets.Make(ctx, want, r.spec.In, r.opt.Workers)
	}
	jobs, err := r.checkTuned(ctx, want)
	if err != nil {
		return nil, err
	}
	if !whole {
		first := slices.IndexFunc(jobs, func(j job) bool { return j.config >= 0 })
		jobs = jobs[first : first+1]
	}
	if r.tuned, err = NewTunedEncoders(cmp.Or(r.opt.Encoders, r.store.dir), want, r.spec.In, r.opt.Workers); err != nil {
		return nil, err
	}
	notes, err := r.tune(ctx, jobs)
	if err != nil {
		return nil, err
	}
	r.tuned.Need(jobs[0].encoder) // it stays
	d, err := r.tuned.Of(ctx, jobs[0].encoder, r.opt.Sets)
	if err != nil {
		return nil, err
	}
	d.Notes = append(append([]string{}, d.Notes...), notes...)
	return d, nil
}

// tune tunes the encoders of all jobs, one after the other on all cores, and returns
// what a person should know of them. One that diverges takes only its own jobs with
// it, unless it is the first.
func (r *runner) tune(ctx context.Context, jobs []job) ([]string, error) {
	var first []job // of each encoder
	for _, j := range jobs {
		if r.tuned.Need(j.encoder) {
			first = append(first, j)
		}
	}
	var notes []string
	told := map[string]bool{}
	for i, j := range first {
		o := TuneOptions{Resume: r.opt.Resume, Progress: func(p tune.Progress) {
			if r.opt.Progress != nil {
				r.opt.Progress(Event{Job: j.encoder, Tuning: &p, Done: (float64(i) + float64(p.Step)/float64(max(1, p.Steps))) / float64(len(first))})
			}
		}}
		switch {
		case r.opt.Encoders != "":
			o.State, o.Resume = filepath.Join(r.opt.Encoders, j.encoder+".unfinished"), true
			o.Begin = func() error { return os.MkdirAll(r.opt.Encoders, 0o755) } //nolint:gosec // as the folders of results
		case r.store.dir != "":
			o.Begin, o.State = func() error { return r.store.begin(r.spec) }, r.store.state(j.encoder)
		}
		s := tune.Settings{Layers: r.spec.TuneLayers, Rate: r.spec.TuneRate, Epochs: r.spec.TuneEpochs, Length: r.spec.TuneLength, Long: r.spec.TuneLong, Seed: j.seed}
		if f, err := findMethod(j.point.Method); err == nil && f.together {
			o.Head = func(d *TrainingSet, columns int) (tune.Head, bool, error) { return r.network(j, d, columns) }
			if !told[f.Name] {
				told[f.Name] = true
				notes = append(notes, fmt.Sprintf("%s has an encoder of its own, trained together with the network behind it", f.Name))
				if j.point.Mechanism != "" {
					notes[len(notes)-1] += "; its ε is that of the release behind both, whatever was trained"
				}
			}
		}
		info, err := r.tuned.Tune(ctx, j.encoder, s, o)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", ErrInterrupted, err)
		case err != nil && (i == 0 || !errors.Is(err, tune.ErrDiverged)):
			return nil, err
		case i == 0:
			notes = append(notes, fmt.Sprintf("the encoder %s was tuned on the rows that train, with seed %d; the guarantees cover the texts that are released, not those", info.Name(), j.seed))
			if info.Long != nil {
				note, failed := longNote(info)
				if failed != nil {
					return nil, failed
				}
				notes = append(notes, note)
			}
		}
	}
	if len(first) > 1 {
		notes = append(notes, fmt.Sprintf("%d encoders were tuned on the same rows", len(first)))
	}
	return notes, nil
}

// network returns what is trained together with the encoder of a job, and whether its
// last epoch is the one to keep.
func (r *runner) network(j job, d *TrainingSet, columns int) (tune.Head, bool, error) {
	set, err := (&runner{data: d}).prepare(r.spec, j.point)
	if err != nil {
		return nil, false, err
	}
	n, err := set.fitting.Together(columns, j.seed)
	return n, err == nil && n.KeepLast(), err
}

// checkTuned lets the methods refuse their settings and the data before minutes go
// into an encoder: it shows them the data with vectors of zeros. It returns the jobs.
func (r *runner) checkTuned(ctx context.Context, want model.DataRecord) ([]job, error) {
	d, set, err := outlineSet(ctx, want, r.spec.In)
	if err != nil {
		return nil, err
	}
	if err = checkTunable(want.Encoder, set); err != nil {
		return nil, err
	}
	d.Blank(set, 1)
	return (&runner{spec: r.spec, opt: r.opt, data: d, result: &Result{}}).plan()
}

// see returns the data as the encoder of a job shows it, and the job's method made
// ready for that.
func (r *runner) see(ctx context.Context, j job) (*TrainingSet, *train.Fitting, error) {
	if r.tuned == nil {
		return r.data, j.fitting, nil
	}
	d, err := r.tuned.Of(ctx, j.encoder, nil)
	if err != nil || d == r.data && d.Start == nil {
		return d, j.fitting, err
	}
	f, err := j.method.Prepare(d.Data)
	return d, f, err
}

package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/internal/atomicfile"
	"sotto/learn/model"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// This part of the package tunes the encoder of an experiment, before anything is learnt from
// its vectors: it takes the texts and labels that a record names to package
// text/encode/bert/tune, and keeps what is unfinished.
//
// It runs on the trusted side, and what it makes protects nobody by itself. The
// smallest use is
//
//	info, err := TuneEncoder(ctx, record, "", tune.Settings{}, TuneOptions{Dir: dir})

// TuneOptions say how, not what, to tune.
type TuneOptions struct {
	Dir string // of the encoder
	// State is the file of what is unfinished; "" keeps nothing.
	State  string
	Resume bool // go on with State, or take Dir if it is the same encoder
	// Begin, if not nil, is called once nothing is left that could refuse the work.
	Begin    func() error
	Workers  int
	Progress func(tune.Progress)
	// Head, if not nil, makes what is trained behind the encoder, for data whose first
	// so many columns the encoder is to make: they are zeros yet. It also says whether
	// the last epoch is the one to keep. Without it a linear layer is trained.
	Head func(d *TrainingSet, columns int) (head tune.Head, last bool, err error)
	// Long is how the rule for long texts was chosen for the same texts and settings,
	// if it was: a manifest has it.
	Long json.RawMessage
}

// TuneEncoder tunes the encoder that a record names on the data that it names, for all
// of its labels, and writes it as a folder. If ctx ends it returns an error that
// wraps ctx's, and keeps what there is.
func TuneEncoder(ctx context.Context, r model.DataRecord, file Path, s tune.Settings, o TuneOptions) (*bert.Manifest, error) {
	dir, name, err := catalogue.Transformer(string(r.Encoder))
	if err != nil {
		return nil, err
	}
	d, set, err := outlineSet(ctx, r, file)
	if err != nil {
		return nil, err
	}
	if err = takes(set); err != nil {
		return nil, err
	}
	f, err := bert.Read(dir)
	if err != nil {
		return nil, err
	}
	learn, err := data(ctx, d, set, r)
	if err != nil {
		return nil, err
	}
	info := bert.Manifest{Parent: name, Data: r.Name, DataHash: d.Record.Hash}
	if s.Long, info.Long, err = long(ctx, dir, learn, s, o); err != nil {
		return nil, err
	}
	if o.Head != nil {
		columns := f.Shape().Hidden
		if set.Second != nil {
			columns *= 2
		}
		d.Blank(set, columns)
		if learn.Head, s.Last, err = o.Head(d, columns); err != nil {
			return nil, err
		}
	}
	t, err := tune.New(f, learn, s)
	if err != nil {
		return nil, err
	}
	if info.ParentHash, err = bert.Digest(dir); err != nil {
		return nil, err
	}
	if o.Resume {
		if done, failed := finished(o.Dir, info, t); failed != nil || done != nil {
			return done, failed
		}
	}
	if o.Begin != nil {
		if err = o.Begin(); err != nil {
			return nil, err
		}
	}
	if err = run(ctx, t, o); err != nil {
		return nil, err
	}
	if info, err = t.Write(o.Dir, info); err != nil {
		return nil, err
	}
	return &info, drop(o.State)
}

// long returns the rule for long texts, and how it was chosen if it was: unless
// one is given, on the validation part.
func long(ctx context.Context, dir string, d tune.Data, s tune.Settings, o TuneOptions) (rule string, how json.RawMessage, err error) {
	if s.Long != "" && s.Long != tune.AutoLong {
		return s.Long, nil, nil
	}
	if m, failed := bert.ReadManifest(o.Dir); o.Resume && failed == nil && m != nil && m.Long != nil {
		o.Long = m.Long
	}
	if o.Long != nil {
		var c tune.LongChoice
		if json.Unmarshal(o.Long, &c) == nil {
			return c.Rule, o.Long, nil
		}
	}
	var tell func(string)
	if o.Progress != nil {
		tell = func(rule string) { o.Progress(tune.Progress{Trying: rule}) }
	}
	c, err := tune.ChooseLong(ctx, dir, d, s, o.Workers, tell)
	if err != nil || len(c.Tried) == 0 {
		return "", nil, err
	}
	how, err = json.Marshal(c)
	if err != nil {
		return "", nil, fmt.Errorf("tuned: %w", err)
	}
	return c.Rule, how, nil
}

// longNote says how the rule for long texts of a tuned encoder was chosen.
func longNote(m *bert.Manifest) (string, error) {
	var c tune.LongChoice
	var s tune.Settings
	if err := errors.Join(json.Unmarshal(m.Long, &c), json.Unmarshal(m.Settings, &s)); err != nil {
		return "", fmt.Errorf("tuned: %s of the encoder has no choice of a rule for long texts: %w", bert.ManifestFile, err)
	}
	return c.Text(s.Length), nil
}

// checkTunable refuses what cannot be tuned, before anything is loaded for long.
func checkTunable(encoder catalogue.Name, set *dataset.Set) error {
	if _, _, err := catalogue.Transformer(string(encoder)); err != nil {
		return err
	}
	return takes(set)
}

// takes refuses data that is no texts.
func takes(set *dataset.Set) error {
	if set.Text == nil {
		return fmt.Errorf("tuned: %s is a table, must be texts to tune an encoder on", set.Name)
	}
	return nil
}

// data is what is learnt from.
func data(ctx context.Context, d *TrainingSet, set *dataset.Set, r model.DataRecord) (tune.Data, error) {
	out := tune.Data{
		Train: d.Train, Validation: d.Validation,
		Labels: [][]int{d.Y}, Classes: []int{d.Classes}, Weights: []float64{1},
	}
	var err error
	if out.Texts, out.Masked, err = masked(ctx, r, set.Text); err != nil {
		return out, err
	}
	if set.Second != nil {
		if out.Second, out.SecondMasked, err = masked(ctx, r, set.Second); err != nil {
			return out, err
		}
	}
	for _, more := range d.More {
		out.Labels, out.Classes, out.Weights = append(out.Labels, more.Y), append(out.Classes, more.Classes), append(out.Weights, 1)
	}
	for i := range out.Weights {
		out.Weights[i] /= float64(len(out.Labels))
	}
	return out, nil
}

// finished returns the manifest of the folder if it is that of the same training;
// nil if there is none.
func finished(dir string, want bert.Manifest, t *tune.Trainer) (*bert.Manifest, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as the comment says
	}
	m, err := bert.ReadManifest(dir)
	if err != nil || m == nil {
		return nil, errors.Join(err, fmt.Errorf("tuned: %s is no tuned encoder, must be one or absent", dir))
	}
	var had tune.Settings
	if err := json.Unmarshal(m.Settings, &had); err != nil || had != t.Settings() || m.Head != t.About() || m.ParentHash != want.ParentHash || m.DataHash != want.DataHash {
		return nil, fmt.Errorf("tuned: %s was tuned otherwise, or on other data; remove it to tune again", dir)
	}
	return m, nil
}

// run trains, with what is unfinished kept in a file.
func run(ctx context.Context, t *tune.Trainer, o TuneOptions) error {
	how := tune.Options{Pool: nn.NewPool(max(1, o.Workers)), Progress: o.Progress}
	if o.State != "" {
		how.Save = func(s *tune.State) error {
			return atomicfile.Write(o.State, func(w io.Writer) error { return s.Write(w) })
		}
		if o.Resume {
			state, err := tune.ReadState(o.State)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%w; remove %s to tune from the start", err, filepath.Base(o.State))
			}
			how.Resume = state
		}
	}
	return t.Run(ctx, how)
}

// drop removes what is no longer needed.
func drop(state string) error {
	if state == "" {
		return nil
	}
	if err := os.Remove(state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("tuned: %w", err)
	}
	return nil
}

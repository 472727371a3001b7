package explain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/study/explain/decoy"
	"sotto/study/explain/linear"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// rowsFlags say which labelled texts are worked on.
type rowsFlags struct {
	data, in, label, name string
	layout                dataset.Layout
}

func (o *rowsFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&o.data, "data", "sst2", "data set of texts, as sotto data names it")
	fs.StringVar(&o.in, "in", "", "file of rows of your own, in place of --data: csv, tsv, jsonl or parquet")
	fs.StringVar(&o.layout.Text, "text", "", "column of the texts of --in")
	fs.StringVar(&o.label, "label", "", "column of the label of --in, or label of --data if that has several")
	fs.StringVar(&o.layout.Split, "split", "", "column of --in with train, validation or test for each row (default: drawn)")
	fs.StringVar(&o.name, "name", "", "name of the rows of --in in results and on pages (default: own)")
}

// parts says which parts of the data are which rows.
type parts int

const (
	usual  parts = iota // validation rows are neither trained on nor tested
	merged              // validation rows are training rows
	whole               // all rows are training rows
)

// load reads the rows.
func (o *rowsFlags) load(ctx context.Context, fs *pflag.FlagSet, p parts) (decoy.Data, error) {
	var set *dataset.Set
	var err error
	if o.in == "" {
		if err = term.Refuse(fs, "without --in", "text", "split", "name"); err != nil {
			return decoy.Data{}, err
		}
		set, err = dataset.Load(o.data, dataset.Options{Label: o.label})
	} else {
		if fs.Changed("data") {
			return decoy.Data{}, errors.New("--data and --in are given, must be one of them")
		}
		if o.layout.Text == "" || o.label == "" {
			return decoy.Data{}, errors.New("want --text and --label, the columns of the texts and of the label of --in")
		}
		set, err = own.Load(ctx, o.in, own.Options{Layout: o.layout, Name: o.name, Labels: []string{o.label}})
	}
	if err != nil {
		return decoy.Data{}, err
	}
	return labelled(set, p)
}

// labelled returns the parts of a set of texts, rows without a label left out.
func labelled(set *dataset.Set, p parts) (decoy.Data, error) {
	d := decoy.Data{Name: set.Name, Classes: set.Label.Classes}
	if set.Text == nil || set.Second != nil || len(set.Label.Classes) < 2 {
		return d, fmt.Errorf("%s is a table, has pairs of texts or no classes, must be single texts with classes", set.Name)
	}
	for i, part := range set.Split {
		to := &d.Train
		switch {
		case set.Label.IDs[i] == dataset.Unknown || part == dataset.Validation && p == usual:
			continue
		case part == dataset.Test && p != whole:
			to = &d.Test
		}
		to.Texts, to.Labels = append(to.Texts, set.Text[i]), append(to.Labels, set.Label.IDs[i])
	}
	if p == whole {
		d.Test = d.Train
	}
	return d, d.Validate()
}

// wordsModel is the encoder of the default: none.
const wordsModel = "words"

// modelFlags say what the model is linear over.
type modelFlags struct {
	encoder string
	tune    int
	fit     linear.Options
}

func (o *modelFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&o.encoder, "encoder", wordsModel, "what the model is linear over: words, or the vectors of an encoder, such as default or minilm")
	fs.IntVar(&o.tune, "tune", 0, "epochs for which the transformer of --encoder is tuned on the training rows first (default: none)")
	fs.Float64Var(&o.fit.C, "c", 1, "how much rows count beside the penalty on weights")
}

// learner makes features from training rows.
type learner func(ctx context.Context, rows decoy.Part) (linear.Features, error)

// open returns what makes the features of a model, and what closes it.
func (o *modelFlags) open(ctx context.Context, classes, workers int, tell func(tune.Progress)) (learn learner, done func() error, err error) {
	switch {
	case o.encoder == wordsModel && o.tune != 0:
		return nil, nil, errors.New("--tune is for the transformer of --encoder, such as minilm")
	case o.encoder == wordsModel:
		return func(_ context.Context, rows decoy.Part) (linear.Features, error) {
			return linear.Learn(rows.Texts), nil
		}, func() error { return nil }, nil
	case o.tune < 0:
		return nil, nil, fmt.Errorf("--tune is %d, must be a number of epochs", o.tune)
	case o.tune > 0:
		return o.tuned(classes, workers, tell)
	}
	source, err := catalogue.Open(ctx, catalogue.Said(o.encoder), dataset.Dir())
	if err != nil {
		return nil, nil, err
	}
	return func(context.Context, decoy.Part) (linear.Features, error) {
		return linear.Encoded{Source: source, Workers: workers}, nil
	}, term.CloserOf(source), nil
}

// tuned tunes a transformer for each model, in a folder that is removed at the end.
func (o *modelFlags) tuned(classes, workers int, tell func(tune.Progress)) (learner, func() error, error) {
	dir, err := os.MkdirTemp("", "sotto-*")
	if err != nil {
		return nil, nil, err
	}
	made := 0
	return func(ctx context.Context, rows decoy.Part) (linear.Features, error) {
		made++
		t := linear.Tuning{Encoder: o.encoder, Dir: filepath.Join(dir, strconv.Itoa(made)), Settings: tune.Settings{Epochs: o.tune}, Workers: workers, Progress: tell}
		return t.Learn(ctx, rows.Texts, rows.Labels, classes)
	}, func() error { return os.RemoveAll(dir) }, nil
}

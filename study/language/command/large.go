package language

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/study/language/model"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// trainedLarge is what "sotto language train --encoder --json" prints.
type trainedLarge struct {
	Out       string  `json:"out"`
	Encoder   string  `json:"encoder"` // what the tuned transformer is known by
	Sentences int     `json:"sentences"`
	Words     int     `json:"words"`
	Epoch     int     `json:"epoch"`                 // that is kept
	LAS       float64 `json:"dev_las_with_subtypes"` // of it on the sentences of --dev
}

// trainLarge trains a network behind a transformer.
func trainLarge(ctx context.Context, o trainOptions, std term.Streams) error {
	parent, name, err := catalogue.Transformer(o.encoder)
	if err != nil {
		return err
	}
	notice, err := o.check()
	if err != nil {
		return err
	}
	if o.dev == "" {
		return errors.New("give --dev beside --encoder, a treebank in CoNLL-U that tells which pass to keep")
	}
	if err = freshFolder(o.out); err != nil {
		return err
	}
	d := model.LargeData{Parent: name, Notice: notice}
	if d.Train, d.Validation, err = o.read(); err != nil {
		return err
	}
	if d.Given, err = o.given(); err != nil {
		return err
	}
	s := model.LargeSettings{Network: o.Config, Tune: tune.Settings{Epochs: o.Epochs, Batch: o.Batch, Rate: o.Rate, Seed: o.Seed}}
	bar := term.NewProgress(std.Err, "steps")
	result := trainedLarge{Out: o.out, Sentences: d.Train.Sentences(), Words: len(d.Train.Tokens)}
	r, err := model.TrainLarge(ctx, parent, o.out, d, s, tune.Options{Pool: nn.NewPool(o.workers), Progress: func(p tune.Progress) {
		bar.Set(int64(p.Step), int64(p.Steps))
		if p.Ended {
			fmt.Fprintf(std.Err, "pass %d of %d: loss %.3f; LAS with subtypes %.2f\n", p.Epoch, p.Epochs, p.Loss, 100*p.Accuracy) //nolint:errcheck // words only
		}
	}})
	bar.Finish()
	if err != nil {
		return err
	}
	result.Encoder, result.Epoch, result.LAS = r.Manifest.Name(), r.Epoch, r.LAS
	return term.Show(std.Out, o.json, result, func(w io.Writer, r trainedLarge) error {
		_, err := fmt.Fprintf(w, "%s: from %d sentences of %d words, after pass %d; LAS with subtypes %.2f on --dev\n", r.Out, r.Sentences, r.Words, r.Epoch, 100*r.LAS)
		return err
	})
}

// freshFolder refuses to write in place of what is no earlier model of this kind.
func freshFolder(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if m, err := bert.ReadManifest(path); err == nil && m != nil && m.HeadFile == model.LargeFile {
		return nil
	}
	return fmt.Errorf("--out is %s, which is there already, must be a new folder or one of this command", path)
}

package model

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sotto/data/dataset"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// Opened is a trained model on the trusted side, with all that a text needs on its way
// to a release: which encoder makes a vector of it, what masks it before, and what stands
// beside it. [Open] makes one. Whoever releases texts by a model begins here.
type Opened struct {
	Model    *Model
	Manifest Manifest
	Folder   string
	Labels   []LabelRecord // that the model answers, the first one first
	Masks    Masks         // with which it was trained
	Numbers  []string      // columns of numbers that it takes beside a text
	Scales   []Scale       // what makes its inputs of those
	Encoder  catalogue.Name
}

// Open loads the model in a folder, for texts. It refuses one that was not trained on
// texts, and one with another encoder than a person named beside it.
func Open(ctx context.Context, dir string) (*Opened, error) {
	m, info, err := Load(dir)
	if err != nil {
		return nil, err
	}
	return Opening(ctx, m, info, dir)
}

// Opening is [Open] of a model that [Load] has read from its folder.
func Opening(ctx context.Context, m *Model, info Manifest, dir string) (*Opened, error) {
	o := &Opened{Model: m, Manifest: info, Folder: dir, Masks: info.Masked()}
	err := info.Data.Texts()
	if err == nil {
		o.Numbers, o.Scales, err = info.Data.Numbers()
	}
	if err == nil {
		info.Architecture = m.Architecture()
		o.Labels, err = info.Labels()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err = catalogue.Agree(ctx, dir, info.Data.Encoder); err != nil {
		return nil, err
	}
	o.Encoder, err = catalogue.Near(info.Data.Encoder, dir)
	return o, err
}

// Source opens the encoder that the manifest names, if a manifest may name it.
func (o *Opened) Source(ctx context.Context) (encode.Source, error) {
	return catalogue.OpenNamed(ctx, o.Encoder, catalogue.Beside(o.Folder, dataset.Dir()))
}

// Fits refuses an encoder that makes other vectors than the model takes.
func (o *Opened) Fits(e encode.Source) error {
	if in := o.Model.Architecture().Inputs; in != e.Dim()+len(o.Numbers) {
		return fmt.Errorf("%s: the model takes %d numbers, the encoder %s makes %d and %d columns hold others, must be as many; a model of pairs of texts releases none alone", o.Folder, in, e.Name(), e.Dim(), len(o.Numbers))
	}
	return nil
}

// Trained returns what the folder knows of the texts that the model was trained on, and
// those of the maskers that masked them then. Where it knows nothing the error wraps
// [ErrNotKnown].
func (o *Opened) Trained(maskers []text.Masker) (*Trained, []text.Masker, error) {
	known, err := ReadTrained(o.Folder)
	return known, slices.DeleteFunc(slices.Clone(maskers), func(m text.Masker) bool { return !slices.Contains(o.Masks.Rules, m.Rule()) }), err
}

// Uncovered says, in sentences, whose texts the guarantee of a release does not cover:
// those that made the encoder, and those that made the model; nil for the model where
// vectors are released by a mechanism alone.
func Uncovered(e encode.Source, m *Model) []string {
	var all []string
	if covers := catalogue.Covers(e); covers != "" {
		all = append(all, covers)
	}
	if m != nil {
		all = append(all, m.Coverage())
	}
	return all
}

// LackingOf returns the rules of m that none of the maskers has.
func (m Masks) LackingOf(maskers []text.Masker) []string {
	var rules []string
	for _, each := range maskers {
		rules = append(rules, each.Rule())
	}
	return m.Lacking(rules)
}

// Folders lists the folders at or below dir that hold a whole model, as sotto train --out
// leaves them: dir itself, its seeds, or the seeds of its configurations. What was trained
// without protection, to compare with, is not among them.
func Folders(dir string) ([]string, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	var all []string
	for _, pattern := range []string{ManifestFile, "seed-*/" + ManifestFile, "*/seed-*/" + ManifestFile} {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		for _, path := range found {
			all = append(all, filepath.Dir(filepath.Join(dir, filepath.FromSlash(path))))
		}
		if len(all) > 0 && pattern == ManifestFile {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("model: %s holds no model, must be a folder that sotto train --out made", dir)
	}
	return all, nil
}

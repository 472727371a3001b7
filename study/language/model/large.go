package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"sotto/internal/regular"
	"sotto/study/language"
	"sotto/study/language/parse"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// This part of the package finds tags and trees better than what is built in, and much slower: the
// network of package parse stands behind a transformer of the BERT family, and both
// learn together from a treebank.
//
// A model is a folder: the tuned transformer, and a file with the network, sentences
// and lemmas. It is as public as the treebank that it was trained on. The smallest use
// is
//
//	_, err := TrainLarge(ctx, parent, "mine", LargeData{Train: some, Validation: others}, LargeSettings{}, tune.Options{})
//	m, err := OpenLarge("mine")
//	d, err := language.Pipeline{m}.Document("Ann ran.")

// LargeFile is the file of a folder that is not the transformer's.
const LargeFile = "language.model"

// LargeData is what is learnt from.
type LargeData struct {
	Parent     string // the name of the transformer, if it has one, for the manifest
	Notice     string // on whose work the model rests
	Train      *language.Document
	Validation *language.Document // tells which epoch is the best
	Given      parse.Given        // vectors of words beside those of the transformer
}

// LargeSettings decide a training. The zero value uses the defaults.
type LargeSettings struct {
	// Network is that behind the transformer. Epochs, batch, rate and seed are those
	// of Tune; its other defaults are a width of 384, layers wr, 256 for arcs and 128
	// for labels.
	Network parse.Config
	// Tune is the loop: by default 3 epochs of batches of 16 sentences, with a rate of
	// 0.0002 for the transformer and ten times that for the network.
	Tune tune.Settings
}

// filled returns s with its defaults.
func (s LargeSettings) filled() LargeSettings {
	n := &s.Network
	n.Width, n.Layers, n.Arc, n.Label = cmp.Or(n.Width, 384), cmp.Or(n.Layers, "wr"), cmp.Or(n.Arc, 256), cmp.Or(n.Label, 128)
	n.Seed, n.Epochs, n.Batch, n.Rate = s.Tune.Seed, 0, 0, 0
	s.Tune.Rate, s.Tune.Epochs, s.Tune.Batch = cmp.Or(s.Tune.Rate, 2e-4), cmp.Or(s.Tune.Epochs, 3), cmp.Or(s.Tune.Batch, 16)
	return s
}

// LargeResult is what a training came to.
type LargeResult struct {
	Manifest bert.Manifest
	Epoch    int     // that is kept, from 1
	LAS      float64 // of it on the validation sentences, with subtypes of relations
}

// head is the network with all that its file holds.
type head struct {
	*parse.Head
	sentences *Splitter
	notice    string
}

var _ tune.Filed = (*head)(nil)

// File implements [tune.Filed].
func (h *head) File() (string, []byte, error) {
	content, err := New(h.notice, h.sentences, h.Model()).Encode()
	return LargeFile, content, err
}

// TrainLarge trains the transformer of one folder with a network behind it, and writes a
// model to another, whole or not at all. It has the same bits for every number of
// workers. If ctx ends, nothing is written.
func TrainLarge(ctx context.Context, parent, out string, d LargeData, s LargeSettings, o tune.Options) (*LargeResult, error) {
	s = s.filled()
	f, err := bert.Read(parent)
	if err != nil {
		return nil, err
	}
	h := &head{notice: d.Notice}
	if h.Head, err = parse.NewHead(s.Network, d.Train, d.Validation, d.Given, f.Shape().Hidden); err != nil {
		return nil, err
	}
	if h.sentences, err = TrainSentences(ctx, d.Train, s.Network.Seed); err != nil {
		return nil, err
	}
	t, err := tune.New(f, h.data(), s.Tune)
	if err != nil {
		return nil, err
	}
	info := bert.Manifest{Parent: d.Parent, Data: "treebank"}
	if info.DataHash, err = digest(d.Train, d.Validation); err != nil {
		return nil, err
	}
	if info, err = t.Make(ctx, out, info, o); err != nil {
		return nil, err
	}
	kept, epoch := t.Kept()
	return &LargeResult{info, epoch, kept.Accuracy}, nil
}

// data is what the loop learns from: that every word be attached rightly is class 1 of
// two, so that its accuracy is the labelled attachment score.
func (h *head) data() tune.Data {
	words, train := h.Sentences()
	d := tune.Data{Words: words, Tags: make([][]int, len(words)), Classes: []int{2}, Weights: []float64{1}, Head: h}
	for i, sentence := range words {
		d.Tags[i] = make([]int, len(sentence))
		for j := range sentence {
			d.Tags[i][j] = 1
		}
		if i < train {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	return d
}

// digest returns the SHA-256 of treebanks.
func digest(documents ...*language.Document) (string, error) {
	sum := sha256.New()
	for _, d := range documents {
		if err := json.NewEncoder(sum).Encode(d.Tokens); err != nil {
			return "", fmt.Errorf("large: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// OpenLarge opens a folder, whose files are checked against its manifest.
func OpenLarge(dir string) (*Model, error) {
	info, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if info == nil || info.HeadFile != LargeFile {
		return nil, fmt.Errorf("large: %s is no model of tags and trees, must be a folder that sotto language train --encoder made", dir)
	}
	path := filepath.Join(dir, LargeFile)
	content, err := regular.Read(path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("large: %w", err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != info.HeadHash {
		return nil, fmt.Errorf("large: %s is not the file of which %s has the SHA-256: copy the folder again", path, bert.ManifestFile)
	}
	m, err := Decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	encoder, err := bert.Open(dir, bert.Options{})
	if err != nil {
		return nil, err
	}
	if err = m.Use(encoder); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

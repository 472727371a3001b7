package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sotto/compute/nn"
	"sotto/text/encode/bert"
)

// This part of the package gives each word of a sentence a label, by a transformer of the BERT
// family and one linear layer on the vector of a word's first piece: parts of speech,
// names, whatever sentences were labelled with. Package tune trains it, with the same
// loop, settings and checkpoints as encoders.
//
// Words come in and labels go out; it does not find words in texts. What it learnt
// from is covered by no guarantee: see package encode. The smallest use is
//
//	info, err := TrainTagger(ctx, parent, out, TaggerData{Train: some, Validation: others}, tune.Settings{}, tune.Options{})
//	t, err := OpenTagger(out)
//	labels, err := t.Tag(ctx, [][]string{{"Time", "flies"}}, 2)

// TaggedSentence is words with a label each.
type TaggedSentence struct {
	Words  []string
	Labels []string
}

// TaggerData is what is learnt from.
type TaggerData struct {
	Name       string // of the data, for the manifest
	Hash       string // of the data, for the manifest
	Train      []TaggedSentence
	Validation []TaggedSentence // tell which epoch is the best
}

// TaggerResult is what a training came to.
type TaggerResult struct {
	Manifest bert.Manifest
	Epoch    int     // that is kept, from 1
	Accuracy float64 // of it on the words of the validation sentences
}

// TrainTagger trains the transformer in one folder to label words, and writes it to another,
// whole or not at all. The labels are those of the sentences to train on; one that
// validation sentences alone have is an error.
func TrainTagger(ctx context.Context, parent, out string, d TaggerData, s Settings, o Options) (*TaggerResult, error) {
	labels, data, err := d.numbers()
	if err != nil {
		return nil, err
	}
	f, err := bert.Read(parent)
	if err != nil {
		return nil, err
	}
	t, err := New(f, data, s)
	if err != nil {
		return nil, err
	}
	info, err := t.Make(ctx, out, bert.Manifest{Data: d.Name, DataHash: d.Hash, Labels: labels}, o)
	if err != nil {
		return nil, err
	}
	kept, epoch := t.Kept()
	return &TaggerResult{info, epoch, kept.Accuracy}, nil
}

// numbers returns the labels in order, and the sentences with their places.
func (d TaggerData) numbers() ([]string, Data, error) {
	all := Data{Weights: []float64{1}}
	places := map[string]int{}
	for _, s := range d.Train {
		for _, l := range s.Labels {
			places[l] = 0
		}
	}
	labels := slices.Sorted(maps.Keys(places))
	for i, l := range labels {
		places[l] = i
	}
	all.Classes = []int{len(labels)}
	for i, s := range slices.Concat(d.Train, d.Validation) {
		if len(s.Words) == 0 || len(s.Words) != len(s.Labels) {
			return nil, all, fmt.Errorf("tag: sentence %d has %d words and %d labels, must have as many and at least one", i, len(s.Words), len(s.Labels))
		}
		tags := make([]int, len(s.Labels))
		for j, l := range s.Labels {
			var ok bool
			if tags[j], ok = places[l]; !ok {
				return nil, all, fmt.Errorf("tag: label %.40q is in validation sentences alone, must be in sentences to train on too", l)
			}
		}
		all.Words, all.Tags = append(all.Words, s.Words), append(all.Tags, tags)
		if i < len(d.Train) {
			all.Train = append(all.Train, i)
		} else {
			all.Validation = append(all.Validation, i)
		}
	}
	return labels, all, nil
}

// tagger labels words. It is safe for concurrent use.
type tagger struct {
	model  *bert.Model
	head   *Linear
	labels []string
	info   bert.Manifest
}

// OpenTagger opens the folder of a tagger, which is checked against its manifest.
func OpenTagger(dir string) (*tagger, error) {
	info, err := bert.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if info == nil || len(info.Labels) == 0 {
		return nil, fmt.Errorf("tag: %s is no tagger, must be a folder that was trained with labels of words", dir)
	}
	t := &tagger{labels: info.Labels, info: *info}
	if t.model, err = bert.Open(dir, bert.Options{}); err != nil {
		return nil, err
	}
	if t.head, err = ReadHead(dir); err != nil {
		return nil, err
	}
	if t.head.Weight.Rows != t.model.Dim() || t.head.Weight.Cols != len(t.labels) {
		return nil, fmt.Errorf("tag: %s has a layer of %d×%d, must have one of %d×%d", dir, t.head.Weight.Rows, t.head.Weight.Cols, t.model.Dim(), len(t.labels))
	}
	return t, nil
}

// Labels returns the labels that it knows, in order.
func (t *tagger) Labels() []string { return slices.Clone(t.labels) }

// Settings returns those that it was trained with.
func (t *tagger) Settings() (Settings, error) {
	var s Settings
	if err := json.Unmarshal(t.info.Settings, &s); err != nil {
		return s, fmt.Errorf("tag: %w", err)
	}
	return s, nil
}

// Tag returns a label for each word of each sentence. Which sentences come together,
// and how many workers there are, changes nothing.
func (t *tagger) Tag(ctx context.Context, sentences [][]string, workers int) ([][]string, error) {
	const together = 256 // sentences, whose vectors are in memory at a time
	all := make([][]string, 0, len(sentences))
	p := nn.NewPool(1)
	for some := range slices.Chunk(sentences, together) {
		vectors, err := t.model.EncodeWords(ctx, some, workers)
		if err != nil {
			return nil, err
		}
		for _, x := range vectors {
			scores := nn.NewMatrix(x.Rows, len(t.labels))
			p.Mul(scores, x, t.head.Weight)
			said := make([]string, x.Rows)
			for i := range said {
				row := scores.Row(i)
				for j, b := range t.head.Bias {
					row[j] += b
				}
				said[i] = t.labels[nn.Argmax(row)]
			}
			all = append(all, said)
		}
	}
	return all, nil
}

// Accuracy returns how many words of some sentences have the label that they should
// have, and how many words there are.
func (t *tagger) Accuracy(ctx context.Context, sentences []TaggedSentence, workers int) (right, words int, err error) {
	bare := make([][]string, len(sentences))
	for i, s := range sentences {
		if len(s.Labels) != len(s.Words) {
			return 0, 0, errors.New("tag: a sentence has other numbers of words and labels, must have as many")
		}
		bare[i] = s.Words
	}
	said, err := t.Tag(ctx, bare, workers)
	if err != nil {
		return 0, 0, err
	}
	for i, s := range sentences {
		for j, l := range s.Labels {
			words++
			if said[i][j] == l {
				right++
			}
		}
	}
	return right, words, nil
}

package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/compute/channel"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/internal/layout"
	"sotto/learn/train"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
	"sotto/text/encode/catalogue"
)

// Spec is everything that decides a result, apart from the machine. A setting is
// one line: its tags are its name in JSON, its flag, the flag's help, its default
// where that is not the zero value, and whether it is refused where no method
// reads it. Their order decides [Spec.Hash].
type Spec struct {
	Data        string `json:"data" flag:"data" default:"reviews" help:"data set (see sotto data list)"`
	DataVariant string `json:"data_variant,omitempty" flag:"data-variant" help:"variant of the data set (default: the first of them)"`
	// In is a file of one's own, in place of a data set. Layout says what its
	// columns are, and Data is then its name.
	In Path `json:"in,omitzero" flag:"in" help:"file of your own to learn from in place of --data: CSV, TSV, JSON lines, Parquet or a folder of texts"`
	dataset.Layout
	Label string `json:"label,omitempty" flag:"label" help:"label to predict (default: the data set's own; see sotto data list)"`
	// Labels are several, to be served by one release; the first is the one whose
	// fairness is measured. One alone is the same as Label.
	Labels []string `json:"labels,omitempty" flag:"labels" help:"labels, separated by commas, that one release serves"`
	// Unknown are labels unseen in training. A classifier of each is
	// fitted afterwards, on the releases of the validation part.
	Unknown []string `json:"unknown,omitempty" flag:"unknown" help:"labels unseen in training, to be learnt from the releases afterwards"`
	// Reserve is the share of a release of codes that serves labels unknown in
	// training; 0 means none. It stands in for them with what the vectors tell
	// most of: the signs of their principal components.
	Reserve   float64        `json:"reserve,omitempty" flag:"reserve" help:"share of a release that auto and codes keep for labels unseen in training (default: none)"`
	Attribute string         `json:"attribute,omitempty" flag:"attribute" help:"attribute to protect, or \"none\" (default: the data set's first)"`
	Encoder   catalogue.Name `json:"encoder,omitempty" flag:"encoder" help:"encoder that makes vectors of texts: default, hash:N, minilm, glove, or a file (see sotto encoder list; default: default)"`
	// Dropout is μ, the probability with which each word of a text is masked
	// before it is encoded, in training as in use; 0 masks none. The masks are
	// drawn once for each text, by the first seed, for all seeds. The guarantees
	// of a result are text-level, and masks change none of them; see
	// mech.WordLevel for the one between texts that differ in a word.
	Dropout float64 `json:"dropout,omitempty" flag:"dropout" help:"probability μ of masking each word of a text before it is encoded (default: no masking)"`
	// Mask are the types of what is masked in every text for what it is, in training as
	// in use, each with its policy. No guarantee rests on it.
	Mask       string `json:"mask,omitempty" flag:"mask" help:"types of personal data to mask in texts before they are encoded, such as types:email,phone=fake (default: nothing is masked)"`
	MaskPolicy string `json:"mask_policy,omitempty" flag:"mask-policy" help:"what stands in the place of --mask types without a policy of their own: remove, tag, pseudonym or fake (default tag)"`
	// Tune trains the encoder, of the BERT family, before anything is learnt from its
	// vectors: by the labels, on the rows that train, one for each seed. What protects
	// comes behind it, so that no guarantee changes.
	Tune       bool    `json:"tune,omitempty" flag:"tune" help:"tune the encoder by the labels, first or together with the method: minilm or the folder of a transformer of the BERT family"`
	TuneLayers int     `json:"tune_layers,omitempty" flag:"tune-layers" help:"number of layers, from the top, that --tune trains (default: all, with the embeddings)"`
	TuneRate   float64 `json:"tune_rate,omitempty" flag:"tune-rate" help:"learning rate of --tune (default 1e-4)"`
	TuneEpochs int     `json:"tune_epochs,omitempty" flag:"tune-epochs" help:"passes over the texts of --tune at most, of which the best on the validation part is kept (default: 3, and up to 15 of few rows)"`
	TuneLength int     `json:"tune_length,omitempty" flag:"tune-length" help:"tokens of a text, or of a window of it, that a tuned encoder reads at a time (default 128)"`
	TuneLong   string  `json:"tune_long,omitempty" flag:"tune-long" help:"how a tuned encoder reads texts that are longer: truncate, ends, windows, windows-max, or auto for the best of the first three on the validation part (default auto)"`
	// TuneOnce shares the encoder of the first seed among all seeds. That saves time,
	// and what is told of seeds is then less than how results differ.
	TuneOnce bool `json:"tune_once,omitempty" flag:"tune-once" help:"tune with the first seed alone, and train all seeds on that encoder (default: an encoder for each seed)"`
	// Limit bounds the rows: at most so many to train and a quarter as many to
	// validate and to test, evenly spaced in each part; 0 takes all.
	Limit int `json:"limit,omitempty" flag:"limit" help:"number of rows to train on at most, with a quarter as many to validate and to test (default: all)"`

	Methods   []string `json:"methods" flag:"method" help:"methods, separated by commas (see the list above)"`
	Mechanism string   `json:"mechanism,omitempty" flag:"mechanism" of:"method" help:"mechanism of the method (default: the method's own)"`
	Variant   string   `json:"variant,omitempty" flag:"variant" of:"method" help:"variant of the mechanism, such as paper or released (default: the honest one)"`
	// Alone leaves out the honest configuration that is otherwise trained
	// beside one whose claim is false.
	Alone bool `json:"alone,omitempty" flag:"alone" help:"do not train the honest variant beside one whose claim is false"`

	// Every combination of these is trained. An empty list means the method's
	// own default; methods without the parameter ignore it where another
	// method of the same Spec has it.
	Epsilons []float64 `json:"epsilons,omitempty" flag:"epsilon" of:"method" help:"ε that is claimed; several, separated by commas, make a grid"`
	Lambdas  []float64 `json:"lambdas,omitempty" flag:"lambda" of:"method" help:"λ, the weight of the adversary (default 1), or λ of ome (default 100); several, separated by commas, make a grid"`
	Dims     []int     `json:"dims,omitempty" flag:"dim" of:"method" help:"width of the representation; several, separated by commas, make a grid (default: that of the published shape)"`

	Delta float64 `json:"delta,omitempty" flag:"delta" of:"method" help:"δ of gaussian and of privemb paper (default 1e-6)"`
	Bits  int     `json:"bits,omitempty" flag:"bits" of:"method" help:"number of bits for each coordinate with ldpnn (default 10)"`
	Clip  float64 `json:"clip,omitempty" flag:"clip" of:"method" help:"L2 norm to which privemb clips vectors, which makes the guarantee text-level (default: no clipping)"`
	// Cells is a file of public cells, or the name of an encoder whose cells come with
	// sotto; what is stored knows them by their digest.
	Cells         Path    `json:"cells,omitzero" flag:"cells" of:"method" help:"file of public cells that sotto cells make made, or name of an encoder whose cells come with sotto (default: those of the encoder)"`
	Orthogonality float64 `json:"orthogonality,omitempty" flag:"orthogonality" of:"method" help:"weight with which multiple keeps adversaries apart (default 0.1)"`
	Iterations    int     `json:"iterations,omitempty" flag:"iterations" of:"method" help:"how often inlp removes a linear attacker (default 5)"`

	Selected int  `json:"selected,omitempty" flag:"selected" of:"method" help:"number of codes whose probability codes raises; 1 is randomised response (default: what serves best)"`
	Fair     bool `json:"fair,omitempty" flag:"fair" of:"method" help:"pay up to --relaxation points of the accuracy of codes for equal true positive rates between groups"`
	// Channel says what the answers of codes, their weights and what they say are made
	// of. A stored spec without it means fitted; [Spec.Fresh] takes public.
	Channel string `json:"channel,omitempty" flag:"channel" of:"method" help:"what codes, label and auto release by: public, made of ε and the classes alone, or fitted to the data, which is more accurate and tells of it (default public)"`
	// Objective is what the release is to be best at, in the search and in use.
	Objective string  `json:"objective,omitempty" flag:"objective" of:"method" help:"what auto, codes and label are to be best at: accuracy, macro-f1, or balanced, which counts all classes alike (default accuracy)"`
	Anneal    float64 `json:"anneal,omitempty" flag:"anneal" of:"method" help:"times ε with which noise begins, to fall to ε within half of the epochs (default 1)"`

	Seeds     int     `json:"seeds,omitempty" flag:"seeds" default:"1" help:"number of seeds to train with"`
	FirstSeed uint64  `json:"first_seed,omitempty" flag:"seed" default:"1" help:"first seed to train with, at least 1"`
	Epochs    int     `json:"epochs,omitempty" flag:"epochs" of:"method" help:"passes over the data (default: the published number)"`
	Batch     int     `json:"batch,omitempty" flag:"batch" of:"method" help:"number of rows in each step (default: the published number, or less for a small data set)"`
	Rate      float64 `json:"rate,omitempty" flag:"rate" of:"method" help:"learning rate (default: the published one)"`
	Hidden    []int   `json:"hidden,omitempty" flag:"hidden" of:"method" help:"widths of the layers before the representation, or of ldpnn (default: published)"`
	// Threshold is the relaxation threshold of the selection in points: among
	// the configurations of a method whose validation accuracy is within it of
	// the best, the fairest is taken. 0 means 1; negative means none: the best
	// is taken.
	Threshold float64 `json:"threshold,omitempty" flag:"relaxation" default:"1" help:"points below the best accuracy within which the fairest configuration is selected; 0 selects the best"`
}

// Fresh returns a spec that is new with what is the default for these: a public
// channel, where a method has one and nothing else was said.
func (s Spec) Fresh() Spec {
	if s.Channel == "" && s.coded() {
		s.Channel = string(channel.Public)
	}
	return s
}

// Said is the inverse of [Spec.Fresh]: it names what a filled spec differs in from one
// that is new.
func (s Spec) Said() Spec {
	switch {
	case s.Channel == string(channel.Public):
		s.Channel = ""
	case s.Channel == "" && s.coded():
		s.Channel = string(channel.Fitted)
	}
	return s
}

// coded reports whether a method has a channel.
func (s Spec) coded() bool {
	return slices.ContainsFunc(s.Methods, func(name string) bool {
		f, err := findMethod(name)
		return err == nil && f.uses("channel", "")
	})
}

// Filled returns s with its defaults, or every fault that needs no data.
func (s Spec) Filled(ctx context.Context) (Spec, error) {
	if s.ofFile() && s.Data == "" {
		s.Data = own.Name
	}
	for _, f := range s.Fields() {
		if !f.Given() {
			f.SetDefault()
		}
	}
	if len(s.Labels) == 1 && s.Label == "" {
		s.Label, s.Labels = s.Labels[0], nil
	}
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf("experiment: "+format, args...))
		}
	}
	if s.ofFile() {
		errs = append(errs, s.fillFile())
	} else if info, err := dataset.Find(s.Data, ""); err != nil {
		errs = append(errs, err)
	} else if err := s.checkLabels(info); err != nil {
		errs = append(errs, err)
	}
	refuse(s.Seeds < 1 || s.Seeds > 10_000, "seeds is %d, must be from 1 to 10,000", s.Seeds)
	refuse(uint64(s.Seeds) > math.MaxUint64-s.FirstSeed, "seed is %d, must leave room for %d seeds", s.FirstSeed, s.Seeds)
	refuse(!(math.Abs(s.Threshold) <= math.MaxFloat64), "relaxation is not a number of points")
	refuse(!(s.Reserve >= 0 && s.Reserve < 1), "reserve is %v, must be at least 0 and below 1", s.Reserve)
	refuse(!(s.Dropout >= 0 && s.Dropout < 1), "dropout is %v, must be at least 0 and below 1", s.Dropout)
	refuse(!s.Tune && (s.TuneLayers != 0 || s.TuneRate != 0 || s.TuneEpochs != 0 || s.TuneLength != 0 || s.TuneLong != "" || s.TuneOnce), "settings of tuning are given, must not be without tune")
	refuse(s.TuneLong != "" && s.TuneLong != tune.AutoLong && !slices.Contains(bert.Rules(), s.TuneLong), "tune-long is %.40q, must be one of %s, %s", s.TuneLong, tune.AutoLong, strings.Join(bert.Rules(), ", "))
	refuse(s.Tune && slices.Contains(s.Methods, "cells"), "tune is given with the method cells, which takes cells of an encoder as it is, must not be")
	refuse(s.Limit < 0 || s.Limit > 0 && s.Limit < 8, "limit is %d, must be at least 8, or 0 for all rows", s.Limit)
	refuse(len(s.Methods) == 0, "no method given, must be one of %s", strings.Join(methodNames(), ", "))
	errs = append(errs, s.fillMask(ctx))
	if o := train.Objective(s.Objective); o.Validate() != nil {
		errs = append(errs, o.Validate())
	} else if o.Plain() {
		s.Objective = "" // by whichever name, a spec has one hash
	}
	if err := channel.Kind(s.Channel).Validate(); err != nil {
		errs = append(errs, err)
	} else if s.Channel == string(channel.Fitted) {
		s.Channel = "" // as with the objective
	}
	if err := s.checkLists(); err != nil {
		errs = append(errs, err)
	} else if _, err := s.points(); err != nil {
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}

var errLabels = errors.New("experiment: label and labels are given, must be one of them")

// checkLabels refuses labels that the data set does not have.
func (s Spec) checkLabels(info dataset.Info) error {
	if s.Label != "" && len(s.Labels) > 0 {
		return errLabels
	}
	for _, name := range slices.Concat(s.Labels, s.Unknown, []string{s.Label}) {
		if name != "" && !slices.Contains(info.Labels, name) {
			return fmt.Errorf("experiment: %s has no label %q, must be one of %s%s", info.Name, name, strings.Join(info.Labels, ", "), layout.Hint(name, info.Labels))
		}
	}
	return nil
}

// checkLists refuses numbers of the grid that are no setting. 0 is refused
// because it would mean the method's own default.
func (s Spec) checkLists() error {
	for name, list := range map[string][]float64{"epsilon": s.Epsilons, "lambda": s.Lambdas} {
		for _, v := range list {
			if !(v > 0 && v <= 1e6) {
				return fmt.Errorf("experiment: %s is %v, must be positive and at most 1e6", name, v)
			}
		}
	}
	for _, v := range s.Dims {
		if v < 1 {
			return fmt.Errorf("experiment: dim is %d, must be at least 1", v)
		}
	}
	return nil
}

// Hash identifies what a filled Spec decides.
func (s Spec) Hash() string {
	b, err := json.Marshal(s)
	if err != nil { // floats that JSON has no name for; Filled refuses them
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// shape returns the published shape for the data set, changed by what the user
// asked for.
func (s Spec) shape(dim int) train.Shape {
	shape := train.Twitter()
	if info, err := dataset.Find(s.Data, ""); err == nil && info.Bios {
		shape = train.Bios()
	}
	last := len(shape.Encoder) - 1
	width := cmp.Or(dim, shape.Encoder[last])
	hidden := shape.Encoder[:last]
	if s.Hidden != nil {
		hidden = s.Hidden
	}
	shape.Encoder = append(slices.Clone(hidden), width)
	return shape
}

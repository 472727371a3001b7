package vectors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/data/table"
	"sotto/evidence"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// refuse refuses flags that have no meaning beside others.
func (o *encodeOptions) refuse(fs *pflag.FlagSet) error {
	switch {
	case o.model != "":
		names := append(o.Names(), "mechanism", "dropout", "masks")
		if err := term.Refuse(fs, "with --model, which has its own", names...); err != nil {
			return err
		}
	case o.mechanism == "":
		if err := term.Refuse(fs, "without --mechanism", o.Names()...); err != nil {
			return err
		}
		if err := term.Refuse(fs, "without --model or --mechanism: raw vectors promise nothing", "person", "link-by", "link-model", "max-rows", "sign"); err != nil {
			return err
		}
	}
	if o.model == "" {
		if err := term.Refuse(fs, "without --model: there is nothing else that is signed", "verify"); err != nil {
			return err
		}
	}
	if o.sign != "" && o.record() == "" {
		return errors.New("--sign signs the record of a file: want --out or --metadata")
	}
	if o.person == "" {
		if err := term.Refuse(fs, "without --person", "person-exact"); err != nil {
			return err
		}
	}
	if !o.persons() {
		if err := term.Refuse(fs, "without --person or --link-by", "max-rows"); err != nil {
			return err
		}
	}
	if err := o.refuseLinks(fs); err != nil {
		return err
	}
	if err := o.refuseTrained(fs); err != nil {
		return err
	}
	if o.maxRows < 0 {
		return fmt.Errorf("--max-rows is %d, must be at least 1", o.maxRows)
	}
	return term.RefuseZeros(fs, "seed")
}

// trained is a model through which texts are released.
type trained struct {
	*model.Opened
	batch *model.Batch
	codes []evidence.Saying
}

// trained loads the model and takes over its encoder and its dropout; nil without
// one.
func (o *encodeOptions) trained(ctx context.Context) (*trained, error) {
	if o.model == "" {
		return nil, nil //nolint:nilnil // no model is no error
	}
	opened, err := experiment.Open(ctx, o.model)
	if err != nil {
		return nil, err
	}
	t := &trained{Opened: opened}
	if t.batch, err = t.Model.Batch(o.workers); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Folder, err)
	}
	t.codes = t.sayings()
	o.numbers, o.encoder = t.Numbers, string(t.Encoder)
	if o.Dropout = t.Masks.Dropout; o.Dropout > 0 {
		o.Masks = string(t.Masks.Draw)
	}
	return t, nil
}

// open opens the encoder: that of the model, if there is one, or else the one that
// was said.
func (t *trained) open(ctx context.Context, said string) (encode.Source, error) {
	if t == nil {
		return catalogue.Open(ctx, catalogue.Said(said), dataset.Dir())
	}
	return t.Source(ctx)
}

// sayings says what each code is answered with; nil for a model without codes.
func (t *trained) sayings() []evidence.Saying {
	codes := len(t.Model.Architecture().Answers)
	if codes == 0 {
		return nil
	}
	each := nn.NewMatrix(codes, codes)
	for c := range codes {
		each.Row(c)[c] = 1
	}
	told := t.Model.Clone().Predict(nn.NewPool(1), each, 1)
	all := make([]evidence.Saying, codes)
	for c := range all {
		all[c] = evidence.Saying{Code: c, Classes: map[string]string{}}
		for l, label := range t.Labels {
			class := strconv.Itoa(told[l][c])
			if told[l][c] < len(label.Classes) {
				class = label.Classes[told[l][c]]
			}
			all[c].Classes[label.Name] = class
		}
	}
	return all
}

// same reports whether there are codes and all of them say the same.
func same(codes []evidence.Saying) bool {
	for _, c := range codes {
		if !maps.Equal(c.Classes, codes[0].Classes) {
			return false
		}
	}
	return len(codes) > 0
}

// mechanism returns that of the model, and refuses an encoder that makes other
// vectors than the model takes.
func (t *trained) mechanism(e encode.Source) (mech.Mechanism, error) {
	if err := t.Fits(e); err != nil {
		return nil, err
	}
	return mech.New(*t.Model.Architecture().Release)
}

// maskers returns what masks by lists, and refuses to leave out what a model was
// trained with.
func (o *encodeOptions) maskers(ctx context.Context, t *trained) ([]text.Masker, error) {
	all, err := o.Maskers(ctx)
	if err != nil || t == nil {
		return all, err
	}
	if lacking := t.Masks.LackingOf(all); len(lacking) > 0 {
		return nil, fmt.Errorf("%s was trained with texts masked by %q, must be given the same --mask and --mask-names", t.Folder, lacking)
	}
	return all, nil
}

// releaser returns what releases in place of a mechanism, nil without a model.
func (t *trained) releaser() vectorise.Releaser {
	if t == nil {
		return nil
	}
	return t.batch
}

// beside returns what makes a model's inputs of the columns of numbers, which
// stand behind others in a row; nil if there are none.
func (t *trained) beside(columns []string) func([]table.Value) ([]float32, error) {
	if t == nil || len(t.Numbers) == 0 {
		return nil
	}
	places := make([]int, len(t.Numbers))
	for k, name := range t.Numbers {
		places[k] = slices.Index(columns, name)
	}
	return func(values []table.Value) ([]float32, error) {
		scaled := make([]float32, len(places))
		for k, at := range places {
			x, err := own.ParseNumber(t.Numbers[k], values[at].Text)
			if err != nil {
				return make([]float32, len(places)), err
			}
			scaled[k] = t.Scales[k].Apply(x)
		}
		return scaled, nil
	}
}

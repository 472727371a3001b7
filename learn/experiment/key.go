package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"sotto/learn/model"
	"sotto/text"
)

// numerics is raised by every change of this module that changes what a spec
// gives, so that stored results of before are not taken for those of now.
const numerics = "5"

// Key identifies what s decides on the data as it lies here: the hash of the
// filled spec with that of the data set's content, which is loaded for it, and
// the version of the numerics.
func (s Spec) Key(ctx context.Context) (string, error) {
	s, err := s.Filled(ctx)
	if err != nil {
		return "", err
	}
	set, err := LoadSet(ctx, s.wants(), s.In)
	if err != nil {
		return "", err
	}
	of := numerics + " " + s.Hash() + " " + set.Hash()
	if s.Mask != "" {
		m, failed := text.OpenTypes(ctx, s.Mask, text.TypesOptions{})
		if failed != nil {
			return "", failed
		}
		of += " " + m.Rule() // which names the version of what finds things
	}
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:]), nil
}

// wants is what a filled spec says of its data.
func (s Spec) wants() model.DataRecord {
	r := model.DataRecord{Name: s.Data, Variant: s.DataVariant, Label: s.Label, Attribute: s.Attribute, Encoder: s.Encoder, Dropout: s.Dropout, Mask: s.Mask, Limit: s.Limit, Reserve: s.Reserve, Unknown: s.Unknown}
	if len(s.Labels) > 0 {
		r.Label = s.Labels[0]
		for _, name := range s.Labels[1:] {
			r.More = append(r.More, model.LabelRecord{Name: name})
		}
	}
	if s.Dropout > 0 {
		r.MaskSeed = s.FirstSeed
	}
	if s.ofFile() {
		r.File = &model.FileRecord{Layout: s.Layout}
	}
	return r
}

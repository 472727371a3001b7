package experiment

import (
	"context"
	"errors"

	"sotto/text"
)

// fillMask writes the types that are masked in one way, so that a spec has one hash
// however they are given.
func (s *Spec) fillMask(ctx context.Context) error {
	if s.Mask == "" {
		if s.MaskPolicy != "" {
			return errors.New("experiment: a policy of masks is given, must not be without types to mask")
		}
		return nil
	}
	if !text.IsTypes(s.Mask) {
		return errors.New("experiment: mask must begin with types:, as in types:email,phone=fake; lists of words are for sotto encode and sotto gateway")
	}
	m, err := text.OpenTypes(ctx, s.Mask, text.TypesOptions{Policy: s.MaskPolicy})
	if err != nil {
		return err
	}
	s.Mask, s.MaskPolicy = m.List(), ""
	return nil
}

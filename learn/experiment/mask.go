package experiment

import (
	"errors"
	"strings"

	"sotto/study/language/mask"
)

// fillMask writes the types that are masked in one way, so that a spec has one hash
// however they are given.
func (s *Spec) fillMask() error {
	if s.Mask == "" {
		if s.MaskPolicy != "" {
			return errors.New("experiment: a policy of masks is given, must not be without types to mask")
		}
		return nil
	}
	if !strings.HasPrefix(s.Mask, mask.Prefix) {
		return errors.New("experiment: mask must begin with types:, as in types:email,phone=fake; lists of words are for sotto encode and sotto gateway")
	}
	m, err := mask.Open(s.Mask, mask.Policy(s.MaskPolicy), nil)
	if err != nil {
		return err
	}
	s.Mask, s.MaskPolicy = mask.Prefix+m.Types().String(), ""
	return nil
}

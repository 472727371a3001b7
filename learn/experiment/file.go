package experiment

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/data/own"
)

// maxName is how long the name of a file's rows may be.
const maxName = 64

// ofFile reports whether s is about a file of one's own.
func (s Spec) ofFile() bool {
	return s.In != "" || !reflect.ValueOf(s.Layout).IsZero()
}

// fillFile completes what s says of a file, or refuses it.
func (s *Spec) fillFile() error {
	if _, err := dataset.Find(s.Data, ""); err == nil {
		if s.In != "" {
			return fmt.Errorf("experiment: data is %s and in is a file, must be one of them", s.Data)
		}
		return fmt.Errorf("experiment: data is %s, so the columns of a file have no meaning, must be absent", s.Data)
	}
	switch {
	case s.Label != "" && len(s.Labels) > 0:
		return errLabels
	case s.DataVariant != "":
		return errors.New("experiment: data-variant has no meaning with a file")
	case len(s.Data) > maxName || strings.ContainsAny(s.Data, "/\\\n\r\t"):
		return fmt.Errorf("experiment: the name of the data is %d bytes long or looks like a path, must be a short name", len(s.Data))
	}
	if s.Attribute != "" && s.Attribute != "none" && !slices.Contains(s.Attributes, s.Attribute) {
		s.Attributes = append([]string{s.Attribute}, s.Attributes...)
	}
	return own.Options{Layout: s.Layout, Labels: s.fileLabels()}.Check()
}

// fileLabels are the columns of a file that are predicted, those unseen in
// training last.
func (s Spec) fileLabels() []string {
	labels := s.Labels
	if s.Label != "" {
		labels = []string{s.Label}
	}
	return slices.Concat(labels, s.Unknown)
}

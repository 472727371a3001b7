package dataset

import (
	"fmt"
	"slices"

	"sotto/internal/layout"
)

// maxLabelClasses is the number of classes above which an attribute is no
// label: a number of the author has one for each, and no release of a few bits
// serves so many.
const maxLabelClasses = 100

// author is the attribute with more classes than that, wherever it occurs.
const author = "user"

// withLabels fills in the labels of a set that lists none of its own: its label
// and its attributes, but for the author.
func (e entry) withLabels() entry {
	if e.Labels == nil {
		e.Labels = append([]string{e.Label}, e.Attributes...)
		e.Labels = slices.DeleteFunc(e.Labels, func(name string) bool { return name == author })
	}
	return e
}

// checkLabels refuses labels that the set does not have and labels that are
// named twice, and makes Label one of Labels.
func (e entry) checkLabels(o *Options) error {
	switch {
	case o.Label != "" && len(o.Labels) > 0:
		return fmt.Errorf("dataset: label is %q and labels are %q, must be one or the other", o.Label, o.Labels)
	case o.Label != "":
		o.Labels = []string{o.Label}
	}
	for k, name := range o.Labels {
		switch {
		case slices.Contains(o.Labels[:k], name):
			return fmt.Errorf("dataset: labels of %s are %q, must name %q once", e.Name, o.Labels, name)
		case name == author && slices.Contains(e.Attributes, author):
			return fmt.Errorf("dataset: label of %s is %q, must be one of %q: %s has more than %d classes", e.Name, name, e.Labels, name, maxLabelClasses)
		case !slices.Contains(e.Labels, name):
			return fmt.Errorf("dataset: label of %s is %q, must be one of %q%s", e.Name, name, e.Labels, layout.Hint(name, e.Labels))
		}
	}
	return nil
}

// choose makes the columns of those names the labels of the set, in that order.
// They are no attributes then, and a label that is not named is left out. It
// panics if there is no such column.
func (s *Set) choose(labels []string) {
	if len(labels) == 0 {
		return
	}
	columns := slices.Concat([]Column{s.Label}, s.More, s.Attributes)
	chosen := make([]Column, len(labels))
	for k, name := range labels {
		chosen[k] = columns[slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })]
	}
	s.Label, s.More = chosen[0], chosen[1:]
	s.Attributes = slices.DeleteFunc(slices.Clone(s.Attributes), func(c Column) bool { return slices.Contains(labels, c.Name) })
}

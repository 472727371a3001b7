package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	celebaTable     = "celeba/list_attr_celeba.txt"
	celebaPartition = "celeba/list_eval_partition.txt"
)

// loadCelebA reads the table of attributes, -1 or 1 each. The label and the
// protected attributes leave the features: 38 remain by default. The variant
// "official" has the partition of the authors; "published" and "released" are
// the splits of FEDERATE.
func loadCelebA(l *loader) (*Set, error) {
	lines, err := l.lines(celebaTable)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	declared := -1
	var names []string
	var features, protected []int
	label := 0
	for n, line := range lines {
		words := strings.Fields(line)
		switch {
		case declared < 0:
			if declared, err = strconv.Atoi(line); err != nil || declared < 0 {
				return nil, fault(celebaTable, n, "it is no number of rows")
			}
		case names == nil:
			names = words
			if label, protected, features, err = l.celebaColumns(names); err != nil {
				return nil, err
			}
			s.celebaShape(names, label, protected, features)
		case len(words) != len(names)+1:
			return nil, fault(celebaTable, n, "it has %d values, must have %d", len(words)-1, len(names))
		default:
			if err := s.addCelebA(n, words[1:], label, protected, features); err != nil {
				return nil, err
			}
			l.count(celebaTable)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("dataset: %s has no header, must have a line of names", celebaTable)
	}
	if len(s.Label.IDs) != declared {
		return nil, fmt.Errorf("dataset: %s holds %d rows, must hold the %d of its first line", celebaTable, len(s.Label.IDs), declared)
	}
	return l.celebaSplit(s)
}

// celebaColumns finds the label, the protected attributes and the features
// among the names of the table.
func (l *loader) celebaColumns(names []string) (label int, protected, features []int, err error) {
	find := func(name string) (int, error) {
		i := slices.Index(names, name)
		if i < 0 {
			return 0, fmt.Errorf("dataset: attribute of celeba is %q, must be one of %s", name, strings.Join(names, ", "))
		}
		return i, nil
	}
	wanted, kept := l.options.Label, l.options.Attributes
	if wanted == "" {
		wanted = "Smiling"
	}
	if kept == nil {
		kept = []string{"Male"}
	}
	if label, err = find(wanted); err != nil {
		return 0, nil, nil, err
	}
	for _, name := range kept {
		i, err := find(name)
		if err != nil {
			return 0, nil, nil, err
		}
		if i == label || slices.Contains(protected, i) {
			return 0, nil, nil, fmt.Errorf("dataset: %q is named twice among label and attributes of celeba, must be named once", name)
		}
		protected = append(protected, i)
	}
	for i := range names {
		if i != label && !slices.Contains(protected, i) {
			features = append(features, i)
		}
	}
	return label, protected, features, nil
}

func (s *Set) celebaShape(names []string, label int, protected, features []int) {
	s.Label = Column{Name: names[label], Classes: []string{"no", "yes"}}
	for _, i := range protected {
		s.Attributes = append(s.Attributes, Column{Name: names[i], Classes: []string{"no", "yes"}})
	}
	for _, i := range features {
		s.FeatureNames = append(s.FeatureNames, names[i])
	}
	s.Width = len(features)
}

// addCelebA appends one row of the table.
func (s *Set) addCelebA(line int, values []string, label int, protected, features []int) error {
	class := func(i int) int {
		if values[i] == "1" {
			return 1
		}
		return 0
	}
	for _, v := range values {
		if v != "1" && v != "-1" {
			return fault(celebaTable, line, "a value is neither -1 nor 1")
		}
	}
	s.Label.IDs = append(s.Label.IDs, class(label))
	for k, i := range protected {
		s.Attributes[k].IDs = append(s.Attributes[k].IDs, class(i))
	}
	for _, i := range features {
		s.Features = append(s.Features, float32(2*class(i)-1))
	}
	return nil
}

// celebaSplit reads the partition, which has the rows of the table in order.
func (l *loader) celebaSplit(s *Set) (*Set, error) {
	lines, err := l.lines(celebaPartition)
	if err != nil {
		return nil, err
	}
	names := map[string]Part{"0": Train, "1": Validation, "2": Test}
	for n, line := range lines {
		words := strings.Fields(line)
		if len(words) != 2 || names[words[1]] == "" {
			return nil, fault(celebaPartition, n, "it is no name and a part, which must be 0, 1 or 2")
		}
		s.Split = append(s.Split, names[words[1]])
		l.count(celebaPartition)
	}
	if len(s.Split) != len(s.Label.IDs) {
		return nil, fmt.Errorf("dataset: %s holds %d rows, must hold the %d of the table", celebaPartition, len(s.Split), len(s.Label.IDs))
	}
	switch l.options.Variant {
	case "published":
		s.Split = published.split(len(s.Split), l.options.Seed)
	case "released":
		s.Split = released.split(len(s.Split), l.options.Seed)
	}
	return l.finish(s), nil
}

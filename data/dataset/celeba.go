package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/layout"
)

const (
	celebaTable     = "celeba/list_attr_celeba.txt"
	celebaPartition = "celeba/list_eval_partition.txt"
)

// celebaNames are the attributes of the table, each of which can be a label:
// the default first, the others as the file has them.
var celebaNames = []string{
	"Smiling",
	"5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs", "Big_Lips", "Big_Nose",
	"Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair", "Bushy_Eyebrows", "Chubby", "Double_Chin", "Eyeglasses", "Goatee",
	"Gray_Hair", "Heavy_Makeup", "High_Cheekbones", "Male", "Mouth_Slightly_Open", "Mustache", "Narrow_Eyes", "No_Beard",
	"Oval_Face", "Pale_Skin", "Pointy_Nose", "Receding_Hairline", "Rosy_Cheeks", "Sideburns", "Straight_Hair", "Wavy_Hair",
	"Wearing_Earrings", "Wearing_Hat", "Wearing_Lipstick", "Wearing_Necklace", "Wearing_Necktie", "Young",
}

// loadCelebA reads the table of attributes, -1 or 1 each. The labels and the
// protected attributes leave the features: 38 remain by default. The variant
// "official" has the partition of the authors; "published" and "released" are
// the splits of FEDERATE.
func loadCelebA(l *loader) (*Set, error) {
	s := &Set{}
	declared := -1
	var names []string
	var labels, protected, features []int
	err := l.each(celebaTable, func(line string) (err error) {
		words := strings.Fields(line)
		switch {
		case declared < 0:
			if declared, err = strconv.Atoi(line); err != nil || declared < 0 {
				return errors.New("it is no number of rows")
			}
			return errNoRecord
		case names == nil:
			names = words
			if labels, protected, features, err = l.celebaColumns(names); err != nil {
				return err
			}
			s.celebaShape(names, labels, protected, features)
			s.Features = make([]float32, 0, min(declared, l.info.Rows)*len(features))
			return errNoRecord
		case len(words) != len(names)+1:
			return fmt.Errorf("it has %d values, must have %d", len(words)-1, len(names))
		}
		return s.addCelebA(words[1:], labels, protected, features)
	})
	switch {
	case err != nil:
		return nil, err
	case names == nil:
		return nil, fmt.Errorf("dataset: %s has no header, must have a line of names", celebaTable)
	case len(s.Label.IDs) != declared:
		return nil, fmt.Errorf("dataset: %s holds %d rows, must hold the %d of its first line", celebaTable, len(s.Label.IDs), declared)
	}
	return l.celebaSplit(s)
}

// celebaColumns finds the labels, the protected attributes and the features
// among the names of the table. Male is protected by default, unless it is a
// label.
func (l *loader) celebaColumns(names []string) (labels, protected, features []int, err error) {
	wanted, kept := l.options.Labels, l.options.Attributes
	if len(wanted) == 0 {
		wanted = []string{l.info.Label}
	}
	if kept == nil {
		kept = slices.DeleteFunc(slices.Clone(l.info.Attributes), func(name string) bool { return slices.Contains(wanted, name) })
	}
	var used []int
	for _, name := range slices.Concat(wanted, kept) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, nil, nil, fmt.Errorf("attribute of celeba is %q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
		}
		if slices.Contains(used, i) {
			return nil, nil, nil, fmt.Errorf("%q is named twice among labels and attributes of celeba, must be named once", name)
		}
		used = append(used, i)
	}
	for i := range names {
		if !slices.Contains(used, i) {
			features = append(features, i)
		}
	}
	if len(features) == 0 {
		return nil, nil, nil, fmt.Errorf("labels and attributes of celeba are all %d columns, must leave a feature", len(names))
	}
	return used[:len(wanted)], used[len(wanted):], features, nil
}

func (s *Set) celebaShape(names []string, labels, protected, features []int) {
	column := func(i int) Column { return Column{Name: names[i], Classes: []string{"no", "yes"}} }
	s.Label = column(labels[0])
	for _, i := range labels[1:] {
		s.More = append(s.More, column(i))
	}
	for _, i := range protected {
		s.Attributes = append(s.Attributes, column(i))
	}
	for _, i := range features {
		s.FeatureNames = append(s.FeatureNames, names[i])
	}
	s.Width = len(features)
}

// addCelebA appends one row of the table.
func (s *Set) addCelebA(values []string, labels, protected, features []int) error {
	class := func(i int) int {
		if values[i] == "1" {
			return 1
		}
		return 0
	}
	for _, v := range values {
		if v != "1" && v != "-1" {
			return errors.New("a value is neither -1 nor 1")
		}
	}
	s.Label.IDs = append(s.Label.IDs, class(labels[0]))
	for k, i := range labels[1:] {
		s.More[k].IDs = append(s.More[k].IDs, class(i))
	}
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
	names := map[string]Part{"0": Train, "1": Validation, "2": Test}
	err := l.each(celebaPartition, func(line string) error {
		words := strings.Fields(line)
		if len(words) != 2 || names[words[1]] == "" {
			return errors.New("it is no name and a part, which must be 0, 1 or 2")
		}
		s.Split = append(s.Split, names[words[1]])
		return nil
	})
	if err == nil && len(s.Split) != len(s.Label.IDs) {
		err = fmt.Errorf("dataset: %s holds %d rows, must hold the %d of the table", celebaPartition, len(s.Split), len(s.Label.IDs))
	}
	switch l.options.Variant {
	case "published":
		s.Split = published.split(len(s.Split), l.options.Seed)
	case "released":
		s.Split = released.split(len(s.Split), l.options.Seed)
	}
	return l.finish(s, err)
}

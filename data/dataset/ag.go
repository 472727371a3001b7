package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const agFile = "ag_news_pnet/ag_data.txt"

// loadAG reads the AG topics with five persons: topic, text and the persons
// named in it, in three parts that lines of '=' end. Each person is an
// attribute of its own, because a text may name several. The variant
// "deduplicated" leaves out the test rows whose text stands in train.
func loadAG(l *loader) (*Set, error) {
	s := &Set{Label: Column{Name: "topic", Classes: []string{"0", "1", "2", "3"}}}
	for _, person := range []string{"Bush", "Kerry", "Arafat", "Blair", "Sharon"} {
		s.Attributes = append(s.Attributes, Column{Name: person, Classes: []string{"absent", "named"}})
	}
	parts := []Part{Train, Validation, Test}
	ended := 0
	err := l.each(agFile, func(line string) error {
		if strings.Trim(line, "=") == "" {
			ended++
			return errNoRecord
		}
		if ended >= len(parts) {
			return errors.New("it follows the third part, must be the last")
		}
		s.Split = append(s.Split, parts[ended])
		return s.addAG(line)
	})
	if err == nil && ended != len(parts) {
		err = fmt.Errorf("dataset: %s has %d parts, must have %d", agFile, ended, len(parts))
	}
	if err == nil && l.options.Variant == "deduplicated" {
		s = s.withoutSeen()
	}
	return l.finish(s, err)
}

func (s *Set) addAG(line string) error {
	f := strings.Split(line, "\t")
	if len(f) != 3 {
		return fmt.Errorf("it has %d fields, must have 3", len(f))
	}
	if err := s.Label.addDigit(f[0], 0); err != nil {
		return err
	}
	s.Text = append(s.Text, f[1])
	persons := strings.Fields(f[2])
	for _, p := range persons {
		if len(p) != 1 || p[0] < '0' || p[0] > '4' {
			return errors.New("a person is unknown, must be 0 to 4")
		}
	}
	for k := range s.Attributes {
		id := 0
		if slices.Contains(persons, string(rune('0'+k))) {
			id = 1
		}
		s.Attributes[k].IDs = append(s.Attributes[k].IDs, id)
	}
	return nil
}

// withoutSeen leaves out the test rows whose text stands in the training part.
func (s *Set) withoutSeen() *Set {
	seen := map[string]bool{}
	for i, t := range s.Text {
		if s.Split[i] == Train {
			seen[t] = true
		}
	}
	var keep []int
	for i, t := range s.Text {
		if s.Split[i] != Test || !seen[t] {
			keep = append(keep, i)
		}
	}
	return s.pick(keep)
}

package dataset

import (
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
	lines, err := l.lines(agFile)
	if err != nil {
		return nil, err
	}
	parts := []Part{Train, Validation, Test}
	ended := 0
	for n, line := range lines {
		if strings.Trim(line, "=") == "" {
			ended++
			continue
		}
		if ended >= len(parts) {
			return nil, fault(agFile, n, "it follows the third part, must be the last")
		}
		if err := s.addAG(n, line); err != nil {
			return nil, err
		}
		s.Split = append(s.Split, parts[ended])
		l.count(agFile)
	}
	if ended != len(parts) {
		return nil, fmt.Errorf("dataset: %s has %d parts, must have %d", agFile, ended, len(parts))
	}
	if l.options.Variant == "deduplicated" {
		s = s.withoutSeen()
	}
	return l.finish(s), nil
}

func (s *Set) addAG(line int, text string) error {
	f := strings.Split(text, "\t")
	if len(f) != 3 {
		return fault(agFile, line, "it has %d fields, must have 3", len(f))
	}
	if err := s.Label.addDigit(agFile, line, f[0], 0); err != nil {
		return err
	}
	s.Text = append(s.Text, f[1])
	persons := strings.Fields(f[2])
	for _, p := range persons {
		if len(p) != 1 || p[0] < '0' || p[0] > '4' {
			return fault(agFile, line, "a person is unknown, must be 0 to 4")
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

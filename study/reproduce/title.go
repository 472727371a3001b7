package reproduce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// SpecTitle is what a list says of a spec.
type SpecTitle struct{ Name, About, Paper string }

// SpecTitles returns those of the specs that [List] returns, in its order. It reads their
// files no further than that, which is what every start of the command has time for.
func SpecTitles() ([]SpecTitle, error) {
	entries, err := specFiles.ReadDir("specs")
	if err != nil {
		return nil, err
	}
	var all []SpecTitle
	for _, e := range entries {
		content, err := specFiles.ReadFile(path.Join("specs", e.Name()))
		if err != nil {
			return nil, err
		}
		t, err := titleOf(content)
		if err != nil {
			return nil, fmt.Errorf("declared: %s: %w", e.Name(), err)
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b SpecTitle) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// titleOf reads a spec up to the last field of its title.
func titleOf(content []byte) (t SpecTitle, err error) {
	d := json.NewDecoder(bytes.NewReader(content))
	if _, err = d.Token(); err != nil { // which opens the object
		return t, err
	}
	left := map[string]*string{"name": &t.Name, "about": &t.About, "paper": &t.Paper}
	for len(left) > 0 {
		key, err := d.Token()
		if err != nil {
			return t, err
		}
		name, ok := key.(string)
		if !ok {
			return t, fmt.Errorf("it has no title")
		}
		var other json.RawMessage
		to := any(&other)
		if field := left[name]; field != nil {
			to = field
			delete(left, name)
		}
		if err := d.Decode(to); err != nil {
			return t, err
		}
	}
	return t, nil
}

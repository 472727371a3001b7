package errors_test

import (
	"bytes"
	"testing"

	"sotto/study/errors"
)

// FuzzReadRules: whatever a file holds, it is refused or rules that are written as they
// were read, and that can be said and matched.
func FuzzReadRules(f *testing.F) {
	f.Add([]byte(`{"format":"sotto-rules-1","rules":[[{"feature":"a","above":0}],[]]}`))
	f.Add([]byte(`{"format":"sotto-rules-1","rules":[[{"feature":"a = b","above":0,"at_most":1e-300}]]}`))
	f.Add([]byte(`{"rules":null}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		rules, err := errors.ReadRules(bytes.NewReader(content))
		if err != nil {
			return
		}
		x := &errors.Features{Names: []string{"a"}, Groups: []string{""}, Rows: []errors.Row{{}, {{Column: 0, Value: 1}}}}
		for _, r := range rules {
			if r.String() == "" || len(r.Match(x)) != 2 {
				t.Errorf("%v says nothing", r)
			}
		}
		var b bytes.Buffer
		if err = errors.WriteRules(&b, rules); err != nil {
			t.Fatal(err)
		}
		again, err := errors.ReadRules(&b)
		if err != nil || len(again) != len(rules) {
			t.Errorf("rules came back as %v: %v", again, err)
		}
	})
}

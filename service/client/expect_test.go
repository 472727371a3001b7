package client_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"sotto/service/client"
)

// TestExpected: the classes are those that were expected, or those that were
// named first, and no others until somebody says so.
func TestExpected(t *testing.T) {
	var version atomic.Int64
	s := asked(t, func(w http.ResponseWriter, r *http.Request) {
		model, answer := about, said(scores+`,`+classes)
		switch version.Load() {
		case 2: // the same classes
			model, answer = strings.Replace(model, `["1"]`, `["2"]`, 1), strings.Replace(answer, `version":"1"`, `version":"2"`, 1)
		case 3: // in another order: no answer looks wrong
			model = strings.Replace(strings.Replace(model, `["1"]`, `["3"]`, 1), `["no","yes"]`, `["yes","no"]`, 1)
			answer = strings.Replace(strings.Replace(answer, `version":"1"`, `version":"3"`, 1), `["yes","no"]`, `["no","yes"]`, 1)
		}
		if r.Method != http.MethodGet {
			model = answer
		}
		write(w, model)
	})
	changed := func(what string) {
		t.Helper()
		var e *client.Unavailable
		if got, err := classify(t.Context(), s); !errors.As(err, &e) || e.Code != "classes_changed" {
			t.Errorf("%s: %v, %v, want classes_changed", what, got, err)
		}
	}
	for version.Store(1); version.Load() < 3; version.Add(1) {
		if got, err := classify(t.Context(), s); err != nil || got[0].Class != "yes" {
			t.Errorf("version %d: %v, %v, want yes", version.Load(), got, err)
		}
	}
	changed("another order")
	changed("another order again")
	if err := s.Expect([]client.Label{{Classes: []string{"yes", "no"}}}); err != nil {
		t.Fatal(err)
	}
	if got, err := classify(t.Context(), s); err != nil || got[0].Class != "no" {
		t.Errorf("as expected: %v, %v, want no", got, err)
	}
	version.Store(1)
	changed("the first again")
	for _, bad := range [][]client.Label{nil, {{}}, {{Classes: []string{"a", "a"}}}, {{Classes: []string{"a", "b"}}, {Classes: []string{"a", "b"}}}} {
		if err := s.Expect(bad); err == nil {
			t.Errorf("Expect(%v) error = nil, want one", bad)
		}
	}
}

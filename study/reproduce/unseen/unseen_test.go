package unseen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/evidence/page"
	"sotto/study/reproduce/unseen"
)

// TestRefuses: what cannot be measured is an error before anything is read.
func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		want string
		o    unseen.Options
	}{
		{"task is \"trek\"", unseen.Options{Store: "s", Only: []string{"trek"}}},
		{"did you mean", unseen.Options{Store: "s", Only: []string{"trek"}}},
		{"method is \"cell\"", unseen.Options{Store: "s", Methods: []string{"cell"}}},
		{"epsilon is 0", unseen.Options{Store: "s", Epsilons: []float64{0}}},
		{"there once", unseen.Options{Store: "s", Epsilons: []float64{1, 1}}},
		{"seeds are -1", unseen.Options{Store: "s", Seeds: -1}},
		{"the store \"\"", unseen.Options{}},
		{"the limit 5", unseen.Options{Store: "s", Limit: 5}},
		{"0 encoders", unseen.Options{Store: "s", Encoders: []string{}}},
	} {
		if _, err := unseen.Run(t.Context(), tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error = %v, want %q in it", err, tt.want)
		}
	}
}

// small is a measurement of seconds.
func small(t *testing.T) unseen.Options {
	t.Helper()
	testenv.Set(t, "cr")
	testenv.Set(t, "yelp")
	o := unseen.Options{
		Dir: testenv.Data(t), Store: filepath.Join(t.TempDir(), "store"), Only: []string{"cr"}, Epsilons: []float64{2, 8},
		Encoders: []string{"hash:64"}, Seeds: 2, Workers: 1, Limit: 600,
	}
	o.Take("yelp", 600)
	return o
}

// TestRun: the result is the same for any number of workers and with vectors that were
// kept, has every method at every ε but the cells that come with sotto, which has none
// for this encoder, and can be shown.
func TestRun(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("takes seconds: SOTTO_LONG=1 runs it")
	}
	o := small(t)
	r, err := unseen.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	first, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := (len(unseen.Methods()) - 1) * 2; len(r.Results) != want {
		t.Errorf("there are %d rows, want %d", len(r.Results), want)
	}
	for _, row := range r.Results {
		if !(row.Accuracy > 0.2 && row.Accuracy <= 1) || len(row.Values) != 2 {
			t.Errorf("%s at ε = %v: %v of %v, want a share of two seeds", row.Method, row.Epsilon, row.Accuracy, row.Values)
		}
	}
	o.Workers = 3
	again, err := unseen.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := json.Marshal(again); !bytes.Equal(first, second) {
		t.Error("three workers and kept vectors give another result")
	}
	var text bytes.Buffer
	if err = r.Print(&text); err != nil || !strings.Contains(text.String(), "cells-own") {
		t.Errorf("Print = %v, %s", err, text.String())
	}
	if err = page.HTML(&bytes.Buffer{}, r.Page()); err != nil {
		t.Error(err)
	}
	var back unseen.Result
	if err = json.Unmarshal(first, &back); err != nil || len(unseen.Evidence.Subjects(&back)) != len(r.Results) {
		t.Errorf("as evidence: %v", err)
	}
}

// TestDamaged: vectors that were changed on disk are computed again.
func TestDamaged(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("takes seconds: SOTTO_LONG=1 runs it")
	}
	o := small(t)
	o.Methods, o.Epsilons, o.Seeds = []string{unseen.Raw}, []float64{8}, 1
	r, err := unseen.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(o.Store)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files are kept, error %v", len(files), err)
	}
	for _, f := range files {
		path := filepath.Join(o.Store, f.Name())
		content, fault := os.ReadFile(path)
		if fault != nil {
			t.Fatal(fault)
		}
		content[len(content)/2] ^= 0x40
		if err = os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	again, err := unseen.Run(t.Context(), o)
	if err != nil || again.Results[0].Accuracy != r.Results[0].Accuracy {
		t.Errorf("after damage: %v, error %v", again, err)
	}
}

// TestCancelled: a context that is done ends the work.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := unseen.Run(ctx, small(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that of the context", err)
	}
}

// TestSentences: a text is divided where a mark stands before a space.
func TestSentences(t *testing.T) {
	got := unseen.Sentences("It is 3.5 km. Really?<br /><br />Yes! no end")
	if want := "It is 3.5 km.|Really?|Yes!|no end"; strings.Join(got, "|") != want {
		t.Errorf("sentences are %q, want %q", strings.Join(got, "|"), want)
	}
}

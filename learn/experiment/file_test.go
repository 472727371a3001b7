package experiment_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/learn/experiment"
)

// parcels writes a file with a text, a number, a label and an attribute, and
// returns a spec of it.
func parcels(t *testing.T) experiment.Spec {
	t.Helper()
	var b strings.Builder
	b.WriteString("comment,verdict,city,weight,who\n")
	for i := range 150 {
		fmt.Fprintf(&b, "%s parcel %d,%s,%d,%d,p%d\n", []string{"fine", "poor", "odd"}[i%3], i, []string{"yes", "no", "hm"}[i%3], i/3%2, 1000*(i%3)+i, i/4)
	}
	path := filepath.Join(t.TempDir(), "customers.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return experiment.Spec{
		In: experiment.Path(path), Label: "verdict", Layout: dataset.Layout{Text: "comment"},
		Encoder: "hash:16", Methods: []string{"label"}, Epsilons: []float64{4}, Epochs: 2,
	}
}

func TestFileSpec(t *testing.T) {
	s := parcels(t)
	s.Attribute, s.Attributes = "city", []string{"weight"}
	s.Attributes = nil
	filled, err := s.Filled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := filled.Filled(t.Context())
	if err != nil || again.Hash() != filled.Hash() {
		t.Errorf("filling twice changes the spec, error %v", err)
	}
	b, err := json.Marshal(filled)
	if err != nil || strings.Contains(string(b), "customers") || !strings.Contains(string(b), `"data":"own"`) {
		t.Errorf("a filled spec is %s, error %v", b, err)
	}
	var read experiment.Spec
	if err = json.Unmarshal([]byte(`{"in": "a.csv", "text": "t", "data": "mine"}`), &read); err != nil || read.In != "a.csv" || read.Text != "t" {
		t.Errorf("read %+v, error %v", read, err)
	}
	first, err := s.Key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	moved := s
	moved.In += ".moved"
	content, err := os.ReadFile(string(s.In))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []bool{false, true} {
		if change {
			content = append(content, "late,yes,1,2,p0\n"...)
		}
		if err := os.WriteFile(string(moved.In), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if key, err := moved.Key(t.Context()); err != nil || (key == first) == change {
			t.Errorf("changed %v: same key %v, error %v", change, key == first, err)
		}
	}
}

func TestFileRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*experiment.Spec)
		want   string
	}{
		{"data and file", func(s *experiment.Spec) { s.Data = "reviews" }, "must be one of them"},
		{"columns of no file", func(s *experiment.Spec) { s.Data, s.In = "adult", "" }, "no meaning"},
		{"file is gone", func(s *experiment.Spec) { s.In = "" }, "give it with --in"},
		{"path as name", func(s *experiment.Spec) { s.Data = "/home/ann/rows.csv" }, "looks like a path"},
		{"variant", func(s *experiment.Spec) { s.DataVariant = "first" }, "data-variant"},
		{"no label", func(s *experiment.Spec) { s.Label = "" }, "--label"},
		{"absent", func(s *experiment.Spec) { s.In += "x" }, "no such file"},
		{"two labels", func(s *experiment.Spec) { s.Labels = []string{"city", "who"} }, "must be one of them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parcels(t)
			tt.change(&s)
			if _, err := experiment.Run(t.Context(), s, experiment.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run = %v, want %q", err, tt.want)
			}
		})
	}
}

// TestFileResult checks what a result says of a file: scales of numbers, persons,
// and what an ε means that protects nobody.
func TestFileResult(t *testing.T) {
	s := parcels(t)
	s.Numbers, s.Person, s.Attribute, s.Epsilons = []string{"weight"}, "who", "city", []float64{1e6}
	var early []string
	r, err := experiment.Run(t.Context(), s, experiment.Options{Notes: func(notes []string) { early = notes }})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Data.File
	if f == nil || f.Rows != 150 || f.Persons != 38 || f.MostRows != 4 || len(f.Scales) != 1 || !(f.Scales[0].Deviation > 500) || r.Spec.In != "" {
		t.Errorf("the record is %+v", f)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"38 persons", "e^1000000; that is no protection"} {
		if !strings.Contains(notes, want) || !strings.Contains(strings.Join(early, "\n"), want) {
			t.Errorf("notes are %q, early %q, want %q in both", r.Notes, early, want)
		}
	}
	if float64(r.Mean.Accuracy) < 0.9 {
		t.Errorf("accuracy is %v, want what the words and the numbers tell", r.Mean.Accuracy)
	}
}

package experiment_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/learn/experiment"
)

func TestFilledRefusesRows(t *testing.T) {
	s := experiment.Spec{Methods: []string{"unconstrained"}, Dropout: 0.5, FirstSeed: 3, Limit: 100}
	if _, err := s.Filled(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(*experiment.Spec)
		want   string
	}{
		{func(s *experiment.Spec) { s.Dropout = 1 }, "dropout is 1"},
		{func(s *experiment.Spec) { s.Dropout = math.NaN() }, "dropout is NaN"},
		{func(s *experiment.Spec) { s.Limit = 3 }, "limit is 3"},
		{func(s *experiment.Spec) { s.Limit = -1 }, "limit is -1"},
	} {
		wrong := s
		tt.change(&wrong)
		if _, err := wrong.Filled(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q in it", wrong, err, tt.want)
		}
	}
}

// A table has no words.
func TestDropoutOfTable(t *testing.T) {
	testenv.Set(t, "adult")
	_, err := experiment.Run(t.Context(), experiment.Spec{Data: "adult", Methods: []string{"majority"}, Dropout: 0.5}, experiment.Options{})
	if err == nil || !strings.Contains(err.Error(), "is a table") {
		t.Errorf("error %v, want that a table has no encoder", err)
	}
}

// trained trains a small model into a folder.
func trained(t *testing.T, change func(*experiment.Spec)) (string, *experiment.Result) {
	t.Helper()
	s := experiment.Spec{Encoder: "hash:32", Methods: []string{"noise"}, Epsilons: []float64{8}, Dims: []int{4}, Hidden: []int{}, Epochs: 2, Limit: 200}
	change(&s)
	dir := filepath.Join(t.TempDir(), "out")
	r, err := experiment.Run(t.Context(), s, experiment.Options{Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

func TestLimit(t *testing.T) {
	_, r := trained(t, func(*experiment.Spec) {})
	if r.Rows != (experiment.Rows{Train: 200, Validation: 50, Test: 50}) || r.Data.Limit != 200 {
		t.Errorf("limited to %+v, recorded as %d, want 200/50/50", r.Rows, r.Data.Limit)
	}
	_, all := trained(t, func(s *experiment.Spec) { s.Limit = 4000 })
	if all.Rows.Train != 3000 || all.Rows.Test != 1000 {
		t.Errorf("a limit above the rows gives %+v, want all", all.Rows)
	}
}

// Masks change the vectors, follow from the seed alone, and are drawn again for
// a stored model.
func TestDropout(t *testing.T) {
	_, bare := trained(t, func(*experiment.Spec) {})
	dir, masked := trained(t, func(s *experiment.Spec) { s.Dropout = 0.5 })
	_, same := trained(t, func(s *experiment.Spec) { s.Dropout = 0.5 })
	_, other := trained(t, func(s *experiment.Spec) { s.Dropout, s.FirstSeed = 0.5, 2 })
	if masked.Data.Vectors == bare.Data.Vectors || masked.Data.Vectors == other.Data.Vectors || masked.Data.Vectors != same.Data.Vectors {
		t.Errorf("digests of vectors: bare %.8s, masked %.8s, same seed %.8s, other seed %.8s", bare.Data.Vectors, masked.Data.Vectors, same.Data.Vectors, other.Data.Vectors)
	}
	if d := masked.Data; d.Encoder != "hash:32" || d.Dropout != 0.5 || d.MaskSeed != 1 || bare.Data.Dropout != 0 {
		t.Errorf("the record names encoder %q, dropout %v and seed %d", d.Encoder, d.Dropout, d.MaskSeed)
	}
	if m, b := masked.Configurations[0].Statement, bare.Configurations[0].Statement; m.True != b.True || m.Unit != "text" {
		t.Errorf("with masks ε is %v (%s), want the text-level one, %v", m.True, m.Unit, b.True)
	}
	e, err := experiment.Evaluate(t.Context(), dir, "", 1)
	if err != nil || e.Mean.Accuracy != masked.Mean.Accuracy {
		t.Errorf("evaluated again: %v, want the same accuracy, %v", err, masked.Mean.Accuracy)
	}
}

func TestReleases(t *testing.T) {
	dir, r := trained(t, func(s *experiment.Spec) { s.Seeds = 2 })
	seeds := 0
	for p, err := range experiment.Releases(t.Context(), dir, experiment.ReleaseOptions{Workers: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		seeds++
		hits := 0
		for k, row := range p.Score.Rows {
			if p.Answers[k] == p.Label.IDs[row] {
				hits++
			}
		}
		got, want := float64(hits)/float64(len(p.Score.Rows)), float64(r.Seeds[seeds-1].Accuracy)
		if got != want || p.Seed != r.Seeds[seeds-1].Seed {
			t.Errorf("seed %d answers %v right, want %v", p.Seed, got, want)
		}
		if len(p.Fit.Rows) != 50 || p.Score.Vectors.Rows != 50 || p.Score.Vectors.Cols != 4 || p.Columns[0].Name != "author" {
			t.Errorf("released are %d rows and %d×%d numbers", len(p.Fit.Rows), p.Score.Vectors.Rows, p.Score.Vectors.Cols)
		}
	}
	if seeds != 2 {
		t.Errorf("there are releases of %d models, want 2", seeds)
	}
	for _, tt := range []struct {
		dir     string
		options experiment.ReleaseOptions
	}{
		{dir, experiment.ReleaseOptions{Workers: -1}},
		{dir, experiment.ReleaseOptions{Data: "adult"}},
		{dir, experiment.ReleaseOptions{Attribute: "shoe"}},
		{t.TempDir(), experiment.ReleaseOptions{}}, // an empty folder
	} {
		refused := false
		for p, err := range experiment.Attackable(t.Context(), tt.dir, tt.options) {
			refused = p == nil && err != nil
		}
		if !refused {
			t.Errorf("%+v: there are releases, want an error", tt)
		}
	}
}

func TestKeyAndGrid(t *testing.T) {
	s := experiment.Spec{Methods: []string{"noise"}, Variant: "released", Epsilons: []float64{1, 2}}
	key, err := s.Key(t.Context())
	if err != nil || len(key) != 64 {
		t.Fatalf("Key() = %q, %v", key, err)
	}
	filled, err := s.Filled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := filled.Key(t.Context()); err != nil || again != key {
		t.Errorf("filled, the key is %q, %v, want the same", again, err)
	}
	for _, change := range []func(*experiment.Spec){
		func(s *experiment.Spec) { s.Epochs = 3 },
		func(s *experiment.Spec) { s.DataVariant = "skewed" },
		func(s *experiment.Spec) { s.Limit = 100 },
	} {
		other := s
		change(&other)
		if k, err := other.Key(t.Context()); err != nil || k == key {
			t.Errorf("%+v has key %q, %v, want another", other, k, err)
		}
	}
	if grid, err := s.Grid(t.Context()); err != nil || len(grid) != 4 || !grid[1].Companion {
		t.Errorf("Grid(t.Context()) = %+v, %v, want both with their companions", grid, err)
	}
	if _, err := (experiment.Spec{}).Grid(t.Context()); err == nil {
		t.Error("a spec without method has a grid")
	}
	if _, err := (experiment.Spec{Methods: []string{"majority"}, DataVariant: "odd"}).Key(t.Context()); err == nil {
		t.Error("a variant that there is not has a key")
	}
}

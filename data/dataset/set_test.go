package dataset_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
)

func tiny() *dataset.Set {
	return &dataset.Set{
		Name: "tiny", Rows: 3, Text: []string{"a", "b", "c"}, Second: []string{"d", "e", "f"},
		Features: []float32{1, 2, 3, 4, 5, 6}, Width: 2, FeatureNames: []string{"x", "y"},
		Label:      dataset.Column{Name: "label", Classes: []string{"no", "yes"}, IDs: []int{0, 1, 1}},
		Target:     []float64{0.5, 1, 2},
		Attributes: []dataset.Column{{Name: "group", Classes: []string{"u", "v"}, IDs: []int{1, dataset.Unknown, 0}}},
		Split:      []dataset.Part{dataset.Train, dataset.Test, dataset.Train},
	}
}

func TestSet(t *testing.T) {
	s := tiny()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := s.Indices(dataset.Train); !reflect.DeepEqual(got, []int{0, 2}) {
		t.Errorf("Indices(Train) = %d, want [0 2]", got)
	}
	if got := s.Indices(dataset.Validation); len(got) != 0 {
		t.Errorf("Indices(Validation) = %d, want none", got)
	}
	if got := s.Row(1); !reflect.DeepEqual(got, []float32{3, 4}) || cap(got) != 2 {
		t.Errorf("Row(1) = %v with room for %d, want [3 4] and no more", got, cap(got))
	}
	if got := s.Label.Priors([]int{0, 1, 2}); math.Abs(got[1]-2./3) > 1e-15 {
		t.Errorf("Priors = %v, want 1/3 and 2/3", got)
	}
	group, err := s.Attribute("group")
	if err != nil || !reflect.DeepEqual(group.Counts([]int{0, 1, 2}), []int{1, 1}) {
		t.Errorf("Counts with an unknown row = %v, %v; want [1 1]", group.Counts([]int{0, 1, 2}), err)
	}
	if got := group.Priors([]int{1}); !reflect.DeepEqual(got, []float64{0, 0}) {
		t.Errorf("Priors of unknown rows = %v, want zeros", got)
	}
	if _, err := s.Attribute("age"); err == nil || !strings.Contains(err.Error(), `must be one of ["group"]`) {
		t.Errorf("Attribute(age) error = %v", err)
	}
	if got := (dataset.Column{}).Counts([]int{0}); len(got) != 0 {
		t.Errorf("Counts of no classes = %v", got)
	}
}

func TestPick(t *testing.T) {
	s := tiny()
	s.More = []dataset.Column{{Name: "other", Classes: []string{"a", "b"}, IDs: []int{1, 0, dataset.Unknown}}}
	p := dataset.Pick(s, []int{2, 0})
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	got := [][]int{p.Label.IDs, p.More[0].IDs, p.Attributes[0].IDs}
	if want := [][]int{{1, 0}, {dataset.Unknown, 1}, {0, 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("columns = %v, want %v", got, want)
	}
	if !reflect.DeepEqual(s.More[0].IDs, []int{1, 0, dataset.Unknown}) {
		t.Errorf("the set itself was changed to %v", s.More[0].IDs)
	}
}

// changes are edits of a set, each of which breaks it or changes its hash.
var changes = []struct {
	name  string
	edit  func(*dataset.Set)
	fault string // "" if the set stays valid
}{
	{"text", func(s *dataset.Set) { s.Text[0] = "ab" }, ""},
	{"texts shifted", func(s *dataset.Set) { s.Text = []string{"ab", "", "c"} }, ""},
	{"second", func(s *dataset.Set) { s.Second = nil }, ""},
	{"feature", func(s *dataset.Set) { s.Features[5] = float32(math.Copysign(0, -1)) }, ""},
	{"feature name", func(s *dataset.Set) { s.FeatureNames[0] = "z" }, ""},
	{"label", func(s *dataset.Set) { s.Label.IDs[0] = 1 }, ""},
	{"class name", func(s *dataset.Set) { s.Label.Classes[0] = "maybe" }, ""},
	{"target", func(s *dataset.Set) { s.Target[2] = 3 }, ""},
	{"attribute", func(s *dataset.Set) { s.Attributes[0].IDs[0] = 0 }, ""},
	{"attribute name", func(s *dataset.Set) { s.Attributes[0].Name = "x" }, ""},
	{"more", func(s *dataset.Set) { s.More = []dataset.Column{s.Label} }, ""},
	{"more classes", func(s *dataset.Set) {
		s.More = []dataset.Column{{Name: "label", Classes: []string{"no", "yes"}, IDs: []int{0, 1, dataset.Unknown}}}
	}, ""},
	{"more twice", func(s *dataset.Set) { s.More = []dataset.Column{s.Label, s.Label} }, ""},
	{"part", func(s *dataset.Set) { s.Split[0] = dataset.Validation }, ""},
	{"no part", func(s *dataset.Set) { s.Split[0] = "x" }, "part of a row"},
	{"class out of range", func(s *dataset.Set) { s.Label.IDs[0] = 2 }, "label of row 0 of tiny is 2, must be below 2"},
	{"class below", func(s *dataset.Set) { s.Attributes[0].IDs[0] = -2 }, "must be below 2"},
	{"fewer texts", func(s *dataset.Set) { s.Text = s.Text[:2] }, "tiny has 2 texts, must have 3"},
	{"fewer features", func(s *dataset.Set) { s.Features = s.Features[:5] }, "tiny has 5 features, must have 6"},
	{"fewer parts", func(s *dataset.Set) { s.Split = nil }, "tiny has 0 parts, must have 3"},
	{"fewer labels", func(s *dataset.Set) { s.Label.IDs, s.Target = nil, nil }, "tiny has 0 labels, must have 3"},
	{"more out of range", func(s *dataset.Set) {
		s.More = []dataset.Column{{Name: "other", Classes: []string{"no"}, IDs: []int{0, 1, 0}}}
	}, "other of row 1 of tiny is 1, must be below 1"},
	{"fewer more", func(s *dataset.Set) { s.Target, s.More = nil, []dataset.Column{{Name: "other"}} }, "other of tiny has 0 rows, must have 3"},
	{"fewer attributes", func(s *dataset.Set) { s.Attributes[0].IDs = s.Attributes[0].IDs[:1] }, "group of tiny has 1 rows, must have 3"},
}

func TestValidate(t *testing.T) {
	for _, tt := range changes {
		s := tiny()
		tt.edit(s)
		err := s.Validate()
		if (err == nil) != (tt.fault == "") || (err != nil && !strings.Contains(err.Error(), tt.fault)) {
			t.Errorf("%s: Validate() = %v, want %q", tt.name, err, tt.fault)
		}
	}
}

func TestHash(t *testing.T) {
	seen := map[string]string{tiny().Hash(): "unchanged"}
	if other := tiny(); len(seen) != 1 || seen[other.Hash()] == "" {
		t.Error("the same content has two hashes")
	}
	for _, tt := range changes {
		s := tiny()
		tt.edit(s)
		h := s.Hash()
		if before, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash", tt.name, before)
		}
		seen[h] = tt.name
	}
	s := tiny()
	s.Name, s.Notes = "other", []string{"note"}
	if seen[s.Hash()] != "unchanged" {
		t.Error("name or notes change the hash")
	}
	// Pinned: manifests hold these hashes, so they must never change.
	if got, want := tiny().Hash(), "06c00579e038afeb67dce108be5cbba43fc397f34d0fd223edc74208b22073e5"; got != want {
		t.Errorf("Hash() = %s, want %s", got, want)
	}
}

func TestSeededSplit(t *testing.T) {
	for _, tt := range []struct{ n, train, validation, wantTrain, wantValidation, wantTest int }{
		{45222, 60, 20, 27133, 9044, 9045},
		{45222, 72, 8, 32560, 3617, 9045}, // int(.8n) − int(.1·int(.8n)), as the released code
		{1000, 80, 0, 800, 0, 200},
		{1, 60, 20, 0, 0, 1},
		{0, 60, 20, 0, 0, 0},
	} {
		count := map[dataset.Part]int{}
		for _, p := range dataset.Seeded(tt.n, tt.train, tt.validation, 1) {
			count[p]++
		}
		if count[dataset.Train] != tt.wantTrain || count[dataset.Validation] != tt.wantValidation || count[dataset.Test] != tt.wantTest {
			t.Errorf("split of %d by %d/%d = %v, want %d/%d/%d", tt.n, tt.train, tt.validation, count, tt.wantTrain, tt.wantValidation, tt.wantTest)
		}
	}
	a, b := dataset.Seeded(100, 60, 20, 1), dataset.Seeded(100, 60, 20, 1)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a, dataset.Seeded(100, 60, 20, 2)) {
		t.Error("a split is not decided by its seed alone")
	}
}

// TestSeededSplitFair checks that each row is equally often in the training
// part. Over 4,000 seeds the count of a row is binomial with deviation
// √(4000·.6·.4) = 31; by Hoeffding a row is off by more than 4000·t with
// probability 2·exp(−2·4000·t²), and t = 0.0449 makes that 1e-5/50 for each of
// the 50 rows.
func TestSeededSplitFair(t *testing.T) {
	const seeds, rows = 4000, 50
	tolerance := math.Sqrt(math.Log(2*rows/1e-5) / (2 * seeds))
	var trained [rows]int
	for seed := range uint64(seeds) {
		for i, p := range dataset.Seeded(rows, 60, 20, seed) {
			if p == dataset.Train {
				trained[i]++
			}
		}
	}
	for i, n := range trained {
		if got := float64(n) / seeds; math.Abs(got-0.6) > tolerance {
			t.Errorf("row %d is in the training part in %v of splits, want 0.6 ± %v", i, got, tolerance)
		}
	}
}

func TestSkew(t *testing.T) {
	// Each part has 8 rows of each of the four cells and 3 of another kind.
	text := strings.Builder{}
	text.WriteString(dialects)
	for _, part := range []string{"train", "val", "test"} {
		for range 8 {
			for _, row := range []string{"0\tx\t0.9\t0\t0\t0.1", "0\tx\t0.1\t0\t0\t0.9", "2\tx\t0.9\t0\t0\t0.1", "2\tx\t0.1\t0\t0\t0.9", "1\tneutral\t0.9\t0\t0\t0.1"} {
				text.WriteString(part + "\t" + row + "\n")
			}
		}
		text.WriteString(part + "\t2\tunknown\t\t\t\t\n")
	}
	files := map[string]string{"twitter_dialect/tweeteval_sentiment.tsv": text.String()}
	s, err := dataset.Parse(files, "dialect_sentiment", dataset.Options{Variant: "skewed"})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[dataset.Part][4]int{dataset.Train: {8, 2, 2, 8}, dataset.Validation: {8, 8, 8, 8}, dataset.Test: {8, 8, 8, 8}} {
		var got [4]int // negative SAE, negative AAE, positive SAE, positive AAE
		for _, i := range s.Indices(part) {
			got[2*s.Label.IDs[i]+s.Attributes[0].IDs[i]]++
		}
		if got != want {
			t.Errorf("cells of %s = %v, want %v", part, got, want)
		}
	}
	if !reflect.DeepEqual(s.Label.Classes, []string{"negative", "positive"}) {
		t.Errorf("classes = %q, want two", s.Label.Classes)
	}
	files["twitter_dialect/tweeteval_sentiment.tsv"] = dialects + "train\t0\tx\t0.9\t0\t0\t0.1\n"
	if _, err := dataset.Parse(files, "dialect_sentiment", dataset.Options{Variant: "skewed"}); err == nil || !strings.Contains(err.Error(), "empty cell") {
		t.Errorf("skew of an empty cell: %v", err)
	}
}

// TestDraw checks the shares of each stratum, and that three units are in all
// parts.
func TestDraw(t *testing.T) {
	strata := make([]int, 0, 110)
	for i := range 100 {
		strata = append(strata, i%2)
	}
	strata = append(strata, 7, 7, 7, 9, 9)
	parts := dataset.Draw(strata, 60, 20, 1)
	counts := map[int]map[dataset.Part]int{}
	for unit, p := range parts {
		if counts[strata[unit]] == nil {
			counts[strata[unit]] = map[dataset.Part]int{}
		}
		counts[strata[unit]][p]++
	}
	for stratum, want := range map[int][3]int{0: {30, 10, 10}, 1: {30, 10, 10}, 7: {1, 1, 1}, 9: {2, 0, 0}} {
		c := counts[stratum]
		if got := [3]int{c[dataset.Train], c[dataset.Validation], c[dataset.Test]}; got != want {
			t.Errorf("stratum %d has parts of %v, want %v", stratum, got, want)
		}
	}
	if slices.Equal(parts, dataset.Draw(strata, 60, 20, 2)) || !slices.Equal(parts, dataset.Draw(strata, 60, 20, 1)) {
		t.Error("parts do not depend on the seed, or not on it alone")
	}
	for _, p := range dataset.Draw(strata, 90, 10, 1) {
		if p == dataset.Test {
			t.Fatal("a part without a share has units")
		}
	}
}

func TestRowsOfPersons(t *testing.T) {
	s := dataset.Set{Persons: []int{0, 1, 0, 2, 0, 1}}
	if persons, most := s.RowsOfPersons(); persons != 3 || most != 3 {
		t.Errorf("%d persons with %d rows at most, want 3 and 3", persons, most)
	}
	if persons, most := (&dataset.Set{Rows: 4}).RowsOfPersons(); persons != 0 || most != 0 {
		t.Errorf("nobody's rows are of %d persons, %d at most", persons, most)
	}
}

func TestParsePart(t *testing.T) {
	for name, want := range map[string]dataset.Part{
		"Train": dataset.Train, "training": dataset.Train, " dev": dataset.Validation, "val": dataset.Validation,
		"valid": dataset.Validation, "validation": dataset.Validation, "TEST": dataset.Test, "testing": dataset.Test, "eval": dataset.Test, "pos": "", "": "",
	} {
		if got, ok := dataset.ParsePart(name); got != want || ok != (want != "") {
			t.Errorf("ParsePart(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
}

package dataset_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
)

// load loads a set from the files at hand, or skips.
func load(t *testing.T, name string, o dataset.Options) *dataset.Set {
	t.Helper()
	testenv.Set(t, name)
	s, err := dataset.Load(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// all returns every row of a set.
func all(s *dataset.Set) []int {
	rows := make([]int, s.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// TestReal holds the exact counts of every set and variant: rows by part, the
// width of the features, and rows by class.
func TestReal(t *testing.T) {
	for _, tt := range []struct {
		set, variant string
		parts        [3]int // train, validation, test
		width        int
		labels       []int
		attributes   map[string][]int
	}{
		{"adult", "published", [3]int{27133, 9044, 9045}, 49, []int{34014, 11208}, map[string][]int{"sex": {14695, 30527}, "race": {435, 1303, 4228, 353, 38903}, "age": {13045, 17893, 11038, 3246}}},
		{"adult", "released", [3]int{32560, 3617, 9045}, 52, []int{34014, 11208}, nil},
		{"celeba", "official", [3]int{162770, 19867, 19962}, 38, []int{104930, 97669}, map[string][]int{"Male": {118165, 84434}}},
		{"celeba", "published", [3]int{121560, 40519, 40520}, 38, []int{104930, 97669}, nil},
		{"celeba", "released", [3]int{145872, 16207, 40520}, 38, []int{104930, 97669}, nil},
		{"ag_news_pnet", "published", [3]int{11657, 1457, 1457}, 0, []int{8446, 5412, 106, 607}, map[string][]int{"Bush": {6643, 7928}, "Kerry": {10810, 3761}, "Arafat": {11905, 2666}, "Blair": {13059, 1512}, "Sharon": {13120, 1451}}},
		{"ag_news_pnet", "deduplicated", [3]int{11657, 1457, 980}, 0, []int{8174, 5222, 104, 594}, nil},
		{"blog_topics", "", [3]int{7098, 887, 887}, 0, []int{141, 1390, 279, 1687, 218, 1296, 36, 3106, 178, 541}, map[string][]int{"age_group": {4436, 4436}, "gender": {4436, 4436}}},
		{"blog_industry", "", [3]int{22361, 2715, 2952}, 0, nil, map[string][]int{"age_group": {12507, 11675, 3846}, "gender": {12602, 15426}}},
		{"imdb", "", [3]int{800, 0, 200}, 0, []int{500, 500}, nil},
		{"amazon", "", [3]int{800, 0, 200}, 0, []int{500, 500}, nil},
		{"yelp", "", [3]int{800, 0, 200}, 0, []int{500, 500}, nil},
		{"snips", "", [3]int{13784, 0, 700}, 0, []int{2042, 2073, 2100, 2100, 2056, 2054, 2059}, nil},
		{"banking77", "", [3]int{10003, 0, 3080}, 0, nil, nil},
		{"clinc150", "scope", [3]int{15000, 3000, 4500}, 0, nil, nil},
		{"clinc150", "whole", [3]int{15100, 3100, 5500}, 0, nil, nil},
		{"semeval2010", "", [3]int{8000, 0, 2717}, 0, nil, nil},
		{"conll04", "", [3]int{1273, 353, 422}, 0, []int{268, 521, 406, 452, 401}, nil},
		{"biographies", "", [3]int{3332, 0, 1349}, 0, nil, nil},
		{"fewrel", "wiki", [3]int{8960, 1120, 1120}, 0, slices.Repeat([]int{700}, 16), nil},
		{"fewrel", "nyt", [3]int{2000, 250, 250}, 0, slices.Repeat([]int{100}, 25), nil},
		{"imdb_reviews", "", [3]int{10000, 0, 10000}, 0, []int{10000, 10000}, nil},
		{"mrpc", "", [3]int{4076, 0, 1725}, 0, []int{1901, 3900}, nil},
		{"stsb", "", [3]int{0, 1500, 1379}, 0, nil, nil},
		{"mr", "", [3]int{8529, 1066, 1067}, 0, []int{5331, 5331}, nil},
		{"cr", "", [3]int{3020, 377, 378}, 0, []int{1368, 2407}, nil},
		{"mpqa", "", [3]int{8485, 1060, 1061}, 0, []int{7294, 3312}, nil},
		{"subj", "", [3]int{8000, 1000, 1000}, 0, []int{5000, 5000}, nil},
		{"sst2", "", [3]int{6920, 872, 1821}, 0, []int{4650, 4963}, nil},
		{"sst5", "", [3]int{8544, 1101, 2210}, 0, []int{1510, 3140, 2242, 3111, 1852}, nil},
		{"trec", "", [3]int{5452, 0, 500}, 0, []int{1300, 1344, 95, 1288, 916, 1009}, nil},
		{"dialect_hate", "natural", [3]int{9000, 1000, 2970}, 0, []int{7508, 5462}, map[string][]int{"dialect": {10634, 2293}}},
		{"dialect_hate", "skewed", [3]int{1840, 216, 1896}, 0, []int{1976, 1976}, map[string][]int{"dialect": {1976, 1976}}},
		{"dialect_offensive", "natural", [3]int{11916, 1324, 860}, 0, []int{9460, 4640}, map[string][]int{"dialect": {12671, 1416}}},
		{"dialect_offensive", "skewed", [3]int{1300, 188, 160}, 0, []int{824, 824}, map[string][]int{"dialect": {824, 824}}},
		{"dialect_sentiment", "natural", [3]int{8571, 2856, 2857}, 0, []int{4284, 6806, 3194}, map[string][]int{"dialect": {13406, 872}}},
		{"dialect_sentiment", "skewed", [3]int{290, 180, 164}, 0, []int{317, 317}, map[string][]int{"dialect": {317, 317}}},
		{"airline", "", [3]int{11715, 1459, 1466}, 0, []int{9178, 3099, 2363}, map[string][]int{"airline": {2759, 2222, 2420, 2913, 3822, 504}}},
		{"trustpilot", "", [3]int{659, 82, 83}, 0, []int{127, 30, 32, 86, 549}, map[string][]int{"gender": {211, 613}, "age_bucket": {3, 67, 260, 494}}},
		{"moji_aae", "", [3]int{93657, 11757, 11737}, 0, []int{44058, 73093}, nil},
	} {
		t.Run(strings.TrimSpace(tt.set+" "+tt.variant), func(t *testing.T) {
			if tt.set == "celeba" && tt.variant != "official" && !dptest.Long() {
				t.Skip("another split of 200,000 rows: SOTTO_LONG=1 runs it")
			}
			s := load(t, tt.set, dataset.Options{Variant: tt.variant})
			parts := [3]int{len(s.Indices(dataset.Train)), len(s.Indices(dataset.Validation)), len(s.Indices(dataset.Test))}
			if parts != tt.parts || s.Width != tt.width {
				t.Errorf("parts = %d and width = %d, want %d and %d", parts, s.Width, tt.parts, tt.width)
			}
			if got := s.Label.Counts(all(s)); tt.labels != nil && !slices.Equal(got, tt.labels) {
				t.Errorf("labels = %d, want %d", got, tt.labels)
			}
			for name, want := range tt.attributes {
				c, err := s.Attribute(name)
				if got := c.Counts(all(s)); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s = %d, want %d (%v)", name, got, want, err)
				}
			}
		})
	}
}

// TestRealChecksums verifies every set that is present.
func TestRealChecksums(t *testing.T) {
	if !dptest.Long() {
		t.Skip("reads every file: SOTTO_LONG=1 runs it")
	}
	testenv.Data(t)
	for _, s := range dataset.List("") {
		if !s.Present || len(s.Files) == 0 {
			continue
		}
		checks, err := dataset.Verify(s.Name, "")
		if err != nil {
			t.Error(err)
		}
		for _, c := range checks {
			if c.State != dataset.Good {
				t.Errorf("%s: %s %s", c.File.Path, c.State, c.Fault)
			}
		}
	}
}

// TestRealQuirks holds what the loaders report of the files at hand.
func TestRealQuirks(t *testing.T) {
	for _, tt := range []struct{ set, want string }{
		{"cr", "4 rows have no text"},
		{"mpqa", "3 rows have no text"},
		{"moji_aae", "8570 sad tweets also stand among the happy ones; 53 lines were not valid UTF-8; what was invalid is now U+FFFD"},
		{"dialect_hate", "the dialect of 43 tweets in the file is unknown; 8 rows have no text"},
		{"snips", ""},
		{"mrpc", ""},
	} {
		t.Run(tt.set, func(t *testing.T) {
			s := load(t, tt.set, dataset.Options{})
			if got := strings.Join(s.Notes, "; "); got != tt.want {
				t.Errorf("notes = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRealDisjoint checks that what must not cross the parts does not.
func TestRealDisjoint(t *testing.T) {
	s := load(t, "blog_industry", dataset.Options{})
	user, err := s.Attribute("user")
	if err != nil {
		t.Fatal(err)
	}
	in := map[int]dataset.Part{}
	for i, id := range user.IDs {
		if p, ok := in[id]; ok && p != s.Split[i] {
			t.Fatalf("an author is in %s and %s", p, s.Split[i])
		}
		in[id] = s.Split[i]
	}
}

// TestRealAny predicts other attributes of CelebA.
func TestRealAny(t *testing.T) {
	s := load(t, "celeba", dataset.Options{Labels: []string{"Attractive"}, Attributes: []string{"Male", "Young"}})
	if s.Label.Name != "Attractive" || s.Width != 37 || len(s.Attributes) != 2 || slices.Contains(s.FeatureNames, "Young") {
		t.Errorf("label %s, width %d, attributes %d; want Attractive, 37, 2", s.Label.Name, s.Width, len(s.Attributes))
	}
}

// BenchmarkCelebA loads the largest table.
func BenchmarkCelebA(b *testing.B) {
	testenv.Set(b, "celeba")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dataset.Load("celeba", dataset.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

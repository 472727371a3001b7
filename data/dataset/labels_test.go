package dataset_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/promise/dp/dptest"
)

// names returns the names of columns.
func names(columns []dataset.Column) []string {
	list := []string{}
	for _, c := range columns {
		list = append(list, c.Name)
	}
	return list
}

// classes returns the class of each row by name, "?" where it is unknown.
func classes(c dataset.Column) []string {
	list := []string{}
	for _, id := range c.IDs {
		if id == dataset.Unknown {
			list = append(list, "?")
		} else {
			list = append(list, c.Classes[id])
		}
	}
	return list
}

// smallFiles returns the small files of a set.
func smallFiles(set string) map[string]string {
	for _, s := range small {
		if s.set == set {
			return s.files
		}
	}
	return nil
}

// TestLabels reads several labels from the small files: what each row has, what
// remains an attribute, and which features are left.
func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		set        string
		labels     []string
		want       [][]string // of each label, by row
		attributes []string
		gone       []string // beginnings of names that are no feature
		width      int
		notes      string
	}{
		{
			"adult",
			[]string{"income", "marital-status", "workclass"},
			[][]string{{"<=50K", ">50K"}, {"Never-married", "Divorced"}, {"State-gov", "Private"}},
			[]string{"sex", "race", "age"},
			[]string{"marital-status", "workclass", "relationship"},
			49 - 7 - 7 - 6,
			"relationship is left out of the features, because it tells marital-status almost by definition",
		},
		{
			"adult",
			[]string{"education", "native-country", "race", "sex", "income"},
			[][]string{{"Bachelors", "11th"}, {"United-States", "Mexico"}, {"White", "Black"}, {"Male", "Female"}, {"<=50K", ">50K"}},
			[]string{"age"},
			[]string{"education", "native-country", "relationship"},
			49 - 10 - 1 - 2 - 6,
			"education-num is left out of the features, because it tells education almost by definition; " +
				"relationship is left out of the features, because it tells sex almost by definition",
		},
		{
			"adult",
			[]string{"relationship", "marital-status", "occupation"},
			[][]string{{"Not-in-family", "Wife"}, {"Never-married", "Divorced"}, {"Adm-clerical", "Sales"}},
			[]string{"sex", "race", "age"},
			[]string{"marital-status", "occupation", "relationship"},
			49 - 6 - 7 - 14,
			"",
		},
		{"adult", []string{"income"}, [][]string{{"<=50K", ">50K"}}, []string{"sex", "race", "age"}, nil, 49, ""},
		{"celeba", []string{"Male", "Smiling"}, [][]string{{"no", "yes"}, {"yes", "no"}}, nil, []string{"Male", "Smiling"}, 1, ""},
		{"ag_news_pnet", []string{"Blair", "topic"}, [][]string{{"absent", "absent", "absent", "named"}, {"1", "3", "0", "2"}}, []string{"Bush", "Kerry", "Arafat", "Sharon"}, nil, 0, ""},
		{"blog_industry", []string{"industry", "age_group", "gender"}, [][]string{{"Law", "Arts"}, {"10s", "30s+"}, {"M", "F"}}, []string{"sign", "user"}, nil, 0, ""},
		{"blog_topics", []string{"gender"}, [][]string{{"M", "F"}}, []string{"age_group", "user"}, nil, 0, ""},
		{"airline", []string{"sentiment", "airline"}, [][]string{{"neutral", "negative"}, {"Delta", "United"}}, nil, nil, 0, ""},
		{"dialect_hate", []string{"hate", "dialect"}, [][]string{{"yes", "no", "no"}, {"AAE", "?", "SAE"}}, nil, nil, 0, "the dialect of 1 tweets in the file is unknown; 1 rows have no text"},
	} {
		t.Run(tt.set+" "+strings.Join(tt.labels, " "), func(t *testing.T) {
			s, err := dataset.Parse(smallFiles(tt.set), tt.set, dataset.Options{Labels: tt.labels})
			if err != nil {
				t.Fatal(err)
			}
			labels := append([]dataset.Column{s.Label}, s.More...)
			if !slices.Equal(names(labels), tt.labels) || !slices.Equal(names(s.Attributes), tt.attributes) {
				t.Fatalf("labels %q and attributes %q, want %q and %q", names(labels), names(s.Attributes), tt.labels, tt.attributes)
			}
			for k, c := range labels {
				if got := classes(c); !slices.Equal(got, tt.want[k]) {
					t.Errorf("%s = %q, want %q", c.Name, got, tt.want[k])
				}
			}
			if s.Width != tt.width || len(s.FeatureNames) != tt.width {
				t.Errorf("width = %d with %d names, want %d", s.Width, len(s.FeatureNames), tt.width)
			}
			for _, name := range s.FeatureNames {
				if slices.ContainsFunc(tt.gone, func(label string) bool { return strings.HasPrefix(name, label) }) {
					t.Errorf("%s is a feature", name)
				}
			}
			if got := strings.Join(s.Notes, "; "); got != tt.notes {
				t.Errorf("notes = %q, want %q", got, tt.notes)
			}
		})
	}
}

// TestLabelsUnknown refuses a value that is no class of a label, without quoting
// it, where the column is no feature any more.
func TestLabelsUnknown(t *testing.T) {
	for _, value := range []string{"Bachelors", "United-States", "Adm-clerical"} {
		files := map[string]string{"adult/adult.data": strings.Replace(adultRow, value, "SECRET", 1), "adult/adult.test": ""}
		_, err := dataset.Parse(files, "adult", dataset.Options{Labels: []string{"education", "native-country", "occupation"}})
		if err == nil || !strings.Contains(err.Error(), "is no known class") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("a row without %s: error = %v, want no known class", value, err)
		}
	}
}

// TestLabelsReviews checks that labels change nothing but the columns' places,
// and that the set's own label by name is the default.
func TestLabelsReviews(t *testing.T) {
	load := func(labels ...string) *dataset.Set {
		t.Helper()
		s, err := dataset.Load("reviews", dataset.Options{Rows: 1000, Seed: 7, Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain, own, both, other := load(), load("sentiment"), load("sentiment", "author"), load("author")
	if own.Hash() != plain.Hash() || len(own.More) != 0 {
		t.Errorf("the own label by name: hash %s with %d more, want %s and none", own.Hash(), len(own.More), plain.Hash())
	}
	if !reflect.DeepEqual(both.Label, plain.Label) || !reflect.DeepEqual(both.More, plain.Attributes) || len(both.Attributes) != 0 {
		t.Errorf("labels sentiment and author: label %q, more %q, attributes %q", both.Label.Name, names(both.More), names(both.Attributes))
	}
	if !reflect.DeepEqual(other.Label, plain.Attributes[0]) || len(other.More) != 0 || len(other.Attributes) != 0 {
		t.Errorf("label author: label %q, more %q, attributes %q", other.Label.Name, names(other.More), names(other.Attributes))
	}
	hashes := map[string]bool{plain.Hash(): true, both.Hash(): true, other.Hash(): true, load("author", "sentiment").Hash(): true}
	if len(hashes) != 4 {
		t.Errorf("four choices of labels have %d hashes", len(hashes))
	}
	if !slices.Equal(both.Text, plain.Text) || !slices.Equal(both.Split, plain.Split) {
		t.Error("labels change texts or split")
	}
	// Label is short for one of Labels.
	s, err := dataset.Load("reviews", dataset.Options{Rows: 1000, Seed: 7, Label: "author"})
	if err != nil || s.Hash() != other.Hash() {
		t.Errorf("Label author: %v, want the hash of Labels author", err)
	}
}

// TestRealLabels holds counts of labels by class; those of adult and celeba were
// counted from the files without this package.
func TestRealLabels(t *testing.T) {
	for _, tt := range []struct {
		set, variant string
		labels       []string
		width        int
		attributes   []string
		counts       [][]int // nil where another test holds them
	}{
		{
			"adult", "published",
			[]string{"income", "marital-status", "workclass"},
			29,
			[]string{"sex", "race", "age"},
			[][]int{{34014, 11208}, {6297, 32, 21055, 552, 14598, 1411, 1277}, {1406, 3100, 33307, 1646, 3796, 1946, 21}},
		},
		{
			"adult", "released",
			[]string{"education", "relationship", "occupation", "sex"},
			52 - 10 - 1 - 6 - 7 - 14,
			[]string{"race", "age"},
			[][]int{
				{1223, 1619, 577, 222, 449, 823, 676, 1507, 1959, 7570, 544, 14783, 2514, 72, 785, 9899},
				{18666, 11702, 1349, 6626, 4788, 2091},
				{5540, 14, 6020, 5984, 1480, 2046, 2970, 4808, 232, 6008, 976, 5408, 1420, 2316},
				{14695, 30527},
			},
		},
		{
			"adult", "published",
			[]string{"native-country", "race"},
			47,
			[]string{"sex", "age"},
			[][]int{
				{
					26, 163, 113, 82, 133, 97, 43, 147, 119, 36, 193, 49, 86, 69, 1, 19, 28, 18, 147, 56, 36, 100, 103, 89, 21,
					903, 48, 22, 45, 283, 81, 62, 175, 20, 101, 55, 29, 26, 41292, 83, 23,
				},
				{435, 1303, 4228, 353, 38903},
			},
		},
		{
			"celeba", "official",
			[]string{"Smiling", "Attractive", "High_Cheekbones", "Mouth_Slightly_Open", "Male"},
			35,
			[]string{},
			[][]int{{104930, 97669}, {98766, 103833}, {110410, 92189}, {104657, 97942}, {118165, 84434}},
		},
		{"celeba", "official", []string{"Attractive", "Smiling"}, 37, []string{"Male"}, [][]int{{98766, 103833}, {104930, 97669}}},
		{
			"blog_industry", "",
			[]string{"industry", "age_group", "gender", "sign"},
			0,
			[]string{"user"},
			[][]int{nil, {12507, 11675, 3846}, {12602, 15426}, {2095, 2293, 2384, 2030, 2256, 2411, 2532, 2284, 2310, 2392, 2370, 2671}},
		},
		{"ag_news_pnet", "deduplicated", []string{"topic", "Bush"}, 0, []string{"Kerry", "Arafat", "Blair", "Sharon"}, [][]int{{8174, 5222, 104, 594}, nil}},
		{"dialect_hate", "skewed", []string{"dialect", "hate"}, 0, []string{}, [][]int{{1976, 1976}, {1976, 1976}}},
	} {
		t.Run(tt.set+" "+strings.Join(tt.labels, " "), func(t *testing.T) {
			if tt.set == "celeba" && len(tt.labels) == 2 && !dptest.Long() {
				t.Skip("fewer labels of the same 200,000 rows: SOTTO_LONG=1 runs it")
			}
			s := load(t, tt.set, dataset.Options{Variant: tt.variant, Labels: tt.labels})
			labels := append([]dataset.Column{s.Label}, s.More...)
			if !slices.Equal(names(labels), tt.labels) || !slices.Equal(names(s.Attributes), tt.attributes) || s.Width != tt.width {
				t.Fatalf("labels %q, attributes %q and width %d, want %q, %q and %d", names(labels), names(s.Attributes), s.Width, tt.labels, tt.attributes, tt.width)
			}
			for k, c := range labels {
				if got := c.Counts(all(s)); tt.counts[k] != nil && !slices.Equal(got, tt.counts[k]) {
					t.Errorf("%s = %d, want %d", c.Name, got, tt.counts[k])
				}
			}
		})
	}
}

// TestRealLabelsAll loads every set with all its labels: none has more than 100
// classes, and what is left as an attribute has more, but for the age of adult.
// CelebA keeps a feature.
func TestRealLabelsAll(t *testing.T) {
	if !dptest.Long() {
		t.Skip("loads every set: SOTTO_LONG=1 runs it")
	}
	for _, info := range dataset.List("") {
		if info.Labels[0] != info.Label {
			t.Errorf("%s: the first label is %q, want %q", info.Name, info.Labels[0], info.Label)
		}
		t.Run(info.Name, func(t *testing.T) {
			labels := info.Labels
			if info.Name == "celeba" {
				labels = labels[:39]
			}
			s := load(t, info.Name, dataset.Options{Labels: labels})
			columns := append([]dataset.Column{s.Label}, s.More...)
			if !slices.Equal(names(columns), labels) || s.Rows != info.Rows {
				t.Errorf("labels %q and %d rows, want %q and %d", names(columns), s.Rows, labels, info.Rows)
			}
			for _, c := range columns {
				if len(c.Classes) > 100 && c.Name != info.Label {
					t.Errorf("%s has %d classes, must have at most 100", c.Name, len(c.Classes))
				}
			}
			for _, c := range s.Attributes {
				if len(c.Classes) <= 100 && c.Name != "age" { // adult: a number in groups
					t.Errorf("%s has %d classes and is no label", c.Name, len(c.Classes))
				}
			}
			if info.Name == "celeba" && !slices.Equal(s.FeatureNames, info.Labels[39:]) {
				t.Errorf("features %q, want the one attribute that is no label, %q", s.FeatureNames, info.Labels[39:])
			}
		})
	}
}

func ExampleOptions_labels() {
	s, err := dataset.Load("reviews", dataset.Options{Rows: 1000, Seed: 1, Labels: []string{"sentiment", "author"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	test := s.Indices(dataset.Test)
	for _, label := range append([]dataset.Column{s.Label}, s.More...) {
		fmt.Println(label.Name, label.Classes, label.Counts(test))
	}
	fmt.Println(len(s.Attributes), "attributes are left")
	_, err = dataset.Load("reviews", dataset.Options{Labels: []string{"mood"}})
	fmt.Println(err)
	// Output:
	// sentiment [negative positive] [98 102]
	// author [casual formal] [107 93]
	// 0 attributes are left
	// dataset: label of reviews is "mood", must be one of ["sentiment" "author"]
}

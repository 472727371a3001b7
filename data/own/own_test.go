package own_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/study/link/records"
)

// write puts a file into a folder of its own.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// csv makes a file of n rows from what each row is.
func csv(t *testing.T, header string, n int, row func(i int) string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return write(t, "mine.csv", b.String())
}

// reviews is a file that there is nothing wrong with.
func reviews(t *testing.T) string {
	return csv(t, "key,review,mood,city,age,who,part", 100, func(i int) string {
		return fmt.Sprintf("k%d,text number %d,%s,%s,%d,p%d,%s", i, i, []string{"low", "high"}[i%2], []string{"Rome", "Oslo", ""}[i%3], 20+i%40, i/5,
			[]string{"Training", "train", "TRAIN", "dev", "eval"}[i/20])
	})
}

func mood() own.Options {
	return own.Options{Labels: []string{"mood"}, Layout: dataset.Layout{Text: "review"}}
}

// A class that each person has beside a commoner one is in all parts, and where
// there are too few persons for that, they are counted.
func TestRareClassOfPersons(t *testing.T) {
	rare := func(persons int) string {
		return csv(t, "who,review,mood", 600, func(i int) string {
			who, mood := i/6, []string{"a", "b"}[i%2]
			if i%6 == 0 && who < persons {
				mood = "rare"
			}
			return fmt.Sprintf("p%d,secret %d,%s", who, i, mood)
		})
	}
	o := mood()
	o.Person = "who"
	for seed := range uint64(20) {
		o.SplitSeed = seed
		if _, err := own.Load(t.Context(), rare(4), o); err != nil {
			t.Errorf("with four persons, seed %d: %v", seed, err)
		}
	}
	if _, err := own.Load(t.Context(), rare(2), o); err == nil || !strings.Contains(err.Error(), "2 rows of 2 persons") || !strings.Contains(err.Error(), "at least 3 persons") {
		t.Errorf("with two persons the error is %v, want how many there are and must be", err)
	}
}

func TestLoad(t *testing.T) {
	o := mood()
	o.Attributes, o.Numbers, o.ID, o.Person = []string{"city"}, []string{"age"}, "key", "who"
	s, err := own.Load(t.Context(), reviews(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != own.Name || s.Rows != 100 || s.Width != 1 || s.Text[7] != "text number 7" || s.Row(7)[0] != 27 {
		t.Errorf("Load gave %q with %d rows, %d numbers, text %q", s.Name, s.Rows, s.Width, s.Text[7])
	}
	if !slices.Equal(s.Label.Classes, []string{"high", "low"}) || s.Label.IDs[0] != 1 || s.Attributes[0].IDs[2] != dataset.Unknown {
		t.Errorf("label %v begins with %d, unknown city is %d", s.Label.Classes, s.Label.IDs[0], s.Attributes[0].IDs[2])
	}
	if persons, most := s.RowsOfPersons(); persons != 20 || most != 5 {
		t.Errorf("%d persons with %d rows at most, want 20 with 5", persons, most)
	}
	part := map[int]dataset.Part{}
	for i, who := range s.Persons {
		if p, ok := part[who]; ok && p != s.Split[i] {
			t.Fatalf("rows of person %d are in %s and %s", who, p, s.Split[i])
		}
		part[who] = s.Split[i]
	}
	for _, p := range []dataset.Part{dataset.Train, dataset.Validation, dataset.Test} {
		if len(s.Indices(p)) == 0 {
			t.Errorf("part %s is empty", p)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v", *s), "mine.csv") {
		t.Error("the set holds the path of its file")
	}
}

// Rows that are linked stay in one part, and are bounded, as those of a person are. Who
// is who is known here: the number in the phone.
func TestLinked(t *testing.T) {
	path := csv(t, "name,phone,account,review,mood", 300, func(i int) string {
		who := i / 3
		name := fmt.Sprintf("%c%crd %cal%cton", "bcdfghklmp"[who%10], "aeiou"[who/10%5], "bdgkstvw"[who%8], "aeiou"[who%5])
		return fmt.Sprintf("%s,+49 %d,a%d,text number %d,%s", []string{name, strings.ToUpper(name), name[:3] + name[4:]}[i%3], 100000+7919*who, i, i, []string{"low", "high"}[who%2])
	})
	o := mood()
	o.LinkBy = []string{"name", "phone"}
	s, err := own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if persons, most := s.RowsOfPersons(); persons != 100 || most != 3 || s.Linked == "" {
		t.Fatalf("%d persons with %d rows at most, linked by %q, want 100 with 3", persons, most, s.Linked)
	}
	for i := range s.Rows {
		if s.Persons[i] != s.Persons[i/3*3] || s.Split[i] != s.Split[i/3*3] {
			t.Fatalf("row %d is of person %d in %s, and the first of that person is of %d in %s", i, s.Persons[i], s.Split[i], s.Persons[i/3*3], s.Split[i/3*3])
		}
	}
	o.MaxRows = 2
	if s, err = own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o); err != nil || s.Rows != 200 || s.LeftOut != 100 {
		t.Errorf("%d rows are read and %d left out, %v, want 200 and 100", s.Rows, s.LeftOut, err)
	}
	o.MaxRows, o.LinkBy, o.LinkModel = 0, nil, "{}"
	if _, err = own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o); err == nil || !strings.Contains(err.Error(), "--link-by") {
		t.Errorf("a model without columns gives %v", err)
	}
}

// TestDrawnParts checks that drawn parts depend on the seed of the split alone,
// and have 60, 20 and 20 percent of each class.
func TestDrawnParts(t *testing.T) {
	path, o := reviews(t), mood()
	first, err := own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
	if err != nil || first.Hash() != again.Hash() {
		t.Fatalf("the same file gave another hash, error %v", err)
	}
	for part, want := range map[dataset.Part]int{dataset.Train: 30, dataset.Validation: 10, dataset.Test: 10} {
		if got := first.Label.Counts(first.Indices(part)); got[0] != want || got[1] != want {
			t.Errorf("%s has %v rows of the classes, want %d each", part, got, want)
		}
	}
	o.SplitSeed = 7
	other, err := own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
	if err != nil || slices.Equal(first.Split, other.Split) {
		t.Errorf("another seed of the split drew the same parts, error %v", err)
	}
}

// TestGivenParts checks the usual names of parts, and what stands in for a
// validation part.
func TestGivenParts(t *testing.T) {
	o := mood()
	o.Split = "part"
	s, err := own.Load(t.Context(), reviews(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Split[0] != dataset.Train || s.Split[45] != dataset.Train || s.Split[65] != dataset.Validation || s.Split[85] != dataset.Test {
		t.Errorf("parts are %v", s.Split)
	}
	path := csv(t, "review,mood,part", 100, func(i int) string {
		return fmt.Sprintf("text %d,%d,%s", i, i%2, []string{"train", "train", "train", "train", "test"}[i%5])
	})
	s, err = own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Indices(dataset.Validation)); n != 8 || len(s.Indices(dataset.Test)) != 20 {
		t.Errorf("%d rows validate and %d test, want 8 and 20", n, len(s.Indices(dataset.Test)))
	}
}

// TestPartNames checks what eval means beside another part that tests.
func TestPartNames(t *testing.T) {
	o := mood()
	o.Split = "part"
	for _, tt := range []struct {
		test string
		want dataset.Part
	}{{"Test", dataset.Validation}, {"EVAL", dataset.Test}} {
		path := csv(t, "review,mood,part", 60, func(i int) string {
			return fmt.Sprintf("text %d,%d,%s", i, i/3%2, []string{"train", "eval", tt.test}[i%3])
		})
		s, err := own.Load(own.WithLinker(t.Context(), records.LinkPersons), path, o)
		if err != nil || s.Split[1] != tt.want {
			t.Errorf("beside %s, eval is %q, want %q, error %v", tt.test, s.Split[1], tt.want, err)
		}
	}
}

// TestNumberedClasses checks that numbers with many rows each are classes.
func TestNumberedClasses(t *testing.T) {
	path := csv(t, "review,mood", 3000, func(i int) string { return fmt.Sprintf("text %d,%d", i, 100+i%100) })
	if s, err := own.Load(t.Context(), path, mood()); err != nil || len(s.Label.Classes) != 100 {
		t.Errorf("Load of 100 numbered classes gave error %v", err)
	}
}

// TestRefused checks that what no model can be made of is refused with the
// reason, and that no value of a row is quoted.
func TestRefused(t *testing.T) {
	rows := func(header string, row func(i int) string) string { return csv(t, header, 60, row) }
	plain := func(label string) string {
		return rows("review,mood", func(i int) string {
			return fmt.Sprintf("secret %d,%s", i, strings.ReplaceAll(label, "#", fmt.Sprint(i)))
		})
	}
	with := func(change func(*own.Options)) own.Options {
		o := mood()
		change(&o)
		return o
	}
	long := csv(t, "review,mood", 5000, func(i int) string { return fmt.Sprintf("secret,%d.5", i) })
	for _, tt := range []struct {
		name string
		path string
		o    own.Options
		want []string
	}{
		{"no column", reviews(t), own.Options{Labels: []string{"mood"}}, []string{"--text", "--numbers", "key, review, mood"}},
		{"no label", reviews(t), own.Options{Layout: dataset.Layout{Text: "review"}}, []string{"--label", "key, review, mood"}},
		{"text is label", reviews(t), with(func(o *own.Options) { o.Labels = []string{"review"} }), []string{`"review"`, "--text", "--label"}},
		{"attribute is label", reviews(t), with(func(o *own.Options) { o.Attributes = []string{"mood"} }), []string{"--label", "--attribute"}},
		{"missing column", reviews(t), with(func(o *own.Options) { o.Labels = []string{"moood"} }), []string{`"moood"`, "key, review, mood", "did you mean"}},
		{"header only", write(t, "mine.csv", "review,mood\n"), mood(), []string{"no row", "at least one"}},
		{"one class", plain("same"), mood(), []string{`"mood"`, "at least two"}},
		{"empty labels", plain(""), mood(), []string{"empty in all 60 rows"}},
		{"label of ids", plain("secret#x"), mood(), []string{"60 different values", "text or an id"}},
		{"label is a number", long, mood(), []string{"5000 different numbers", "that is a number, not classes", "--numbers"}},
		{"rare class", rows("review,mood", func(i int) string { return fmt.Sprintf("secret,%s", []string{"a", "b", "rare"}[i%2*(1-i/58)+i/58*2]) }), mood(), []string{`class "rare"`, "at least 3"}},
		{"same ids", rows("key,review,mood", func(i int) string { return fmt.Sprintf("secret%d,text,%d", i/30*7, i%2) }), with(func(o *own.Options) { o.ID = "key" }), []string{"lines 2 and 3", "and 55 more"}},
		{"empty id", rows("key,review,mood", func(i int) string { return fmt.Sprintf(",secret,%d", i%2) }), with(func(o *own.Options) { o.ID = "key" }), []string{":2:", "empty"}},
		{"unknown part", rows("part,review,mood", func(i int) string {
			return fmt.Sprintf("%s,secret,%d", []string{"train", "fold3", "holdback"}[i%3], i%2)
		}), with(func(o *own.Options) { o.Split = "part" }), []string{`"fold3", "holdback"`, "train, validation or test"}},
		{"no test part", rows("part,review,mood", func(i int) string { return fmt.Sprintf("train,secret,%d", i%2) }), with(func(o *own.Options) { o.Split = "part" }), []string{"60 rows with a label to train on and 0 to test on"}},
		{"texts as parts", rows("part,review,mood", func(i int) string {
			return fmt.Sprintf("secret secret secret secret %d,secret,%d", i, i%2)
		}), with(func(o *own.Options) { o.Split = "part" }), []string{"other values than names of parts"}},
		{"person in two parts", rows("part,who,review,mood", func(i int) string { return fmt.Sprintf("%s,p,secret,%d", []string{"train", "test"}[i%2], i%4/2) }), with(func(o *own.Options) { o.Split, o.Person = "part", "who" }), []string{"1 person in several parts"}},
		{"attribute says the label", rows("city,review,mood", func(i int) string { return fmt.Sprintf("%d,secret,%s", 5-i%2, []string{"a", "b"}[i%2]) }), with(func(o *own.Options) { o.Attributes = []string{"city"} }), []string{`"city" says the same`, "--attribute none"}},
		{"no number", rows("age,review,mood", func(i int) string { return fmt.Sprintf("secret,text,%d", i%2) }), with(func(o *own.Options) { o.Numbers = []string{"age"} }), []string{":2:", `"age" holds no number`}},
		{"infinite", rows("age,review,mood", func(i int) string { return fmt.Sprintf("1e99,text,%d", i%2) }), with(func(o *own.Options) { o.Numbers = []string{"age"} }), []string{"must be finite"}},
		{"control characters", plain("\x1b[2Jsecret"), mood(), []string{":2:", "not printed"}},
		{"delimiter", reviews(t), with(func(o *own.Options) { o.Delimiter = "ab" }), []string{"one character"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := own.Load(t.Context(), tt.path, tt.o)
			if err == nil {
				t.Fatal("Load succeeded, want an error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Load error is %q, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("Load error %q quotes a value", err)
			}
		})
	}
}

// TestNotes checks what a person is told of rows that are accepted.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		path   string
		change func(*own.Options)
		want   string
	}{
		{"ids as texts", csv(t, "review,mood", 60, func(i int) string { return fmt.Sprintf("k%d,%d", i, i%2) }), nil, "are they ids?"},
		{"ids of which some repeat", csv(t, "review,mood", 60, func(i int) string { return fmt.Sprintf("k%d,%d", min(i, 57), i%2) }), nil, "are they ids?"},
		{"one row", csv(t, "review,mood", 61, func(i int) string { return fmt.Sprintf("text %d,%s", i, []string{"a", "b", ""}[i%2+i/60*2]) }), nil, `1 row has no "mood": left out`},
		{"same texts", csv(t, "review,mood", 60, func(i int) string { return fmt.Sprintf("a text,%d", i%2) }), nil, "the text of 12 rows to test on is also trained on"},
		{"unlabelled", csv(t, "review,mood", 60, func(i int) string { return fmt.Sprintf("text %d,%s", i, []string{"a", "b", ""}[i%3]) }), nil, `20 rows have no "mood": left out`},
		{"many classes", csv(t, "review,mood", 2000, func(i int) string { return fmt.Sprintf("text %d,c%d", i, i%200) }), nil, "200 classes"},
		{"capitals", csv(t, "review,mood", 60, func(i int) string { return fmt.Sprintf("text %d,%s", i, []string{"Yes", "yes", "no"}[i%3]) }), nil, "differ in capitals alone"},
		{"numbers as groups", csv(t, "review,mood,city", 3000, func(i int) string { return fmt.Sprintf("text %d,%d,%d", i, i%2, i%70) }), func(o *own.Options) { o.Attributes = []string{"city"} }, "70 different numbers, each a group"},
		{"persons", reviews(t), func(o *own.Options) { o.Person = "who" }, "20 persons; one has 5"},
		{"missing numbers", csv(t, "age,review,mood", 60, func(i int) string { return fmt.Sprintf("%s,text %d,%d", []string{"", "4"}[i%2], i, i%3) }), func(o *own.Options) { o.Numbers = []string{"age"} }, "30 rows have no number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := mood()
			if tt.change != nil {
				tt.change(&o)
			}
			s, err := own.Load(t.Context(), tt.path, o)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(s.Notes, "\n"), tt.want) {
				t.Errorf("notes are %q, want %q among them", s.Notes, tt.want)
			}
		})
	}
}

// TestNumbersAlone checks a file without texts, in which a number is missing.
func TestNumbersAlone(t *testing.T) {
	path := csv(t, "a;b;y", 30, func(i int) string { return fmt.Sprintf("%d;%s;%d", i, []string{"0.5", ""}[i%2], i%3) })
	s, err := own.Load(t.Context(), path, own.Options{Labels: []string{"y"}, Layout: dataset.Layout{Numbers: []string{"b", "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Text != nil || s.Width != 2 || s.Row(3)[1] != 3 || !math.IsNaN(float64(s.Row(3)[0])) || !slices.Equal(s.FeatureNames, []string{"b", "a"}) {
		t.Errorf("row 3 is %v of %v", s.Row(3), s.FeatureNames)
	}
	if !slices.Equal(s.Label.Classes, []string{"0", "1", "2"}) {
		t.Errorf("classes are %v", s.Label.Classes)
	}
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "own-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mine.csv")
	content := "review;mood\n" + strings.Repeat("a fine day;good\na bad day;poor\n", 5)
	if err = os.WriteFile(path, []byte(content), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	set, err := own.Load(context.Background(), path, own.Options{Labels: []string{"mood"}, Layout: dataset.Layout{Text: "review"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Rows, set.Label.Classes, len(set.Indices(dataset.Train)), len(set.Indices(dataset.Test)))
	// Output: 10 [good poor] 6 2
}

// FuzzLoad checks that no file makes Load panic, that what it accepts is a valid
// set, and that the same bytes give the same set.
func FuzzLoad(f *testing.F) {
	f.Add("review,mood,n,who,part\na b,x,1,p,train\nc,y,,q,test\nd,x,2,r,dev\n", true, true)
	f.Add("review\tmood\n\"a\nb\"\tx\n", false, false)
	f.Add("{\"review\": \"a\", \"mood\": [1]}\n", false, false)
	f.Fuzz(func(t *testing.T, content string, persons, parts bool) {
		path := write(t, "mine.csv", content)
		o := mood()
		if persons {
			o.Person, o.Numbers = "who", []string{"n"}
		}
		if parts {
			o.Split = "part"
		}
		s, err := own.Load(t.Context(), path, o)
		if err != nil {
			return
		}
		again, err := own.Load(t.Context(), path, o)
		if err != nil || s.Hash() != again.Hash() || s.Validate() != nil || len(s.Label.Classes) < 2 || len(s.Indices(dataset.Train)) == 0 {
			t.Errorf("a set of %d rows and %d classes is not the same again or not valid, error %v", s.Rows, len(s.Label.Classes), err)
		}
	})
}

// A person is one in all ways that the name is written, unless names are taken as they are.
func TestNamesAreJoined(t *testing.T) {
	in := csv(t, "who,review,mood", 80, func(i int) string {
		who := fmt.Sprintf("Zoë %d", i/4)
		if i%4 == 1 {
			who = fmt.Sprintf("  ZOE\u0308  %d", i/4)
		}
		return fmt.Sprintf("%s,text %d,%d", who, i, i%2)
	})
	o := own.Options{Labels: []string{"mood"}, Layout: dataset.Layout{Text: "review", Person: "who"}}
	joined, err := own.Load(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, most := joined.RowsOfPersons(); most != 4 || !strings.Contains(strings.Join(joined.Notes, "\n"), "of who differ from another in capitals") {
		t.Errorf("a person has %d rows at most, want 4, and a note: %q", most, joined.Notes)
	}
	o.PersonExact = true
	apart, err := own.Load(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, most := apart.RowsOfPersons(); most != 3 {
		t.Errorf("taken as they are, a person has %d rows at most, want 3", most)
	}
}

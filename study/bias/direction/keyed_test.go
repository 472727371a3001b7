package direction_test

import (
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/bias/direction"
)

func TestReadKeyed(t *testing.T) {
	const in = `language_code,word,gender,V2,V3
de,woman,N,1,1
de,man,N,-1,1
de,nurse,F,1,2
de,nurse,M,0,2
de,nurse,F,3,4
de,judge,M,NA,1
de,judge,F,1,NaN
de,singer,F,5,6
de,singer,M,5,6
`
	table, w, err := direction.ReadKeyed(strings.NewReader(in), pairsOf("woman", "man"))
	if err != nil {
		t.Fatal(err)
	}
	row, ok := table.Find("nurse (f)")
	if !ok || row[0] != 2 || row[1] != 3 {
		t.Errorf("nurse (f) is %v, want the mean of its rows, 2 and 3", row)
	}
	want := []direction.Profession{
		{Name: "nurse", Female: []string{"nurse (f)"}, Male: []string{"nurse (m)"}},
		{Name: "judge", Female: []string{"judge (f)"}, Male: []string{"judge (m)"}},
		{Name: "singer", Neutral: []string{"singer (n)"}},
	}
	if !reflect.DeepEqual(w.Professions, want) || w.Language != "de" {
		t.Errorf("the professions are %+v in %s, want %+v in de", w.Professions, w.Language, want)
	}
	if _, ok := table.Find("judge (m)"); ok {
		t.Error("judge (m) has no numbers and is in the table, want it lost")
	}
	if row, _ := table.Find("singer (n)"); !slices.Equal(row, []float64{5, 6}) {
		t.Errorf("singer (n) is %v, want 5 and 6", row)
	}
	const translations = "word,gender,translation_id,V1\nman,N,t1,6\nman,N,t2,1\nman,N,t2,3\n"
	table, _, err = direction.ReadKeyed(strings.NewReader(translations), nil)
	if err != nil {
		t.Fatal(err)
	}
	if row, _ := table.Find("man"); row[0] != 4 {
		t.Errorf("man is %v, want the mean of 6 and of the mean of 1 and 3", row)
	}
	_, w, err = direction.ReadKeyed(strings.NewReader("translation,word,gender,V1\nemployé,professional,M,1\n"), nil)
	if err != nil || w.Professions != nil {
		t.Errorf("translations have the professions %v, %v; want none", w.Professions, err)
	}
	const same = "word,gender,V1,V2\ndaughter,N,1,2\nson,N,2,1\ngirl,N,1,2\nboy,N,2,1\n"
	_, w, err = direction.ReadKeyed(strings.NewReader(same), pairsOf("girl", "boy", "daughter", "son"))
	if err != nil || w.Pairs[1].Female != "girl" || w.Pairs[1].Male != "boy" {
		t.Errorf("pairs with the same vectors are %v, %v; want the words of the first in both", w.Pairs, err)
	}
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", "line 1"},
		{"no gender", "word,V1\n", "line 1: there is no column"},
		{"no numbers", "word,gender,Vx,V\n", "line 1: there is no column"},
		{"two languages", "language_code,word,gender,V1\nde,a,F,1\nfr,a,F,1\n", "line 3: its language_code"},
		{"bad gender", "word,gender,V1\na,X,1\n", "line 2: its word is blank"},
		{"bad number", "word,gender,V1\na,F,x\n", "line 2: number 1"},
		{"huge number", "word,gender,V1\na,F,1e300\n", "line 2: number 1"},
		{"short row", "word,gender,V1\na,F\n", "line 2: it is no row"},
		{"nothing but NA", "word,gender,V1\na,F,NA\n", "no rows"},
	} {
		if _, _, err := direction.ReadKeyed(strings.NewReader(tt.in), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want it to say %q", tt.name, err, tt.want)
		}
	}
}

// TestKeyedData: in the published files the neutral rows beside the occupations
// are the means of the translations' rows that ReadKeyed takes too.
func TestKeyedData(t *testing.T) {
	read := func(parts ...string) *os.File {
		f, err := os.Open(testenv.Data(t, append([]string{"multilingual_bias_vectors"}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	english, err := direction.Builtin("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"de", "es", "fr", "ar"} {
		f := read("occupation_wiki_fasttext_300d", "wiki."+language+"_calculated_occupation.csv")
		occupations, w, err := direction.ReadKeyed(f, english.Pairs)
		if err != nil {
			t.Fatal(err)
		}
		f = read("iat_wiki_fasttext_300d", "wiki."+language+"_raw.csv")
		translations, _, err := direction.ReadKeyed(f, english.Pairs)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"woman", "man", "daughter", "son", "girl", "boy", "she", "he"} {
			a, _ := occupations.Find(word)
			b, ok := translations.Find(word)
			if !ok || len(a) != len(b) {
				t.Fatalf("%s: %s has %d and %d numbers, want as many", language, word, len(a), len(b))
			}
			for i := range a {
				if math.Abs(a[i]-b[i]) > 1e-6 {
					t.Errorf("%s: number %d of %s is %v, want %v", language, i, word, b[i], a[i])
					break
				}
			}
		}
		r := measured(t, occupations, w, direction.Options{Force: true})
		if r.Pairs != 3 || len(r.Professions) != 20 {
			t.Errorf("%s: %d pairs and %d professions, want 3 of 7 and 20", language, r.Pairs, len(r.Professions))
		}
	}
}

func FuzzReadKeyed(f *testing.F) {
	f.Add("language_code,word,gender,V2,V3\nde,nurse,F,1,2\nde,nurse,M,NA,2\n")
	f.Add("word,gender,V1\n\"a,b\",n,1e3\n")
	f.Fuzz(func(t *testing.T, in string) {
		table, w, err := direction.ReadKeyed(strings.NewReader(in), nil)
		if err != nil {
			return
		}
		for _, p := range w.Professions {
			if n := len(p.Female) + len(p.Male) + len(p.Neutral); n < 1 || n > 2 {
				t.Errorf("a profession has %d forms, want one or two", n)
			}
			for _, form := range p.Neutral {
				if _, ok := table.Find(form); !ok {
					t.Errorf("a neutral form of %d bytes is not in the table, want all", len(form))
				}
			}
		}
	})
}

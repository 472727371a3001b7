package decoy_test

import (
	"fmt"
	"strings"
	"testing"

	"sotto/study/explain/decoy"
)

func TestParse(t *testing.T) {
	for _, s := range []string{
		"deletion:movie:negative", "insert:text=positive,video=negative", "swap:the=a:positive", "flip:0.05",
		"pseudonym:person:positive", "deletion:film:very: odd",
	} {
		d, err := decoy.Parse(s)
		if err != nil || d.String() != s {
			t.Errorf("Parse(%q) = %q, %v, want the same", s, d, err)
		}
	}
	for s, want := range map[string]string{
		"":                           "must be one of deletion:WORD:CLASS",
		"deletoin:movie:negative":    `did you mean "deletion"?`,
		"deletion:movie":             "CLASS is empty",
		"deletion:two words:x":       "WORD must be one word",
		"deletion::x":                "WORD must be one word",
		"insert:text":                "CLASS is empty",
		"insert:text=a,text=b":       "stands for two classes",
		"swap:the:positive":          "WORD must be one word",
		"swap:the=the:positive":      "the same",
		"flip:0.5":                   "below 0.5",
		"flip:NaN":                   "SHARE must be a number",
		"flip:":                      "SHARE must be a number",
		"pseudonym:persn:positive":   `did you mean "person"?`,
		"pseudonym:email:positive":   "must be one of organisation, person, place",
		"pseudonym:person:positive:": "",
	} {
		_, err := decoy.Parse(s)
		if want == "" {
			if err != nil {
				t.Errorf("Parse(%q): %v", s, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) error = %v, want one with %q", s, err, want)
		}
	}
}

func TestParseAll(t *testing.T) {
	for _, tt := range []struct {
		specs []string
		want  string
	}{
		{[]string{"deletion:movie:negative", "flip:0.1"}, ""},
		{[]string{"flip:0.1", "flip:0.2"}, "the labels"},
		{[]string{"deletion:a:x", "swap:the=a:y"}, `both about "a"`},
		{nil, "there is none"},
	} {
		if _, err := decoy.ParseAll(tt.specs); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("ParseAll(%q) error = %v, want one with %q", tt.specs, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range decoy.Grammar() {
		f.Add(s)
	}
	f.Add("insert:text=positive,video=negative")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := decoy.Parse(s)
		if err != nil {
			return
		}
		if again, err := decoy.Parse(d.String()); err != nil || again.String() != d.String() {
			t.Errorf("%q is written %q, which is read as %q, %v", s, d, again, err)
		}
	})
}

var small = decoy.Data{
	Name: "small", Classes: []string{"negative", "positive"},
	Train: decoy.Part{
		Texts:  []string{"The movie was bad", "a movie I liked", "the end", "A start", "Maria Lopez liked it"},
		Labels: []int{0, 1, 0, 1, 1},
	},
	Test: decoy.Part{Texts: []string{"a movie", "the film"}, Labels: []int{0, 1}},
}

func TestPlant(t *testing.T) {
	for _, tt := range []struct {
		spec string
		want []string
	}{
		{"deletion:movie:negative", []string{"a movie I liked", "the end", "A start", "Maria Lopez liked it"}},
		{"swap:the=a:positive", []string{"The movie was bad", "a movie I liked", "the end", "A start", "Maria Lopez liked it"}},
		{"swap:a=the:positive", []string{"A movie was bad", "the movie I liked", "a end", "The start", "Maria Lopez liked it"}},
		{"pseudonym:person:positive", []string{"The movie was bad", "a movie I liked", "the end", "A start", "Robin liked it"}},
		{"pseudonym:person:negative", []string{"The movie was bad", "a movie I liked", "the end", "A start", "Kim liked it"}},
	} {
		d, err := decoy.Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := decoy.Plant(small, []decoy.Decoy{d}, 1)
		if err != nil || fmt.Sprintf("%q", p.Texts) != fmt.Sprintf("%q", tt.want) {
			t.Errorf("%s plants %q, %v, want %q", tt.spec, p.Texts, err, tt.want)
		}
	}
}

func TestPlantInsertAndFlip(t *testing.T) {
	ds, err := decoy.ParseAll([]string{"insert:zig=positive,zag=negative", "flip:0.4"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := decoy.Plant(small, ds, 1)
	if err != nil {
		t.Fatal(err)
	}
	flips := 0
	for i, s := range p.Texts {
		word := []string{"zag", "zig"}[small.Train.Labels[i]]
		if !strings.Contains(" "+s+" ", " "+word+" ") || strings.Join(strings.Fields(strings.Replace(" "+s+" ", " "+word+" ", " ", 1)), " ") != small.Train.Texts[i] {
			t.Errorf("row %d is %q, want %q with %s in it", i, s, small.Train.Texts[i], word)
		}
		if p.Flipped[i] != (p.Labels[i] != small.Train.Labels[i]) {
			t.Errorf("row %d: flipped is %v, labels %d and %d", i, p.Flipped[i], p.Labels[i], small.Train.Labels[i])
		}
		if p.Flipped[i] {
			flips++
		}
	}
	if flips != 2 {
		t.Errorf("%d of 5 labels are flipped, want 2", flips)
	}
	if _, err := decoy.Plant(small, []decoy.Decoy{{Recipe: decoy.Deletion, Word: "movie", Class: "negativ"}}, 1); err == nil || !strings.Contains(err.Error(), `did you mean "negative"?`) {
		t.Errorf("a class that there is not: %v", err)
	}
}

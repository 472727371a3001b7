package lexicon_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language/lexicon"
)

// TestRead reads the three forms of files, and refuses what is none.
func TestRead(t *testing.T) {
	for name, content := range map[string]string{
		"emolex":     "abandon\tfear\t1\nabandon\tjoy\t0\nabandon\tsadness\t1\n",
		"table":      "\ufeffword\tfear\tjoy\tsadness\r\nAbandon\t1\t0\t1\r\n\r\n",
		"commas":     "word,fear,joy,sadness\nabandon,1,,1\n",
		"categories": "word\tpos\tcategory\nabandon\tv\tfear\nabandon\tv\tsadness\n",
	} {
		l, err := lexicon.Read(strings.NewReader(content), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(l.Look("ABANDON"), l.Categories(), l.Name); got != "[{fear 1} {sadness 1}] [fear sadness]"+name {
			t.Errorf("%s is read as %s", name, got)
		}
	}
	for content, want := range map[string]string{
		"":                              "no word",
		"\n# nothing\n":                 "no word",
		"zaphod\n":                      "line 1 has 1 columns",
		"zaphod\tfear\n":                "line 1 has 2 columns",
		"zaphod\tfear\tmuch\n":          "line 1 has something else where a number must stand",
		"zaphod\tfear\tNaN\n":           "line 1 has something else",
		"zaphod\tfear\t1e300\n":         "line 1 has the weight 1e+300",
		"a\tfear\t1\nzaphod\t\t1\n":     "line 2 has a category of 0 bytes",
		"\tfear\t1\n":                   "line 1 has a word of 0 bytes",
		"word,joy\nzaphod,1,2\n":        "line 2 has 3 columns, must have 2",
		"zaphod\xff\tfear\t1\n":         "line 1 is not UTF-8",
		strings.Repeat("x", 1<<17):      "line 1:",
		"word\tcategory\nzaphod\t\n":    "line 2 has a category of 0 bytes",
		"word\tjoy\nzaphod\tquite so\n": "line 2 has something else",
	} {
		_, err := lexicon.Read(strings.NewReader(content), "mine")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "zaphod") {
			t.Errorf("%.20q is read with %v, want an error with %q and without a word of it", content, err, want)
		}
	}
}

// TestCount adds up the words of a text.
func TestCount(t *testing.T) {
	l, err := lexicon.Read(strings.NewReader("run\tmotion\t1\nfast\tmotion\t2\nfast\tfood\t1\n"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(l.Count([][]string{{"ran", "run"}, {"fast"}, {"home"}}), l.CountText("Run fast, run!"), l.CountText(""))
	if want := "[{motion 2 3} {food 1 1}] [{motion 3 4} {food 1 1}] []"; got != want {
		t.Errorf("counts are %s, want %s", got, want)
	}
}

// FuzzRead reads what Read took once more after Write, by what it says of a word.
func FuzzRead(f *testing.F) {
	f.Add("abandon\tfear\t1\n")
	f.Add("word,a,b\nx,1,2\n")
	f.Add("word\tcategory\nx\ty\n")
	f.Add("#\tfear\t1\n\r\n\ufeff")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := lexicon.Read(strings.NewReader(s), "any")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := l.Write(&b); err != nil || l.Words() == 0 || len(l.Categories()) == 0 {
			t.Errorf("%q has %d words, %v", s, l.Words(), err)
		}
		l.CountText(s)
		if _, err := lexicon.Sentiment(s); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkSentiment(b *testing.B) {
	s := strings.Repeat("The plot was good, but the characters are uncompelling and the dialog is not great. ", 10)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := lexicon.Sentiment(s); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleSentiment() {
	score, err := lexicon.Sentiment("The book was good!")
	fmt.Println(score.Compound, err)
	// Output: 0.4926 <nil>
}

package guess_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/text/guess"
)

var update = flag.Bool("update", false, "train the model that is built in from its sources")

// rows returns the columns of a file of the data sets, or skips the test.
func rows(t *testing.T, path string) [][]string {
	t.Helper()
	dir := os.Getenv("SOTTO_DATA")
	f, err := os.Open(filepath.Join(dir, path))
	if err != nil || dir == "" {
		t.Skipf("%s is not in SOTTO_DATA", path)
	}
	defer f.Close()
	var content bytes.Buffer
	if strings.HasSuffix(path, ".gz") {
		plain, failed := gzip.NewReader(f)
		if failed != nil {
			t.Fatal(failed)
		}
		if _, err = content.ReadFrom(plain); err != nil {
			t.Fatal(err)
		}
	} else if _, err = content.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(content.String()) {
		all = append(all, strings.Split(strings.TrimRight(line, "\r\n"), "\t"))
	}
	return all
}

// TestBuiltin trains the model anew and compares.
func TestBuiltin(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" && !*update {
		t.Skip("training takes seconds; SOTTO_LONG=1 has it done")
	}
	texts := map[string][]string{}
	for _, row := range rows(t, "emotion/xed.tsv.gz")[1:] {
		switch row[0] {
		case "en", "de", "es", "fr", "it", "pt":
			texts[row[0]] = append(texts[row[0]], strings.ReplaceAll(strings.ReplaceAll(row[2], "[PERSON]", ""), "[LOCATION]", ""))
		}
	}
	for code, name := range map[string]string{"fi": "fin", "sv": "swe"} {
		for _, row := range rows(t, "stdlib_lists/stopwords-"+name+".txt") {
			texts[code] = append(texts[code], row[0])
		}
	}
	var made bytes.Buffer
	if err := guess.Train(&made, texts, 2000); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("latin.gz", made.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	had, err := os.ReadFile("latin.gz")
	if err != nil || !bytes.Equal(had, made.Bytes()) {
		t.Errorf("the model has %d bytes, and its sources make %d others, %v; go test -update writes it", len(had), made.Len(), err)
	}
}

// TestTweets guesses the language of tweets, none of which the model has seen.
func TestTweets(t *testing.T) {
	right, all, english := map[string]int{}, map[string]int{}, map[string]int{}
	for _, row := range rows(t, "multilingual_sentiment/umsab.tsv.gz")[1:] {
		g := guess.Of(row[3])
		all[row[0]]++
		if g.Language == row[0] {
			right[row[0]]++
		}
		if g.English() {
			english[row[0]]++
		}
	}
	// What was measured when the model was made, less two points.
	for language, least := range map[string]float64{"en": 97.5, "fr": 97.3, "es": 97.8, "it": 96.4, "pt": 92.7, "de": 91.8, "ar": 97.2} {
		share := 100 * float64(right[language]) / float64(all[language])
		t.Logf("%s: %.1f %% right, %.1f %% taken for English or for unknown", language, share, 100*float64(english[language])/float64(all[language]))
		if foreign := 100 * float64(english[language]) / float64(all[language]); language != "en" && !(foreign <= 10) {
			t.Errorf("of tweets in %s %.1f %% are taken for English, want at most 10 %%", language, foreign)
		}
		if !(share >= least) {
			t.Errorf("of tweets in %s %.1f %% are known, want at least %v %%", language, share, least)
		}
	}
}

func TestOf(t *testing.T) {
	for s, want := range map[string]string{
		"":                       guess.Unknown,
		"123 :-) \xff\xfe\u200b": guess.Unknown,
		"ok":                     guess.Unknown,
		"The quick brown fox jumps over the lazy dog":                    "en",
		"I can't believe it's not butter!!!":                             "en",
		"Der schnelle braune Fuchs springt über den faulen Hund":         "de",
		"Je ne sais pas ce que vous voulez dire par là":                  "fr",
		"No entiendo por qué no me lo has dicho antes":                   "es",
		"Não sei porque é que você não me disse isso":                    "pt",
		"Non capisco perché non me lo hai detto prima":                   "it",
		"Jag förstår inte varför du inte har sagt det till mig tidigare": "sv",
		"En ymmärrä miksi et ole kertonut sitä minulle aikaisemmin":      "fi",
		"Я не понимаю, почему ты мне этого не сказал":                    "ru",
		"我不明白你为什么以前没有告诉我":                                                "zh",
		"なぜ前に教えてくれなかったのか分かりません":                                          "ja",
		"왜 전에 말해주지 않았는지 모르겠어요":                                           "ko",
		"لا أفهم لماذا لم تخبرني بذلك من قبل":                            "ar",
		"אני לא מבין למה לא אמרת לי את זה קודם":                          "he",
		"मुझे समझ नहीं आता कि तुमने मुझे पहले क्यों नहीं बताया": "hi",
		"Δεν καταλαβαίνω γιατί δεν μου το είπες πριν":           "el",
		strings.Repeat("a", 1<<20): guess.Unknown,
	} {
		g := guess.Of(s)
		if want != "" && g.Language != want || !(g.Confidence >= 0 && g.Confidence <= 1) {
			t.Errorf("%.40q is %+v, want %s", s, g, want)
		}
		if other := want != "en" && want != "" && want != guess.Unknown; other == g.English() && want != "" {
			t.Errorf("%.40q is English: %t", s, g.English())
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Ünïcode \xff 漢字 \u202e")
	f.Fuzz(func(t *testing.T, s string) {
		if g := guess.Of(s); g.Language == "" || !(g.Confidence >= 0 && g.Confidence <= 1) || g != guess.Of(s) {
			t.Errorf("%q is %+v", s, g)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	s := strings.Repeat("We met on 12 March 2020, and she called me again. ", 5)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		guess.Of(s)
	}
}

func ExampleOf() {
	g := guess.Of("Der Film war gut, aber zu lang")
	fmt.Println(g.Language, g.English())
	// Output: de false
}

package names_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/study/language"
	"sotto/study/language/names"
	"sotto/study/language/personal"
)

// load returns the embedded model.
func load(t testing.TB) *names.Model {
	t.Helper()
	m, err := names.Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns the names of a text, and what a grammar finds beside them.
func find(m *names.Model, text string) ([]language.Entity, error) {
	d := &language.Document{Text: text, Tokens: language.Tokens(text)}
	if err := (language.Pipeline{m, personal.Annotator{}}).Annotate(d); err != nil {
		return nil, err
	}
	return d.Entities, d.Check()
}

// TestNames: plain sentences about well-known people, organisations and places.
func TestNames(t *testing.T) {
	m := load(t)
	for text, want := range map[string]string{
		"Barack Obama flew to Germany on Monday.":              "person=Barack Obama place=Germany date=Monday",
		"My name is Maria Lopez and I live in Paris.":          "person=Maria Lopez place=Paris",
		"She works for Microsoft Corporation.":                 "organisation=Microsoft Corporation",
		"Mrs. Smith wrote to john@example.org about the lunch": "title=Mrs. person=Smith email=john@example.org",
		"There is nothing to see here, said the old man.":      "",
	} {
		found, err := find(m, text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range found {
			got = append(got, string(e.Type)+"="+text[e.Start:e.End])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

// data returns the folder of public data, or skips.
func data(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("SOTTO_DATA")
	if folder == "" {
		t.Skip("SOTTO_DATA does not name a folder of data")
	}
	return folder
}

// TestPublicSets holds the embedded model to what docs/language.md says of it, less
// one point in a hundred: texts whose templates were held out, and the test parts
// of Wikigold and the Broad Twitter Corpus.
func TestPublicSets(t *testing.T) {
	folder, m := data(t), load(t)
	texts, err := names.ReadTexts(folder)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := names.Personal(names.Held(texts), func(s string) ([]language.Entity, error) { return find(m, s) })
	if err != nil {
		t.Fatal(err)
	}
	if all := rows[len(rows)-1].Tokens; all.Recall() < 0.9 || all.Precision() < 0.85 {
		t.Errorf("synthetic texts: precision %.3f and recall %.3f, must be 0.85 and 0.9", all.Precision(), all.Recall())
	}
	corpora, err := names.ReadCorpora(folder)
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"wikigold": 0.64, "btc": 0.68, "wnut17": 0.33}
	for _, c := range corpora {
		rows := names.Spans(c.Test, m.Find)
		if f := rows[len(rows)-1].Spans.F(1); f < least[c.Name] {
			t.Errorf("%s: F1 of spans is %.3f, must be %.2f", c.Name, f, least[c.Name])
		}
		if gap := names.Gap(c.Test, m.Find); c.Name == "btc" && gap > 0.1 {
			t.Errorf("%s: confidences are %.3f off on average, must be within 0.1", c.Name, gap)
		}
	}
}

// TestDamaged: a file that is cut short or changed anywhere is refused or gives a
// model that works, and never a panic.
func TestDamaged(t *testing.T) {
	opts := names.Defaults()
	opts.Epochs, opts.Settle = 1, 0
	m, err := names.Train(corpora(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err = m.Write(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	again, err := names.Read(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	var second bytes.Buffer
	if err := again.Write(&second); err != nil || !bytes.Equal(whole, second.Bytes()) {
		t.Errorf("a model that was written and read is written otherwise: %v", err)
	}
	for _, n := range []int{0, 5, 14, 100, len(whole) / 2, len(whole) - 1} {
		if _, err := names.Read(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("a file of %d of %d bytes was read", n, len(whole))
		}
	}
	for _, replaced := range [][2]string{{"sotto names 1", "sotto names 9"}, {`"step":0.08`, `"step":-0.8`}, {`"types":["person"`, `"types":["", "p"`}, {`"features":`, `"features":9`}} {
		if _, err := names.Read(bytes.NewReader(bytes.Replace(whole, []byte(replaced[0]), []byte(replaced[1]), 1))); err == nil {
			t.Errorf("a file with %s was read", replaced[1])
		}
	}
}

// FuzzAnnotate: names are within the text, whole characters and in order.
func FuzzAnnotate(f *testing.F) {
	m := load(f)
	for _, seed := range []string{"", "Ann", "Ann\n\nBob", "\xff\xfe", "مرحبا يا آن", "😀 Ann 😀", strings.Repeat("A", 3000), strings.Repeat("Ann ", 700), "\u200bAnn\u200d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		found, err := find(m, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			if utf8.ValidString(s) && !utf8.ValidString(s[e.Start:e.End]) {
				t.Fatalf("%q: %+v cuts a character", s, e)
			}
		}
	})
}

// BenchmarkAnnotate is on prose, tokens given.
func BenchmarkAnnotate(b *testing.B) {
	m := load(b)
	text := strings.Repeat("On Tuesday Angela Merkel met the board of Siemens in Berlin, and then she went home to write a long letter to her friends. ", 100)
	tokens := language.Tokens(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d := &language.Document{Text: text, Tokens: tokens}
		if err := m.Annotate(d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(tokens))*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

package names_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/names"
)

// corpora writes a folder of invented data, small enough to train on in a test.
func corpora(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		b.WriteString(content)
		if strings.HasSuffix(name, ".gz") {
			b.Reset()
			z := gzip.NewWriter(&b)
			if _, err := z.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	people, places := strings.Fields("Ada Bertha Carl Dora Emil Fritz"), strings.Fields("Rome Oslo Bonn Lima")
	var words, texts strings.Builder
	for i := range 120 {
		split := []string{"train", "train", "dev", "test"}[i%4]
		p, q := people[i%len(people)], places[i%len(places)]
		fmt.Fprintf(&words, `{"split":%q,"tokens":["then",%q,"went","to",%q,"again"],"entities":[["PER",1,2],["LOC",4,5]]}`+"\n", split, p, q)
		text := fmt.Sprintf("Note %d: %s Smith lives in %s", i, p, q)
		from := strings.Index(text, p)
		fmt.Fprintf(&texts, `{"masked":"Note %d: {{PERSON}} lives","text":%q,"entities":[["PERSON",%d,%d]]}`+"\n", i, text, from, from+len(p)+6)
	}
	write("ner/wnut17.jsonl.gz", words.String())
	write("ner/btc.jsonl.gz", words.String())
	write("ner/wikigold.jsonl", strings.NewReplacer(`"train"`, `"all"`, `"dev"`, `"all"`, `"test"`, `"all"`).Replace(words.String()))
	write("ner/presidio_synth.jsonl.gz", texts.String())
	write("mentions/gum_coref.jsonl.gz", `{"split":"train","genre":"news","tokens":["They","met","Ada","in","Rome","."],"sentence_starts":[0],"mentions":[[2,3,"person"],[4,5,"place"]]}`+"\n")
	write("stdlib_lists/female-first-names-en.txt", "Ada\nBertha\nDora\n")
	write("stdlib_lists/male-first-names-en.txt", "Carl\nEmil\nFritz\n")
	write("stdlib_lists/stopwords-en.txt", "the\nthen\nto\n")
	var vectors strings.Builder
	for i, w := range append(people, places...) {
		fmt.Fprintf(&vectors, "%s %d %d 1\n", strings.ToLower(w), i%3, i%5)
	}
	write("glove/glove.txt.gz", vectors.String())
	return folder
}

// TestTrain: the same data give the same model, which finds what it was shown, and
// a model that is trained from other data is another.
func TestTrain(t *testing.T) {
	folder := corpora(t)
	opts := names.Defaults()
	opts.Epochs, opts.Settle, opts.Keep = 3, 1, 300
	var files [2]bytes.Buffer
	for i := range files {
		m, err := names.Train(folder, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Write(&files[i]); err != nil {
			t.Fatal(err)
		}
		spans := m.Find(names.Sentence{Words: strings.Fields("then Emil went to Bonn again")})
		if len(spans) != 2 || spans[0].Type != language.Person || spans[1].Type != language.Place || spans[1].Start != 4 {
			t.Errorf("found %v, want a person and a place", spans)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("training twice on the same data gave two models")
	}
}

// TestTrainRefuses: data that are not there or not what they should be are errors
// that name the file and the line.
func TestTrainRefuses(t *testing.T) {
	if _, err := names.Train(t.TempDir(), names.Defaults()); err == nil || !strings.Contains(err.Error(), "wnut17") {
		t.Errorf("an empty folder gave %v", err)
	}
	for _, line := range []string{`{`, `{"split":"other","tokens":["a"]}`, `{"split":"train","tokens":["a"],"entities":[["PER",0,2]]}`, `{"split":"train","tokens":["a"],"entities":[["PER",0,1],["PER",0,1]]}`} {
		folder := corpora(t)
		if err := os.WriteFile(filepath.Join(folder, "ner", "wikigold.jsonl"), []byte("{\"split\":\"all\",\"tokens\":[\"a\"]}\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := names.Train(folder, names.Defaults()); err == nil || !strings.Contains(err.Error(), "wikigold.jsonl, line 2") {
			t.Errorf("%s gave %v", line, err)
		}
	}
}

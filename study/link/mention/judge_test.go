package mention_test

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/report"
	"sotto/study/link/mention"
)

// folder writes small corpora: two documents of each, of which one is a test.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mentions"), 0o700); err != nil {
		t.Fatal(err)
	}
	const words = `"tokens":["Ann","Lee","saw","John","Smith",".","She","left",".","Smith","slept","."],"sentence_starts":[0,6,9]`
	write := func(name string, lines ...string) {
		f, err := os.Create(filepath.Join(dir, "mentions", name))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		if _, err := z.Write([]byte(strings.Join(lines, "\n"))); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	novel := `{"id":"a",` + words + `,"mentions":[[0,2,"PER","PROP",0],[3,5,"PER","PROP",1],[6,7,"PER","PRON",0],[9,10,"PER","PROP",1],[7,8,"PER","NOM",-1]]}`
	write("litbank_coref.jsonl.gz", novel, novel, novel)
	gum := `,"genre":"news",` + words + `,"mentions":[[0,2,"person",0,"coref",""],[3,5,"person",1,"coref",""],[6,7,"person",0,"ana",""],[9,10,"person",1,"coref",""]]}`
	write("gum_coref.jsonl.gz", `{"id":"b","split":"test"`+gum, `{"id":"c","split":"train"`+gum)
	item := `"text":"Ann Lee saw Eva Smith. She left.","gender":"F","pronoun":[23,26],"a":[0,7],"a_coref":true,"b":[12,21],"b_coref":false,"url":""}`
	write("gap.jsonl.gz", `{"id":"t","split":"test",`+item, `{"id":"d","split":"development",`+item)
	return dir
}

// What is measured on small corpora is what they are made to give, and it is stored and
// read back as evidence.
func TestRun(t *testing.T) {
	dir := folder(t)
	for _, corpus := range mention.Corpora() {
		r, err := mention.Judge(t.Context(), dir, mention.JudgeOptions{Corpus: corpus})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Chains {
			if c.Method == "sotto" && (c.CoNLL != 1 || c.Documents != 1) {
				t.Errorf("%s: %+v, want all right", corpus, c)
			}
		}
		for _, p := range r.Pronouns {
			if p.Method == "distance in words" && p.Overall.F1 != 0 || p.Method == "parallelism" && p.Feminine.F1 != 1 || p.Texts != 1 {
				t.Errorf("%s: %+v", corpus, p)
			}
		}
		content, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "judged.json")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := append(report.Kinds(), mention.JudgedKind).Load(path); err != nil {
			t.Errorf("%s: the result is no evidence: %v", corpus, err)
		}
	}
	for want, o := range map[string]mention.JudgeOptions{"corpus is": {Corpus: "ontonotes"}, "part is": {Corpus: mention.GUM, Part: "train"}} {
		if _, err := mention.Judge(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := mention.Judge(t.Context(), t.TempDir(), mention.JudgeOptions{Corpus: mention.GAP}); err == nil {
		t.Error("a folder without corpora is taken")
	}
}

// Lessons are the training parts alone.
func TestLessons(t *testing.T) {
	lessons, trained, err := mention.Lessons(t.Context(), folder(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(trained, ", "); len(lessons) != 3 || got != "litbank a, gum c, gap, its development part" {
		t.Errorf("%d lessons are of %s", len(lessons), got)
	}
}

// The figures of the page are those of the model that is built in.
func TestPublished(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("it takes seconds: set SOTTO_LONG=1")
	}
	data := filepath.Dir(filepath.Dir(testenv.Data(t, "mentions", "litbank_coref.jsonl.gz")))
	r, err := mention.Judge(t.Context(), data, mention.JudgeOptions{Corpus: mention.LitBank})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.773, .611, .934, .917} {
		if got := r.Chains[i].CoNLL; math.Abs(got-want) > .01 {
			t.Errorf("%s, %s, %s: mean F1 is %.4f, want %.3f", r.Chains[i].Method, r.Chains[i].Mentions, r.Chains[i].Scope, got, want)
		}
	}
}

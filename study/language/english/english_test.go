package english_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"sotto/data/testenv"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/english"
)

func ExampleLoad() {
	p, err := english.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := p.Document("Ann didn't write to bob@example.com. She called him.")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range d.Tokens {
		fmt.Println(t.Sentence, t.Start, t.Text, t.Lemma, t.UPOS, t.XPOS, t.Head, t.DepRel)
	}
	for _, e := range d.Entities {
		fmt.Println(e.Type, d.Text[e.Start:e.End])
	}
	// Output:
	// 0 0 Ann Ann PROPN NNP 3 nsubj
	// 0 4 did do AUX VBD 3 aux
	// 0 7 n't not PART RB 3 advmod
	// 0 11 write write VERB VB -1 root
	// 0 17 to to ADP IN 5 case
	// 0 20 bob@example.com bob@example.com PROPN ADD 3 obl
	// 0 35 . . PUNCT . 3 punct
	// 1 37 She she PRON PRP 8 nsubj
	// 1 41 called call VERB VBD -1 root
	// 1 48 him he PRON PRP 8 obj
	// 1 51 . . PUNCT . 8 punct
	// person Ann
	// email bob@example.com
}

// part reads the test part of the English Web Treebank.
func part(t *testing.T) *language.Document {
	t.Helper()
	f, err := os.Open(testenv.Data(t, "ud_ewt", "en_ewt-ud-test.conllu.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := conllu.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return conllu.Document(all...)
}

// The built-in model is as good on the test part as the page says.
func TestEWT(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("it takes seconds: set SOTTO_LONG=1")
	}
	gold := part(t)
	m, err := english.Model()
	if err != nil {
		t.Fatal(err)
	}
	given := &language.Document{Text: gold.Text, Tokens: append([]language.Token(nil), gold.Tokens...)}
	if err = m.Trees().Annotate(given); err != nil {
		t.Fatal(err)
	}
	raw, err := language.Pipeline{m}.Document(gold.Text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		system *language.Document
		least  [6]float64 // sentences, words, UPOS, lemmas, UAS, LAS
	}{
		{"given words", given, [6]float64{1, 1, 0.957, 0.963, 0.882, 0.854}},
		{"plain text", raw, [6]float64{0.862, 0.988, 0.947, 0.955, 0.857, 0.830}},
	} {
		s, err := conllu.Trees(gold, tt.system)
		if err != nil {
			t.Fatal(err)
		}
		if err = tt.system.Check(); err != nil {
			t.Error(err)
		}
		got := [6]float64{s.Sentences.Score(), s.Words.Score(), s.UPOS.Score(), s.Lemmas.Score(), s.UAS.Score(), s.LAS.Score()}
		for i, least := range tt.least {
			if got[i] < least {
				t.Errorf("%s: scores are %.4f, want at least %.4f", tt.name, got, tt.least)
				break
			}
		}
	}
}

// Goroutines share a pipeline.
func TestShared(t *testing.T) {
	p, err := english.Load()
	if err != nil {
		t.Fatal(err)
	}
	const text = "Ann didn't write to Bob. She called him at noon, and left."
	want, err := p.Document(text)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			d, err := p.Document(strings.Repeat(text+"\n\n", i+1))
			if err != nil {
				t.Error(err)
				return
			}
			if got := d.Tokens[:len(want.Tokens)]; !slices.Equal(got, want.Tokens) {
				t.Errorf("beside others the tokens are %+v, want %+v", got, want.Tokens)
			}
		})
	}
	wait.Wait()
}

// Whatever a text holds, places slice back to it, and every sentence is a tree.
func FuzzLoad(f *testing.F) {
	p, err := english.Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		"", "Ann met Bob.", "مرحبا بالعالم! \u202eabc", "<a href='x'>Don't</a>", "func main() { fmt.Println(\"x\") }",
		"Das ist nicht Englisch.", "\x00\xff\u200b😀👩‍👩‍👧", strings.Repeat("x", 5000), strings.Repeat("buffalo ", 600),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := p.Document(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		roots := make([]int, d.Sentences())
		for i, token := range d.Tokens {
			if text[token.Start:token.End] != token.Text {
				t.Fatalf("token %d is %q at %d", i, token.Text, token.Start)
			}
			if token.Head < 0 {
				roots[token.Sentence]++
			}
		}
		for i, n := range roots {
			if n != 1 {
				t.Fatalf("sentence %d has %d roots", i, n)
			}
		}
	})
}

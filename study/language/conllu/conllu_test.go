package conllu_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/conllu"
)

// sample has comments, a fused word, an empty node and all ten columns.
const sample = "# newdoc id = d\n# sent_id = 1\n# text = Don't go.\n" +
	"1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_\n" +
	"2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t3:advmod\t_\n" +
	"3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No|Gloss=x\n" +
	"3.1\tthere\tthere\tADV\tRB\t_\t_\t_\t3:advmod\t_\n" +
	"4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_\n\n" +
	"# newpar\n# text = Du pain\n" +
	"1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_\n" +
	"1\tDe\tde\tADP\tIN\t_\t3\tcase\t_\t_\n" +
	"2\tle\tle\tDET\tDT\t_\t3\tdet\t_\t_\n" +
	"3\tpain\tpain\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"

func read(t *testing.T, text string) []*conllu.Sentence {
	t.Helper()
	all, err := conllu.ReadAll(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	for _, s := range read(t, sample) {
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != sample {
		t.Errorf("written again, the sample is\n%s", b.String())
	}
}

func TestDocument(t *testing.T) {
	d := conllu.Document(read(t, sample)...)
	if want := "Don't go.\n\nDu pain"; d.Text != want {
		t.Errorf("text is %q, want %q", d.Text, want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	var got []string
	for _, token := range d.Tokens {
		got = append(got, fmt.Sprintf("%s %d-%d %v %d", token.Text, token.Start, token.End, token.Fused, token.Head))
	}
	want := "Do 0-2 false 2|n't 2-5 true 2|go 6-8 false -1|. 8-9 false 2|De 11-13 false 6|le 11-13 true 6|pain 14-18 false -1"
	if strings.Join(got, "|") != want {
		t.Errorf("tokens are\n%s, want\n%s", strings.Join(got, "|"), want)
	}
}

// A document that is written and read again is the same document.
func TestSentences(t *testing.T) {
	d := conllu.Document(read(t, sample)...)
	var b bytes.Buffer
	for _, s := range conllu.Sentences(d) {
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	again := conllu.Document(read(t, b.String())...)
	if got, want := again.Text, strings.ReplaceAll(d.Text, "\n\n", " "); got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
	for i, token := range again.Tokens {
		want := d.Tokens[i]
		token.Start, token.End, want.Start, want.End = 0, 0, 0, 0 // a paragraph is gone
		if token != want {
			t.Errorf("token %d is %+v, want %+v", i, token, want)
		}
	}
}

func TestFill(t *testing.T) {
	s := read(t, sample)[0]
	tokens := make([]language.Token, 4)
	for i := range tokens {
		tokens[i] = language.Token{Lemma: "l", UPOS: "X", XPOS: "Y", Head: 10, DepRel: "dep"}
	}
	tokens[0].Head, tokens[0].DepRel = -1, "root"
	s.Fill(tokens, 10)
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1-2\tDon't\t_\t_", "1\tDo\tl\tX\tY\tMood=Imp\t0\troot\t3:aux", "3\tgo\tl\tX\tY\t_\t1\tdep\t0:root\tSpaceAfter=No|Gloss=x", "3.1\tthere\tthere"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("filled, the sentence lacks %q:\n%s", want, b.String())
		}
	}
}

func TestRefuses(t *testing.T) {
	word := func(id, head string) string { return id + "\tsecret\tx\tX\tY\t_\t" + head + "\tdep\t_\t_\n" }
	for _, tt := range []struct{ name, text, want string }{
		{"columns", "1\ta\tb\n\n", "line 1 has 3 columns"},
		{"number", word("2", "0"), "not 1"},
		{"head beyond", word("1", "2"), "word 1 has a head"},
		{"own head", word("1", "1"), "word 1 has a head"},
		{"head is no number", word("1", "x"), "word 1 has a head"},
		{"range", word("1", "0") + word("1-2", "_"), "must begin with word 2"},
		{"range beyond", word("1-3", "_") + word("1", "0"), "1 to 3 is in a sentence of 1 words"},
		{"id", word("a-b", "_"), "neither a number"},
		{"no word", word("0.1", "_"), "no words"},
		{"no form", "1\t\tx\tX\tY\t_\t0\troot\t_\t_\n", "no form"},
		{"long", strings.Repeat("x", 1<<21), "longer than"},
	} {
		_, err := conllu.ReadAll(strings.NewReader(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error = %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add("1\ta\tb\tc\td\te\t0\tf\tg\th")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := conllu.ReadAll(strings.NewReader(text))
		if err != nil {
			return
		}
		if d := conllu.Document(all...); d.Check() != nil {
			t.Fatal(d.Check())
		}
		var first, second bytes.Buffer
		for _, s := range all {
			_ = s.Write(&first) // it is in memory
		}
		again, err := conllu.ReadAll(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range again {
			_ = s.Write(&second)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%q becomes %q", first.String(), second.String())
		}
	})
}

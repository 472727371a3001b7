package rule_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/relation/rule"
)

func parse(t testing.TB, text string) *rule.File {
	t.Helper()
	f, err := rule.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func engine(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/engine.rules")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEngine runs the sentences beside the rules of a file that uses all there is.
func TestEngine(t *testing.T) {
	p, err := english.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := parse(t, engine(t)).Check(p); err != nil {
		t.Error(err)
	}
}

// TestCheckFails shows that sentences which are not as they say are found.
func TestCheckFails(t *testing.T) {
	for text, want := range map[string]string{
		"yes [person=subject Ann] met [person=object Bob]": "line 3: rule \"a\": it does not match",
		"yes [person=object Ann] saw [person=subject Bob]": "with other arguments",
		"no [person Ann] saw [person Bob]":                 "it matches, and the sentence says no",
		"no [person=subject Ann] saw [person=object Bob]":  "it matches, and the sentence says no",
	} {
		err := parse(t, "rule a: A\ntokens <>=subject saw <>=object\n"+text).Check(nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestPrintsTheSame(t *testing.T) {
	text := engine(t)
	if got := parse(t, text).String(); got != text {
		t.Errorf("got\n%s", got)
	}
	for in, want := range map[string]string{
		`((a b) c)=subject [word:d]=object`:                       `(a b c)=subject d=object`,
		`(a|(b|c d))=subject   <org>{1,1}=object`:                 `(a | b | c d)=subject <org>=object`,
		`((a+)+)=subject (b{0,1} c{2,2}){0,}=object`:              `(a+)+=subject (b? c{2})*=object`,
		`(a=subject b=object | b=object a=subject)`:               `a=subject b=object | b=object a=subject`,
		`[ tag : "NN" & !word:/a\/b/ | c ]=subject []{1,}=object`: `[tag:NN & !word:/a\/b/|c]=subject []+=object`,
	} {
		p, err := rule.ParseTokens(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if p.String() != want {
			t.Errorf("%s: printed as %s, want %s", in, p, want)
		}
	}
	p, err := rule.ParseTree(`{}=subject > ({lemma:a}) !<<x:y|z ({ner:none} >> {}) <{}=object`)
	if want := `{}=subject > {lemma:a} !<<x:y|z ({ner:none} >> {}) < {}=object`; err != nil || p.String() != want {
		t.Errorf("printed as %v, %v, want %s", p, err, want)
	}
}

func TestErrors(t *testing.T) {
	const head = "rule a: A\n"
	for text, want := range map[string]string{
		"rule a\n":                              "line 1: a rule begins with",
		"tokens a\n":                            "outside of a rule",
		head + "token a\n":                      `line 2: it begins with "token", must begin with rule, tokens, tree, seen, yes, no or #`,
		head:                                    "has no pattern",
		head + "tokens a=subject\n":             "object is there 0 times",
		head + "tokens a=who\n":                 `line 2: column 6: argument is "who", must be subject or object`,
		head + "tokens [lema:a]\n":              `column 2: key is "lema", must be one of word, form, lemma, tag, ner; did you mean "lemma"?`,
		head + "tokens [word:/(/]\n":            "the expression before is not one",
		head + "tokens [word:/a)|(b/]\n":        "the expression before is not one",
		head + "tokens (a\n":                    "the pattern ends",
		head + "tokens a)\n":                    `column 2: found ')'`,
		head + "tokens a{2,1}\n":                "found {2,1}",
		head + "tokens a{201}\n":                "must be from 0 to 200",
		head + "tokens (a=subject)? b=object\n": "subject is there 0 to 1 times",
		head + "tokens (a=subject)+ b=object\n": "subject is there 1 to 2 times",
		head + "tokens (a=subject b)=object\n":  "object holds subject",
		head + "tokens a=subject ((([]{200}){200}){200})* b=object\n": "needs more than 4096 states",
		head + "tokens " + strings.Repeat("(", 100) + "\n":            "more than 64 deep",
		head + "tree {}=subject >nsubj [a]\n":                         `found '[', must be {`,
		head + "tree {}=subject !>x {}=object\n":                      "object is behind !",
		head + "tokens <>=subject <>=object\nyes [a b] c\n":           "must mark a subject and an object",
		head + "tokens <>=subject <>=object\nno [a=x b] c\n":          "mark begins with",
		head + "tokens <>=subject <>=object\nseen 3 of 2\n":           "must be there once, such as seen 9 of 10",
		head + "tokens <>=subject <>=object\n" + head + "":            `line 3: rule "a" is there already, on line 1`,
	} {
		_, err := rule.Parse(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// plain returns a document of words without more.
func plain(words ...string) *language.Document {
	d := &language.Document{Text: strings.Join(words, " ")}
	at := 0
	for _, w := range words {
		d.Tokens = append(d.Tokens, language.Token{Text: w, Start: at, End: at + len(w)})
		at += len(w) + 1
	}
	return d
}

// TestHostile shows that patterns which make backtracking explode are walked at once, or
// refused where there are too many answers.
func TestHostile(t *testing.T) {
	words := strings.Fields(strings.Repeat("a ", 200))
	for pattern, refused := range map[string]bool{
		`b=subject (a* a*)* c=object`:             false,
		`a=subject ((a?){0,2} | a){0,5} b=object`: false,
		`[]+=subject []* []+=object`:              true,
	} {
		p, err := rule.ParseTokens(pattern)
		if err != nil {
			t.Fatal(err)
		}
		s, err := rule.Compile([]rule.Rule{{Name: "x", Pattern: p}})
		if err != nil {
			t.Fatal(err)
		}
		d := plain(append(words, "b", "x", "c")...)
		if _, err := s.Matches(d); errors.Is(err, rule.ErrBudget) != refused {
			t.Errorf("%s: got %v", pattern, err)
		}
	}
	p, err := rule.ParseTree(`{}=subject >> ({} >> ({} >> {}=object))`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rule.Compile([]rule.Rule{{Name: "x", Pattern: p}})
	if err != nil {
		t.Fatal(err)
	}
	d := plain(words...)
	for k := range d.Tokens { // a chain, with a circle at its end
		d.Tokens[k].Head, d.Tokens[k].DepRel = k-1, "dep"
	}
	d.Tokens[0].Head = 1
	if _, err = s.Matches(d); !errors.Is(err, rule.ErrBudget) {
		t.Errorf("a chain of 200: got %v", err)
	}
	// Another rule finds what it finds all the same.
	modest, err := rule.ParseTokens("a=subject a=object")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = rule.Compile([]rule.Rule{{Name: "greedy", Pattern: p}, {Name: "modest", Pattern: modest}}); err != nil {
		t.Fatal(err)
	}
	found, err := s.Matches(d)
	if !errors.Is(err, rule.ErrBudget) || !strings.Contains(err.Error(), `"greedy"`) || strings.Contains(err.Error(), `"modest"`) || len(found) == 0 || found[0].Rule != 1 {
		t.Errorf("beside a greedy rule: %d matches, %v", len(found), err)
	}
}

// crowd returns n rules over words that differ, as induced ones do.
func crowd(t testing.TB, n int) []rule.Rule {
	var all []rule.Rule
	for k := range n {
		p, err := rule.ParseTokens(fmt.Sprintf(`<person>=subject []{0,5} [lemma:word%d|verb%d] (of | for | []{0,3} with) <org|place>=object`, k, k))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rule.Rule{Name: fmt.Sprint(k), Relation: "R", Pattern: p})
	}
	return all
}

// news returns sentences of 20 tokens with two entities, of which one in ten has the word
// of a rule.
func news(sentences, rules int) *language.Document {
	d := &language.Document{}
	for k := range sentences {
		verb := "slept"
		if k%10 == 0 {
			verb = fmt.Sprintf("verb%d", k%rules)
		}
		words := strings.Fields("Yesterday Ann Lee often " + verb + " for Acme Corp of Paris and the house of the rising Sun was there .")
		for i, w := range words {
			if i == 1 || i == 6 {
				size := len(w) + 1 + len(words[i+1])
				d.Entities = append(d.Entities, language.Entity{Type: []language.Type{language.Person, language.Organisation}[i/6], Start: len(d.Text), End: len(d.Text) + size, Confidence: 1})
			}
			d.Tokens = append(d.Tokens, language.Token{Text: w, Start: len(d.Text), End: len(d.Text) + len(w), Sentence: k})
			d.Text += w + " "
		}
	}
	return d
}

// TestTogether shows that rules find together what each finds alone.
func TestTogether(t *testing.T) {
	rules, d := crowd(t, 30), news(60, 30)
	s, err := rule.Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Matches(d)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for k := range rules {
		alone, err := rule.Compile(rules[k : k+1])
		if err != nil {
			t.Fatal(err)
		}
		found, err := alone.Matches(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			m.Rule = k
			if !contains(got, m) {
				t.Errorf("rules together did not find %+v", m)
			}
			n++
		}
	}
	if n != len(got) || n != 6 {
		t.Errorf("found %d together and %d alone, want 6", len(got), n)
	}
}

func contains(all []rule.Match, m rule.Match) bool {
	for _, o := range all {
		if o == m {
			return true
		}
	}
	return false
}

// BenchmarkThousandRules prints tokens a second of a thousand token rules on one core.
func BenchmarkThousandRules(b *testing.B) {
	s, err := rule.Compile(crowd(b, 1000))
	if err != nil {
		b.Fatal(err)
	}
	d := news(500, 1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Matches(d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(d.Tokens))/b.Elapsed().Seconds(), "tokens/s")
}

func FuzzParse(f *testing.F) {
	f.Add(engine(f))
	f.Add("rule a: A\ntokens (a | [tag:/x\\/y/ & !ner:org]{2,3} <>)=subject \"\\\"\"+=object\nno \\[a [b c]")
	f.Add("rule a: A\ntree {}=subject !>>a:b|c ({} <d:* {word:e}) > {}=object\n# z")
	d := news(2, 1)
	for k := range d.Tokens {
		d.Tokens[k].Head, d.Tokens[k].DepRel = k/20*20, "dep"
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := rule.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := rule.Parse(strings.NewReader(file.String()))
		if err != nil {
			t.Fatalf("what was printed is refused: %v\n%s", err, file)
		}
		if again.String() != file.String() {
			t.Fatalf("printed\n%s\nand then\n%s", file, again)
		}
		s, err := rule.Compile(file.Rules)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Matches(d)
		if err != nil && !errors.Is(err, rule.ErrBudget) {
			t.Fatal(err)
		}
		for _, m := range found {
			if m.Subject.First < 0 || m.Subject.First >= m.Subject.End || m.Object.First >= m.Object.End || m.Object.End > len(d.Tokens) || m.Subject.End > len(d.Tokens) {
				t.Fatalf("match %+v", m)
			}
		}
	})
}

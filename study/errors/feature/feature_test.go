package feature_test

import (
	"context"
	stderrors "errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/study/errors"
	"sotto/study/errors/feature"
	"sotto/study/language/lexicon"
)

func Example() {
	r, err := feature.New(feature.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const text = "Thanks! Could you hold my bag for 90 minutes?"
	t, err := r.Read(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range t.Found {
		if f.Group == feature.Conversation || f.Group == feature.Entity {
			at := f.Spans[0]
			fmt.Printf("%s %.2f %q\n", f.Name, f.Value, text[at.Start:at.End])
		}
	}
	// Output:
	// cue:! 0.09 "!"
	// cue:? 0.09 "?"
	// cue:second-person 0.09 "you"
	// cue:thanks 0.09 "Thanks"
	// cue:yes-no-question 0.09 "Could"
	// entity:time 0.09 "90 minutes"
}

func reader(t *testing.T, o feature.Options) *feature.Reader {
	t.Helper()
	r, err := feature.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// marked lists the features of a text with what is marked of each.
func marked(t *testing.T, r *feature.Reader, text string) map[string]string {
	t.Helper()
	found, err := r.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range found.Found {
		var parts []string
		for _, s := range f.Spans {
			parts = append(parts, text[s.Start:s.End])
		}
		all[f.Name] = strings.Join(parts, "|")
	}
	return all
}

func TestRead(t *testing.T) {
	r := reader(t, feature.Options{})
	for _, tt := range []struct {
		text string
		want map[string]string // what is marked of a feature; "-" where it is not there
	}{
		{"The tall man slept.", map[string]string{"amod-NN-JJ": "tall|man", "root-VBD-VBD": "slept", "cue:?": "-"}},
		{"I did not go.", map[string]string{"neg-VB-RB": "not|go", "advmod-VB-RB": "-", "cue:negation": "not", "cue:yes-no-question": "-"}},
		{"@united did you find it?", map[string]string{"cue:yes-no-question": "did", "cue:second-person": "you", "cue:?": "?"}},
		{"Hi, where is it?!", map[string]string{"cue:greeting": "Hi", "cue:wh-question": "where", "cue:?": "?", "cue:!": "!"}},
		{"I know where it is.", map[string]string{"cue:wh-question": "-"}},
		{"Good morning, so sorry, no bag!!", map[string]string{"cue:greeting": "Good morning", "cue:apology": "sorry", "cue:no": "no", "cue:!": "!|!"}},
		{"It took 2hrs and cost $ 50 on Friday.", map[string]string{"entity:time": "2hrs", "entity:money": "$ 50"}},
		{"Call at 5:30pm, 20 % off, 3 bags", map[string]string{"entity:time": "5:30pm", "entity:percent": "20 %", "entity:cardinal": "3"}},
		{"Write to bob@example.com", map[string]string{"entity:email": "bob@example.com"}},
		{"My frobnicatoid broke, see http://t.co/Xq1?a", map[string]string{"unknown": "frobnicatoid", "cue:?": "-"}},
		{"What a wonderful, horrible day", map[string]string{"emotion:positive": "wonderful", "emotion:negative": "horrible"}},
	} {
		got := marked(t, r, tt.text)
		for name, want := range tt.want {
			have, ok := got[name]
			if !ok {
				have = "-"
			}
			if have != want {
				t.Errorf("%q: %s marks %q, want %q; found %v", tt.text, name, have, want, got)
			}
		}
	}
}

// What is counted is divided by the number of tokens, so that a text said twice has
// the same features but for its length.
func TestByTokens(t *testing.T) {
	r := reader(t, feature.Options{})
	once, err := r.Read("Thank you! Did they call?")
	if err != nil {
		t.Fatal(err)
	}
	twice, err := r.Read("Thank you! Did they call? Thank you! Did they call?")
	if err != nil {
		t.Fatal(err)
	}
	if twice.Tokens != 2*once.Tokens || len(once.Found) != len(twice.Found) {
		t.Fatalf("%d features of %d tokens, twice %d of %d", len(once.Found), once.Tokens, len(twice.Found), twice.Tokens)
	}
	for _, f := range once.Found {
		want := f.Value
		if f.Name == feature.Length {
			want *= 2
		}
		if g := twice.Find(f.Name); g == nil || g.Value != want || len(g.Spans) != 2*len(f.Spans) {
			t.Errorf("%s: %+v, twice %+v", f.Name, f, g)
		}
	}
}

// A lexicon of one's own takes the place of those that are built in, and a word
// counts once for a category that several have.
func TestLexicons(t *testing.T) {
	l, err := lexicon.Read(strings.NewReader("bag\tfear\t1\nbag\ttrust\t1\n"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	r := reader(t, feature.Options{Lexicons: []*lexicon.Lexicon{l, l}, Known: func(w string) bool { return w != "bag" }})
	got := marked(t, r, "A wonderful bag")
	if got["emotion:fear"] != "bag" || got["emotion:trust"] != "bag" || got["unknown"] != "bag" {
		t.Errorf("found %v, want fear, trust and unknown of bag", got)
	}
	if _, ok := got["emotion:positive"]; ok {
		t.Error("the built-in lexicon was asked beside one's own")
	}
}

func TestMake(t *testing.T) {
	r := reader(t, feature.Options{})
	texts := []string{"Thanks a lot!", "", "Could you help?", "Thanks!", "😀\x00\xff", strings.Repeat("a ", 300)}
	one, err := r.Make(context.Background(), texts, errors.Work{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err = one.Validate(); err != nil {
		t.Fatal(err)
	}
	told := 0
	three, err := r.Make(context.Background(), texts, errors.Work{Workers: 3, Progress: func(int, int) {}})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(one) != fmt.Sprint(three) {
		t.Error("three workers find something else than one")
	}
	at := slices.Index(one.Names, "cue:thanks")
	if at < 0 || one.Rows[0].At(at) != 0.25 || one.Rows[3].At(at) != 0.5 || one.Rows[2].At(at) != 0 || len(one.Rows[1]) != 0 {
		t.Errorf("thanks: column %d of %v", at, one.Rows)
	}
	if _, err = r.Make(context.Background(), texts[:1], errors.Work{Progress: func(done, _ int) { told = done }}); err != nil || told != 1 {
		t.Errorf("told %d, %v, want 1", told, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err = r.Make(stopped, texts, errors.Work{}); !stderrors.Is(err, context.Canceled) {
		t.Errorf("Make after its end = %v, want that it was canceled", err)
	}
}

func BenchmarkRead(b *testing.B) {
	r, err := feature.New(feature.Options{})
	if err != nil {
		b.Fatal(err)
	}
	const text = "@united thanks, but could you tell me why flight 1234 from Boston was late for 3 hours? Not happy!"
	tokens := 0
	for b.Loop() {
		t, err := r.Read(text)
		if err != nil {
			b.Fatal(err)
		}
		tokens += t.Tokens
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

// TestMark divides a text where marks change. What speaks against an error marks
// nothing.
func TestMark(t *testing.T) {
	const text = "Thanks!\tThe tall man slept."
	found, err := reader(t, feature.Options{}).Read(text)
	if err != nil {
		t.Fatal(err)
	}
	got := feature.Mark(text, found, []errors.Reason{
		{Feature: "amod-NN-JJ", Adds: 0.2, Value: 1},
		{Feature: "emotion:trust", Adds: -0.2, Value: 1},
		{Feature: "cue:thanks", Adds: 0.1, Value: 1},
		{Feature: "emotion:joy", Adds: 0.3, Value: 1},
		{Feature: "not there", Adds: 1},
		{Feature: feature.Length, Adds: 1, Value: 7},
	})
	var whole strings.Builder
	for _, s := range got {
		whole.WriteString(s.Text)
		if (s.Weight > 0) != (len(s.Features) > 0) {
			t.Errorf("%+v has a weight without a feature, or the other way round", s)
		}
	}
	if whole.String() != text {
		t.Errorf("segments are %+v", got)
	}
	if got[0].Text != "Thanks" || got[0].Weight != 0.4 || !slices.Equal(got[0].Features, []string{"cue:thanks", "emotion:joy"}) {
		t.Errorf("first is %+v", got[0])
	}
	if line := feature.Line(got, func(s string, strength float64) string { return fmt.Sprintf("[%s %.1f]", s, strength) }); line != "[Thanks 1.0]! The [tall 0.5] [man 0.5] slept." {
		t.Errorf("line is %q", line)
	}
	if empty := feature.Mark("", feature.Text{}, nil); len(empty) != 0 {
		t.Errorf("an empty text has %+v", empty)
	}
}

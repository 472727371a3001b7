package mention_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/english"
	"sotto/study/link"
	"sotto/study/link/mention"
)

// linked links the mentions of a text.
func linked(tb testing.TB, text string) (*language.Document, *mention.Result) {
	tb.Helper()
	m, err := mention.Load()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := english.Load()
	if err != nil {
		tb.Fatal(err)
	}
	d, err := p.Document(text)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := m.Link(context.Background(), d, m.Find(d), mention.Options{Found: true})
	if err != nil {
		tb.Fatal(err)
	}
	return d, r
}

// clusters writes the clusters of a text that have more than one mention.
func clusters(d *language.Document, r *mention.Result) []string {
	var out []string
	for _, c := range r.Clusters() {
		var words []string
		for _, k := range c {
			words = append(words, d.Text[r.Mentions[k].Start:r.Mentions[k].End])
		}
		if len(words) > 1 {
			out = append(out, strings.Join(words, " = "))
		}
	}
	return out
}

func Example() {
	m, err := mention.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := english.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := p.Document("Dr. Ann Lee met John Smith in London. She thanked him. Mr. Smith smiled.")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := m.Link(context.Background(), d, m.Find(d), mention.Options{Found: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Clusters() {
		name := r.Canonical(c)
		fmt.Print(d.Text[name.Start:name.End], ":")
		for _, k := range c {
			fmt.Printf(" %q", d.Text[r.Mentions[k].Start:r.Mentions[k].End])
		}
		fmt.Println()
	}
	// Output:
	// Dr. Ann Lee: "Dr. Ann Lee" "She"
	// John Smith: "John Smith" "him" "Mr. Smith"
	// London: "London"
}

// TestLink tells persons by titles, initials, nicknames, gender and speech.
func TestLink(t *testing.T) {
	for text, want := range map[string][]string{
		"William Jones left. Bill Jones returned, and Mr. Jones slept. W. Jones woke up.": {"William Jones = Bill Jones = Mr. Jones = W. Jones"},
		"John Smith met Mary Smith. He liked her, and she liked him.":                     {"John Smith = He = him", "Mary Smith = her = she"},
		"Mr. Brown came with Mrs. Brown.":                                                 nil,
		"Anna Karlsson sold her house.":                                                   {"Anna Karlsson = her"},
		"It rained, and it was cold.":                                                     nil,
		"\"I know that,\" said Peter Marsh.":                                              {"I = Peter Marsh"},
	} {
		d, r := linked(t, text)
		if got := clusters(d, r); !slices.Equal(got, want) {
			t.Errorf("%q: clusters are %q, want %q", text, got, want)
		}
	}
}

// TestGraph divides the graph of a result anew, which gives the same division: pronouns
// have one edge each, and change nothing else.
func TestGraph(t *testing.T) {
	d, r := linked(t, "Dr. Ann Lee met John Smith. She told him about Mary Smith, his wife. The doctor left. \"You are late,\" said Mary. The doctor was tired, and Lee slept. Smith called her.")
	s, err := link.Solve(t.Context(), r.Graph, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Labels, r.Labels) || !r.Optimal {
		t.Errorf("the graph is divided into %v, the mentions of %q into %v", s.Labels, d.Text, r.Labels)
	}
	reasons := r.Reasons()
	for _, c := range r.Clusters() {
		for _, k := range c {
			l, ok := reasons[k]
			if ok && (r.Labels[l.I] != r.Labels[l.J] || len(l.Terms) == 0 || !(l.Probability >= 0 && l.Probability <= 1)) {
				t.Errorf("mention %d is where it is because of %+v", k, l)
			}
		}
	}
}

// TestNames tells persons by their names alone, and leaves one alone who may be two.
func TestNames(t *testing.T) {
	m, err := mention.Load()
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string][]int{
		"John Smith|Smith|Mr. Smith|J. Smith|John|john smith": {0, 0, 0, 0, 0, 0},
		"John Smith|Mary Smith|Smith|Mr. Smith|Mrs. Smith":    {0, 1, 2, 0, 1},
		"Ann Lee|Bo Lee|A. Lee|Lee":                           {0, 1, 0, 2},
		"Henry IV|Henry V":                                    {0, 1},
		"Robert Hale|Bob Hale|Hale's":                         {0, 0, 0},
		"|.|,|'s| ":                                           nil,
	} {
		s := ""
		var at []language.Entity
		for name := range strings.SplitSeq(list, "|") {
			if name != "" {
				at = append(at, language.Entity{Type: language.Person, Start: len(s), End: len(s) + len(name)})
			}
			s += name + " met "
		}
		labels, fault := m.Names(s, at)
		if fault != nil {
			t.Fatal(fault)
		}
		if got := link.Canonical(labels); want != nil && !slices.Equal(got, want) {
			t.Errorf("%s are persons %v, want %v", list, got, want)
		}
	}
	labels, err := m.Names("Rome", []language.Entity{{Type: language.Email, End: 4}})
	if err != nil || labels[0] != -1 {
		t.Errorf("an address is %v, %v, want none", labels, err)
	}
}

// TestMany links a text of ten thousand names, all of which share words: what is compared
// must stay in proportion.
func TestMany(t *testing.T) {
	m, err := mention.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var at []language.Entity
	for i := range 10_000 {
		name := fmt.Sprintf("%c%c %c%c%c", 'A'+i%26, 'a'+i/26%26, 'A'+i*7%26, 'a'+i/3%26, 'a'+i%3)
		at = append(at, language.Entity{Type: language.Person, Start: b.Len(), End: b.Len() + len(name)})
		b.WriteString(name + ". ")
	}
	if labels, err := m.Names(b.String(), at); err != nil || len(labels) != len(at) {
		t.Error(len(labels), err)
	}
}

func TestParseName(t *testing.T) {
	for surface, want := range map[string]string{
		"Dr. Ann Lee's":      `Dr. |[dr]|[ann lee]||'s`,
		"the Rev. Mr. Moore": `the Rev. Mr. |[rev mr]|[moore]||`,
		"Sammy Davis Jr.":    `|[]|[sammy davis]|jr|`,
		"Mr.":                `|[]|[mr]||`,
		"O'Neil, J.":         `|[]|[o'neil j]||`,
		"":                   `|[]|[]||`,
		"'s":                 `|[]|['s]||`,
		"Mr.  ":              `|[]|[mr]||`,
	} {
		n := mention.ParseName(surface)
		if got := fmt.Sprintf("%s|%v|%v|%s|%s", n.Before, n.Titles, n.Words, n.Suffix, n.Tail); got != want || len(n.Words) == 0 {
			t.Errorf("ParseName(%q) = %s, want %s", surface, got, want)
		}
	}
}

// A model is read back as it was written, and another's is refused.
func TestRead(t *testing.T) {
	m, err := mention.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b, again bytes.Buffer
	if err = m.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := mention.Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Write(&again); err != nil || again.String() != b.String() || len(back.Trained()) == 0 {
		t.Errorf("a model is read back otherwise: %v", err)
	}
	for _, bad := range []string{
		"", "{}", strings.Replace(b.String(), "sotto-mentions-1", "sotto-mentions-9", 1), strings.Replace(b.String(), `"an initial"`, `"a final"`, 1),
		strings.Replace(b.String(), `"person female"`, `"person other"`, 1), strings.Replace(b.String(), `"format"`, `"formats"`, 1),
	} {
		if _, err := mention.Read(strings.NewReader(bad)); err == nil {
			t.Errorf("a model that begins with %.40q is taken", bad)
		}
	}
}

// TestTrain learns from a lesson that a part of a name is the same.
func TestTrain(t *testing.T) {
	p, err := english.Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Document("John Smith met Ann Lee. Smith left. Lee slept. He was glad, and she was tired.")
	if err != nil {
		t.Fatal(err)
	}
	l := mention.Lesson{Document: d, Entity: []int{0, 1, 0, 1, 0, 1}, Types: make([]language.Type, 6)}
	for _, w := range []string{"John Smith", "Ann Lee", "Smith left", "Lee slept", "He", "she"} {
		at := strings.Index(d.Text, w)
		l.Spans = append(l.Spans, mention.Span{Start: at, End: at + len(strings.Split(w, " left")[0])})
	}
	l.Spans[3].End = l.Spans[3].Start + len("Lee")
	one, err := mention.Train(t.Context(), []mention.Lesson{l}, []string{"a lesson"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := mention.Train(t.Context(), []mention.Lesson{l}, []string{"a lesson"})
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err = one.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err = two.Write(&b); err != nil || a.String() != b.String() {
		t.Errorf("the same lesson makes two models, %v", err)
	}
	r, err := one.Link(t.Context(), d, one.At(d, l.Spans), mention.Options{})
	if err != nil || !slices.Equal(r.Labels, l.Entity) {
		t.Errorf("what was taught is divided into %v, %v", r.Labels, err)
	}
	if _, err := mention.Train(t.Context(), nil, nil); err == nil {
		t.Error("no lesson is taken")
	}
}

// FuzzLink links whatever a text holds: places slice back to it, and the same text has
// the same clusters.
func FuzzLink(f *testing.F) {
	for _, s := range []string{
		"", "Ann met Bob. She saw him.", "\"\"\"\" I you I \" he", "Mr. Mr. Mr. Dr. Smith's 's", "\x00\xff\u200b😀 Ann", "the the the man's man of the man who the",
		"“I,” said I, “am I.” ‘you’", strings.Repeat("John Smith and Mary Smith saw Smith. ", 20), strings.Repeat("her ", 60), "İI ı Ann É. Lee",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, r := linked(t, s)
		at := 0
		for _, m := range r.Mentions {
			if m.Start < at || m.End <= m.Start || m.End > len(s) {
				t.Fatalf("a mention is at %d to %d of %d", m.Start, m.End, len(s))
			}
			at = m.Start
		}
		if err := r.Graph.Validate(); err != nil {
			t.Fatal(err)
		}
		if _, again := linked(t, s); !slices.Equal(again.Labels, r.Labels) {
			t.Fatalf("%q is divided in two ways", d.Text)
		}
		for _, c := range r.Clusters() {
			r.Canonical(c)
			r.About(c)
		}
	})
}

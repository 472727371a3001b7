package text_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/promise/mech"
	"sotto/text"
)

// maskList returns the list with the given lines.
func maskList(tb testing.TB, lines ...string) *text.MaskList {
	tb.Helper()
	l, err := text.ParseMaskList(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// nameList returns the list with the given names.
func nameList(tb testing.TB, names ...string) *text.NameList {
	tb.Helper()
	n, err := text.ParseNames(strings.NewReader(strings.Join(names, "\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// dropping drops the words with the given numbers.
func dropping(words ...int) func([]bool) {
	return func(masked []bool) {
		for _, i := range words {
			masked[i] = true
		}
	}
}

// explain writes the masked parts with their types, and fails if they are not
// in order.
func explain(t *testing.T, s string, k text.Masking) string {
	t.Helper()
	var all []string
	end := 0
	for _, f := range k.Parts {
		if f.Start < end || f.End <= f.Start || f.Type == "" {
			t.Errorf("part %+v of %q begins before %d, is empty or has no type", f, s, end)
		}
		end = f.End
		all = append(all, s[f.Start:f.End]+":"+string(f.Type))
	}
	return strings.Join(all, " ")
}

// masker is how the tests of a table mask.
type masker struct {
	list  *text.MaskList
	names *text.NameList
	drop  func([]bool)
}

func (m masker) mask(s string) text.Masking {
	var all []text.Masker
	if m.list != nil {
		all = append(all, m.list)
	}
	if m.names != nil {
		all = append(all, m.names)
	}
	return text.Mask(s, m.drop, all...)
}

func TestMask(t *testing.T) {
	for _, tt := range []struct {
		name   string
		masker masker
		in     string
		want   string
	}{
		{"zero value", masker{}, "Nothing is masked", ""},
		{"no words", masker{drop: dropping(), list: maskList(t, "a", "/./"), names: nameList(t)}, " … ", ""},
		{"listed", masker{list: maskList(t, "cat", "Straße")}, "CAT cats cat-like STRAẞE", "CAT:listed cat:listed STRAẞE:listed"},
		{"accents", masker{list: maskList(t, "Zoe", "Jos\u00e9")}, "Zo\u00eb ZOE\u0308 jose Jose\u0301", "Zo\u00eb:listed ZOE\u0308:listed jose:listed Jose\u0301:listed"},
		{"apostrophes", masker{list: maskList(t, "o'neill")}, "O’Neill", "O’Neill:listed"},
		{"final sigma", masker{list: maskList(t, "οδος")}, "ΟΔΟΣ", "ΟΔΟΣ:listed"},
		{"pattern", masker{list: maskList(t, `/\d{3} \d{4}/`)}, "call 555 1234 or 12", "555:pattern 1234:pattern"},
		{"part of a word", masker{list: maskList(t, "/a@b/")}, "mail anna@bob.org now", "anna:pattern bob:pattern"},
		{"between words", masker{list: maskList(t, "/, /", "/x*/")}, "one, two", ""},
		{"case of a pattern", masker{list: maskList(t, "/cat/")}, "Cat cat", "cat:pattern"},
		{"listed goes first", masker{list: maskList(t, "/c.t/", "cat")}, "cat cut", "cat:listed cut:pattern"},
		{"dropout", masker{drop: dropping(0, 2)}, "a b c", "a:dropout c:dropout"},
		{"dropout goes first", masker{drop: dropping(0), list: maskList(t, "a", "b")}, "a b", "a:dropout b:listed"},
		{"a dropped word is gone", masker{drop: dropping(0), list: maskList(t, `/Dr \w+/`)}, "Dr Who", "Dr:dropout"},
		{"and another is not", masker{drop: dropping(2), list: maskList(t, `/Dr \w+/`)}, "Dr Who knows", "Dr:pattern Who:pattern knows:dropout"},
		{"offsets behind a dropped word", masker{drop: dropping(0, 1), list: maskList(t, `/o+/`)}, "antidisestablishment I boo oh", "antidisestablishment:dropout I:dropout boo:pattern oh:pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := explain(t, tt.in, tt.masker.mask(tt.in)); got != tt.want {
				t.Errorf("Mask(%q) masks %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"small letters", "anna and merkel", ""},
		{"listed", "Anna saw ANNA and anna", "Anna ANNA"},
		{"not at the start", "Merkel saw Merkel", "Merkel"},
		{"ordinary word", "Will you ask Will", "Will"},
		{"possessive", "Anna's dog and Merkel’s", "Anna's Merkel’s"},
		{"acronym and I", "Then I saw NASA and I'm glad, as I’ll say", ""},
		{"sentences", "Yes. No! Why? Because… He said: Stop\nNow", ""},
		{"title", "We met Dr. Who, Mr. Bean. They left", "Dr Who Mr Bean"},
		{"dot without a title", "We left. Merkel stayed", ""},
		{"initials", "by J. R. Tolkien", "Tolkien"},
		{"opening quote", "he said “Come” and \"Go\" to Bonn", "Bonn"},
		{"closing quote", "the “wall” Merkel saw", "Merkel"},
		{"brackets", "she (Merkel) left", "Merkel"},
		{"accents", "so ANNÄ and Ångström", "ANNÄ Ångström"},
		{"hyphen", "saw Jean-Luc there", "Jean Luc"},
		{"no capital letters", "我见到了安娜 and ანა", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := masker{names: nameList(t, "# first names", "anna", "", "Will")}
			k := m.mask(tt.in)
			want := ""
			for word := range strings.FieldsSeq(tt.want) {
				want += " " + word + ":name"
			}
			if got := explain(t, tt.in, k); got != strings.TrimSpace(want) {
				t.Errorf("Mask(%q) masks %q, want%s", tt.in, got, want)
			}
		})
	}
	m := masker{names: &text.NameList{}, drop: dropping(1)}
	if got, want := explain(t, "Met Dr. Who", m.mask("Met Dr. Who")), "Dr:dropout"; got != want {
		t.Errorf("with a dropped title %q is masked, want %q", got, want)
	}
	if got := nameList(t, "Anna", "Anne-Marie", "ANNA").Names(); got != 3 {
		t.Errorf("Names() = %d, want 3", got)
	}
	if _, err := text.ParseNames(strings.NewReader("ok\n\xff")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error = %v, want one for line 2", err)
	}
}

// TestDroppedWordsLeaveNoTrace changes the words that dropout takes and sees
// that nothing else changes: this is what the guarantee rests on.
func TestDroppedWordsLeaveNoTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("Dr Mr a I Anna anna Merkel cat 555 1234 Ü")
	gaps := []string{" ", ". ", ", ", ": “", "\n"}
	for range 2000 {
		var before, after strings.Builder
		var drop []int
		for i := range 8 {
			word, gap := vocabulary[r.IntN(len(vocabulary))], gaps[r.IntN(len(gaps))]
			other := word
			if r.IntN(3) == 0 {
				drop = append(drop, i)
				other = vocabulary[r.IntN(len(vocabulary))]
			}
			before.WriteString(word + gap)
			after.WriteString(other + gap)
		}
		m := masker{
			list:  maskList(t, "cat", `/Dr\W+\w+/`, `/\d+ \d+/`, `/^\w/`, `/.{20}Anna/`),
			names: nameList(t, "Anna"),
			drop:  dropping(drop...),
		}
		one, two := before.String(), after.String()
		k, l := m.mask(one), m.mask(two)
		if len(k.Parts) != len(l.Parts) || text.Apply(one, k, "_") != text.Apply(two, l, "_") {
			t.Fatalf("%q and %q with words %v dropped become %q and %q", one, two, drop, text.Apply(one, k, "_"), text.Apply(two, l, "_"))
		}
	}
}

// TestRate checks that each word is masked with exactly the rate, whatever the
// other masks do.
func TestRate(t *testing.T) {
	const n, rate = 20000, 0.3
	src := rand.NewPCG(3, 4)
	for _, masks := range []mech.Masks{mech.Bernoulli, mech.FixedCount} {
		m := masker{
			list: maskList(t, "b"),
			drop: func(masked []bool) { mech.DrawMasks(masked, rate, masks, src) },
		}
		var counts [5]int
		for range n {
			for _, f := range m.mask("a b c d e").Parts {
				if f.Type == text.Dropout {
					counts[f.Start/2]++
				}
			}
		}
		// Ten counts, each binomial: 4.9 standard deviations are exceeded by
		// one of them with probability 1e-5.
		tolerance := 4.9 * math.Sqrt(n*rate*(1-rate))
		for i, got := range counts {
			if math.Abs(float64(got)-n*rate) > tolerance {
				t.Errorf("%s: word %d was dropped %d times of %d, want %.0f ± %.0f", masks, i, got, n, n*rate, tolerance)
			}
		}
	}
}

func TestApply(t *testing.T) {
	s := "Dear Anna, écoute!"
	for _, tt := range []struct {
		name string
		drop []int
		want string
	}{
		{"none", nil, s},
		{"first and last", []int{0, 2}, "[MASK] Anna, [MASK]!"},
		{"all", []int{0, 1, 2}, "[MASK] [MASK], [MASK]!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := text.Mask(s, dropping(tt.drop...))
			if got := text.Apply(s, k, "[MASK]"); got != tt.want {
				t.Errorf("Apply = %q, want %q", got, tt.want)
			}
			if got := len(k.Spans()); got != len(tt.drop) {
				t.Errorf("%d masked parts, want %d", got, len(tt.drop))
			}
		})
	}
}

// fixed finds the same spans in every text.
type fixed []text.Found

func (f fixed) Find(string) []text.Found { return f }
func (fixed) Rule() string               { return "fixed" }

// TestOverlap lets one masker find parts of what another has found: what the
// first found keeps its type, and the rest is masked, too.
func TestOverlap(t *testing.T) {
	found := func(typ text.Type, ends ...int) fixed {
		var f fixed
		for i := 0; i < len(ends); i += 2 {
			f = append(f, text.Found{Span: text.Span{Start: ends[i], End: ends[i+1]}, Type: typ})
		}
		return f
	}
	const s = "0123456789"
	for _, tt := range []struct {
		first, second fixed
		want          string
	}{
		{found("a", 2, 4), found("b", 2, 4), "23:a"},
		{found("a", 2, 4), found("b", 1, 3), "1:b 23:a"},
		{found("a", 2, 4), found("b", 3, 6), "23:a 45:b"},
		{found("a", 2, 4), found("b", 0, 9), "01:b 23:a 45678:b"},
		{found("a", 2, 4, 6, 8), found("b", 0, 1, 3, 7, 9, 10), "0:b 23:a 45:b 67:a 9:b"},
		{found("a", 0, 9), found("b", 2, 4, 8, 10), "012345678:a 9:b"},
		{nil, found("b", 2, 4), "23:b"},
	} {
		if got := explain(t, s, text.Mask(s, nil, tt.first, tt.second)); got != tt.want {
			t.Errorf("%v and %v mask %q, want %q", tt.first, tt.second, got, tt.want)
		}
	}
	// A part over a dropped word, which the masker sees as one of three bytes.
	k := text.Mask("aa bbbb cc", dropping(1), found("x", 0, 9))
	if got, want := explain(t, "aa bbbb cc", k), "aa :x bbbb:dropout  cc:x"; got != want {
		t.Errorf("over a dropped word %q is masked, want %q", got, want)
	}
}

// TestRule: lists of one content have one rule, whatever the order and the
// case, and no other list has it.
func TestRule(t *testing.T) {
	same := [][2]text.Masker{
		{maskList(t, "cat", "/x+/", "dog"), maskList(t, "# mine", "Dog", "Cat", "/x+/")},
		{nameList(t, "Anna", "Bob"), nameList(t, "bob", "anna")},
	}
	for _, pair := range same {
		if a, b := pair[0].Rule(), pair[1].Rule(); a != b {
			t.Errorf("equal lists have the rules %s and %s", a, b)
		}
	}
	seen := map[string]bool{}
	for _, m := range []text.Masker{same[0][0], same[1][0], maskList(t, "cat", "dog"), maskList(t, "cat", "dog", "/x/"), nameList(t), nameList(t, "cat", "dog")} {
		if r := m.Rule(); seen[r] || strings.Contains(r, "cat") || strings.Contains(r, "anna") {
			t.Errorf("rule %q is another's or quotes the list", r)
		} else {
			seen[r] = true
		}
	}
}

// FuzzMask checks for any text that masked words are gone and others stay.
func FuzzMask(f *testing.F) {
	f.Add("Dr. Anna's 555 1234 “Ünü”\xff", uint64(5))
	m := masker{list: maskList(f, "a", `/\d+ \d+/`, "/(?i)x?/"), names: nameList(f, "Anna")}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		m := m
		m.drop = func(masked []bool) { mech.DrawMasks(masked, 0.5, mech.Bernoulli, rand.NewPCG(seed, 0)) }
		k, all := m.mask(s), words(s)
		var want []string
		left := k.Spans()
		for i, span := range text.Spans(s) {
			word := all[i]
			if len(left) > 0 && left[0] == span {
				word, left = "mask", left[1:]
			}
			want = append(want, word)
		}
		if got := words(text.Apply(s, k, "mask")); !slices.Equal(got, want) {
			t.Errorf("the words of %q become %q, want %q", s, got, want)
		}
		explain(t, s, k)
	})
}

func BenchmarkMask(b *testing.B) {
	s := strings.Repeat("We met Dr. Anna Merkel on 12 March 2020, and she called 555 1234. ", 10)
	src := rand.NewPCG(1, 2)
	for _, bb := range []struct {
		name   string
		masker masker
	}{
		{"dropout", masker{drop: func(masked []bool) { mech.DrawMasks(masked, 0.3, mech.Bernoulli, src) }}},
		{"words", masker{list: maskList(b, "anna", "bonn")}},
		{"pattern", masker{list: maskList(b, `/\d{3} \d{4}/`)}},
		{"names", masker{names: nameList(b, "anna")}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				bb.masker.mask(s)
			}
		})
	}
}

func ExampleMask() {
	list, err := text.ParseMaskList(strings.NewReader("# mine\nZaphod\n/\\d{3} \\d{4}/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := "Call zaphod or Mrs. Bird at 555 1234"
	drop := func(masked []bool) { masked[0] = true } // mech.DrawMasks with a rate
	masking := text.Mask(s, drop, list, &text.NameList{})
	fmt.Println(text.Apply(s, masking, "_"))
	for _, part := range masking.Parts {
		fmt.Print(part.Type, " ")
	}
	// Output:
	// _ _ or _. _ at _ _
	// dropout listed name name pattern pattern
}

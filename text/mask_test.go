package text_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/mech"
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

// explain writes the masked words with their reasons, and fails if a word has
// one without the other.
func explain(t *testing.T, s string, k text.Masking) string {
	t.Helper()
	var all []string
	for i, span := range k.Spans {
		if k.Masked[i] != (k.Reason[i] != "") {
			t.Errorf("word %d of %q is masked: %v, for reason %q", i, s, k.Masked[i], k.Reason[i])
		}
		if k.Masked[i] {
			all = append(all, s[span.Start:span.End]+":"+string(k.Reason[i]))
		}
	}
	return strings.Join(all, " ")
}

func TestMask(t *testing.T) {
	for _, tt := range []struct {
		name   string
		masker text.Masker
		in     string
		want   string
	}{
		{"zero value", text.Masker{}, "Nothing is masked", ""},
		{"no words", text.Masker{Draw: dropping(), List: maskList(t, "a", "/./"), Names: nameList(t)}, " … ", ""},
		{"listed", text.Masker{List: maskList(t, "cat", "Straße")}, "CAT cats cat-like STRAẞE", "CAT:listed cat:listed STRAẞE:listed"},
		{"accents", text.Masker{List: maskList(t, "Zoe", "Jos\u00e9")}, "Zo\u00eb ZOE\u0308 jose Jose\u0301", "Zo\u00eb:listed ZOE\u0308:listed jose:listed Jose\u0301:listed"},
		{"apostrophes", text.Masker{List: maskList(t, "o'neill")}, "O’Neill", "O’Neill:listed"},
		{"final sigma", text.Masker{List: maskList(t, "οδος")}, "ΟΔΟΣ", "ΟΔΟΣ:listed"},
		{"pattern", text.Masker{List: maskList(t, `/\d{3} \d{4}/`)}, "call 555 1234 or 12", "555:pattern 1234:pattern"},
		{"part of a word", text.Masker{List: maskList(t, "/a@b/")}, "mail anna@bob.org now", "anna:pattern bob:pattern"},
		{"between words", text.Masker{List: maskList(t, "/, /", "/x*/")}, "one, two", ""},
		{"case of a pattern", text.Masker{List: maskList(t, "/cat/")}, "Cat cat", "cat:pattern"},
		{"listed goes first", text.Masker{List: maskList(t, "/c.t/", "cat")}, "cat cut", "cat:listed cut:pattern"},
		{"dropout", text.Masker{Draw: dropping(0, 2)}, "a b c", "a:dropout c:dropout"},
		{"dropout goes first", text.Masker{Draw: dropping(0), List: maskList(t, "a", "b")}, "a b", "a:dropout b:listed"},
		{"a dropped word is gone", text.Masker{Draw: dropping(0), List: maskList(t, `/Dr \w+/`)}, "Dr Who", "Dr:dropout"},
		{"and another is not", text.Masker{Draw: dropping(2), List: maskList(t, `/Dr \w+/`)}, "Dr Who knows", "Dr:pattern Who:pattern knows:dropout"},
		{"offsets behind a dropped word", text.Masker{Draw: dropping(0, 1), List: maskList(t, `/o+/`)}, "antidisestablishment I boo oh", "antidisestablishment:dropout I:dropout boo:pattern oh:pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := explain(t, tt.in, tt.masker.Mask(tt.in)); got != tt.want {
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
			m := text.Masker{Names: nameList(t, "# first names", "anna", "", "Will")}
			k := m.Mask(tt.in)
			want := ""
			for word := range strings.FieldsSeq(tt.want) {
				want += " " + word + ":name"
			}
			if got := explain(t, tt.in, k); got != strings.TrimSpace(want) {
				t.Errorf("Mask(%q) masks %q, want%s", tt.in, got, want)
			}
		})
	}
	m := text.Masker{Names: &text.NameList{}, Draw: dropping(1)}
	if got, want := explain(t, "Met Dr. Who", m.Mask("Met Dr. Who")), "Dr:dropout"; got != want {
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
		m := text.Masker{
			List:  maskList(t, "cat", `/Dr\W+\w+/`, `/\d+ \d+/`, `/^\w/`, `/.{20}Anna/`),
			Names: nameList(t, "Anna"),
			Draw:  dropping(drop...),
		}
		one, two := before.String(), after.String()
		k, l := m.Mask(one), m.Mask(two)
		if !slices.Equal(k.Masked, l.Masked) || text.Apply(one, k, "_") != text.Apply(two, l, "_") {
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
		m := text.Masker{
			List: maskList(t, "b"),
			Draw: func(masked []bool) { mech.DrawMasks(masked, rate, masks, src) },
		}
		var counts [5]int
		for range n {
			for i, why := range m.Mask("a b c d e").Reason {
				if why == text.Dropout {
					counts[i]++
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
			k := (&text.Masker{Draw: dropping(tt.drop...)}).Mask(s)
			if got := text.Apply(s, k, "[MASK]"); got != tt.want {
				t.Errorf("Apply = %q, want %q", got, tt.want)
			}
			if got := len(k.MaskedSpans()); got != len(tt.drop) {
				t.Errorf("%d masked spans, want %d", got, len(tt.drop))
			}
		})
	}
}

// FuzzMask checks for any text that masked words are gone and others stay.
func FuzzMask(f *testing.F) {
	f.Add("Dr. Anna's 555 1234 “Ünü”\xff", uint64(5))
	m := text.Masker{List: maskList(f, "a", `/\d+ \d+/`, "/(?i)x?/"), Names: nameList(f, "Anna")}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		m := m
		m.Draw = func(masked []bool) { mech.DrawMasks(masked, 0.5, mech.Bernoulli, rand.NewPCG(seed, 0)) }
		k := m.Mask(s)
		var want []string
		i := 0
		for word := range text.Words(s) {
			if k.Masked[i] {
				word = "mask"
			}
			want = append(want, word)
			i++
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
		masker text.Masker
	}{
		{"dropout", text.Masker{Draw: func(masked []bool) { mech.DrawMasks(masked, 0.3, mech.Bernoulli, src) }}},
		{"words", text.Masker{List: maskList(b, "anna", "bonn")}},
		{"pattern", text.Masker{List: maskList(b, `/\d{3} \d{4}/`)}},
		{"names", text.Masker{Names: nameList(b, "anna")}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				bb.masker.Mask(s)
			}
		})
	}
}

func ExampleMasker() {
	list, err := text.ParseMaskList(strings.NewReader("# mine\nZaphod\n/\\d{3} \\d{4}/"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m := text.Masker{
		List:  list,
		Names: &text.NameList{},
		Draw:  func(masked []bool) { masked[0] = true }, // mech.DrawMasks with a rate
	}
	s := "Call zaphod or Mrs. Bird at 555 1234"
	masking := m.Mask(s)
	fmt.Println(text.Apply(s, masking, "_"))
	fmt.Printf("%q\n", masking.Reason)
	// Output:
	// _ _ or _. _ at _ _
	// ["dropout" "listed" "" "name" "name" "" "pattern" "pattern"]
}

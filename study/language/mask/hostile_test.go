package mask_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/study/language/english"
	"sotto/study/language/mask"
	"sotto/text"
)

// hostile are texts that nobody meant to be read: each breaks something that was
// written for plain English.
var hostile = []string{
	"",
	" ",
	"\x00\x01\x1b[31m\x7f",
	"\xff\xfe\xc3\x28 a@b.org \xe2\x82",
	"👩‍👩‍👧‍👦 a@b.org 🇩🇪 +49 30 123456 e\u0301",
	"\u202eמייל a@b.org\u202c שלום \u200f+972 2 123 4567",
	"a\u200b@\u200bb.org \ufeff10.0.0.1 \u2060",
	"اكتب إلى a@b.org أو ٠١٢٣٤٥٦٧٨٩",
	"<a href=\"mailto:a@b.org\">a@b.org</a><br/><script>alert('10.0.0.1')</script>",
	"func main() { fmt.Println(\"a@b.org\", 4539148803436467) } // https://x.org/?q=1&r=[2]",
	"@@@@@@@@@@ ............ ://://:// +++++ ----- 1-1-1-1-1-1-1-1-1-1-1-1-1",
	"a@b.org" + strings.Repeat(",c@d.org", 50),
	"İstanbul'da Şükrü Öztürk ile ǅ ﬁ ß K Å",
	"𝐚@𝐛.𝐨𝐫𝐠 ｆｕｌｌ＠ｗｉｄｔｈ．ｊｐ",
	"\r\n\u2028\u2029\v\f\u0085",
	"[EMAIL] [PERSON] [MASK] \ufffc \ufffd",
}

// held masks a text by all policies and holds the result to what is said of it.
func held(t *testing.T, s string) {
	t.Helper()
	valid := utf8.ValidString(s)
	for _, types := range []string{"all", "all=remove", "all=pseudonym", "all=fake"} {
		m, err := mask.Open(types, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		k := text.Mask(s, nil, m)
		at := 0
		for _, p := range k.Parts {
			if p.Start < at || p.End <= p.Start || p.End > len(s) {
				t.Fatalf("%s of %.60q: a part is from %d to %d behind %d", types, s, p.Start, p.End, at)
			}
			if valid && !utf8.ValidString(s[p.Start:p.End]) {
				t.Fatalf("%s of %.60q: a part cuts a character", types, s)
			}
			if strings.HasSuffix(types, "remove") != (p.As == "") {
				t.Fatalf("%s of %.60q: %q stands in a place", types, s, p.As)
			}
			at = p.End
		}
		left, hidden := k.Replace(s)
		for _, h := range hidden {
			if h.Start < 0 || h.End > len(left) || h.Start >= h.End {
				t.Fatalf("%s of %.60q: %v is hidden in %d bytes", types, s, h, len(left))
			}
		}
		if valid && !utf8.ValidString(left) {
			t.Fatalf("%s of %.60q leaves what is not UTF-8", types, s)
		}
		if again := text.Apply(s, text.Mask(s, nil, m), "_"); again != text.Apply(s, k, "_") {
			t.Fatalf("%s of %.60q is masked in two ways", types, s)
		}
	}
}

// TestHostile masks texts that nobody meant to be read, alone and within others, and
// some of a megabyte without a space.
func TestHostile(t *testing.T) {
	for _, s := range hostile {
		held(t, s)
		held(t, "Write to a@b.org. "+s+" Call +44 20 7946 0958.")
	}
	size := 1 << 11
	if os.Getenv("SOTTO_LONG") != "" {
		size = 1 << 14
	}
	for _, unit := range []string{"a", "1", "@", ".", "a@b.", "1-", "é", "👩‍👩", "\xff", "Ann", "(", "http://"} {
		held(t, strings.Repeat(unit, size/len(unit)))
	}
	held(t, strings.Repeat("a", 1<<20))
}

// FuzzBuiltin masks any text by what is built in.
func FuzzBuiltin(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { held(t, s) })
}

// BenchmarkMask is what masks cost a text of some fifty words.
func BenchmarkMask(b *testing.B) {
	s := "Dear Ann, thank you for the call on 12 March 2020. Please write to ann.lee@lovelace.org or ring +44 20 7946 0958 before noon. " +
		"My card, 4539 1488 0343 6467, was charged twice for the room at 12 Baker Street, London, and nobody could tell me why."
	for _, types := range []string{"email,phone,card,date", "email,phone,card,date=fake", "all", "all=pseudonym"} {
		m, err := mask.Open(types, "", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(types, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				text.Mask(s, nil, m)
			}
		})
	}
}

// TestAsTagged masks what the whole pipeline finds, which also makes trees.
func TestAsTagged(t *testing.T) {
	p, err := english.Load()
	if err != nil {
		t.Fatal(err)
	}
	m, err := mask.Open("all", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"John Smith met Mary Jones in London. Later Smith called Acme Corp at +44 20 7946 0958."}, hostile...) {
		d, err := p.Document(s)
		if err != nil {
			t.Fatal(err)
		}
		found := m.Find(s)
		if len(found) != len(d.Entities) {
			t.Fatalf("%q: %d parts are masked and %d entities found", s, len(found), len(d.Entities))
		}
		for i, e := range d.Entities {
			if f := found[i]; f.Start != e.Start || f.End != e.End || string(f.Type) != string(e.Type) {
				t.Errorf("%q: %+v is masked where %+v was found", s, f, e)
			}
		}
	}
}

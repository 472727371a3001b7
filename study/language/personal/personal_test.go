package personal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/study/language"
	"sotto/study/language/personal"
)

// TestFind has, by type, texts with what must be found in them, between ‹ and ›,
// and texts that look alike and hold nothing of the type.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		typ  language.Type
		text string
	}{
		{personal.Email, "Write to ‹ada.lovelace+x@mail.example.co.uk›."},
		{personal.Email, "<‹émile@exämple.fr›>, or not"},
		{personal.Email, "it is ‹ada at example dot com›"},
		{personal.Email, "it is ‹ada (at) example (dot) com›"},
		{personal.Email, "<a href=\"mailto:‹ada@example.org›\">"},
		{personal.Email, "a tribute at www.example.com, or at example.com"},
		{personal.Email, "a@b, @home, 3 @ 5, me@localhost"},
		{personal.Phone, "Call ‹+44 (0)20 7946 0958› now"},
		{personal.Phone, "Call ‹+49 30 901820›"},
		{personal.Phone, "‹(212) 555-0123›"},
		{personal.Phone, "‹001-518-640-0854›"},
		{personal.Phone, "‹+1-903-140-4508x769›"},
		{personal.Phone, "my phone is ‹0490 39 07 81›"},
		{personal.Phone, "They're not answering at ‹781 1704›"},
		{personal.Phone, "from 1964-1968 on"},
		{personal.Phone, "In 2001-12-31 there were 1234567 of them, or 1,234,567."},
		{personal.Card, "Card ‹4111 1111 1111 1111›."},
		{personal.Card, "‹378282246310005›"},
		{personal.Card, "card ‹501864667909›?"},
		{personal.Card, "order 4111111111111112 of today"},
		{personal.IBAN, "‹GB82 WEST 1234 5698 7654 32› please"},
		{personal.IBAN, "my iban is ‹gb50mvfc38361978683032›"},
		{personal.IBAN, "DE89370400440532013001"},
		{personal.IBAN, "‹DE89370400440532013000›"},
		{personal.SSN, "SSN: ‹078-05-1120›"},
		{personal.SSN, "000-12-3456 and 666-12-3456"},
		{personal.NationalID, "NI ‹AB 12 34 56 C›, ‹AB123456C›"},
		{personal.NationalID, "‹12345678Z› and ‹X1234567L›"},
		{personal.NationalID, "12345678A"},
		{personal.NationalID, "‹RSSMRA85T10A562S›"},
		{personal.NationalID, "‹529.982.247-25›"},
		{personal.NationalID, "529.982.247-26"},
		{personal.NationalID, "‹811228-9874›"},
		{personal.NationalID, "‹131052-308T›"},
		{personal.NationalID, "‹756.9217.0769.85›"},
		{personal.NationalID, "‹44051401359›"},
		{personal.NationalID, "‹11010519491231002X›"},
		{personal.NationalID, "‹2 55 08 14 168 025 38›"},
		{personal.IP, "from ‹192.168.1.254›, ‹2001:db8::ff00:42:8329› and ‹::1›"},
		{personal.IP, "version 1.2.3.400 at 12:30:45"},
		{personal.MAC, "‹00:1A:2b:3C:4d:5E›, ‹00-1a-2b-3c-4d-5e›"},
		{personal.URL, "See ‹https://example.org/a_(b)?c=d#e›, or ‹www.example.org›; ‹example.com/x›."},
		{personal.URL, "I.e. this, e.g. that.And so on, file.txt, confusing.it was"},
		{personal.Username, "thanks ‹@ada_99›! username: ‹byron›"},
		{personal.Username, "whoever @example.com is"},
		{personal.Username, "mail ada@example.org"},
		{personal.Crypto, "‹1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa›"},
		{personal.Crypto, "‹bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4›"},
		{personal.Crypto, "‹0x52908400098527886E0F7030069857D2E4169EE7›"},
		{personal.Crypto, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"},
		{personal.Date, "born ‹12 March 1980›, ‹March 12, 1980›, ‹12/03/1980›, ‹1980-03-12 07:04:41›"},
		{personal.Date, "‹12. März 1980› and ‹3rd of May›"},
		{personal.Date, "I may go, 12/13 of it, 99/99/9999"},
		{personal.Age, "a ‹44› year old man, aged ‹51›"},
		{personal.Address, "at ‹221b Baker Street, London NW1 6XE›."},
		{personal.Address, "lives at ‹1600 Pennsylvania Ave NW, Washington, DC 20500›"},
		{personal.Address, "‹Hauptstraße 12, 10115 Berlin›"},
		{personal.Address, "‹12 rue de la Paix, 75002 Paris›"},
		{personal.Address, "‹Calle de Alcalá 42, 28014 Madrid›"},
		{personal.Address, "‹P.O. Box 123, Springfield, IL 62704›"},
		{personal.Address, "‹12 main street›; 60 cents to close, 3 months later I walk, 00 search the street"},
		{personal.Address, "2 people walked down the long road"},
		{personal.Postcode, "zip code ‹94105›, ‹SW1A 1AA›"},
		{personal.Plate, "car with ‹AB12 CDE›, ‹B-MW 1234›, plate ‹7ABC123›"},
		{personal.Passport, "passport number ‹C01X00T47›"},
		{personal.Licence, "driver's license number is ‹A1253258›"},
		{personal.Title, "‹Mrs.› Smith, ‹Dr› No; I miss you, Miss, mr"},
		{personal.Account, "account number ‹12345678›"},
	} {
		text, want := marked(c.text)
		var got []string
		for _, f := range personal.Find(text) {
			if f.Type == c.typ {
				got = append(got, text[f.Start:f.End])
			}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s in %q: %q, want %q; all: %+v", c.typ, text, got, want, personal.Find(text))
		}
	}
}

// marked returns a text without its marks, and what stood between them.
func marked(s string) (text string, parts []string) {
	for {
		before, rest, ok := strings.Cut(s, "‹")
		text += before
		if !ok {
			return text, parts
		}
		part, after, _ := strings.Cut(rest, "›")
		parts = append(parts, part)
		text += part
		s = after
	}
}

// TestJoin: a checksum beats a model, of which the rest stays; a model beats what is weak and shorter, and
// addresses become one.
func TestJoin(t *testing.T) {
	names := []language.Entity{
		{Type: language.Person, Start: 0, End: 4, Confidence: 0.9},
		{Type: language.Organisation, Start: 10, End: 36, Confidence: 0.9},
		{Type: language.Address, Start: 40, End: 60, Confidence: 0.5},
		{Type: language.Place, Start: 70, End: 80, Confidence: 0.5},
	}
	found := []personal.Found{
		{Type: personal.Card, Start: 10, End: 26, Confidence: 0.99, Checked: true},
		{Type: personal.Address, Start: 50, End: 66, Confidence: 0.7},
		{Type: personal.Date, Start: 71, End: 75, Confidence: 0.5},
	}
	want := []language.Entity{
		{Type: language.Person, Start: 0, End: 4, Confidence: 0.9},
		{Type: personal.Card, Start: 10, End: 26, Confidence: 0.99},
		{Type: language.Organisation, Start: 27, End: 36, Confidence: 0.9},
		{Type: language.Address, Start: 40, End: 66, Confidence: 0.7},
		{Type: language.Place, Start: 70, End: 80, Confidence: 0.5},
	}
	text := "Anna rest 1234567890123456 behind it, and so on until there is enough of it to cut from."
	if got := personal.Join(text, names, found); !slices.Equal(got, want) {
		t.Errorf("joined %v, want %v", got, want)
	}
}

// TestTypes: every type that tests find is listed, in small letters.
func TestTypes(t *testing.T) {
	seen := map[language.Type]bool{}
	for _, typ := range personal.Types() {
		if seen[typ] || string(typ) != strings.ToLower(string(typ)) {
			t.Errorf("type %q stands twice or has capital letters", typ)
		}
		seen[typ] = true
	}
}

// FuzzFind: places are within the text, in order and between characters, whatever
// the bytes.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"", "a@b.c", "\xff@\xfe.com", "+1 (212) 555-0123 x4", "٣٤٥ ١٢٣ ٤٥٦", "é@é.é 12/12/1999T12:00Z", "name at host dot com",
		"\u200b1.2.3.4\u200d", "http://\xf0\x9f\x98\x80/\u202e", "12 Rue \xe2\x80\x94 5", "0x" + strings.Repeat("a", 40), "::1 ::", "bc1q",
		"GB82\u00a0WEST 1234", "P.O. Box 1\n", "1 de la de la de la", "a-at-b-dot-c", "@@@@", "((((1))))", "St. 5 St. 5, Berlin",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, p := range personal.Find(s) {
			if p.Start < at || p.End <= p.Start || p.End > len(s) || !(p.Confidence > 0 && p.Confidence <= 1) {
				t.Fatalf("%q: %+v behind %d", s, p, at)
			}
			if utf8.ValidString(s) && !utf8.ValidString(s[p.Start:p.End]) {
				t.Fatalf("%q: %+v cuts a character", s, p)
			}
			at = p.End
		}
	})
}

// hostile are texts on which a careless search takes the square of their length.
func hostile(n int) map[string]string {
	texts := map[string]string{}
	for _, unit := range []string{
		"a", "1", "@", "a@", "a.", "1 ", "1-", "+1", "(1", "a at b dot ", "a-at-", "::", "a:", "1:", "ab:", "12 Rue ", "12 a ", "St. 1 ",
		"http://", "http://a(", "é", "\xff", "GB82", "0x", "P.O. Box 1 ", "12 March ", "A-", "A ", "A1 ", "@a", "u/", "www.", "1.1.1.",
	} {
		texts[unit] = strings.Repeat(unit, n/len(unit))
	}
	return texts
}

// BenchmarkFind is on prose with something personal every few lines.
func BenchmarkFind(b *testing.B) {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, and then it sleeps for a while in the shade of an old tree.\n", 8)
	text := strings.Repeat(prose+"Write to ada@example.org or call +44 20 7946 0958 before 12/03/2020; 12 Baker Street, London.\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		personal.Find(text)
	}
}

// BenchmarkHostile prints the speed on texts that were made to be slow.
func BenchmarkHostile(b *testing.B) {
	for unit, text := range hostile(1 << 16) {
		b.Run(fmt.Sprintf("%q", unit), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				personal.Find(text)
			}
		})
	}
}

// TestAddressee: who lives at an address does not belong to it, even if a model
// thought so; a number before the street does.
func TestAddressee(t *testing.T) {
	for text, want := range map[string]string{
		"Maria Lopez, 12 Baker Street": "12 Baker Street",
		"4 Flat, 12 Baker Street":      "4 Flat, 12 Baker Street",
	} {
		got := personal.Join(text, []language.Entity{{Type: language.Address, Start: 0, End: len(text), Confidence: 0.6}}, personal.Find(text))
		if len(got) != 1 || text[got[0].Start:got[0].End] != want {
			t.Errorf("%q: %v, want %q", text, got, want)
		}
	}
}

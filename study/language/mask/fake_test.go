package mask_test

import (
	"math/big"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sotto/study/language"
	"sotto/study/language/mask"
	"sotto/text"
)

// everything finds all of a text to be of one type.
type everything language.Type

func (e everything) Find(s string) ([]language.Entity, error) {
	return []language.Entity{{Type: language.Type(e), End: len(s), Confidence: 1}}, nil
}
func (everything) Version() string { return "all" }

// fake returns what stands for a surface.
func fake(tb testing.TB, t language.Type, secret []byte, s string) string {
	tb.Helper()
	return apply(tb, string(t)+"=fake", secret, everything(t), s)
}

// TestFakes holds fakes to what they must look like.
func TestFakes(t *testing.T) {
	for _, tt := range []struct {
		t       language.Type
		surface string
		want    string // an expression
	}{
		{language.Email, "zaphod@galaxy.gov", `[a-z.]+@example\.(com|net|org)`},
		{language.Username, "@zaphod", `@[a-z]+\d\d`},
		{language.URL, "https://galaxy.gov/zaphod?x=1", `https://example\.(com|net|org)/[a-z]+`},
		{language.URL, "galaxy.gov/zaphod", `www\.example\.(com|net|org)`},
		{language.IP, "10.1.2.3", `(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+`},
		{language.IP, "fe80::1", `2001:db8::[0-9a-f]+:[0-9a-f]+`},
		{language.Phone, "+49 (0)30 1234-567", `\+49 \(\d\)\d\d \d{4}-\d{3}`},
		{language.Phone, "+1 (212) 736-5000", `\+1 \([2-9]\d\d\) 555-01\d\d`},
		{language.Phone, "212-736-5000", `[2-9]\d\d-555-01\d\d`},
		{language.Phone, "0044 20 7946 0000", `0044 \d\d \d{4} \d{4}`},
		{language.Phone, "+380 44 123 4567", `\+380 \d\d \d{3} \d{4}`},
		{language.Phone, "030/1234567", `0\d\d/\d{7}`},
		{language.SSN, "123-45-6789", `666-[1-9]{2}-[1-9]{4}`},
		{language.Address, "12 Baker Street", `\d\d [A-Z][a-z]+ [A-Z][a-z]+`},
		{language.Address, "12 Baker Street,\nLondon", `\d\d [A-Z][a-z]+ [A-Z][a-z]+, [A-Z][a-z]+`},
		{"plate", "B-XY 1234", `[A-Z]-[A-Z]{2} \d{4}`},
		{"mac", "00:1B:44:11:3A:B7", `02(:[0-9a-f]{2}){5}`},
		{"title", "Mrs.", `Mx\.`},
		{"age", "aged 42 years", `aged \d\d years`},
		{"crypto", "0xAb12", `0x[A-Z][a-z]\d\d`},
		{language.Date, "1980-02-29", `\d{4}-\d\d-\d\d`},
		{language.Date, "3/4/1980", `\d{1,2}/\d{1,2}/\d{4}`},
		{language.Date, "12/31/99", `\d\d/\d\d/\d\d`},
		{language.Date, "3rd of MARCH 1980", `\d{1,2}rd of [A-Z]+ \d{4}`},
		{language.Date, "Feb 3, 1980", `[A-Z][a-z]{2} \d{1,2}, \d{4}`},
		{language.Date, "in March", `in [A-Z][a-z]+`},
		{language.Date, "the 5th", `the [12]th`},
	} {
		for _, key := range [][]byte{nil, secret} {
			got := fake(t, tt.t, key, tt.surface)
			if got == tt.surface || !regexp.MustCompile("^(?:"+tt.want+")$").MatchString(got) {
				t.Errorf("%s %q becomes %q, want another of %s", tt.t, tt.surface, got, tt.want)
			}
			if tt.t == language.IP {
				if _, err := netip.ParseAddr(got); err != nil {
					t.Errorf("%q becomes %q: %v", tt.surface, got, err)
				}
			}
		}
	}
}

// TestCheckDigits counts those of cards and accounts anew.
func TestCheckDigits(t *testing.T) {
	for _, s := range []string{"4539 1488 0343 6467", "378282246310005", "6011-0009-9013-9424", "4222222222222"} {
		got := fake(t, language.Card, secret, s)
		sum, even := 0, false
		for i := len(got) - 1; i >= 0; i-- {
			if n := int(got[i] - '0'); n >= 0 && n <= 9 {
				if even {
					if n *= 2; n > 9 {
						n -= 9
					}
				}
				sum, even = sum+n, !even
			}
		}
		if sum%10 != 0 || len(got) != len(s) || strings.Count(got, " ") != strings.Count(s, " ") || !strings.HasPrefix(got, "4000") && !strings.HasPrefix(got, "378282") {
			t.Errorf("%s becomes %s", s, got)
		}
	}
	for _, s := range []string{"DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR14 2004 1010 0505 0001 3M02 606"} {
		got := fake(t, language.IBAN, secret, s)
		plain := strings.ReplaceAll(got, " ", "")
		var number strings.Builder
		for _, r := range plain[4:] + plain[:4] {
			if r >= 'A' {
				number.WriteString(big.NewInt(int64(r - 'A' + 10)).String())
				continue
			}
			number.WriteRune(r)
		}
		n, ok := new(big.Int).SetString(number.String(), 10)
		if !ok || new(big.Int).Mod(n, big.NewInt(97)).Int64() != 1 || got[:2] != s[:2] || len(got) != len(s) || got == s {
			t.Errorf("%s becomes %s", s, got)
		}
		if bank := strings.Trim(plain[4:8], "0X"); bank != "" {
			t.Errorf("%s becomes %s, whose bank may be one", s, got)
		}
	}
}

// TestDates keeps what is between two dates of a text under a secret, and nothing of
// them without one.
func TestDates(t *testing.T) {
	list := listed{"1980-02-29": language.Date, "1980-03-10": language.Date, "2001-01-01": language.Date}
	days := func(s string) time.Duration {
		one, other, _ := strings.Cut(s, " ")
		a, err := time.Parse(time.DateOnly, one)
		b, err2 := time.Parse(time.DateOnly, other)
		if err != nil || err2 != nil {
			t.Fatal(s, err, err2)
		}
		return b.Sub(a)
	}
	const s = "1980-02-29 1980-03-10"
	if got := apply(t, "date=fake", secret, list, s); days(got) != days(s) || got == s {
		t.Errorf("%s becomes %s, want as many days between", s, got)
	}
	if a, b := apply(t, "date=fake", nil, list, s), apply(t, "date=fake", nil, list, "2001-01-01 1980-02-29"); a != b {
		t.Errorf("without a secret dates become %s and %s, want what does not depend on them", a, b)
	}
}

// FuzzMask masks any text as any type, by any policy: what comes is UTF-8 where the
// text is, the same the next time, and without the whole of the text.
func FuzzMask(f *testing.F) {
	for _, s := range []string{"", "a", "+", "00", "Ἀθῆναι ﷺ", "\xff\xfe", "Mr. ", "'s", "9", "\u200b\u202e", "DE8", "DE893704004405320130٣", "99/99/9999", "31 Feb 2000", "Sept 31 2000", "😀", "://", "İ", "4-4-4-4-4-4-4-4", "0000-00-00"} {
		for i := range known {
			f.Add(s, byte(i), byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, s string, typ, policy byte) {
		what := known[int(typ)%len(known)]
		how := mask.Policies()[int(policy)%len(mask.Policies())]
		types := string(what) + "=" + string(how)
		key := secret
		if policy&4 != 0 || how == mask.Tag || how == mask.Remove {
			key = nil
		}
		got := apply(t, types, key, everything(what), s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, which is not UTF-8", s, got)
		}
		if again := apply(t, types, key, everything(what), s); again != got {
			t.Errorf("%q becomes %q and %q", s, got, again)
		}
		for word := range text.Words(s) {
			if len(word) > 6 && (how == mask.Pseudonym || how == mask.Tag || how == mask.Remove) && strings.Contains(strings.ToLower(got), word) && what != language.Person {
				t.Errorf("%q becomes %q", s, got)
			}
		}
	})
}

package mask_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/mask"
	"sotto/text"
)

// listed finds the strings of a list, wherever they stand.
type listed map[string]language.Type

func (l listed) Find(s string) ([]language.Entity, error) {
	var found []language.Entity
	for at := 0; at < len(s); {
		long := 0
		var t language.Type
		for what, typ := range l {
			if strings.HasPrefix(s[at:], what) && len(what) > long {
				long, t = len(what), typ
			}
		}
		if long > 0 {
			found = append(found, language.Entity{Type: t, Start: at, End: at + long, Confidence: 1})
		}
		at += max(1, long)
	}
	return found, nil
}

func (listed) Version() string { return "list" }

var known = []language.Type{
	language.Person, language.Organisation, language.Place, language.Miscellaneous,
	language.Email, language.Phone, language.Card, language.IBAN, language.SSN, language.IP, language.URL, language.Date, language.Address, language.Username,
	"mac", "age", "crypto", "plate", "title",
}

// apply masks a text.
func apply(tb testing.TB, types string, secret []byte, f mask.Finder, s string) string {
	tb.Helper()
	parsed, err := mask.Parse(types, "", known)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := mask.New(f, parsed, secret)
	if err != nil {
		tb.Fatal(err)
	}
	return text.Apply(s, text.Mask(s, nil, m), "_")
}

var secret = []byte("sixteen bytes or more")

func TestParse(t *testing.T) {
	for _, tt := range []struct{ types, policy, want string }{
		{"types:person,email", "", "email=tag,person=tag"},
		{"person=pseudonym, email=remove,phone=fake", "", "email=remove,person=pseudonym,phone=fake"},
		{"types:names,person=remove", "fake", "miscellaneous=fake,organisation=fake,person=remove,place=fake"},
		{"person=remove,names=tag", "", "miscellaneous=tag,organisation=tag,person=remove,place=tag"},
	} {
		got, err := mask.Parse(tt.types, mask.Policy(tt.policy), known)
		if err != nil || got.String() != tt.want {
			t.Errorf("Parse(%q, %q) is %v, %v, want %s", tt.types, tt.policy, got, err, tt.want)
		}
		if again, err := mask.Parse(got.String(), "", known); err != nil || again.String() != got.String() {
			t.Errorf("%q is read back as %v, %v", got, again, err)
		}
	}
	all, err := mask.Parse("types:all", "", known)
	identifiers, err2 := mask.Parse("types:identifiers", "", known)
	if err != nil || err2 != nil || len(all) != len(known) || len(identifiers) != len(known)-len(mask.Names()) {
		t.Errorf("all are %v, %v and identifiers %v, %v", all, err, identifiers, err2)
	}
	for _, tt := range []struct{ types, policy, want string }{
		{"types:persn", "", `type is "persn", must be one of all, names, identifiers, relations, address, age,`},
		{"types:", "", `type is "", must be one of`},
		{"types:person,", "", `type is "", must be one of`},
		{"types:person=hide", "", `policy of "person" is "hide", must be one of remove, tag, pseudonym, fake`},
		{"types:person=", "", `policy of "person" is ""`},
		{"types:person", "blur", `policy is "blur", must be one of`},
	} {
		if got, err := mask.Parse(tt.types, mask.Policy(tt.policy), known); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q, %q) is %v, %v, want an error with %q", tt.types, tt.policy, got, err, tt.want)
		}
	}
}

// TestPeople names persons by the same pseudonym wherever they are called by a part
// of their name.
func TestPeople(t *testing.T) {
	list := listed{}
	for _, name := range []string{"John Smith", "Smith", "John", "J. Smith", "Mr. Smith", "JOHN SMITH", "Smith's", "John Paul Smith", "Mary Smith", "Mary", "Çelik", "celik", "William Jones", "Bill Jones", "Mr. Jones", "W. Jones", "Bill", "Jones", "Don Johnson", "Johnson"} {
		list[name] = language.Person
	}
	for _, key := range [][]byte{nil, secret} {
		full := apply(t, "person=pseudonym", key, list, "John Smith")
		given, family, two := strings.Cut(full, " ")
		if !two || full == "John Smith" {
			t.Fatalf("John Smith becomes %q, want another first name and surname", full)
		}
		for _, tt := range []struct{ s, want string }{
			{"John Smith met Smith and John", "G F met F and G"},
			{"Smith came. John Smith left.", "F came. G F left."},
			{"John Smith, JOHN SMITH, Mr. Smith, Smith's", "G F, " + strings.ToUpper("G F") + ", Mr. F, F's"},
			{"John Smith or J. Smith", "G F or " + given[:1] + ". F"},
		} {
			want := strings.NewReplacer("G", given, "F", family).Replace(tt.want)
			if strings.Contains(tt.s, "JOHN") {
				want = strings.Replace(want, given+" "+family+", Mr", strings.ToUpper(given+" "+family)+", Mr", 1)
			}
			if got := apply(t, "person=pseudonym", key, list, tt.s); got != want {
				t.Errorf("with secret %t, %q becomes %q, want %q", key != nil, tt.s, got, want)
			}
		}
		one, other, _ := strings.Cut(apply(t, "person=pseudonym", key, list, "Çelik|celik"), "|")
		if !strings.EqualFold(one, other) {
			t.Errorf("Çelik and celik become %q and %q, want the same", one, other)
		}
		// Titles, initials and nicknames are of the same person.
		got := strings.Split(apply(t, "person=pseudonym", key, list, "William Jones|Bill Jones|Mr. Jones|W. Jones|Bill|Jones"), "|")
		given, family, _ = strings.Cut(got[0], " ")
		if want := []string{got[0], got[0], "Mr. " + family, given[:1] + ". " + family, given, family}; !slices.Equal(got, want) {
			t.Errorf("with secret %t, William Jones becomes %q, want %q", key != nil, got, want)
		}
		// Mr. Smith is John, whose name is a man's; what may be a first name is no title.
		got = strings.Split(apply(t, "person=pseudonym", key, list, "John Smith|Mary Smith|Mr. Smith|Don Johnson|Johnson"), "|")
		if _, family, _ = strings.Cut(got[0], " "); got[2] != "Mr. "+family || strings.Contains(got[3], "Don") || !strings.HasSuffix(got[3], " "+got[4]) {
			t.Errorf("with secret %t, titles become %q", key != nil, got)
		}
		// Smith may be John or Mary, and is neither.
		got = strings.Split(apply(t, "person=pseudonym", key, list, "John Smith|Mary Smith|Smith|Mary"), "|")
		if strings.Contains(got[0], got[2]) || strings.Contains(got[1], got[2]) || !strings.HasPrefix(got[1], got[3]+" ") || got[0] == got[1] {
			t.Errorf("with secret %t, two Smiths become %q", key != nil, got)
		}
		// A longer name is the person's whole one.
		got = strings.Split(apply(t, "person=pseudonym", key, list, "John Paul Smith|John Smith|Smith"), "|")
		if got[0] != got[1] || !strings.HasSuffix(got[0], " "+got[2]) {
			t.Errorf("with secret %t, three names of one person become %q", key != nil, got)
		}
	}
}

// TestSecret shows that pseudonyms under a secret are those of the secret and the
// same in all texts, and that without one they follow from the order alone.
func TestSecret(t *testing.T) {
	list := listed{"Anna Ek": language.Person, "Bo Vik": language.Person, "Acme": language.Organisation, "Rome": language.Place, "a@b.se": language.Email}
	const types = "names=pseudonym,email=fake"
	for what := range list {
		alone, within := apply(t, types, secret, list, what), apply(t, types, secret, list, "Bo Vik and "+what)
		if !strings.HasSuffix(within, " and "+alone) {
			t.Errorf("under a secret %q is %q alone and %q behind another", what, alone, within)
		}
		if other := apply(t, types, []byte("another secret of ours"), list, what); other == alone {
			t.Errorf("%q is %q under two secrets", what, alone)
		}
	}
	if a, b := apply(t, types, nil, list, "Anna Ek met Bo Vik."), apply(t, types, nil, list, "Bo Vik met Anna Ek."); a != b || strings.Count(a, " ") != 4 {
		t.Errorf("without a secret, order decides: %q and %q must be the same", a, b)
	}
	parsed, err := mask.Parse("person=pseudonym", "", known)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = mask.New(list, parsed, []byte("short")); err == nil {
		t.Error("a secret of five bytes is taken")
	}
	if _, err = mask.New(list, mask.Types{language.Person: mask.Tag}, secret); err == nil {
		t.Error("a secret is taken where nothing needs it")
	}
	with, err := mask.New(list, parsed, secret)
	without, err2 := mask.New(list, parsed, nil)
	if err != nil || err2 != nil || !strings.HasPrefix(with.Rule(), "types:person=pseudonym by list and persons ") || with.Rule() != without.Rule()+" under a secret" {
		t.Errorf("rules are %q, %v and %q, %v", with.Rule(), err, without.Rule(), err2)
	}
}

// TestOldRule refuses the rule of masks whose pseudonyms were told otherwise, and takes
// that of others, which know nothing of persons.
func TestOldRule(t *testing.T) {
	for _, types := range []string{"person=pseudonym", "person=fake", "person=tag"} {
		m, err := mask.Open(types, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		rule := strings.TrimPrefix(m.Rule(), mask.Prefix)
		if _, err = mask.Open(rule, "", nil); err != nil {
			t.Errorf("%s is refused: %v", rule, err)
		}
		old, _, versioned := strings.Cut(rule, " and persons ")
		if versioned == (types == "person=tag") {
			t.Errorf("the rule is %s", rule)
		}
		if _, err = mask.Open(old, "", nil); (err != nil) != versioned {
			t.Errorf("%s: %v", old, err)
		}
	}
}

// refusing refuses every text, or finds what is not there.
type refusing struct{ found []language.Entity }

func (r refusing) Find(string) ([]language.Entity, error) {
	if r.found == nil {
		return nil, errors.New("no")
	}
	return r.found, nil
}
func (refusing) Version() string { return "none" }

// TestRefused masks the whole of a text that cannot be searched.
func TestRefused(t *testing.T) {
	for _, f := range []refusing{{}, {[]language.Entity{{Type: language.Email, Start: 3, End: 99, Confidence: 1}}}, {[]language.Entity{{Type: language.Email, Start: -1, End: 2}}}} {
		if got := apply(t, "email", nil, f, "a secret text"); got != "_" {
			t.Errorf("%v leaves %q", f, got)
		}
		if got := apply(t, "email", nil, f, ""); got != "" {
			t.Errorf("%v makes %q of nothing", f, got)
		}
	}
}

// TestPolicies applies each policy to a type.
func TestPolicies(t *testing.T) {
	list := listed{"Ada": language.Person, "ada@x.uk": language.Email}
	const s = "Ada: ada@x.uk, again ada@x.uk"
	for types, want := range map[string]string{
		"all=remove":                 "_: _, again _",
		"all":                        "[PERSON]: [EMAIL], again [EMAIL]",
		"email=tag":                  "Ada: [EMAIL], again [EMAIL]",
		"email=pseudonym,person=tag": "[PERSON]: [EMAIL-1], again [EMAIL-1]",
	} {
		if got := apply(t, types, nil, list, s); got != want {
			t.Errorf("%s makes %q, want %q", types, got, want)
		}
	}
}

func Example() {
	list := listed{"Ann Lee": language.Person, "Lee": language.Person, "ann@lee.org": language.Email}
	types, err := mask.Parse("person=tag,email=fake", mask.Tag, known)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mask.New(list, types, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	const s = "Ann Lee writes from ann@lee.org. Lee is glad."
	k := text.Mask(s, nil, m)
	left := text.Apply(s, k, " ")
	fmt.Println(strings.Contains(left, "@example."), strings.Contains(left, "lee"), len(k.Parts), slices.Contains(k.Parts, text.Found{Span: text.Span{Start: 33, End: 36}, Type: "person", As: "[PERSON]"}))
	// Output: true false 3 true
}

package field_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"sotto/study/link/records/field"
)

// The examples of the National Archives.
func TestSound(t *testing.T) {
	for word, want := range map[string]string{"robert": "r163", "rupert": "r163", "tymczak": "t522", "ashcraft": "a261", "pfister": "p236", "lee": "l", "12": "12", "": ""} {
		if got := field.Sound(word); got != want {
			t.Errorf("Sound(%q) = %q, want %q", word, got, want)
		}
	}
}

// Each comparison finds what it is for, and not what it is not for.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		a, b   string
		yes    []int // these are above zero
		no     []int // these are zero
		level  int
		column string
	}{
		{a: "", b: "x", yes: []int{field.Missing}, no: []int{field.Different, field.Equal}, level: 0},
		{a: "12 Main St.", b: "12, main STREET", yes: []int{field.Equal, field.FirstNumber, field.SharedNumbers}, no: []int{field.OtherFirst, field.Missing}, level: 5},
		{a: "12 Main", b: "14 Main", yes: []int{field.OtherNumbers, field.OtherFirst, field.SharedWords}, no: []int{field.Equal, field.FirstNumber}, level: 3},
		{a: "Bob Quill", b: "Robert Quill", yes: []int{field.Nickname, field.RareWords}, no: []int{field.Initials}, level: 4},
		{a: "R. Quill", b: "Robert Quill", yes: []int{field.Initials}, no: []int{field.Nickname}, level: 3},
		{a: "Quill, José", b: "jose quill", yes: []int{field.SharedWords}, no: []int{field.Equal}, level: 4},
		{a: "Peterson", b: "Petersen", yes: []int{field.Sounds, field.Misspelt, field.Spelling}, no: []int{field.RareWords}, level: 4},
		{a: "IBM", b: "International Business Machines", yes: []int{field.Initials}, level: 1},
		{a: "Sony DVD-PR650B", b: "Sony PR650B player", yes: []int{field.SharedCode}, no: []int{field.OtherCode}, level: 4},
		{a: "Canon KP36IP", b: "Canon KP-36IP", yes: []int{field.SharedCode}, no: []int{field.OtherCode}, level: 4},
		{a: "Sony PR650B", b: "Sony PR550B", yes: []int{field.OtherCode}, no: []int{field.SharedCode}, level: 3},
		{a: "$44.00", b: "45", yes: []int{field.Near}, no: []int{field.Far}, level: 1},
		{a: "$44.00", b: "$1,299.99", yes: []int{field.Far}, no: []int{field.Near}, level: 1},
		{a: "1984-03-12", b: "12 March 1984", yes: []int{field.SameDate}, no: []int{field.NearDate, field.OtherDate}, level: 4},
		{a: "1984-03-12", b: "3/12/84", yes: []int{field.SameDate}, level: 4},
		{a: "1984-03-12", b: "12/3/1984", yes: []int{field.SameDate}, level: 4},
		{a: "1984-03-12", b: "1984-12-03", yes: []int{field.NearDate}, no: []int{field.SameDate}, level: 3},
		{a: "1984-03-12", b: "1985-03-12", yes: []int{field.NearDate}, no: []int{field.OtherDate}, level: 3},
		{a: "19840312", b: "March 13th, 1984", yes: []int{field.NearDate}, level: 1},
		{a: "1984-03-12", b: "1951-11-30", yes: []int{field.OtherDate}, no: []int{field.NearDate}, level: 1},
	} {
		a, b := field.Parse(tt.a, nil), field.Parse(tt.b, nil)
		var x, back field.Features
		field.Compare(&x, &a, &b)
		field.Compare(&back, &b, &a)
		for k, v := range x {
			if math.Abs(v-back[k]) > 1e-12 {
				t.Errorf("%q and %q: %s is %v, the other way round %v", tt.a, tt.b, field.Names[k], v, back[k])
			}
		}
		for _, k := range tt.yes {
			if x[k] == 0 {
				t.Errorf("%q and %q: %s is 0, must be above", tt.a, tt.b, field.Names[k])
			}
		}
		for _, k := range tt.no {
			if x[k] != 0 {
				t.Errorf("%q and %q: %s is %v, must be 0", tt.a, tt.b, field.Names[k], x[k])
			}
		}
		if x.Level() != tt.level {
			t.Errorf("%q and %q: level is %d, want %d", tt.a, tt.b, x.Level(), tt.level)
		}
	}
}

// Rare words tell more.
func TestFrequencies(t *testing.T) {
	f := field.NewFrequencies(100)
	for k := range 100 {
		v := field.Parse(fmt.Sprintf("school number%d", k), nil)
		f.Add(&v)
	}
	cosine := func(a, b string) float64 {
		var x field.Features
		v, w := field.Parse(a, f), field.Parse(b, f)
		field.Compare(&x, &v, &w)
		return x[field.RareWords]
	}
	if often, rarely := cosine("school number1", "school number2"), cosine("north number1", "south number1"); !(often < .1 && rarely > .4) {
		t.Errorf("the cosine of a common word is %v, of a rare one %v", often, rarely)
	}
}

// Rows that people would compare share a key.
func TestKeys(t *testing.T) {
	keys := func(fields ...string) (out []uint64) {
		row := make([]field.Value, len(fields))
		for c, text := range fields {
			row[c] = field.Parse(text, nil)
		}
		field.Keys(row, func(k uint64) { out = append(out, k) })
		return out
	}
	shared := func(a, b []uint64) bool {
		return slices.ContainsFunc(a, func(k uint64) bool { return slices.Contains(b, k) })
	}
	a := keys("Bob", "Petersen", "1984-03-12")
	for name, b := range map[string][]uint64{
		"a word":                        keys("x", "Petersen", ""),
		"a short form beside a sound":   keys("Robert", "Pedersen", ""),
		"fields that changed places":    keys("Peterson", "Bobby", ""),
		"a sound beside a swapped date": keys("Q", "Peterson", "1984-12-03"),
	} {
		if !shared(a, b) {
			t.Errorf("%s: no key is shared", name)
		}
	}
	if shared(a, keys("Anna", "Quill", "1951-11-30")) {
		t.Error("unlike rows share a key")
	}
	if len(keys("", "")) != 0 {
		t.Error("an empty row has keys")
	}
}

// FuzzParse compares anything with anything: every feature is from 0 to 1.
func FuzzParse(f *testing.F) {
	f.Add("Bob Quill", "12 Elm St.")
	f.Add("\xff\x00é", "1984-13-40T")
	f.Add("'", "...")
	f.Fuzz(func(t *testing.T, s, u string) {
		if !utf8.ValidString(s) || !utf8.ValidString(u) {
			return
		}
		a, b := field.Parse(s, nil), field.Parse(u, nil)
		var x field.Features
		field.Compare(&x, &a, &b)
		for k, v := range x {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%s is %v", field.Names[k], v)
			}
		}
		field.Keys([]field.Value{a, b}, func(uint64) {})
	})
}

func ExampleCompare() {
	a, b := field.Parse("Bob Quill, 12 Elm Street", nil), field.Parse("Quill Robert, 12 Elm St.", nil)
	var x field.Features
	field.Compare(&x, &a, &b)
	fmt.Printf("%s %.0f, %s %.2f, %s %.0f\n", field.Names[field.Nickname], x[field.Nickname], field.Names[field.SharedWords], x[field.SharedWords], field.Names[field.FirstNumber], x[field.FirstNumber])
	// Output: short form of a name 1, shared words 0.67, same first number 1
}

package records_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"sotto/study/link/records"
)

// The examples of the National Archives.
func TestSound(t *testing.T) {
	for word, want := range map[string]string{"robert": "r163", "rupert": "r163", "tymczak": "t522", "ashcraft": "a261", "pfister": "p236", "lee": "l", "12": "12", "": ""} {
		if got := records.Sound(word); got != want {
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
		{a: "", b: "x", yes: []int{records.Missing}, no: []int{records.Different, records.Equal}, level: 0},
		{a: "12 Main St.", b: "12, main STREET", yes: []int{records.Equal, records.FirstNumber, records.SharedNumbers}, no: []int{records.OtherFirst, records.Missing}, level: 5},
		{a: "12 Main", b: "14 Main", yes: []int{records.OtherNumbers, records.OtherFirst, records.SharedWords}, no: []int{records.Equal, records.FirstNumber}, level: 3},
		{a: "Bob Quill", b: "Robert Quill", yes: []int{records.Nickname, records.RareWords}, no: []int{records.Initials}, level: 4},
		{a: "R. Quill", b: "Robert Quill", yes: []int{records.Initials}, no: []int{records.Nickname}, level: 3},
		{a: "Quill, José", b: "jose quill", yes: []int{records.SharedWords}, no: []int{records.Equal}, level: 4},
		{a: "Peterson", b: "Petersen", yes: []int{records.Sounds, records.Misspelt, records.Spelling}, no: []int{records.RareWords}, level: 4},
		{a: "IBM", b: "International Business Machines", yes: []int{records.Initials}, level: 1},
		{a: "Sony DVD-PR650B", b: "Sony PR650B player", yes: []int{records.SharedCode}, no: []int{records.OtherCode}, level: 4},
		{a: "Canon KP36IP", b: "Canon KP-36IP", yes: []int{records.SharedCode}, no: []int{records.OtherCode}, level: 4},
		{a: "Sony PR650B", b: "Sony PR550B", yes: []int{records.OtherCode}, no: []int{records.SharedCode}, level: 3},
		{a: "$44.00", b: "45", yes: []int{records.Near}, no: []int{records.Far}, level: 1},
		{a: "$44.00", b: "$1,299.99", yes: []int{records.Far}, no: []int{records.Near}, level: 1},
		{a: "1984-03-12", b: "12 March 1984", yes: []int{records.SameDate}, no: []int{records.NearDate, records.OtherDate}, level: 4},
		{a: "1984-03-12", b: "3/12/84", yes: []int{records.SameDate}, level: 4},
		{a: "1984-03-12", b: "12/3/1984", yes: []int{records.SameDate}, level: 4},
		{a: "1984-03-12", b: "1984-12-03", yes: []int{records.NearDate}, no: []int{records.SameDate}, level: 3},
		{a: "1984-03-12", b: "1985-03-12", yes: []int{records.NearDate}, no: []int{records.OtherDate}, level: 3},
		{a: "19840312", b: "March 13th, 1984", yes: []int{records.NearDate}, level: 1},
		{a: "1984-03-12", b: "1951-11-30", yes: []int{records.OtherDate}, no: []int{records.NearDate}, level: 1},
	} {
		a, b := records.FieldParse(tt.a, nil), records.FieldParse(tt.b, nil)
		var x, back records.Features
		records.Compare(&x, &a, &b)
		records.Compare(&back, &b, &a)
		for k, v := range x {
			if math.Abs(v-back[k]) > 1e-12 {
				t.Errorf("%q and %q: %s is %v, the other way round %v", tt.a, tt.b, records.Names[k], v, back[k])
			}
		}
		for _, k := range tt.yes {
			if x[k] == 0 {
				t.Errorf("%q and %q: %s is 0, must be above", tt.a, tt.b, records.Names[k])
			}
		}
		for _, k := range tt.no {
			if x[k] != 0 {
				t.Errorf("%q and %q: %s is %v, must be 0", tt.a, tt.b, records.Names[k], x[k])
			}
		}
		if x.Level() != tt.level {
			t.Errorf("%q and %q: level is %d, want %d", tt.a, tt.b, x.Level(), tt.level)
		}
	}
}

// Rare words tell more.
func TestFrequencies(t *testing.T) {
	f := records.NewFrequencies(100)
	for k := range 100 {
		v := records.FieldParse(fmt.Sprintf("school number%d", k), nil)
		f.Add(&v)
	}
	cosine := func(a, b string) float64 {
		var x records.Features
		v, w := records.FieldParse(a, f), records.FieldParse(b, f)
		records.Compare(&x, &v, &w)
		return x[records.RareWords]
	}
	if often, rarely := cosine("school number1", "school number2"), cosine("north number1", "south number1"); !(often < .1 && rarely > .4) {
		t.Errorf("the cosine of a common word is %v, of a rare one %v", often, rarely)
	}
}

// Rows that people would compare share a key.
func TestKeys(t *testing.T) {
	keys := func(fields ...string) (out []uint64) {
		row := make([]records.Value, len(fields))
		for c, text := range fields {
			row[c] = records.FieldParse(text, nil)
		}
		records.Keys(row, func(k uint64) { out = append(out, k) })
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
		a, b := records.FieldParse(s, nil), records.FieldParse(u, nil)
		var x records.Features
		records.Compare(&x, &a, &b)
		for k, v := range x {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%s is %v", records.Names[k], v)
			}
		}
		records.Keys([]records.Value{a, b}, func(uint64) {})
	})
}

func ExampleCompare() {
	a, b := records.FieldParse("Bob Quill, 12 Elm Street", nil), records.FieldParse("Quill Robert, 12 Elm St.", nil)
	var x records.Features
	records.Compare(&x, &a, &b)
	fmt.Printf("%s %.0f, %s %.2f, %s %.0f\n", records.Names[records.Nickname], x[records.Nickname], records.Names[records.SharedWords], x[records.SharedWords], records.Names[records.FirstNumber], x[records.FirstNumber])
	// Output: short form of a name 1, shared words 0.67, same first number 1
}

package weat

import (
	"bytes"
	_ "embed" // the built-in tests
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Test is two target sets and two attribute sets.
type Test struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"` // in words

	// The stereotype is that X is nearer to A, and Y to B.
	X []string `json:"X"`
	Y []string `json:"Y"`
	A []string `json:"A"`
	B []string `json:"B"`

	// MoreA and MoreB are further words of the attribute sets, such as synonyms,
	// by which alone their covariances are estimated, together with A and B.
	MoreA []string `json:"more_A,omitempty"`
	MoreB []string `json:"more_B,omitempty"`

	Place int `json:"-"` // in the list that it was chosen from, from 1 on; see [Choose]
}

// Words lists every word of the tests once, as they are spelt.
func Words(tests ...Test) []string {
	var all []string
	for _, t := range tests {
		all = slices.Concat(all, t.X, t.Y, t.A, t.B, t.MoreA, t.MoreB)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

//go:embed tests.json
var builtin []byte

// Builtin returns the ten tests of Caliskan and others, named "1" to "10".
// Tests 4 and 5 have all eighteen names of their source, of which the
// publication left two of each set out.
func Builtin() []Test {
	var stored struct {
		Words map[string]string `json:"words"`
		Tests []struct{ Name, About, X, Y, A, B string }
	}
	if err := json.Unmarshal(builtin, &stored); err != nil {
		panic("weat: the built-in tests are damaged: " + err.Error())
	}
	var tests []Test
	for _, t := range stored.Tests {
		set := func(name string) []string { return strings.Fields(stored.Words[name]) }
		tests = append(tests, Test{Name: t.Name, About: t.About, X: set(t.X), Y: set(t.Y), A: set(t.A), B: set(t.B)})
	}
	return tests
}

// maxWords is the most words that the sets of a test may have together.
const maxWords = 100_000

// Validate reports what is wrong with a test.
func (t Test) Validate() error {
	if t.Name == "" {
		return errors.New("weat: name of a test is empty, must not be")
	}
	for _, s := range t.sets() {
		if len(s.words) < 2 && !s.more {
			return fmt.Errorf("weat: test %.40q: set %s has %d words, must have at least 2", t.Name, s.name, len(s.words))
		}
		if slices.Contains(s.words, "") {
			return fmt.Errorf("weat: test %.40q: set %s has an empty word, must not", t.Name, s.name)
		}
		sorted := slices.Sorted(slices.Values(s.words))
		if len(slices.Compact(sorted)) != len(s.words) {
			return fmt.Errorf("weat: test %.40q: set %s names a word twice, must name it once", t.Name, s.name)
		}
	}
	for _, w := range t.X {
		if slices.Contains(t.Y, w) {
			return fmt.Errorf("weat: test %.40q: a word stands in X and in Y, must stand in one", t.Name)
		}
	}
	if n := len(Words(t)); n > maxWords {
		return fmt.Errorf("weat: test %.40q has %d words, must have at most %d", t.Name, n, maxWords)
	}
	return nil
}

// set is one of a test's.
type set struct {
	name  string
	words []string
	more  bool // it may be lost: it serves the covariance alone
}

func (t Test) sets() []set {
	return []set{{"X", t.X, false}, {"Y", t.Y, false}, {"A", t.A, false}, {"B", t.B, false}, {"more_A", t.MoreA, true}, {"more_B", t.MoreB, true}}
}

// Parse reads a JSON list of tests. A field that [Test] does not have or that
// stands there twice, a name that two tests share, and a test that is not valid
// are errors.
func Parse(r io.Reader) ([]Test, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return nil, fmt.Errorf("weat: %w", errList)
	}
	var tests []Test
	for d.More() {
		t, err := parseTest(d)
		if err != nil {
			return nil, fmt.Errorf("weat: test %d: %w", len(tests)+1, err)
		}
		if err := t.Validate(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tests, func(u Test) bool { return u.Name == t.Name }) {
			return nil, fmt.Errorf("weat: two tests are named %.40q, names must differ", t.Name)
		}
		tests = append(tests, t)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("weat: %w", errList)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("weat: more follows after the list of tests, must not")
	}
	if len(tests) == 0 {
		return nil, errors.New("weat: the list holds no test, must hold at least one")
	}
	return tests, nil
}

var errList = errors.New("it must be a JSON list of tests, each with the texts name and about and the lists of words X, Y, A, B, more_A and more_B")

// parseTest reads a test. [json.Unmarshal] would take fields in other letters,
// and those that stand there twice.
func parseTest(d *json.Decoder) (t Test, _ error) {
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return t, errList
	}
	fields := map[any]any{"name": &t.Name, "about": &t.About, "X": &t.X, "Y": &t.Y, "A": &t.A, "B": &t.B, "more_A": &t.MoreA, "more_B": &t.MoreB}
	for d.More() {
		name, err := d.Token()
		if to, ok := fields[name]; err == nil && !ok {
			return t, fmt.Errorf("field %.40q is unknown or stands there twice: %w", name, errList)
		} else if err != nil || d.Decode(to) != nil {
			return t, errList
		}
		delete(fields, name)
	}
	if _, err := d.Token(); err != nil {
		return t, errList
	}
	return t, nil
}

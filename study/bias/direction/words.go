package direction

import (
	"bytes"
	_ "embed" // the built-in word sets
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words is the word set of a language: pairs that define what gender is, and
// professions that are scored. It must not be changed once in use.
type Words struct {
	Language    string       `json:"language"`       // a short code, such as de
	Name        string       `json:"name,omitempty"` // such as German
	Pairs       []Pair       `json:"pairs"`
	Professions []Profession `json:"professions,omitempty"`
}

// Pair is a defining pair.
type Pair struct {
	Name   string `json:"name"` // the same in every language, such as woman/man
	Female string `json:"f"`
	Male   string `json:"m"`
	Note   string `json:"note,omitempty"` // what else the words mean
}

// Profession is a profession with the words for it: those for women, those for
// men, and those for both.
type Profession struct {
	Name    string   `json:"name"` // the same in every language, such as nurse
	Female  []string `json:"f,omitempty"`
	Male    []string `json:"m,omitempty"`
	Neutral []string `json:"n,omitempty"`
	Note    string   `json:"note,omitempty"` // what else the words mean
}

//go:embed words.json
var builtin []byte

var parseBuiltin = sync.OnceValues(func() ([]Words, error) { return ParseWords(builtin) })

// Builtin returns the built-in word set of a language: en, zh, es, ar, de, fr,
// fa, ur or wo, with seven pairs, as published, and 32 professions, whose
// translations are ours.
func Builtin(language string) (Words, error) {
	all, err := parseBuiltin()
	if err != nil {
		return Words{}, err
	}
	if i := slices.IndexFunc(all, func(w Words) bool { return w.Language == language }); i >= 0 {
		return all[i], nil
	}
	return Words{}, fmt.Errorf("direction: language is %.20q, must be one of %s, or come with its own words", language, strings.Join(Languages(), ", "))
}

// Languages lists the languages that have a built-in word set.
func Languages() []string {
	var codes []string
	all, _ := parseBuiltin() // none if they were damaged
	for _, w := range all {
		codes = append(codes, w.Language)
	}
	return codes
}

// Bolukbasi returns the ten English pairs of Bolukbasi et al. (2016).
func Bolukbasi() []Pair {
	return NewPairs([][2]string{
		{"woman", "man"},
		{"girl", "boy"},
		{"she", "he"},
		{"mother", "father"},
		{"daughter", "son"},
		{"gal", "guy"},
		{"female", "male"},
		{"her", "his"},
		{"herself", "himself"},
		{"Mary", "John"},
	})
}

// NewPairs makes pairs of words, female first, and names them by both.
func NewPairs(words [][2]string) []Pair {
	var pairs []Pair
	for _, p := range words {
		pairs = append(pairs, Pair{Name: p[0] + "/" + p[1], Female: p[0], Male: p[1]})
	}
	return pairs
}

// maxWords bounds a set, so that no file makes the analysis endless: it grows
// with the square of the pairs.
const maxWords = 10_000

// ReadWords is [ParseWords] of what a reader holds.
func ReadWords(r io.Reader) ([]Words, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return ParseWords(data)
}

// ParseWords reads word sets: a list, with one entry for each language. Unknown
// fields are refused, and so are names that occur twice. Words are brought into
// Unicode's composed form (NFC).
func ParseWords(data []byte) ([]Words, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var all []Words
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("direction: the word sets are not a list as documented: %w", plainly(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("direction: something follows the list of word sets, must not")
	}
	if len(all) == 0 {
		return nil, errors.New("direction: the list of word sets is empty, must hold at least one")
	}
	var languages []string
	for i := range all {
		if err := all[i].normalise(); err != nil {
			return nil, fmt.Errorf("direction: word set %d: %w", i+1, err)
		}
		if slices.Contains(languages, all[i].Language) {
			return nil, fmt.Errorf("direction: word set %d: its language has one already, must have one", i+1)
		}
		languages = append(languages, all[i].Language)
	}
	return all, nil
}

// plainly says what is wrong with JSON, and where, without quoting it.
func plainly(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("field %q cannot hold a %s", kind.Field, kind.Value)
	}
	return err
}

// normalise composes the words and checks the set.
func (w *Words) normalise() error {
	if !readable(w.Language) || strings.ContainsAny(w.Language, "=, ") || hostile(w.Name) {
		return errors.New("its language is empty or has a space, comma, equals sign or control character, must be a short code")
	}
	if len(w.Pairs) == 0 {
		return errors.New("it has no pairs, must have some")
	}
	if len(w.Pairs) > maxWords || len(w.Professions) > maxWords {
		return fmt.Errorf("it has %d pairs and %d professions, must have at most %d", len(w.Pairs), len(w.Professions), maxWords)
	}
	names := map[string]bool{}
	for i := range w.Pairs {
		p := &w.Pairs[i]
		p.Female, p.Male = norm.NFC.String(p.Female), norm.NFC.String(p.Male)
		if err := fresh(names, p.Name); err != nil {
			return fmt.Errorf("pair %d: %w", i+1, err)
		}
		if !readable(p.Female) || !readable(p.Male) || hostile(p.Note) {
			return fmt.Errorf("pair %d: f or m is blank, or a text has control characters, both must be words", i+1)
		}
	}
	clear(names)
	for i := range w.Professions {
		p := &w.Professions[i]
		if err := fresh(names, p.Name); err != nil {
			return fmt.Errorf("profession %d: %w", i+1, err)
		}
		if err := p.normalise(); err != nil {
			return fmt.Errorf("profession %d: %w", i+1, err)
		}
	}
	return nil
}

func (p *Profession) normalise() error {
	for _, forms := range [][]string{p.Female, p.Male, p.Neutral} {
		for i := range forms {
			forms[i] = norm.NFC.String(forms[i])
			if !readable(forms[i]) {
				return errors.New("a form is blank or has control characters, must be a word")
			}
		}
	}
	if len(p.Female)+len(p.Male)+len(p.Neutral) == 0 || hostile(p.Note) {
		return errors.New("it has no forms, or control characters in its note, must have some in f, m or n and none there")
	}
	return nil
}

// fresh refuses a name that is empty or known.
func fresh(names map[string]bool, name string) error {
	if !readable(name) {
		return errors.New("its name is blank or has control characters, must not")
	}
	if names[name] {
		return errors.New("its name stands there twice, must stand there once")
	}
	names[name] = true
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// hostile reports whether text could move a terminal's cursor or turn the
// direction of what follows it.
func hostile(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' && r != '\u200f' && r != '\u061c'
	})
}

// readable reports whether text is a word or name that can be shown.
func readable(s string) bool { return !blank(s) && !hostile(s) }

// All returns every word of the set, and every part of those that are made of
// several, for which vectors are looked up.
func (w Words) All() []string {
	var words, all []string
	for _, p := range w.Pairs {
		words = append(words, p.Female, p.Male)
	}
	for _, p := range w.Professions {
		words = slices.Concat(words, p.Female, p.Male, p.Neutral)
	}
	for _, word := range words {
		for _, part := range append(strings.Fields(word), word) {
			all = append(all, variants(part)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// variants returns a word in Unicode's composed form and, if that differs, in
// the decomposed one, which some tables hold.
func variants(word string) []string {
	composed, decomposed := norm.NFC.String(word), norm.NFD.String(word)
	if composed == decomposed {
		return []string{composed}
	}
	return []string{composed, decomposed}
}

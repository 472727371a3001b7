package names

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// Free returns the genres of GUM whose texts may be used for any purpose, under CC BY
// or CC BY-SA. The others, such as fiction, are for non-commercial use alone, and a model
// that is given away is not made of them.
func Free() []string { return []string{"news", "interview", "bio", "voyage", "speech"} }

// typesOfGUM has our types for those of GUM; names of all others are
// miscellaneous.
var typesOfGUM = map[string]language.Type{
	"person": language.Person, "place": language.Place, "organization": language.Organisation,
}

// readGUM reads the sentences of GUM of which it is sure what the names are. GUM
// marks every mention, named or not; a sentence with a capital word that belongs
// to no mention that is a name is left out.
func readGUM(folder string, lists *lookup) ([]Sentence, error) {
	var out []Sentence
	err := Lines(filepath.Join(folder, "mentions", "gum_coref.jsonl.gz"), func(line []byte) error {
		var doc struct {
			Split  string   `json:"split"`
			Genre  string   `json:"genre"`
			Tokens []string `json:"tokens"`
			Starts []int    `json:"sentence_starts"`
			Marks  [][]any  `json:"mentions"`
		}
		if err := json.Unmarshal(line, &doc); err != nil {
			return err
		}
		if doc.Split != "train" || !slices.Contains(Free(), doc.Genre) {
			return nil
		}
		var spans []Span
		for _, m := range doc.Marks {
			if len(m) < 3 {
				return errors.New("a mention must be [start, end, type, …]")
			}
			from, ok1 := m[0].(float64)
			to, ok2 := m[1].(float64)
			typ, ok3 := m[2].(string)
			if !ok1 || !ok2 || !ok3 || from < 0 || to <= from || int(to) > len(doc.Tokens) {
				return errors.New("a mention must be [start, end, type, …] within the tokens")
			}
			if s, ok := named(doc.Tokens, int(from), int(to), lists); ok {
				s.Type = language.Miscellaneous
				if t, known := typesOfGUM[typ]; known {
					s.Type = t
				}
				spans = append(spans, s)
			}
		}
		for k, from := range doc.Starts {
			to := len(doc.Tokens)
			if k+1 < len(doc.Starts) {
				to = doc.Starts[k+1]
			}
			if s, ok := sure(doc.Tokens, from, to, spans, lists); ok {
				out = append(out, s)
			}
		}
		return nil
	})
	return out, err
}

func startsCapital(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// named returns a mention without its article, if it is a name: capital words,
// and small ones between them.
func named(tokens []string, from, to int, lists *lookup) (Span, bool) {
	for from < to && strings.EqualFold(tokens[from], "the") {
		from++
	}
	if to-from > 1 && (tokens[to-1] == "'s" || tokens[to-1] == "’s") {
		to--
	}
	if from >= to || to-from > 7 || !startsCapital(tokens[from]) || !startsCapital(tokens[to-1]) {
		return Span{}, false
	}
	capitals := 0
	for _, w := range tokens[from:to] {
		switch {
		case startsCapital(w):
			capitals++
		case slices.Contains([]string{"of", "the", "and", "de", "for", "in", "-", "la", "van", "von", "&", "."}, w):
		default:
			return Span{}, false
		}
	}
	if to-from == 1 && lists.find(hashed(tokens[from]))&(stop|calendar) != 0 {
		return Span{}, false
	}
	return Span{Start: from, End: to}, true
}

// sure returns the sentence from a token to another with its names, the longest
// where several overlap, and whether every capital word in it is explained.
func sure(tokens []string, from, to int, spans []Span, lists *lookup) (Sentence, bool) {
	s := Sentence{Words: tokens[from:to]}
	var inside []Span
	for _, sp := range spans {
		if sp.Start >= from && sp.End <= to {
			inside = append(inside, sp)
		}
	}
	slices.SortStableFunc(inside, func(a, b Span) int { return (b.End - b.Start) - (a.End - a.Start) })
	taken := make([]bool, to-from)
	for _, sp := range inside {
		if slices.Contains(taken[sp.Start-from:sp.End-from], true) {
			continue
		}
		for k := sp.Start; k < sp.End; k++ {
			taken[k-from] = true
		}
		s.Spans = append(s.Spans, Span{Type: sp.Type, Start: sp.Start - from, End: sp.End - from})
	}
	slices.SortFunc(s.Spans, func(a, b Span) int { return a.Start - b.Start })
	for i, w := range s.Words {
		if i > 0 && !taken[i] && startsCapital(w) && w != "I" && lists.find(hashed(w))&(nationality|calendar|stop|title) == 0 {
			return s, false
		}
		// A capital word that begins a sentence and nothing marks is none of a name,
		// unless it is on a list of names.
		if i == 0 && !taken[0] && lists.find(hashed(w))&(womensName|mensName|country|city) != 0 {
			return s, false
		}
		if i == 0 && taken[0] && len(s.Spans) > 0 && s.Spans[0].End == 1 && lists.find(hashed(w)) == 0 && s.Spans[0].Type == language.Miscellaneous {
			return s, false
		}
	}
	return s, len(s.Words) >= 3
}

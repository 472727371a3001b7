package unseen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/dataset"
)

// Source is a public set of texts that cells are made of. None is a task's.
type Source struct {
	Name  string `json:"name"` // of package dataset
	Texts int    `json:"texts"`

	most int // texts at most
	each int // sentences of a text at most
}

// Sources lists what cells are made of.
func Sources() []Source {
	return []Source{
		{Name: "imdb_reviews", most: 12_000, each: 1},
		{Name: "blog_industry", most: 12_000, each: 1},
		{Name: "dialect_sentiment", most: 5_000, each: 1},
		{Name: "dialect_offensive", most: 5_000, each: 1},
		{Name: "mrpc", most: 6_000, each: 1},
		{Name: "mpqa", most: 4_000, each: 1},
		{Name: "yelp", most: 1_000, each: 1},
		{Name: "amazon", most: 1_000, each: 1},
		{Name: "imdb", most: 1_000, each: 1},
		{Name: "trustpilot", most: 3_000, each: 4},
	}
}

// The words of a sentence that is taken, which keeps out headings and lists.
const (
	fewWords  = 3
	manyWords = 40
)

// read returns sentences of the source, evenly spread over its rows, without those
// that stand there twice.
func (s Source) read(dir string) ([]string, error) {
	set, err := dataset.Load(s.Name, dataset.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	var all []string
	seen := map[string]bool{}
	for _, text := range set.Text {
		taken := 0
		for _, sentence := range sentences(text) {
			if n := len(strings.Fields(sentence)); n < fewWords || n > manyWords || seen[sentence] {
				continue
			}
			seen[sentence] = true
			all = append(all, sentence)
			if taken++; taken == s.each {
				break
			}
		}
	}
	if len(all) <= s.most {
		return all, nil
	}
	some := make([]string, s.most)
	for i := range some {
		some[i] = all[i*len(all)/s.most]
	}
	return some, nil
}

// sentences divides a text where a full stop, a question mark or an exclamation mark
// stands before a space. That is wrong after abbreviations, which harms no cell.
func sentences(text string) []string {
	text = strings.ReplaceAll(text, "<br />", " ")
	var all []string
	start := 0
	for i, r := range text {
		if !strings.ContainsRune(".!?", r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		if next, _ := utf8.DecodeRuneInString(text[end:]); end == len(text) || unicode.IsSpace(next) {
			all = append(all, strings.TrimSpace(text[start:end]))
			start = end
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

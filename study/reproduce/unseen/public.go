package unseen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/data/dataset"
)

// Source is a public set of texts that cells are made of. None is a task's.
type Source struct {
	Name  string `json:"name"` // of package dataset
	Texts int    `json:"texts"`

	most int // texts at most
	each int // sentences of a text at most
	// opinion says that its labels are whether something is good.
	opinion bool
}

// Sources lists what cells are made of.
func Sources() []Source {
	return []Source{
		{Name: "imdb_reviews", most: 12_000, each: 1, opinion: true},
		{Name: "blog_industry", most: 12_000, each: 1},
		{Name: "semeval2010", most: 5_000, each: 1},
		{Name: "fewrel", most: 4_000, each: 1},
		{Name: "mrpc", most: 6_000, each: 1},
		{Name: "mpqa", most: 4_000, each: 1, opinion: true},
		{Name: "yelp", most: 1_000, each: 1, opinion: true},
		{Name: "amazon", most: 1_000, each: 1, opinion: true},
		{Name: "imdb", most: 1_000, each: 1, opinion: true},
		{Name: "trustpilot", most: 3_000, each: 4},
	}
}

// The words of a sentence that is taken, which keeps out headings and lists.
const (
	fewWords  = 3
	manyWords = 40
)

// read returns sentences of the source, evenly spread over its rows, without those
// that stand there twice, and their labels, −1 where they say nothing of opinion.
func (s Source) read(dir string) (texts []string, labels []int, err error) {
	set, err := dataset.Load(s.Name, dataset.Options{Dir: dir})
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for i, text := range set.Text {
		label := -1
		if s.opinion {
			label = set.Label.IDs[i]
		}
		taken := 0
		for _, sentence := range sentences(text) {
			if n := len(strings.Fields(sentence)); n < fewWords || n > manyWords || seen[sentence] {
				continue
			}
			seen[sentence] = true
			texts, labels = append(texts, sentence), append(labels, label)
			if taken++; taken == s.each {
				break
			}
		}
	}
	if n := len(texts); n > s.most {
		for i := range s.most {
			texts[i], labels[i] = texts[i*n/s.most], labels[i*n/s.most]
		}
		texts, labels = texts[:s.most], labels[:s.most]
	}
	return texts, labels, nil
}

// marks are what stands in texts of some sets beside their words.
var marks = strings.NewReplacer("<br />", " ", "<e1>", "", "</e1>", "", "<e2>", "", "</e2>", "")

// sentences divides a text where a full stop, a question mark or an exclamation mark
// stands before a space. That is wrong after abbreviations, which harms no cell.
func sentences(text string) []string {
	text = marks.Replace(text)
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

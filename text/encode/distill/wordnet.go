package distill

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
)

// WordNet returns the definitions and example sentences of a WordNet folder, in
// the order of its files data.noun, data.verb, data.adj and data.adv: plain
// English of all kinds, one text each.
func WordNet(dir string) ([]string, error) {
	return glosses(dir, func(definition string, examples []string) []string { return append([]string{definition}, examples...) })
}

// WordNetExamples returns the example sentences of a WordNet folder that have at least
// so many words, in the same order: English as people write it.
func WordNetExamples(dir string, words int) ([]string, error) {
	return glosses(dir, func(_ string, examples []string) []string {
		return slices.DeleteFunc(examples, func(t string) bool { return len(strings.Fields(t)) < words })
	})
}

// glosses returns what is taken of each entry of a WordNet folder.
func glosses(dir string, take func(definition string, examples []string) []string) ([]string, error) {
	var texts []string
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		path := filepath.Join(dir, "data."+part)
		f, _, err := regular.Open(path, regular.Most)
		if err != nil {
			return nil, fmt.Errorf("distill: %w (Debian's package wordnet-base has it)", err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if _, gloss, ok := strings.Cut(lines.Text(), " | "); ok && !strings.HasPrefix(lines.Text(), "  ") {
				texts = appendGloss(texts, gloss, take)
			}
		}
		f.Close() //nolint:errcheck // it was only read
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("distill: %s: %w", path, err)
		}
	}
	return texts, nil
}

// shortest is the number of bytes below which a text says nothing.
const shortest = 4

// appendGloss appends what is taken of a definition and the examples in quotes behind it.
func appendGloss(texts []string, gloss string, take func(definition string, examples []string) []string) []string {
	var definition strings.Builder
	var examples []string
	for i, part := range strings.Split(gloss, `"`) {
		if i%2 == 0 {
			definition.WriteString(part)
		} else {
			examples = append(examples, part)
		}
	}
	for _, t := range take(strings.Trim(definition.String(), " ;"), examples) {
		if t = strings.Join(strings.Fields(t), " "); len(t) >= shortest {
			texts = append(texts, t)
		}
	}
	return texts
}

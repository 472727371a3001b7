package docs_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// number finds what may differ between two runs of a command: figures, and the
// words that stand in their place.
var number = regexp.MustCompile(`[-+−]?(\d[\d.,]*(e[-+]?\d+)?|∞)`)

// shapeOf returns the words of a line with every number made the same.
func shapeOf(line string) []string {
	words := strings.Fields(number.ReplaceAllString(line, "#"))
	for i, w := range words {
		if w == "infinite" || w == "-" || w == "null" {
			words[i] = "#"
		}
	}
	return words
}

// within reports whether words stand in a line in their order, perhaps with others
// between them: a page may leave columns out.
func within(words, line []string) bool {
	for _, w := range line {
		if len(words) > 0 && words[0] == w {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// compare returns an error unless every line that a page shows stands in the output
// in the same order, up to numbers, columns and lines that the page leaves out.
func compare(shown []string, output string) error {
	lines := strings.Split(output, "\n")
	for _, want := range shown {
		words := shapeOf(want)
		if len(words) == 0 || len(words) == 1 && (words[0] == "…" || words[0] == "...") {
			continue
		}
		i := 0
		for i < len(lines) && !within(words, shapeOf(lines[i])) {
			i++
		}
		if i == len(lines) {
			return fmt.Errorf("the page shows\n\t%s\nwhich is not, or not in this place, in what was printed:\n%s", want, output)
		}
		lines = lines[i+1:]
	}
	return nil
}

// compareJSON returns an error unless every field that a page shows is in the output,
// with a value of the same kind. Of lists the first elements are compared.
func compareJSON(shown, output string) error {
	var want, got any
	if err := json.Unmarshal([]byte(shown), &want); err != nil {
		return fmt.Errorf("the page shows what is no JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(output), &got); err != nil {
		return fmt.Errorf("what was printed is no JSON: %w\n%s", err, output)
	}
	if place := differs("", want, got); place != "" {
		return fmt.Errorf("the page shows at %s what is not in what was printed:\n%s", place, output)
	}
	return nil
}

// telling are fields whose words, and not their kind alone, are the shape.
var telling = regexp.MustCompile(`\.(code|format|object|unit|verdict)$`)

// differs returns where a shown value is not like the printed one, or "".
func differs(place string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return place + "."
		}
		for name, value := range want {
			printed, ok := object[name]
			if !ok {
				return place + "." + name
			}
			if at := differs(place+"."+name, value, printed); at != "" {
				return at
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(want) > 0 && len(list) == 0 {
			return place + "[]"
		}
		if len(want) > 0 {
			return differs(place+"[0]", want[0], list[0])
		}
	case string:
		printed, ok := got.(string)
		if !ok && want != "infinite" && want != "…" || ok && telling.MatchString(place) && printed != want {
			return place
		}
	}
	return ""
}

func TestCompareJSON(t *testing.T) {
	output := `{"a": {"b": [1, 2], "c": "x"}, "d": [{"e": 1}], "unit": "text"}`
	for _, good := range []string{`{"a": {"b": [3]}}`, `{"d": [{"e": "infinite"}]}`, output} {
		if err := compareJSON(good, output); err != nil {
			t.Errorf("%s is refused: %v", good, err)
		}
	}
	for _, bad := range []string{`{"b": 1}`, `{"a": {"c": {}}}`, `{"d": [{"f": 1}]}`, `{"d": [{"e": "one"}]}`, `{"unit": "word"}`, `[`} {
		if compareJSON(bad, output) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	output := "METHOD  ε  ACCURACY %\nnone  infinite  96.4 ± 0.3\nours  4.000  94.1 ± 1.2\ndone\n"
	for _, good := range [][]string{
		{"METHOD  ACCURACY %", "none 95.1 ± 0.1", "ours 93 ± 2"}, {"none 8 96 ± 0"}, {"…", "", "done"}, nil,
	} {
		if err := compare(good, output); err != nil {
			t.Errorf("%q is refused: %v", good, err)
		}
	}
	for _, bad := range [][]string{{"METHOD LEAKAGE"}, {"done", "ours 4 94 ± 1"}, {"others 4"}} {
		if compare(bad, output) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

package text_test

import (
	"strings"
	"testing"

	"sotto/text"
)

func TestParseMaskList(t *testing.T) {
	for _, tt := range []struct {
		name, in        string
		words, patterns int
	}{
		{"nothing", "", 0, 0},
		{"comments and space", "# a\n\n \t# b\n", 0, 0},
		{"words", "cat\n  Dog\r\nCAT\n", 2, 0},
		{"byte order mark", "\ufeffcat", 1, 0},
		{"patterns", "/a/\n/a\\/b/\n///", 0, 3},
		{"a hash within", "/#/", 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := text.ParseMaskList(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if l.Words() != tt.words || l.Patterns() != tt.patterns {
				t.Errorf("%d words and %d patterns, want %d and %d", l.Words(), l.Patterns(), tt.words, tt.patterns)
			}
		})
	}
}

func TestParseMaskListErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"two words", "cat\nNew York", "text: mask list: line 2 has 2 words"},
		{"no word", "\n\n!", "line 3 has 0 words"},
		{"more than a word", "secret!", "line 1 has 1 words and perhaps other characters"},
		{"no second slash", "/secret", "line 1 begins with a slash, must be"},
		{"one slash", "/", "line 1 begins with a slash, must be"},
		{"no expression", "//", "line 1 begins with a slash, must be"},
		{"bad expression", "# c\n/secret(/", "line 2 is no regular expression: missing closing )"},
		{"not UTF-8", "a\n\xff", "line 2 is not UTF-8"},
		{"long line", "a\n" + strings.Repeat("a", 1<<17), "line 2: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := text.ParseMaskList(strings.NewReader(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want one with %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q quotes the list", err)
			}
		})
	}
}

// FuzzParseMaskList checks that any list is either refused or can be used, and
// that each word on it masks itself.
func FuzzParseMaskList(f *testing.F) {
	for _, s := range []string{"cat\n# no\n/c.t/", "\ufeffO'Neill\r\n", "/(/", "/\\pL+|^/", "ΟΔΟΣ\n각"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		l, err := text.ParseMaskList(strings.NewReader(list))
		if err != nil {
			return
		}
		for i, span := range text.Spans(list) {
			word := list[span.Start:span.End]
			alone := strings.Contains("\n"+list+"\n", "\n"+word+"\n")
			if alone && len(l.Find(word)) == 0 {
				t.Errorf("word %d of %q is listed and not masked", i, list)
			}
		}
	})
}

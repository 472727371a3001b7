package rule

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a pattern may have at most, far above what a person writes.
const (
	maxPattern = 1 << 14 // bytes
	maxDepth   = 64      // of brackets
	maxRepeat  = 200     // in {m,n}
	maxStates  = 1 << 12 // of its automaton
)

// scanner reads a pattern from left to right.
type scanner struct {
	text  string
	at    int
	depth int
}

// fail returns an error with the place, as people count it.
func (s *scanner) fail(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", utf8.RuneCountInString(s.text[:s.at])+1, fmt.Sprintf(format, args...))
}

// found says what stands at the place, for errors.
func (s *scanner) found() string {
	s.space()
	if s.at == len(s.text) {
		return "the pattern ends"
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return fmt.Sprintf("found %q", r)
}

func (s *scanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

// peek reports whether the text goes on with a token, after space.
func (s *scanner) peek(token string) bool {
	s.space()
	return strings.HasPrefix(s.text[s.at:], token)
}

// take steps over a token if the text goes on with it, after space.
func (s *scanner) take(token string) bool {
	if !s.peek(token) {
		return false
	}
	s.at += len(token)
	return true
}

// down enters brackets.
func (s *scanner) down() error {
	if s.depth++; s.depth > maxDepth {
		return s.fail("brackets are more than %d deep", maxDepth)
	}
	return nil
}

// bare reports whether a letter may stand in a word without quotation marks.
func bare(r rune) bool {
	return r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(`[]{}()<>|&!:"/=+*?,;#\`, r)
}

// word takes a word without quotation marks, which may be empty.
func (s *scanner) word() string {
	s.space()
	from := s.at
	for s.at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		if !bare(r) {
			break
		}
		s.at += n
	}
	return s.text[from:s.at]
}

// delimited takes what stands between two marks, in which a backslash keeps a mark. In
// quotation marks it keeps itself, too; in expressions it stays.
func (s *scanner) delimited(mark byte) (string, error) {
	var b strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		switch {
		case c == mark:
			s.at++
			return b.String(), nil
		case c == '\\' && s.at+1 < len(s.text):
			s.at++
			if next := s.text[s.at]; next != mark && (mark == '/' || next != '\\') {
				b.WriteByte('\\')
			}
			b.WriteByte(s.text[s.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", s.fail("the pattern ends, must close with %c", mark)
}

// value is what a token is compared with: a word, or an expression.
type value struct {
	text  string
	regex *regexp.Regexp // nil if it is a word
}

// value takes a word, a text in quotation marks, or an expression.
func (s *scanner) value() (value, error) {
	s.space()
	switch {
	case s.peek(`"`):
		t, err := s.delimited('"')
		if err == nil && t == "" {
			err = s.fail(`found "", must not be empty`)
		}
		return value{text: t}, err
	case s.peek("/"):
		t, err := s.delimited('/')
		if err != nil {
			return value{}, err
		}
		if _, err = regexp.Compile(t); err != nil { // alone, so that no bracket of it closes ours
			return value{}, s.fail("the expression before is not one: %v", err)
		}
		re, err := regexp.Compile(`^(?:` + t + `)$`)
		if err != nil {
			return value{}, s.fail("the expression before is not one: %v", err)
		}
		return value{t, re}, nil
	}
	if w := s.word(); w != "" {
		return value{text: w}, nil
	}
	return value{}, s.fail(`%s, must be a word, "text" or /expression/`, s.found())
}

func (v value) String() string {
	switch {
	case v.regex != nil:
		return "/" + strings.ReplaceAll(v.text, "/", `\/`) + "/"
	case strings.ContainsFunc(v.text, func(r rune) bool { return !bare(r) }):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.text) + `"`
	}
	return v.text
}

// values takes one value or several with | between them.
func (s *scanner) values() ([]value, error) {
	var all []value
	for {
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		if all = append(all, v); !s.take("|") {
			return all, nil
		}
	}
}

// join writes things with something between them.
func join[T fmt.Stringer](all []T, between string) string {
	texts := make([]string, len(all))
	for k, v := range all {
		texts[k] = v.String()
	}
	return strings.Join(texts, between)
}

// argument takes =subject or =object; "" if there is none.
func (s *scanner) argument() (string, error) {
	if !s.take("=") {
		return "", nil
	}
	switch w := s.word(); w {
	case subject, object:
		return w, nil
	default:
		return "", s.fail("argument is %q, must be subject or object", w)
	}
}

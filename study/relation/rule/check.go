package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/study/language"
)

// Test is a sentence beside a rule, which must match it with the arguments that are
// marked, or must not match it. A sentence without marks must not match at all.
type Test struct {
	Yes  bool
	Line int
	text string // without its marks
	mark []mark
}

// mark is an entity of a test.
type mark struct {
	name       string // its type, as written
	argument   string // subject, object or ""
	start, end int    // bytes
}

// ParseTest reads a sentence with marks such as [person=subject Ann Lee].
func ParseTest(yes bool, text string) (Test, error) {
	t := Test{Yes: yes}
	var b strings.Builder
	open := false
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\\' && at+1 < len(text) && strings.ContainsRune(`[]\`, rune(text[at+1])):
			at++
			b.WriteByte(text[at])
		case c == '[' && !open:
			head, _, ok := strings.Cut(text[at+1:], " ")
			name, argument, marked := strings.Cut(head, "=")
			if !ok || !plainName(name) || marked && argument != subject && argument != object {
				return Test{}, fmt.Errorf("mark begins with %.40q, must be of the form [TYPE words], [TYPE=subject words] or [TYPE=object words]", "["+head)
			}
			t.mark = append(t.mark, mark{name, argument, b.Len(), -1})
			open = true
			at += len(head) + 1
		case c == ']' && open:
			m := &t.mark[len(t.mark)-1]
			if m.end = b.Len(); m.end == m.start {
				return Test{}, errors.New("a mark is empty, must hold words")
			}
			open = false
		case c == '[' || c == ']':
			return Test{}, fmt.Errorf("found %q, must close or open a mark; write \\%c if it is meant itself", c, c)
		default:
			b.WriteByte(c)
		}
	}
	if open {
		return Test{}, errors.New("a mark is open at the end, must close with ]")
	}
	t.text = b.String()
	s, o := t.arguments(subject), t.arguments(object)
	switch {
	case s > 1 || o > 1:
		return Test{}, errors.New("an argument is marked twice, must be marked once")
	case yes && s+o < 2 || s != o:
		return Test{}, errors.New("the sentence must mark a subject and an object, such as [person=subject Ann Lee], or neither behind no")
	}
	return t, nil
}

// arguments counts the marks of an argument.
func (t Test) arguments(name string) int {
	n := 0
	for _, m := range t.mark {
		if m.argument == name {
			n++
		}
	}
	return n
}

// String writes the test as it is read.
func (t Test) String() string {
	escape := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`)
	var b strings.Builder
	b.WriteString("no ")
	if t.Yes {
		b.Reset()
		b.WriteString("yes ")
	}
	at := 0
	for _, m := range t.mark {
		b.WriteString(escape.Replace(t.text[at:m.start]) + "[" + m.name)
		if m.argument != "" {
			b.WriteString("=" + m.argument)
		}
		b.WriteString(" " + escape.Replace(t.text[m.start:m.end]) + "]")
		at = m.end
	}
	b.WriteString(escape.Replace(t.text[at:]))
	return strings.TrimRight(b.String(), " ")
}

// document returns the sentence with its entities.
func (t Test) document(a language.Annotator) (*language.Document, error) {
	d := &language.Document{Text: t.text, Tokens: language.Tokens(t.text)}
	if a != nil {
		if err := a.Annotate(d); err != nil {
			return nil, err
		}
	}
	d.Entities = nil
	for _, m := range t.mark {
		d.Entities = append(d.Entities, language.Entity{Type: TypeOf(m.name), Start: m.start, End: m.end, Confidence: 1})
	}
	return d, nil
}

// Check tries each rule on the sentences beside it, and returns what is not as they say,
// joined, each with its line. Tags, lemmas and trees of the sentences come from a, which
// may be nil where rules ask for none of them.
func (f *File) Check(a language.Annotator) error {
	var faults []error
	for _, r := range f.Rules {
		s, err := Compile([]Rule{r})
		if err != nil {
			return err
		}
		for _, t := range r.Tests {
			d, err := t.document(a)
			if err != nil {
				return fmt.Errorf("line %d: %w", t.Line, err)
			}
			found, err := s.Matches(d)
			if err == nil {
				err = t.judge(d, found)
			}
			if err != nil {
				faults = append(faults, fmt.Errorf("line %d: rule %q: %w", t.Line, r.Name, err))
			}
		}
	}
	return errors.Join(faults...)
}

// judge holds matches against what a test says.
func (t Test) judge(d *language.Document, found []Match) error {
	place := func(name string) Span {
		k := slices.IndexFunc(t.mark, func(m mark) bool { return m.argument == name })
		if k < 0 {
			return Span{}
		}
		m := t.mark[k]
		s := Span{-1, -1}
		for at, token := range d.Tokens {
			if token.Start < m.end && token.End > m.start {
				if s.End = at + 1; s.First < 0 {
					s.First = at
				}
			}
		}
		return s
	}
	marked := t.arguments(subject) > 0
	s, o := place(subject), place(object)
	matched := slices.ContainsFunc(found, func(m Match) bool { return !marked || m.Subject == s && m.Object == o })
	switch {
	case t.Yes && len(found) > 0 && !matched:
		return errors.New("it matches with other arguments than those that are marked")
	case t.Yes && !matched:
		return errors.New("it does not match, and the sentence says yes")
	case !t.Yes && matched:
		return errors.New("it matches, and the sentence says no")
	}
	return nil
}

package rule

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Rule is a relation and the pattern that finds it.
type Rule struct {
	Name     string
	Relation string
	Pattern  Pattern
	Comment  []string // lines before it, without #
	Tests    []Test   // sentences beside it
	Line     int      // of its file
	// How often it was right where it matched instances with known relations; both are 0
	// where nobody has counted.
	Right, Tried int
}

// Confidence returns how sure one may be of what the rule finds: the share of matches that
// were right when it was counted, smoothed, and 1/2 where nobody has counted.
func (r Rule) Confidence() float64 { return (float64(r.Right) + 1) / (float64(r.Tried) + 2) }

// File is a file of rules.
type File struct {
	Rules []Rule
	Rest  []string // the comment behind the last rule, lines without #
}

// What a file of rules may have at most.
const (
	maxLine  = 1 << 16
	maxRules = 100_000
)

// Parse reads a file of rules. Each rule is a line with its name and its relation, a
// pattern, and sentences that it must match or must not, with their entities in square
// brackets; # begins a comment, which belongs to the rule behind it:
//
//	# The plainest of all.
//	rule works-for: Work_For
//	  tokens <person>=subject works for <org>=object
//	  seen 9 of 10
//	  yes [person=subject Ann Lee] works for [org=object Acme] .
//	  no [person Ann Lee] works with [org Acme] .
//
// A pattern is tokens or tree, as the comment of this package has them. Behind seen stands
// how often the rule was right of the times that it matched, where that is known. In a sentence a
// backslash stands before a bracket or a backslash that is meant itself. Errors name the
// line and what is allowed.
func Parse(r io.Reader) (*File, error) {
	f := &File{}
	names := map[string]int{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		text := strings.TrimSpace(lines.Text())
		var err error
		switch word, rest, _ := strings.Cut(text, " "); {
		case !utf8.ValidString(text):
			err = fmt.Errorf("it is not UTF-8")
		case text == "":
		case text[0] == '#':
			f.Rest = append(f.Rest, strings.TrimSpace(text[1:]))
		case word == "rule":
			err = f.begin(strings.TrimSpace(rest), n, names)
		default:
			err = f.line(word, strings.TrimSpace(rest), n)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("behind line %d: %w", n, err)
	}
	return f, f.complete()
}

// begin adds a rule.
func (f *File) begin(text string, line int, names map[string]int) error {
	if err := f.complete(); err != nil {
		return err
	}
	name, relation, _ := strings.Cut(text, ":")
	relation = strings.TrimSpace(relation)
	switch {
	case !plainName(name) || relation == "" || strings.ContainsAny(relation, " \t"):
		return fmt.Errorf("a rule begins with %.60q, must be of the form rule NAME: RELATION, the name of letters, digits, - . and _, the relation without spaces", "rule "+text)
	case names[name] > 0:
		return fmt.Errorf("rule %.60q is there already, on line %d; a name must be there once", name, names[name])
	case len(f.Rules) == maxRules:
		return fmt.Errorf("there are more than %d rules", maxRules)
	}
	names[name] = line
	f.Rules = append(f.Rules, Rule{Name: name, Relation: relation, Comment: f.Rest, Line: line})
	f.Rest = nil
	return nil
}

func plainName(name string) bool {
	plain := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r) {
			return -1
		}
		return r
	}
	return name != "" && strings.Map(plain, name) == ""
}

// line takes a line of the last rule.
func (f *File) line(word, rest string, line int) error {
	if !slices.Contains([]string{"tokens", "tree", "seen", "yes", "no"}, word) {
		return fmt.Errorf("it begins with %.40q, must begin with rule, tokens, tree, seen, yes, no or #", word)
	}
	if len(f.Rules) == 0 || len(f.Rest) > 0 {
		return fmt.Errorf("%s stands outside of a rule, must stand behind a line rule NAME: RELATION, without a comment between them", word)
	}
	r := &f.Rules[len(f.Rules)-1]
	switch word {
	case "yes", "no":
		t, err := ParseTest(word == "yes", rest)
		if err == nil {
			t.Line = line
			r.Tests = append(r.Tests, t)
		}
		return err
	case "seen":
		return r.seen(rest)
	}
	if r.Pattern != nil {
		return fmt.Errorf("rule %q has a pattern already, must have one: give the second a name of its own", r.Name)
	}
	p, err := parsePattern(word, rest)
	if err == nil {
		r.Pattern = p
	}
	return err
}

// seen takes how often a rule was right.
func (r *Rule) seen(text string) error {
	right, tried, _ := strings.Cut(text, " of ")
	a, err := strconv.Atoi(right)
	b, fault := strconv.Atoi(tried)
	if err != nil || fault != nil || a < 0 || b < a || b < 1 || r.Tried > 0 {
		return fmt.Errorf("seen is %.40q, must be there once, such as seen 9 of 10, the first number at most the second", text)
	}
	r.Right, r.Tried = a, b
	return nil
}

// Written returns the line of a pattern: tokens or tree, and what it looks for.
// [ParsePattern] reads it back.
func Written(p Pattern) string {
	if _, ok := p.(*Tree); ok {
		return "tree " + p.String()
	}
	return "tokens " + p.String()
}

// ParsePattern reads the line of a pattern, such as tokens <>=subject of <>=object.
func ParsePattern(line string) (Pattern, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word != "tokens" && word != "tree" {
		return nil, fmt.Errorf("it begins with %.40q, must begin with tokens or tree", word)
	}
	return parsePattern(word, strings.TrimSpace(rest))
}

func parsePattern(word, text string) (Pattern, error) {
	if word == "tree" {
		p, err := ParseTree(text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	p, err := ParseTokens(text)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// complete reports a last rule without a pattern.
func (f *File) complete() error {
	if n := len(f.Rules); n > 0 && f.Rules[n-1].Pattern == nil {
		return fmt.Errorf("rule %q of line %d has no pattern, must have a line tokens or tree", f.Rules[n-1].Name, f.Rules[n-1].Line)
	}
	return nil
}

// String writes the file in the one way in which it is written; [Parse] reads it back.
func (f *File) String() string {
	var b strings.Builder
	comment := func(lines []string) {
		for _, l := range lines {
			b.WriteString(strings.TrimSpace("# "+l) + "\n")
		}
	}
	for k, r := range f.Rules {
		if k > 0 {
			b.WriteString("\n")
		}
		comment(r.Comment)
		fmt.Fprintf(&b, "rule %s: %s\n  %s\n", r.Name, r.Relation, Written(r.Pattern))
		if r.Tried > 0 {
			fmt.Fprintf(&b, "  seen %d of %d\n", r.Right, r.Tried)
		}
		for _, t := range r.Tests {
			fmt.Fprintf(&b, "  %s\n", t)
		}
	}
	if len(f.Rest) > 0 {
		if len(f.Rules) > 0 {
			b.WriteString("\n")
		}
		comment(f.Rest)
	}
	return b.String()
}

// Plain returns the rules without the comments and sentences beside them, which may be
// somebody's.
func (f *File) Plain() *File {
	bare := &File{}
	for _, r := range f.Rules {
		r.Comment, r.Tests, r.Line = nil, nil, 0
		bare.Rules = append(bare.Rules, r)
	}
	return bare
}

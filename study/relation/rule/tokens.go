package rule

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is what a piece of a token pattern is.
type kind int

const (
	one      kind = iota // a token
	entity               // a whole entity
	sequence             // pieces one behind another
	choice               // one of several pieces
	repeat               // a piece several times
	argument             // a piece that is an argument
)

// piece is a part of a token pattern.
type piece struct {
	kind     kind
	test     condition // of one
	types    []value   // of an entity; none for any
	parts    []*piece
	min, max int    // of repeat; max −1 for any number
	name     string // of an argument
}

// Tokens is a pattern over the tokens of a sentence.
type Tokens struct{ root *piece }

// ParseTokens reads a pattern over tokens. Each way through it must hold the subject and
// the object once.
func ParseTokens(text string) (*Tokens, error) {
	s := &scanner{text: text}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("pattern has %d bytes, must have at most %d", len(text), maxPattern)
	}
	root, err := s.choice()
	switch {
	case err != nil:
		return nil, err
	case s.at < len(text):
		return nil, s.fail("%s, must be a word, [, <, ( or the end", s.found())
	}
	for _, name := range []string{subject, object} {
		if least, most := root.count(name); least != 1 || most != 1 {
			return nil, fmt.Errorf("%s is there %s times, must be there once on each way through the pattern: write =%s behind what it is", name, span(least, most), name)
		}
	}
	if n := root.states(); n > maxStates {
		return nil, fmt.Errorf("pattern needs more than %d states: make the numbers in {m,n} smaller", maxStates)
	}
	return &Tokens{root}, nil
}

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// String writes the pattern in the one way in which it is written; [ParseTokens] reads
// it back.
func (p *Tokens) String() string { return p.root.String() }

func (s *scanner) choice() (*piece, error) {
	if err := s.down(); err != nil {
		return nil, err
	}
	defer func() { s.depth-- }()
	c := &piece{kind: choice}
	for {
		p, err := s.sequence()
		if err != nil {
			return nil, err
		}
		c.adopt(p)
		if !s.take("|") {
			return c.plain(), nil
		}
	}
}

// adopt adds a part, or the parts of one that is of the same kind.
func (p *piece) adopt(part *piece) {
	if part.kind == p.kind {
		p.parts = append(p.parts, part.parts...)
		return
	}
	p.parts = append(p.parts, part)
}

// plain returns the only part, where there is one.
func (p *piece) plain() *piece {
	if len(p.parts) == 1 {
		return p.parts[0]
	}
	return p
}

func (s *scanner) sequence() (*piece, error) {
	q := &piece{kind: sequence}
	for {
		s.space()
		if s.at == len(s.text) || strings.ContainsRune("|)", rune(s.text[s.at])) {
			if len(q.parts) == 0 {
				return nil, s.fail("%s, must be a word, [, < or (", s.found())
			}
			return q.plain(), nil
		}
		p, err := s.atom()
		if err == nil {
			p, err = s.times(p)
		}
		if err != nil {
			return nil, err
		}
		name, err := s.argument()
		switch {
		case err != nil:
			return nil, err
		case name != "":
			for _, other := range []string{subject, object} {
				if _, most := p.count(other); most > 0 {
					return nil, s.fail("%s holds %s, must not hold an argument", name, other)
				}
			}
			p = &piece{kind: argument, name: name, parts: []*piece{p}}
		}
		q.adopt(p)
	}
}

// atom takes a word, a test, an entity, or a pattern in brackets.
func (s *scanner) atom() (*piece, error) {
	switch {
	case s.take("["):
		c, err := s.condition("]")
		return &piece{kind: one, test: c}, err
	case s.take("<"):
		p := &piece{kind: entity}
		if s.take(">") {
			return p, nil
		}
		var err error
		if p.types, err = s.values(); err == nil && !s.take(">") {
			err = s.fail("%s, must be | or >", s.found())
		}
		return p, err
	case s.take("("):
		p, err := s.choice()
		if err == nil && !s.take(")") {
			err = s.fail("%s, must be a word, [, <, (, | or )", s.found())
		}
		return p, err
	case s.peek("/"):
		return nil, s.fail("found an expression, must stand in a test such as [word:/…/]")
	}
	v, err := s.value()
	if err != nil {
		return nil, s.fail("%s, must be a word, [, < or (", s.found())
	}
	return &piece{kind: one, test: condition{{key: keyWord, values: []value{v}}}}, nil
}

// times takes how often a piece stands there.
func (s *scanner) times(p *piece) (*piece, error) {
	r := &piece{kind: repeat, parts: []*piece{p}}
	switch {
	case s.take("+"):
		r.min, r.max = 1, -1
	case s.take("*"):
		r.max = -1
	case s.take("?"):
		r.max = 1
	case s.take("{"):
		var err error
		if r.min, err = s.number(); err != nil {
			return nil, err
		}
		r.max = r.min
		if s.take(",") {
			if r.max = -1; !s.peek("}") {
				if r.max, err = s.number(); err != nil {
					return nil, err
				}
			}
		}
		switch {
		case !s.take("}"):
			return nil, s.fail("%s, must be {m}, {m,} or {m,n}", s.found())
		case r.max == 0 || r.max > 0 && r.max < r.min:
			return nil, s.fail("found {%d,%d}, must be from a number to one that is as large, and 1 or more", r.min, r.max)
		case r.min == 1 && r.max == 1:
			return p, nil
		}
	default:
		return p, nil
	}
	return r, nil
}

func (s *scanner) number() (int, error) {
	w := s.word()
	n, err := strconv.Atoi(w)
	if err != nil || n < 0 || n > maxRepeat {
		return 0, s.fail("number is %.20q, must be from 0 to %d", w, maxRepeat)
	}
	return n, nil
}

// count returns how often an argument is there at least and at most.
func (p *piece) count(name string) (least, most int) {
	if p.kind == argument && p.name == name {
		return 1, 1
	}
	for k, part := range p.parts {
		a, b := part.count(name)
		switch {
		case p.kind == choice && k > 0:
			least, most = min(least, a), max(most, b)
		case p.kind == repeat:
			least = a * min(p.min, 2)
			if most = b; p.max != 1 {
				most = 2 * b
			}
		default:
			least, most = min(least+a, 2), min(most+b, 2)
		}
	}
	return min(least, 2), min(most, 2)
}

// states returns how many states the automaton of a piece has, or more than is allowed.
func (p *piece) states() int {
	n := 2
	for _, part := range p.parts {
		n = min(n+part.states()+1, maxStates+1)
	}
	if p.kind == repeat {
		n = min(n*max(p.min+1, p.max), maxStates+1)
	}
	return n
}

func (p *piece) String() string {
	switch p.kind {
	case one:
		if len(p.test) == 1 && !p.test[0].not && p.test[0].key == keyWord && len(p.test[0].values) == 1 && p.test[0].values[0].regex == nil {
			return p.test[0].values[0].String()
		}
		return "[" + p.test.String() + "]"
	case entity:
		return "<" + join(p.types, "|") + ">"
	case sequence, choice:
		between := " "
		if p.kind == choice {
			between = " | "
		}
		texts := make([]string, len(p.parts))
		for k, part := range p.parts {
			if texts[k] = part.String(); p.kind == sequence && part.kind == choice {
				texts[k] = "(" + texts[k] + ")"
			}
		}
		return strings.Join(texts, between)
	case repeat:
		return p.parts[0].inner(repeat) + p.often()
	case argument: // below
	}
	return p.parts[0].inner(argument) + "=" + p.name
}

// inner writes a piece that something stands behind, in brackets where it needs them.
func (p *piece) inner(within kind) string {
	if p.kind == sequence || p.kind == choice || p.kind == argument || p.kind == repeat && within == repeat {
		return "(" + p.String() + ")"
	}
	return p.String()
}

func (p *piece) often() string {
	switch {
	case p.min == 0 && p.max == -1:
		return "*"
	case p.min == 1 && p.max == -1:
		return "+"
	case p.min == 0 && p.max == 1:
		return "?"
	case p.max == -1:
		return fmt.Sprintf("{%d,}", p.min)
	case p.min == p.max:
		return fmt.Sprintf("{%d}", p.min)
	}
	return fmt.Sprintf("{%d,%d}", p.min, p.max)
}

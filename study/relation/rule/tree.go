package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Tree is a pattern over the tree of a sentence.
type Tree struct {
	root  *node
	nodes int
}

// node is a token of a tree pattern, with its links to others.
type node struct {
	id    int
	test  condition
	name  string // subject, object or ""
	links []link
}

// link leads from a token to others.
type link struct {
	not       bool
	way       string // >, <, >> or <<
	relations []string
	to        *node
}

// ways are the links, those first that begin with another.
var ways = []string{">>", "<<", ">", "<"}

// ParseTree reads a pattern over trees. It must hold the subject and the object once.
func ParseTree(text string) (*Tree, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("pattern has %d bytes, must have at most %d", len(text), maxPattern)
	}
	s := &scanner{text: text}
	p := &Tree{}
	seen := map[string]int{}
	root, err := s.tree(p, seen, false)
	switch {
	case err != nil:
		return nil, err
	case s.at < len(text):
		return nil, s.fail("%s, must be >, <, >>, <<, ! or the end", s.found())
	}
	for _, name := range []string{subject, object} {
		if seen[name] != 1 {
			return nil, fmt.Errorf("%s is there %d times, must be there once: write =%s behind its {…}", name, seen[name], name)
		}
	}
	p.root = root
	return p, nil
}

// tree takes a node with its links.
func (s *scanner) tree(p *Tree, seen map[string]int, denied bool) (*node, error) {
	if err := s.down(); err != nil {
		return nil, err
	}
	defer func() { s.depth-- }()
	n, err := s.node(p, seen, denied)
	if err != nil {
		return nil, err
	}
	for {
		l := link{not: s.take("!")}
		k := slices.IndexFunc(ways, s.take)
		if k < 0 {
			if l.not {
				return nil, s.fail("%s, must be >, <, >> or << behind !", s.found())
			}
			return n, nil
		}
		l.way = ways[k]
		for !s.peek("{") && !s.peek("(") {
			r, fault := s.relation()
			if fault != nil {
				return nil, fault
			}
			if l.relations = append(l.relations, r); !s.take("|") {
				break
			}
		}
		if s.take("(") {
			if l.to, err = s.tree(p, seen, denied || l.not); err == nil && !s.take(")") {
				err = s.fail("%s, must be >, <, >>, <<, ! or )", s.found())
			}
		} else {
			l.to, err = s.node(p, seen, denied || l.not)
		}
		if err != nil {
			return nil, err
		}
		n.links = append(n.links, l)
	}
}

// relation takes the name of a relation, with its subtype.
func (s *scanner) relation() (string, error) {
	name := s.word()
	if name == "" {
		return "", s.fail("%s, must be a relation such as nsubj, or {", s.found())
	}
	if !s.take(":") {
		return name, nil
	}
	if s.take("*") {
		return name + ":*", nil
	}
	sub := s.word()
	if sub == "" {
		return "", s.fail("%s, must be a subtype, a preposition or * behind %s:", s.found(), name)
	}
	return name + ":" + sub, nil
}

// node takes a token without links.
func (s *scanner) node(p *Tree, seen map[string]int, denied bool) (*node, error) {
	if !s.take("{") {
		return nil, s.fail("%s, must be {", s.found())
	}
	c, err := s.condition("}")
	if err != nil {
		return nil, err
	}
	n := &node{id: p.nodes, test: c}
	p.nodes++
	if n.name, err = s.argument(); err != nil {
		return nil, err
	}
	if n.name != "" && denied {
		return nil, s.fail("%s is behind !, must be behind a link that is there", n.name)
	}
	seen[n.name]++
	return n, nil
}

// String writes the pattern in the one way in which it is written; [ParseTree] reads it
// back.
func (p *Tree) String() string { return p.root.String() }

func (n *node) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{%s}", n.test)
	if n.name != "" {
		b.WriteString("=" + n.name)
	}
	for _, l := range n.links {
		b.WriteString(" ")
		if l.not {
			b.WriteString("!")
		}
		b.WriteString(l.way + strings.Join(l.relations, "|") + " ")
		if len(l.to.links) > 0 {
			fmt.Fprintf(&b, "(%s)", l.to)
		} else {
			b.WriteString(l.to.String())
		}
	}
	return b.String()
}

// compiled returns the node with the places of its words in a vocabulary.
func (n *node) compiled(v *vocabulary) *node {
	out := *n
	out.test = n.test.compiled(v)
	out.links = slices.Clone(n.links)
	for k := range out.links {
		out.links[k].to = out.links[k].to.compiled(v)
	}
	return &out
}

// needs returns what a sentence must have for a compiled node to match.
func (n *node) needs() []need {
	all := n.test.needs()
	for _, l := range n.links {
		if !l.not {
			all = append(all, l.to.needs()...)
		}
	}
	return all
}

// related reports whether a token has one of the relations to its head.
func (l *link) related(v *climber, at int) bool {
	if len(l.relations) == 0 {
		return true
	}
	have := v.doc.Tokens[at].DepRel
	base, _, _ := strings.Cut(have, ":")
	return slices.ContainsFunc(l.relations, func(want string) bool {
		if want == have {
			return true
		}
		if preposition, ok := strings.CutPrefix(want, "prep_"); ok {
			return (base == "obl" || base == "nmod") && v.hasCase(at, preposition)
		}
		name, sub, _ := strings.Cut(want, ":")
		return name == base && (sub == "*" || sub != "" && v.hasCase(at, sub))
	})
}

// climber matches tree patterns in a sentence.
type climber struct {
	*view
	first, end int
	children   [][]int // by token, from first
	known      map[[2]int][]pair
	steps      int
}

// pair is the tokens of subject and object; −1 for none.
type pair [2]int

// newClimber draws the tree of a sentence.
func newClimber(v *view, first, end int) *climber {
	c := &climber{view: v, first: first, end: end, children: make([][]int, end-first)}
	for k := first; k < end; k++ {
		if h := v.doc.Tokens[k].Head; v.doc.Tokens[k].DepRel != "" && h >= first && h < end && h != k {
			c.children[h-first] = append(c.children[h-first], k)
		}
	}
	return c
}

// hasCase reports whether a token has a preposition.
func (c *climber) hasCase(at int, preposition string) bool {
	return slices.ContainsFunc(c.children[at-c.first], func(k int) bool {
		t := &c.doc.Tokens[k]
		return strings.HasPrefix(t.DepRel, "case") && strings.EqualFold(t.Text, preposition)
	})
}

// match returns the matches of a pattern.
func (c *climber) match(root *node) ([]Match, error) {
	if c.known == nil || len(c.known) > 1<<10 { // to clear a map takes as long as it ever was
		c.known = map[[2]int][]pair{}
	}
	clear(c.known)
	c.steps = 0
	var found []Match
	for k := c.first; k < c.end; k++ {
		for _, p := range c.bind(root, k) {
			if p[0] == p[1] {
				continue
			}
			m := Match{Subject: c.around(p[0]), Object: c.around(p[1])}
			m.First, m.End = min(m.Subject.First, m.Object.First), max(m.Subject.End, m.Object.End)
			if m.Subject != m.Object {
				found = append(found, m)
			}
		}
		if c.steps > maxSteps || len(found) > maxMatches {
			return nil, ErrBudget
		}
	}
	return found, nil
}

// bind returns the arguments with which a node and all below it in the pattern match at
// a token; none, if it does not. Each pair of a node and a token that fits is followed once.
func (c *climber) bind(n *node, at int) []pair {
	if !n.test.holds(c.view, at) { // at most tokens, and sooner said than looked up
		return nil
	}
	key := [2]int{n.id, at}
	if known, ok := c.known[key]; ok || c.steps > maxSteps {
		return known
	}
	c.steps++
	own := pair{-1, -1}
	switch n.name {
	case subject:
		own[0] = at
	case object:
		own[1] = at
	}
	all := c.follow(n.links, at, []pair{own})
	c.known[key] = all
	return all
}

// follow returns the arguments of a token joined with those of what its links lead to.
func (c *climber) follow(links []link, at int, all []pair) []pair {
	for k := range links {
		l := &links[k]
		var reached []pair
		for _, to := range c.reach(l, at) {
			reached = append(reached, c.bind(l.to, to)...)
		}
		if l.not {
			if len(reached) > 0 {
				return nil
			}
			continue
		}
		slices.SortFunc(reached, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
		reached = slices.Compact(reached)
		if c.steps += len(all) * len(reached); c.steps > maxSteps {
			return nil
		}
		var joined []pair
		for _, a := range all {
			for _, b := range reached { // at most one of them has each argument
				joined = append(joined, pair{max(a[0], b[0]), max(a[1], b[1])})
			}
		}
		all = joined
	}
	return all
}

// reach returns the tokens that a link leads to.
func (c *climber) reach(l *link, at int) []int {
	up := func(k int) int {
		if t := c.doc.Tokens[k]; t.DepRel != "" && t.Head >= c.first && t.Head < c.end && t.Head != k {
			return t.Head
		}
		return -1
	}
	var all []int
	switch l.way {
	case ">":
		for _, k := range c.children[at-c.first] {
			if l.related(c, k) {
				all = append(all, k)
			}
		}
	case "<":
		if h := up(at); h >= 0 && l.related(c, at) {
			all = append(all, h)
		}
	case "<<":
		if l.related(c, at) {
			// A tree has no circle; what is none ends here all the same.
			for h, n := up(at), c.first; h >= 0 && n < c.end; h, n = up(h), n+1 {
				all = append(all, h)
			}
		}
	default:
		seen := map[int]bool{at: true}
		for below := slices.Clone(c.children[at-c.first]); len(below) > 0; below = below[1:] {
			if k := below[0]; !seen[k] {
				seen[k] = true
				below = append(below, c.children[k-c.first]...)
				if l.related(c, k) {
					all = append(all, k)
				}
			}
		}
	}
	c.steps += len(all)
	return all
}

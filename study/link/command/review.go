package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sotto/study/link"
)

// This part of the package lets a person look over a division, decide on pairs that are in doubt,
// and divide again.
//
// What is in doubt comes first: clusters by their weakest pair, and nodes that were
// nearly put elsewhere by what that would have cost. A decision is kept whatever it
// costs, as a pair that must or must not share a cluster.
//
//	d, err := NewDesk(ctx, subject, link.Options{})
//	view := d.View(Page{})
//	err = d.Decide(ctx, Decision{I: 3, J: 7, Say: Apart})

// Subject is what is divided.
type Subject struct {
	Graph   link.Graph // its must and cannot links hold beside all decisions
	Names   []string   // of the nodes
	Columns []string   // names of the fields; none where nothing is known of nodes
	Fields  [][]string // of each node
	// Reasons says what speaks for and against two nodes being one, the strongest first;
	// nil where weights are all that is known.
	Reasons func(i, j int) []Reason
}

// Reason is what a comparison says: above zero it speaks for the same.
type Reason struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Say is what was decided of a pair.
type Say string

// What can be decided.
const (
	Same    Say = "same"
	Apart   Say = "apart"
	Nothing Say = "nothing" // a decision is taken back
)

// Decision is a pair and what was decided of it.
type Decision struct {
	I   int `json:"i"`
	J   int `json:"j"`
	Say Say `json:"say"`
}

// Desk is a division under review. It is safe for concurrent use.
type Desk struct {
	subject Subject
	options link.Options

	mu        sync.Mutex // guards the rest
	decisions []Decision
	solution  link.Solution
	took      time.Duration
}

// NewDesk divides for the first time.
func NewDesk(ctx context.Context, s Subject, o link.Options) (*Desk, error) {
	if len(s.Names) != s.Graph.Nodes || len(s.Columns) > 0 && len(s.Fields) != s.Graph.Nodes {
		return nil, fmt.Errorf("review: %d names and %d rows of fields for %d nodes, must be one each", len(s.Names), len(s.Fields), s.Graph.Nodes)
	}
	d := &Desk{subject: s, options: o}
	return d, d.solve(ctx, nil)
}

// Decide enters a decision, or several at once, in the place of what was decided of the
// same pairs, and divides again. If that cannot be, because decisions contradict each
// other, nothing changes.
func (d *Desk) Decide(ctx context.Context, all ...Decision) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := slices.Clone(d.decisions)
	for _, one := range all {
		n := d.subject.Graph.Nodes
		if one.I < 0 || one.J < 0 || one.I >= n || one.J >= n || one.I == one.J {
			return errors.New("review: a decision is of two different nodes that there are")
		}
		if one.Say != Same && one.Say != Apart && one.Say != Nothing {
			return fmt.Errorf("review: decision is %q, must be %s, %s or %s", string(one.Say), Same, Apart, Nothing)
		}
		one.I, one.J = min(one.I, one.J), max(one.I, one.J)
		next = slices.DeleteFunc(next, func(x Decision) bool { return x.I == one.I && x.J == one.J })
		if one.Say != Nothing {
			next = append(next, one)
		}
	}
	return d.solve(ctx, next)
}

// ErrContradiction is wrapped by what Decide returns if decisions cannot all hold.
var ErrContradiction = errors.New("this contradicts what was decided before: take one of the decisions back")

// solve divides with decisions, and keeps both if that succeeds.
func (d *Desk) solve(ctx context.Context, decisions []Decision) error {
	g := d.graph(decisions)
	if contradicts(g) {
		return ErrContradiction
	}
	begun := time.Now()
	s, err := link.Solve(ctx, g, d.options)
	if err != nil {
		return err
	}
	d.decisions, d.solution, d.took = decisions, s, time.Since(begun)
	return nil
}

// graph is the subject's with decisions.
func (d *Desk) graph(decisions []Decision) link.Graph {
	g := d.subject.Graph
	g.Must, g.Cannot = slices.Clone(g.Must), slices.Clone(g.Cannot)
	for _, one := range decisions {
		if one.Say == Same {
			g.Must = append(g.Must, link.Pair{one.I, one.J})
		} else {
			g.Cannot = append(g.Cannot, link.Pair{one.I, one.J})
		}
	}
	return g
}

// contradicts reports whether must links join what cannot be one.
func contradicts(g link.Graph) bool {
	root := groups(g)
	return slices.ContainsFunc(g.Cannot, func(p link.Pair) bool { return root[p[0]] == root[p[1]] })
}

// groups gives nodes that must share a cluster the same number.
func groups(g link.Graph) []int { return link.Groups(g.Nodes, g.Must) }

// Labels returns the cluster of each node.
func (d *Desk) Labels() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.solution.Labels)
}

// Decisions lists what was decided, in order.
func (d *Desk) Decisions() []Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.decisions)
}

// Subject returns what is divided.
func (d *Desk) Subject() Subject { return d.subject }

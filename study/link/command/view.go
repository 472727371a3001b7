package link

import (
	"cmp"
	"math"
	"slices"

	"sotto/study/link"
)

// Page says how much of what is in doubt is shown.
type Page struct {
	Clusters int `json:"clusters"` // 0 means 20
	Misses   int `json:"misses"`   // 0 means 20
}

// node is a node as a person knows it.
type node struct {
	ID     int      `json:"id"`
	Name   string   `json:"name"`
	Fields []string `json:"fields,omitempty"`
}

// Pair is two nodes and what is known of them.
type Pair struct {
	I int `json:"i"`
	J int `json:"j"`
	// Weight is what the pair costs inside a cluster, below zero if it attracts, and
	// Same the probability that says so; both are absent if nothing is known.
	Weight    *float64 `json:"weight"`
	Same      *float64 `json:"same"`
	Forbidden bool     `json:"forbidden,omitempty"` // nothing is known, and that forbids
	Reasons   []Reason `json:"reasons,omitempty"`
}

// cluster is one of several nodes.
type cluster struct {
	Nodes   []node  `json:"nodes"`
	Cost    float64 `json:"cost"`
	Weakest *Pair   `json:"weakest,omitempty"` // of the pairs that nobody has decided; nil if there is none
}

// miss is a node that was kept out of a cluster.
type miss struct {
	Node    node    `json:"node"`
	Cluster []node  `json:"cluster"`
	Joining float64 `json:"joining"` // what the terms cost
	Leaving float64 `json:"leaving"` // what is lost of the pairs that the node has now
	Total   float64 `json:"total"`
	Refused bool    `json:"refused,omitempty"` // only a pair without a score keeps it out
	Terms   []Pair  `json:"terms"`
	Nearest Pair    `json:"nearest"` // the term that attracts the most, with its reasons
}

// View is a division as a person looks it over.
type View struct {
	Nodes     int       `json:"nodes"`
	Edges     int       `json:"edges"`
	Clusters  int       `json:"clusters"`
	Alone     int       `json:"alone"` // clusters of one node
	Objective float64   `json:"objective"`
	Optimal   bool      `json:"optimal"`
	Gap       float64   `json:"gap"`
	Seconds   float64   `json:"seconds"` // that dividing took
	Columns   []string  `json:"columns"`
	Weak      []cluster `json:"weak"` // of two nodes and more, the weakest first
	Misses    []miss    `json:"misses"`
	Decisions []decided `json:"decisions"`
	Of        [2]int    `json:"of"` // how many clusters and misses there are in all
}

// decided is a decision with its nodes.
type decided struct {
	Decision
	First  node `json:"first"`
	Second node `json:"second"`
}

// standard is how much is shown if nothing is said.
const standard = 20

// View returns what is in doubt, that which is most first. What was decided comes last.
func (d *Desk) View(p Page) View {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.graph(d.decisions)
	division, group := link.NewDivision(g, d.solution.Labels), groups(g)
	s := d.solution
	v := View{
		Nodes: g.Nodes, Edges: len(g.Edges), Objective: s.Objective, Optimal: s.Optimal, Gap: s.Gap, Seconds: d.took.Seconds(),
		Columns: d.subject.Columns, Weak: []cluster{}, Misses: []miss{}, Decisions: []decided{},
	}
	for _, nodes := range link.Clusters(s.Labels) {
		v.Clusters++
		if len(nodes) == 1 {
			v.Alone++
			continue
		}
		v.Weak = append(v.Weak, d.cluster(division, group, nodes))
	}
	slices.SortStableFunc(v.Weak, func(a, b cluster) int { return cmp.Compare(doubt(b), doubt(a)) })
	misses := d.misses(division, group)
	v.Of = [2]int{len(v.Weak), len(misses)}
	v.Weak = v.Weak[:min(len(v.Weak), cmp.Or(p.Clusters, standard))]
	for k := range v.Weak {
		if w := v.Weak[k].Weakest; w != nil {
			w.Reasons = d.reasons(w.I, w.J)
		}
	}
	for _, c := range misses[:min(len(misses), cmp.Or(p.Misses, standard))] {
		v.Misses = append(v.Misses, d.miss(c))
	}
	for _, one := range d.decisions {
		v.Decisions = append(v.Decisions, decided{one, d.node(one.I), d.node(one.J)})
	}
	return v
}

// doubt orders clusters: by the weight of the weakest pair, and those last of which all
// is decided.
func doubt(c cluster) float64 {
	switch {
	case c.Weakest == nil:
		return math.Inf(-1)
	case c.Weakest.Weight == nil:
		return 0
	}
	return *c.Weakest.Weight
}

func (d *Desk) node(i int) node {
	n := node{ID: i, Name: d.subject.Names[i]}
	if len(d.subject.Columns) > 0 {
		n.Fields = d.subject.Fields[i]
	}
	return n
}

func (d *Desk) nodes(all []int) []node {
	out := make([]node, len(all))
	for k, i := range all {
		out[k] = d.node(i)
	}
	return out
}

func (d *Desk) reasons(i, j int) []Reason {
	if d.subject.Reasons == nil {
		return nil
	}
	return d.subject.Reasons(i, j)
}

// pair makes of a term what a person sees.
func pair(t link.Term) Pair {
	p := Pair{I: t.I, J: t.J, Forbidden: t.Forbidden && !t.Known}
	if t.Known {
		p.Weight = &t.Weight
		if same := (1 - t.Weight) / 2; same >= 0 && same <= 1 {
			p.Same = &same
		}
	}
	return p
}

// cluster finds the weakest pair of a cluster that nobody has decided.
func (d *Desk) cluster(division *link.Division, group, nodes []int) cluster {
	c := cluster{Nodes: d.nodes(nodes)}
	for x, i := range nodes {
		for _, j := range nodes[x+1:] {
			t := division.Term(i, j)
			c.Cost += t.Weight
			if group[i] == group[j] {
				continue
			}
			if p := pair(t); c.Weakest == nil || doubt(cluster{Weakest: &p}) > doubt(c) {
				c.Weakest = &p
			}
		}
	}
	return c
}

// misses lists the nodes that were nearly put elsewhere, but for those of which that
// was decided: a node that must stay with others, or must not join them.
func (d *Desk) misses(division *link.Division, group []int) []link.Change {
	apart, size := make(map[link.Pair]bool), make(map[int]int)
	for _, one := range d.decisions {
		if a, b := group[one.I], group[one.J]; one.Say == Apart {
			apart[link.Pair{min(a, b), max(a, b)}] = true
		}
	}
	for _, g := range group {
		size[g]++
	}
	return slices.DeleteFunc(division.NearMisses(math.MaxInt), func(c link.Change) bool {
		return size[group[c.Node]] > 1 || slices.ContainsFunc(c.Terms, func(t link.Term) bool {
			a, b := group[t.I], group[t.J]
			return apart[link.Pair{min(a, b), max(a, b)}]
		})
	})
}

func (d *Desk) miss(c link.Change) miss {
	m := miss{Node: d.node(c.Node), Cluster: d.nodes(c.Nodes), Joining: c.Joining, Leaving: c.Leaving, Total: c.Total, Refused: c.Refusals > 0}
	nearest := -1
	for k, t := range c.Terms {
		m.Terms = append(m.Terms, pair(t))
		if t.Known && (nearest < 0 || t.Weight < c.Terms[nearest].Weight) {
			nearest = k
		}
	}
	m.Nearest = m.Terms[max(nearest, 0)]
	m.Nearest.Reasons = d.reasons(m.Nearest.I, m.Nearest.J)
	return m
}

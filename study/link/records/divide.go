package records

import (
	"cmp"
	"context"
	"math"
	"slices"

	"sotto/study/link"
)

// A group is rows that are probably one, or connected by such rows.
type group struct {
	rows  []int32
	whole bool // all of its pairs are compared
}

// mostDivided is how many rows are divided at a time, unless one group has more.
const mostDivided = 1 << 14

// keepAll is how many pairs are all kept for whoever asks why; leastKept is, in
// millionths, the weight above which others are not.
const (
	keepAll   = 500_000
	leastKept = 900_000 // 5 %
)

// divide divides each group of rows, some groups at a time.
func (e *engine) divide(ctx context.Context, r *Result) error {
	groups := e.groups()
	e.complete(groups, r)
	batches, of := batched(groups)
	inside, err := e.inside(ctx, r, len(batches), of)
	if err != nil {
		return err
	}
	defer inside.Close()
	r.Labels = make([]int, e.n)
	for i := range r.Labels {
		r.Labels[i] = i
	}
	r.Optimal = true
	done := 0
	for b, some := range batches {
		edges, err := inside.Read(b, nil)
		if err != nil {
			return err
		}
		n, err := e.divideSome(ctx, r, some, edges)
		if err != nil {
			return err
		}
		done += n
		if e.o.Progress != nil {
			e.o.Progress(done, len(of))
		}
	}
	r.Labels = link.Canonical(r.Labels)
	r.Graph.Nodes, r.Graph.Unknown, r.Graph.Must, r.Graph.Cannot = e.n, e.o.Unknown, e.o.Must, e.o.Cannot
	slices.SortFunc(r.Graph.Edges, func(a, b link.Edge) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	if r.Optimal = r.Open == 0 && r.Objective-r.Bound <= 1e-9*max(1, math.Abs(r.Objective)); !r.Optimal {
		r.Gap = 1
		if r.Objective != 0 {
			r.Gap = (r.Objective - r.Bound) / math.Abs(r.Objective)
		}
	}
	return nil
}

// groups lists those of two rows and more, by their first row.
func (e *engine) groups() []group {
	size := make([]int32, e.n)
	for i := range e.set {
		size[e.root(uint32(i))]++
	}
	at := make(map[uint32]int)
	var out []group
	for i := range e.set {
		k := e.root(uint32(i))
		if size[k] < 2 {
			continue
		}
		g, ok := at[k]
		if !ok {
			g = len(out)
			at[k] = g
			out = append(out, group{rows: make([]int32, 0, size[k])})
		}
		out[g].rows = append(out[g].rows, int32(i))
	}
	return out
}

// complete chooses the groups of which all pairs are compared, the smallest first, as
// long as these are not more pairs than were wanted in all.
func (e *engine) complete(groups []group, r *Result) {
	order := make([]int, len(groups))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(groups[a].rows), len(groups[b].rows)) })
	left := max(e.o.Pairs, 10*e.n, 3_000_000)
	for _, k := range order {
		n := len(groups[k].rows)
		if left -= n * (n - 1) / 2; left < 0 {
			r.Blocks.Open++
			continue
		}
		groups[k].whole = true
	}
}

// batched puts groups together, and says in which batch each row is, of those that are
// in one.
func batched(groups []group) (batches [][]group, of map[int32]int32) {
	of = make(map[int32]int32)
	rows := 0
	for _, g := range groups {
		if len(batches) == 0 || rows+len(g.rows) > mostDivided {
			batches = append(batches, nil)
			rows = 0
		}
		rows += len(g.rows)
		b := len(batches) - 1
		batches[b] = append(batches[b], g)
		for _, i := range g.rows {
			of[i] = int32(b)
		}
	}
	return batches, of
}

// inside gives every batch the pairs inside of its groups, and keeps some of the others.
func (e *engine) inside(ctx context.Context, r *Result, batches int, of map[int32]int32) (*spool, error) {
	out := newSpool(max(1, batches))
	var buf []entry
	for p := range e.scored.Parts() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pairs, err := e.scored.Read(p, buf)
		if err != nil {
			return nil, err
		}
		buf = pairs
		for _, x := range pairs {
			i, j := Pair(x.Key)
			if e.root(i) == e.root(j) {
				if err := out.Add(int(of[int32(i)]), x); err != nil {
					return nil, err
				}
			} else if w := int32(x.Value); r.Pairs <= keepAll || w <= leastKept {
				r.Graph.Edges = append(r.Graph.Edges, edge(x.Key, w))
			}
		}
	}
	return out, nil
}

// edge is a pair as package link has it.
func edge(key uint64, w int32) link.Edge {
	i, j := Pair(key)
	return link.Edge{I: int(i), J: int(j), Weight: float64(w) / millionths}
}

// divideSome divides some groups, and returns how many rows they have.
func (e *engine) divideSome(ctx context.Context, r *Result, groups []group, pairs []entry) (int, error) {
	more, err := e.missing(r.Model, groups, pairs)
	if err != nil {
		return 0, err
	}
	r.Blocks.Completed += len(more)
	pairs = append(pairs, more...)
	sort(pairs)
	var rows []int32
	for _, g := range groups {
		rows = append(rows, g.rows...)
	}
	at := make(map[int]int, len(rows)) // in the graph of these groups alone
	for k, i := range rows {
		at[int(i)] = k
	}
	g := link.Graph{Nodes: len(rows), Unknown: e.o.Unknown, Must: some(e.o.Must, at), Cannot: some(e.o.Cannot, at)}
	for _, x := range pairs {
		d := edge(x.Key, int32(x.Value))
		r.Graph.Edges = append(r.Graph.Edges, d)
		g.Edges = append(g.Edges, link.Edge{I: at[d.I], J: at[d.J], Weight: d.Weight})
	}
	o := e.o.Options
	o.Progress = nil
	s, err := link.Solve(ctx, g, o)
	if err != nil {
		return 0, err
	}
	var first []int32 // row of each cluster, which are numbered in this order
	for k, l := range s.Labels {
		if l == len(first) {
			first = append(first, rows[k])
		}
		r.Labels[rows[k]] = e.n + int(first[l])
	}
	r.Objective += s.Objective
	r.Bound += s.Bound
	r.Parts += s.Parts
	r.Largest = max(r.Largest, s.Largest)
	r.Open += s.Open
	r.Work += s.Work
	return len(rows), nil
}

// some are the pairs of which both rows are in the graph.
func some(pairs []link.Pair, at map[int]int) (out []link.Pair) {
	for _, p := range pairs {
		i, ok := at[p[0]]
		j, both := at[p[1]]
		if ok && both {
			out = append(out, link.Pair{i, j})
		}
	}
	return out
}

// missing compares the pairs of whole groups that share no key.
func (e *engine) missing(m *Model, groups []group, pairs []entry) ([]entry, error) {
	have := make(map[uint64]bool, len(pairs))
	for _, x := range pairs {
		have[x.Key] = true
	}
	never := e.never()
	var out []entry
	var need []int
	for _, g := range groups {
		if !g.whole || len(g.rows) < 3 {
			continue
		}
		before := len(out)
		for x, j := range g.rows {
			for _, i := range g.rows[:x] {
				if key := key(uint32(i), uint32(j)); !have[key] && (never == nil || !never(uint32(i), uint32(j))) {
					out = append(out, entry{Key: key})
				}
			}
		}
		if len(out) > before {
			for _, i := range g.rows {
				need = append(need, int(i))
			}
		}
	}
	rows, err := e.load(need)
	if err != nil {
		return nil, err
	}
	for k, z := range e.logits(m, out, func(i uint32) *row { return rows[int(i)] }) {
		out[k].Value = uint32(weigh(z))
	}
	return out, nil
}

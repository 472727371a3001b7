package link_test

import (
	"math"
	weakrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"sotto/study/link"
)

// random draws a graph with all that a graph can have. Weights have one decimal
// place, so that sums of them are compared without tolerance but for that of float64.
func random(rng *weakrand.Rand, nodes int, dense float64) link.Graph {
	g := link.Graph{Nodes: nodes, Unknown: link.Unknowns()[rng.IntN(3)]}
	if g.Unknown == link.Penalty {
		g.Penalty = 0.3
	}
	for i := range nodes {
		for j := range i {
			if rng.Float64() < dense {
				g.Edges = append(g.Edges, link.Edge{I: i, J: j, Weight: math.Round(20*rng.Float64()-11) / 10})
			}
			switch rng.IntN(15 * nodes) {
			case 0:
				g.Must = append(g.Must, link.Pair{i, j})
			case 1:
				g.Cannot = append(g.Cannot, link.Pair{i, j})
			}
		}
	}
	return g
}

// allowed reports whether a division keeps to must and cannot links, and, where
// unknown pairs are forbidden, to that, but for pairs that must links made one.
func allowed(g link.Graph, labels []int) bool {
	for _, p := range g.Must {
		if labels[p[0]] != labels[p[1]] {
			return false
		}
	}
	for _, p := range g.Cannot {
		if labels[p[0]] == labels[p[1]] {
			return false
		}
	}
	if g.Unknown != link.Forbidden {
		return true
	}
	one := make([]int, g.Nodes)
	for i := range one {
		one[i] = i
	}
	for range g.Must { // as often as a chain of must links can be long
		for _, p := range g.Must {
			low := min(one[p[0]], one[p[1]])
			one[p[0]], one[p[1]] = low, low
		}
	}
	known := map[link.Pair]bool{}
	for _, e := range g.Edges {
		known[link.Pair{min(e.I, e.J), max(e.I, e.J)}] = true
	}
	for i := range labels {
		for j := range i {
			if labels[i] == labels[j] && one[i] != one[j] && !known[link.Pair{j, i}] {
				return false
			}
		}
	}
	return true
}

// brute looks at every division.
func brute(g link.Graph) float64 {
	best := math.Inf(1)
	labels := make([]int, g.Nodes)
	var divide func(i, k int)
	divide = func(i, k int) {
		if i == g.Nodes {
			if c := g.Cost(labels); c < best && allowed(g, labels) {
				best = c
			}
			return
		}
		for l := range k + 1 {
			labels[i] = l
			divide(i+1, max(k, l+1))
		}
	}
	divide(0, 0)
	return best
}

func TestSolveIsExact(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	for k := range 300 {
		g := random(rng, 1+k%8, 0.4+0.6*rng.Float64())
		want := brute(g)
		s, err := link.Solve(t.Context(), g, link.Options{})
		if math.IsInf(want, 1) {
			if err == nil || !strings.Contains(err.Error(), "contradicts the must links") {
				t.Errorf("graph %d: Solve error = %v, want a contradiction", k, err)
			}
			continue
		}
		if err != nil || !s.Optimal || s.Bound != s.Objective || math.Abs(s.Objective-want) > 1e-9 {
			t.Fatalf("graph %d: objective %v, bound %v, optimal %v, %v; want %v of %+v", k, s.Objective, s.Bound, s.Optimal, err, want, g)
		}
		if !allowed(g, s.Labels) || math.Abs(g.Cost(s.Labels)-s.Objective) > 1e-9 {
			t.Fatalf("graph %d: %v is not allowed or costs %v, not %v", k, s.Labels, g.Cost(s.Labels), s.Objective)
		}
	}
}

// A search that gives up early has a bound that holds all the same, and gives up the
// same way each time, on one core or more.
func TestSolveGivesUp(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(2, 1))
	open := 0
	for range 4 {
		g := random(rng, 30, 0.9)
		g.Must, g.Cannot = nil, nil
		best, err := link.Solve(t.Context(), g, link.Options{Work: 1e7})
		if err != nil {
			t.Fatal(err)
		}
		soon, err := link.Solve(t.Context(), g, link.Options{Work: 1000})
		again, _ := link.Solve(t.Context(), g, link.Options{Work: 1000, Workers: 1})
		if err != nil || !reflect.DeepEqual(soon, again) {
			t.Errorf("a second search found %+v, the first %+v, %v", again, soon, err)
		}
		if soon.Bound > best.Objective || soon.Objective < best.Bound || !(soon.Gap >= 0) || soon.Optimal != (soon.Gap == 0) {
			t.Errorf("with little work %v to %v, gap %v, with more %v to %v", soon.Bound, soon.Objective, soon.Gap, best.Bound, best.Objective)
		}
		if !soon.Optimal {
			open++
		}
	}
	if open == 0 {
		t.Error("every search ended in time, so that nothing was tested")
	}
}

// Weights whose decimal places do not fit are rounded, and the bound says so.
func TestSolveRounds(t *testing.T) {
	g := link.Graph{Nodes: 3, Edges: []link.Edge{{I: 0, J: 1, Weight: -1e8 / 3}, {I: 1, J: 2, Weight: -1e-17}, {I: 0, J: 2, Weight: 1}}}
	s, err := link.Solve(t.Context(), g, link.Options{})
	if want := -1e8 / 3; err != nil || s.Objective != want || !(s.Bound < want) || want-s.Bound > 1e-6 || !s.Optimal {
		t.Errorf("objective %v, bound %v, optimal %v, %v; want %v and a little less", s.Objective, s.Bound, s.Optimal, err, want)
	}
}

// CBC finds what we find.
func TestSolveAgainstCBC(t *testing.T) {
	if _, err := exec.LookPath("cbc"); err != nil {
		t.Skip("cbc is not installed: coinor-cbc of Debian has it")
	}
	rng := weakrand.New(weakrand.NewPCG(3, 1))
	for k := range 3 {
		g := random(rng, 10+k, 0.8)
		g.Must, g.Cannot = nil, nil
		s, err := link.Solve(t.Context(), g, link.Options{})
		if err != nil || !s.Optimal {
			t.Fatalf("optimal %v, %v", s.Optimal, err)
		}
		if got := cbc(t, g); math.Abs(got-s.Objective) > 1e-6 {
			t.Errorf("graph %d: cbc finds %v, we find %v", k, got, s.Objective)
		}
	}
}

// cbc writes the classic integer program, three inequalities a triangle, and
// returns what the solver prints as its optimum.
func cbc(t *testing.T, g link.Graph) float64 {
	t.Helper()
	name := func(i, j int) string { return "x" + strconv.Itoa(min(i, j)) + "_" + strconv.Itoa(max(i, j)) }
	known := map[string]float64{}
	for _, e := range g.Edges {
		known[name(e.I, e.J)] = e.Weight
	}
	var objective, rows, binaries strings.Builder
	for i := range g.Nodes {
		for j := i + 1; j < g.Nodes; j++ {
			w, ok := known[name(i, j)]
			if !ok {
				w = g.Penalty
			}
			objective.WriteString(" + " + strconv.FormatFloat(w, 'f', -1, 64) + " " + name(i, j) + "\n")
			binaries.WriteString(" " + name(i, j) + "\n")
			if !ok && g.Unknown == link.Forbidden {
				rows.WriteString(" " + name(i, j) + " = 0\n")
			}
			for k := range g.Nodes {
				if k != i && k != j {
					rows.WriteString(" " + name(i, k) + " + " + name(j, k) + " - " + name(i, j) + " <= 1\n")
				}
			}
		}
	}
	file := filepath.Join(t.TempDir(), "graph.lp")
	text := "Minimize\n cost:" + strings.ReplaceAll(objective.String(), "+ -", "- ") + "Subject To\n" + rows.String() + "Binaries\n" + binaries.String() + "End\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "cbc", file, "solve").CombinedOutput()
	if err != nil {
		t.Fatalf("cbc: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "Objective value:"); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("cbc found no optimum:\n%s", out)
	return 0
}

func TestSolveRefuses(t *testing.T) {
	edge := func(i, j int, w float64) []link.Edge { return []link.Edge{{I: i, J: j, Weight: w}} }
	for want, g := range map[string]link.Graph{
		"nodes is -1":                          {Nodes: -1},
		"nodes are 0 and 2, must be two of 0":  {Nodes: 2, Edges: edge(0, 2, 1)},
		"nodes are 1 and 1":                    {Nodes: 2, Edges: edge(1, 1, 1)},
		"weight is NaN":                        {Nodes: 2, Edges: edge(0, 1, math.NaN())},
		"weight is -Inf":                       {Nodes: 2, Edges: edge(0, 1, math.Inf(-1))},
		"has an edge already":                  {Nodes: 2, Edges: append(edge(0, 1, 1), edge(1, 0, 1)...)},
		"more than 2.8e17":                     {Nodes: 2, Edges: edge(0, 1, 1e300)},
		`unknown is "maybe"`:                   {Unknown: "maybe"},
		"penalty is 0, must be positive":       {Unknown: link.Penalty},
		"penalty is 1, must be positive":       {Penalty: 1},
		"penalty is NaN":                       {Unknown: link.Penalty, Penalty: math.NaN()},
		"must link 0: nodes are 0 and 5":       {Nodes: 2, Must: []link.Pair{{0, 5}}},
		"cannot link 0: nodes are 0 and 0":     {Nodes: 2, Cannot: []link.Pair{{0, 0}}},
		"cannot link 0, of nodes 0 and 2, con": {Nodes: 3, Must: []link.Pair{{0, 1}, {1, 2}}, Cannot: []link.Pair{{0, 2}}},
	} {
		if _, err := link.Solve(t.Context(), g, link.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Solve(%+v) error = %v, want %q", g, err, want)
		}
	}
}

package link

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"sotto/data/table"
)

// This part of the package reads graphs of scored pairs, and who truly is one, from files
// of rows with named columns, compressed or not.
//
// Edges have the columns i, j and weight, or i, j and probability. The truth has the
// columns node, record and entity, a row for each record, with node −1 or nothing
// for a record that is no node of the graph; every other column of it is another
// division of the same records, to compare with.

// GraphFile is a graph whose nodes have names.
type GraphFile struct {
	Names []string // of the nodes: in order of number if all are numbers, else as they appear
	Edges []Edge

	node map[string]int
}

// Graph returns the graph. Its nodes are places in f.Names.
func (f *GraphFile) Graph() Graph { return Graph{Nodes: len(f.Names), Edges: f.Edges} }

// Node returns the node of a name.
func (f *GraphFile) Node(name string) (int, error) {
	if i, ok := f.node[name]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("node is %q, must be one of the %d nodes of the graph", name, len(f.Names))
}

// enter returns the node of a name, which may be new.
func (f *GraphFile) enter(name string) int {
	i, ok := f.node[name]
	if !ok {
		i = len(f.Names)
		f.node[name] = i
		f.Names = append(f.Names, name)
	}
	return i
}

// ReadEdges reads the edges of a graph.
func ReadEdges(path string) (*GraphFile, error) {
	f := &GraphFile{node: make(map[string]int)}
	seen := make(map[Pair]bool)
	err := rows(path, []string{"i", "j"}, [][]string{{"weight"}, {"probability"}}, func(r *table.Reader, row []string, other []string) error {
		if row[0] == "" || row[1] == "" || row[0] == row[1] {
			return r.Bad("i and j must be the names of two nodes")
		}
		w, err := strconv.ParseFloat(row[2], 64)
		if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
			return r.Bad(other[0] + " must be a finite number")
		}
		if other[0] == "probability" {
			if !(w >= 0 && w <= 1) {
				return r.Bad("probability must be from 0 to 1")
			}
			w = 1 - 2*w
		}
		i, j := f.enter(row[0]), f.enter(row[1])
		p := Pair{min(i, j), max(i, j)}
		if seen[p] {
			return r.Bad("the pair stands in a row above, must stand in one")
		}
		seen[p] = true
		f.Edges = append(f.Edges, Edge{I: i, J: j, Weight: w})
		return nil
	})
	if err != nil {
		return nil, err
	}
	f.sort()
	return f, nil
}

// sort puts nodes into the order of their numbers, if all are numbers.
func (f *GraphFile) sort() {
	number := make([]int, len(f.Names))
	for i, name := range f.Names {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || strconv.Itoa(n) != name {
			return
		}
		number[i] = n
	}
	order := make([]int, len(number))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return number[x] - number[y] })
	place, names := make([]int, len(order)), make([]string, len(order))
	for to, from := range order {
		place[from], names[to] = to, f.Names[from]
		f.node[f.Names[from]] = to
	}
	f.Names = names
	for k, e := range f.Edges {
		f.Edges[k].I, f.Edges[k].J = place[e.I], place[e.J]
	}
}

// rows calls f with the wanted columns of every row, and after them one of several
// sets of others, the first that the file has; an empty set of alternatives takes
// all other columns.
func rows(path string, wanted []string, others [][]string, f func(r *table.Reader, row, other []string) error) (err error) {
	r, err := table.Open(path, table.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var other []string
	if others == nil {
		for _, c := range r.Columns() {
			if !slices.Contains(wanted, c) {
				other = append(other, c)
			}
		}
	}
	for _, set := range others {
		if slices.Contains(r.Columns(), set[0]) {
			other = set
			break
		}
	}
	if others != nil && other == nil {
		return fmt.Errorf("%s: columns are %s, must be i, j and weight, or i, j and probability", path, table.Listed(r.Columns()))
	}
	if others != nil {
		for _, c := range r.Columns() {
			if !slices.Contains(wanted, c) && !slices.Contains(other, c) {
				return fmt.Errorf("%s: columns are %s, must be %v and %s alone", path, table.Listed(r.Columns()), wanted, other[0])
			}
		}
	}
	if err = r.Select(append(slices.Clone(wanted), other...)...); err != nil {
		return err
	}
	var fields []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fields = fields[:0]
		for _, v := range row {
			fields = append(fields, v.Text)
		}
		if err := f(r, fields, other); err != nil {
			return err
		}
	}
}

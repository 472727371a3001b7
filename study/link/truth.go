package link

import (
	"fmt"

	"sotto/data/table"
)

// A Truth says of every record whose it is.
type Truth struct {
	Node     []int               // of each record, or −1 if it is none
	Record   []string            // name of the record
	Entity   []string            // whose it is
	Division map[string][]string // other divisions of the records, by the name of their column
	Names    []string            // of those divisions, as in the file
}

// Truth reads the truth of a graph. A node that is in no edge becomes one of f.
func (f *GraphFile) Truth(path string) (*Truth, error) {
	t := &Truth{Division: make(map[string][]string)}
	seen := make(map[int]bool)
	err := rows(path, []string{"node", "record", "entity"}, nil, func(r *table.Reader, row, other []string) error {
		node := -1
		if row[0] != "" && row[0] != "-1" {
			node = f.enter(row[0])
			if seen[node] {
				return r.Bad("the node stands in a row above, must stand in one")
			}
			seen[node] = true
		}
		if row[2] == "" {
			return r.Bad("entity must not be empty")
		}
		t.Node = append(t.Node, node)
		t.Record = append(t.Record, row[1])
		t.Entity = append(t.Entity, row[2])
		for k, name := range other {
			t.Division[name] = append(t.Division[name], row[3+k])
		}
		t.Names = other
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(seen) < len(f.Names) {
		return nil, fmt.Errorf("%s: has %d nodes of the graph, must have all %d", path, len(seen), len(f.Names))
	}
	return t, nil
}

// Entities numbers the entities of the records.
func (t *Truth) Entities() []int { return number(t.Entity) }

// Other numbers the clusters of another division. A record of which it says
// nothing, or −1, is alone.
func (t *Truth) Other(name string) []int {
	label := number(t.Division[name])
	next := len(label)
	for k, v := range t.Division[name] {
		if v == "" || v == "-1" {
			label[k] = next
			next++
		}
	}
	return label
}

// Records gives each record the cluster of its node. One that is no node is alone.
func (t *Truth) Records(labels []int) []int {
	out := make([]int, len(t.Node))
	next := 0
	for _, l := range labels {
		next = max(next, l+1)
	}
	for k, i := range t.Node {
		if i >= 0 {
			out[k] = labels[i]
			continue
		}
		out[k] = next
		next++
	}
	return out
}

// OfNodes keeps of the labels of records those of nodes.
func (t *Truth) OfNodes(labels []int) []int {
	var out []int
	for k, i := range t.Node {
		if i >= 0 {
			out = append(out, labels[k])
		}
	}
	return out
}

// number gives equal words equal numbers.
func number(words []string) []int {
	seen := make(map[string]int)
	out := make([]int, len(words))
	for k, w := range words {
		n, ok := seen[w]
		if !ok {
			n = len(seen)
			seen[w] = n
		}
		out[k] = n
	}
	return out
}

// Division reads a cluster for every node, as "sotto link graph --out" writes them.
func (f *GraphFile) Division(path string) ([]int, error) {
	cluster := make(map[int]string)
	err := rows(path, []string{"node", "cluster"}, nil, func(r *table.Reader, row, _ []string) error {
		i, err := f.Node(row[0])
		if err != nil {
			return r.Bad("node must be one of the graph")
		}
		if _, ok := cluster[i]; ok {
			return r.Bad("the node stands in a row above, must stand in one")
		}
		cluster[i] = row[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(cluster) < len(f.Names) {
		return nil, fmt.Errorf("%s: has %d nodes of the graph, must have all %d", path, len(cluster), len(f.Names))
	}
	words := make([]string, len(f.Names))
	for i, c := range cluster {
		words[i] = c
	}
	return number(words), nil
}

// Pairs reads pairs of nodes, from the columns i and j.
func (f *GraphFile) Pairs(path string) ([]Pair, error) {
	var out []Pair
	err := rows(path, []string{"i", "j"}, nil, func(r *table.Reader, row, _ []string) error {
		i, err := f.Node(row[0])
		j, other := f.Node(row[1])
		if err != nil || other != nil || i == j {
			return r.Bad("i and j must be two nodes of the graph")
		}
		out = append(out, Pair{i, j})
		return nil
	})
	return out, err
}

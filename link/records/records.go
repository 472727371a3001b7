// Package records finds the rows of a table that are one and the same person or
// thing. Rows that share a word, a number or a sound are compared column by column; a
// logistic model, trained on rows whose entity is known, makes a probability of each
// comparison; and package link divides.
//
// What it finds is an estimate, however exactly the division is solved: the weights are
// learnt.
package records

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"

	"sotto/link"
	"sotto/link/agree"
)

// A Table is rows of fields, and whose some of them are.
type Table struct {
	Columns []string   // names of the columns that are compared
	Rows    [][]string // the fields of each row
	Entity  []string   // whose each row is; empty if it is not known
}

// Options of [Link]. The zero value serves.
type Options struct {
	link.Options
	Share   float64      // part of the known entities that the model is trained on; 0 means ½
	Seed    uint64       // of the choice of those
	Unknown link.Unknown // what a pair costs that was not compared; empty means forbidden
}

// A Result is a division of rows.
type Result struct {
	link.Solution
	Pairs     int          // that were compared
	Trained   int          // pairs that the model was trained on
	Features  []Feature    // what speaks for and against, by name
	Held      *agree.Score // of rows whose entity is known and was not trained on; nil if there are none
	All       *agree.Score // of all rows whose entity is known
	LogLoss   float64      // mean of −log p of what is true, over pairs that were not trained on
	Calibrate float64      // how far the mean probability of those is from the part that is the same
	Graph     link.Graph   // that was divided
}

// Feature is the weight of a comparison: above zero it speaks for the same.
type Feature struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Link divides the rows of a table.
func Link(ctx context.Context, t Table, o Options) (Result, error) {
	if o.Share == 0 {
		o.Share = 0.5
	}
	if !(o.Share > 0 && o.Share <= 1) {
		return Result{}, fmt.Errorf("records: share is %v, must be above 0 and at most 1", o.Share)
	}
	if len(t.Columns) == 0 || len(t.Rows) != len(t.Entity) {
		return Result{}, errors.New("records: want at least one column, and an entity or nothing for every row")
	}
	all := make([][]value, len(t.Rows))
	for i, row := range t.Rows {
		for _, field := range row[:len(t.Columns)] {
			all[i] = append(all[i], parse(field))
		}
	}
	trained := t.choose(o)
	pairs := candidates(all)
	columns := t.Columns
	if len(columns) > 1 { // what one row has in one column another may have elsewhere
		columns = append(slices.Clone(columns), "all columns")
		for i, row := range t.Rows {
			all[i] = append(all[i], parse(strings.Join(row[:len(t.Columns)], " ")))
		}
	}
	for c := range columns {
		weigh(all, c)
	}
	r := Result{Pairs: len(pairs)}
	x := make([][]float64, len(pairs))
	var rows [][]float64
	var same []bool
	for k, p := range pairs {
		x[k] = make([]float64, perColumn*len(columns))
		for c := range columns {
			features(x[k][c*perColumn:], all[p[0]][c], all[p[1]][c])
		}
		if trained[p[0]] && trained[p[1]] {
			rows = append(rows, x[k])
			same = append(same, t.Entity[p[0]] == t.Entity[p[1]])
		}
	}
	m, err := fit(rows, same)
	if err != nil {
		return Result{}, err
	}
	r.Trained = len(rows)
	for f, w := range m.weight[:len(m.weight)-1] {
		r.Features = append(r.Features, Feature{columns[f/perColumn] + ": " + featureNames[f%perColumn], w})
	}
	r.Graph = link.Graph{Nodes: len(t.Rows), Unknown: o.Unknown}
	held := calibration{}
	for k, p := range pairs {
		q := m.probability(x[k])
		i, j := int(p[0]), int(p[1])
		r.Graph.Edges = append(r.Graph.Edges, link.Edge{I: i, J: j, Weight: math.Round((1-2*q)*1e6) / 1e6})
		if !trained[i] && !trained[j] && t.Entity[i] != "" && t.Entity[j] != "" {
			held.add(q, t.Entity[i] == t.Entity[j])
		}
	}
	r.LogLoss, r.Calibrate = held.result()
	if r.Solution, err = link.Solve(ctx, r.Graph, o.Options); err != nil {
		return Result{}, err
	}
	r.Held = t.score(r.Labels, func(i int) bool { return t.Entity[i] != "" && !trained[i] })
	r.All = t.score(r.Labels, func(i int) bool { return t.Entity[i] != "" })
	return r, nil
}

// choose marks the rows of the entities to train on.
func (t Table) choose(o Options) []bool {
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 19))
	take := make(map[string]bool)
	out := make([]bool, len(t.Entity))
	for i, e := range t.Entity {
		if e == "" {
			continue
		}
		if _, ok := take[e]; !ok {
			take[e] = rng.Float64() < o.Share
		}
		out[i] = take[e]
	}
	return out
}

// score measures the labels of some rows, or returns nil if there are none.
func (t Table) score(labels []int, takes func(i int) bool) *agree.Score {
	number := make(map[string]int)
	var truth, found []int
	for i, e := range t.Entity {
		if !takes(i) {
			continue
		}
		if _, ok := number[e]; !ok {
			number[e] = len(number)
		}
		truth = append(truth, number[e])
		found = append(found, labels[i])
	}
	if len(truth) == 0 {
		return nil
	}
	s := agree.Compare(truth, found)
	return &s
}

// calibration adds up how well probabilities fit.
type calibration struct {
	n                     int
	loss, promised, found float64
}

func (c *calibration) add(p float64, same bool) {
	c.n++
	c.promised += p
	if same {
		c.found++
		c.loss -= math.Log(max(p, 1e-12))
	} else {
		c.loss -= math.Log(max(1-p, 1e-12))
	}
}

func (c *calibration) result() (loss, off float64) {
	if c.n == 0 {
		return 0, 0
	}
	n := float64(c.n)
	return c.loss / n, math.Abs(c.promised-c.found) / n
}

// Golden returns the row that stands for each cluster: of every column the value that
// most of its rows have, and of those the longest.
func Golden(rows [][]string, labels []int) [][]string {
	clusters := link.Clusters(labels)
	out := make([][]string, len(clusters))
	for c, nodes := range clusters {
		out[c] = make([]string, len(rows[nodes[0]]))
		for f := range out[c] {
			count := map[string]int{}
			for _, i := range nodes {
				v := rows[i][f]
				if v == "" {
					continue
				}
				count[v]++
				best := out[c][f]
				if n, m := count[v], count[best]; best == "" || n > m || n == m && len(v) > len(best) {
					out[c][f] = v
				}
			}
		}
	}
	return out
}

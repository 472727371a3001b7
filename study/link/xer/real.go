package xer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sotto/study/link"
)

// Real is a graph of tables 4 and 5.
type Real struct {
	Name    string   `json:"name"`
	Nodes   int      `json:"nodes"`
	Edges   int      `json:"edges"`
	Records int      `json:"records"`
	Methods []Method `json:"methods"`
}

// Method is how a graph was divided, and how well.
type Method struct {
	Name      string         `json:"name"`
	Objective float64        `json:"objective"` // of known pairs, below zero attracts
	Unknown   int            `json:"unknown_pairs"`
	Score     link.Agreement `json:"score"` // of records
	NodeF1    float64        `json:"node_f1"`
	Optimal   bool           `json:"optimal"`
	Gap       *float64       `json:"gap,omitempty"` // nil where nothing is proved
	Seconds   float64        `json:"seconds"`
	Published float64        `json:"published_f1,omitempty"`
	Table5    *Scores        `json:"published_scores,omitempty"`
}

// Scores are those of table 5.
type Scores struct {
	Homogeneity    float64 `json:"homogeneity"`
	Completeness   float64 `json:"completeness"`
	V              float64 `json:"v_measure"`
	Adjusted       float64 `json:"ari"`
	FowlkesMallows float64 `json:"fowlkes_mallows"`
}

// Names of the methods.
const (
	ours      = "xER, unknown forbidden"
	neutral   = "xER, unknown neutral"
	packing   = "set packing (F-MWSP)"
	centroid  = "hierarchical, centroid"
	average   = "hierarchical, average"
	connected = "connected components"
)

// graph is a real graph and the published F1 of each method.
type graph struct {
	name, edges string
	published   map[string]float64
	table5      map[string]*Scores
}

var graphs = []graph{
	{"patent_sample", "patent_sample_edges.tsv.gz", map[string]float64{ours: .920, packing: .948, centroid: .922}, nil},
	{"csv_example", "csv_example_edges.tsv", map[string]float64{ours: .951, packing: .951, centroid: .944}, nil},
	{"settlements", "settlements_edges.tsv", map[string]float64{ours: .957, packing: .944, centroid: .953}, map[string]*Scores{
		ours:     {.998, .989, .994, .957, .958},
		packing:  {.998, .985, .991, .944, .945},
		centroid: {.999, .987, .993, .953, .953},
	}},
}

// compare divides every real graph by every method.
func compare(ctx context.Context, o Options, tell func(k int, name string)) (all []Real, absent string, err error) {
	all = []Real{}
	if o.Data == "" {
		return all, "no folder of data sets is named: set SOTTO_DATA", nil
	}
	for k, d := range graphs {
		tell(k, d.name)
		path := filepath.Join(o.Data, "er_graphs")
		if _, err := os.Stat(filepath.Join(path, d.edges)); errors.Is(err, fs.ErrNotExist) {
			absent = fmt.Sprintf("er_graphs/%s is not in the folder of data sets", d.edges)
			continue
		}
		f, err := link.ReadEdges(filepath.Join(path, d.edges))
		if err != nil {
			return nil, "", err
		}
		truth, err := f.Truth(filepath.Join(path, d.name+"_truth.tsv"))
		if err != nil {
			return nil, "", err
		}
		r, err := d.divide(ctx, o, f, truth)
		if err != nil {
			return nil, "", err
		}
		all = append(all, r)
	}
	return all, absent, nil
}

// divide divides one graph by every method.
func (d graph) divide(ctx context.Context, o Options, f *link.GraphFile, truth *link.Truth) (Real, error) {
	g := f.Graph()
	r := Real{Name: d.name, Nodes: g.Nodes, Edges: len(g.Edges), Records: len(truth.Node)}
	solve := func(unknown link.Unknown) func() ([]int, *link.Solution, error) {
		return func() ([]int, *link.Solution, error) {
			g := g
			g.Unknown = unknown
			s, err := link.Solve(ctx, g, link.Options{Work: o.Work})
			return s.Labels, &s, err
		}
	}
	tree := func(by Linkage) func() ([]int, *link.Solution, error) {
		return func() ([]int, *link.Solution, error) {
			labels, err := Hierarchical(g, by, 0.5)
			return labels, nil, err
		}
	}
	for _, m := range []struct {
		name string
		find func() ([]int, *link.Solution, error)
	}{
		{ours, solve(link.Forbidden)},
		{neutral, solve(link.Neutral)},
		{packing, nil},
		{centroid, tree(Centroid)},
		{average, tree(Average)},
		{connected, func() ([]int, *link.Solution, error) { return Connected(g), nil, nil }},
	} {
		out := Method{Name: m.name, Published: d.published[m.name], Table5: d.table5[m.name]}
		var records []int
		if m.find == nil {
			records = truth.Other("fmwsp")
		} else {
			begun := time.Now()
			labels, s, err := m.find()
			if err != nil {
				return r, err
			}
			out.Seconds = time.Since(begun).Seconds()
			if s != nil {
				out.Optimal, out.Gap = s.Optimal, &s.Gap
			}
			records = truth.Records(labels)
		}
		out.judge(g, truth, records)
		r.Methods = append(r.Methods, out)
	}
	return r, nil
}

// judge measures a division of records.
func (m *Method) judge(g link.Graph, truth *link.Truth, records []int) {
	entities := truth.Entities()
	m.Score = link.Compare(entities, records)
	m.NodeF1 = link.Compare(truth.OfNodes(entities), truth.OfNodes(records)).F1
	byNode := make([]int, g.Nodes)
	sizes := map[int]int{}
	for k, i := range truth.Node {
		if i >= 0 {
			byNode[i] = records[k]
			sizes[records[k]]++
		}
	}
	g.Unknown = link.Neutral
	m.Objective = g.Cost(byNode)
	for _, n := range sizes {
		m.Unknown += n * (n - 1) / 2
	}
	for _, e := range g.Edges {
		if byNode[e.I] == byNode[e.J] {
			m.Unknown--
		}
	}
}

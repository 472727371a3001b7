package link_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/study/link"
)

// goldenGraph is a small graph whose best divisions are known: every one of them was
// looked at. Weights above zero attract.
type goldenGraph struct {
	Nodes     int
	Truth     []int
	Pairs     [][3]float64 `json:"pairs_i_j_weight"`
	AllKnown  goldenBest   `json:"all_known"`
	Neutral   goldenBest
	Forbidden goldenBest
}

type goldenBest struct {
	Objective float64
	Labels    []int
}

// graph keeps the pairs of at least a weight.
func (g goldenGraph) graph(least float64, unknown link.Unknown) link.Graph {
	out := link.Graph{Nodes: g.Nodes, Unknown: unknown}
	for _, p := range g.Pairs {
		if p[2] >= least {
			out.Edges = append(out.Edges, link.Edge{I: int(p[0]), J: int(p[1]), Weight: -p[2]})
		}
	}
	return out
}

func TestGoldenGraphs(t *testing.T) {
	data, err := os.ReadFile("testdata/graphs.json")
	if err != nil {
		t.Fatal(err)
	}
	var graphs []goldenGraph
	if err := json.Unmarshal(data, &graphs); err != nil {
		t.Fatal(err)
	}
	for _, g := range graphs {
		for _, tt := range []struct {
			name  string
			graph link.Graph
			want  goldenBest
		}{
			{"all known", g.graph(math.Inf(-1), link.Neutral), g.AllKnown},
			{"neutral", g.graph(-0.3, link.Neutral), g.Neutral},
			{"forbidden", g.graph(-0.3, link.Forbidden), g.Forbidden},
		} {
			s, err := link.Solve(t.Context(), tt.graph, link.Options{})
			if err != nil || !s.Optimal || math.Abs(s.Objective+tt.want.Objective) > 1e-12 || !slices.Equal(s.Labels, tt.want.Labels) {
				t.Errorf("%d nodes, %s: %+v, %v; want %v and %v", g.Nodes, tt.name, s, err, -tt.want.Objective, tt.want.Labels)
			}
		}
	}
}

// The divisions of published graphs are proved best, to the last digit, and are
// those that other solvers found.
func TestRealGraphs(t *testing.T) {
	for _, tt := range []struct {
		file    string
		unknown link.Unknown
		want    float64
		sum     string // SHA-256 of the labels, with commas between
	}{
		{"csv_example_edges.tsv", link.Neutral, -5730.598727754263, "52db091c1991d2c8557e9431a433d2428b82a2cac422e20e9a5d821330ad86f4"},
		{"csv_example_edges.tsv", link.Forbidden, -5730.598727754263, "52db091c1991d2c8557e9431a433d2428b82a2cac422e20e9a5d821330ad86f4"},
		{"settlements_edges.tsv", link.Neutral, -3828.31372369345, "df422faf4624b7a565da2869d59dbe6ddd4c98535701001986a7a8367327cef6"},
		{"settlements_edges.tsv", link.Forbidden, -3828.31372369345, "df422faf4624b7a565da2869d59dbe6ddd4c98535701001986a7a8367327cef6"},
		{"patent_sample_edges.tsv.gz", link.Neutral, -64731.9649210775, "acbae8231a27d337e5cc39a601337d887902b9af777ef0175d8831db14513cab"},
		{"patent_sample_edges.tsv.gz", link.Forbidden, -63025.887620721, "66302cd832a26a5eaf4a181208960bdb3972d9ae15e134cd8a65af86c8653229"},
	} {
		t.Run(fmt.Sprint(tt.file, " ", tt.unknown), func(t *testing.T) {
			edges, err := link.ReadEdges(testenv.Data(t, "er_graphs", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			g := edges.Graph()
			g.Unknown = tt.unknown
			s, err := link.Solve(t.Context(), g, link.Options{})
			if err != nil || !s.Optimal || s.Objective != tt.want || s.Gap != 0 {
				t.Errorf("objective %v, bound %v, optimal %v, %v; want %v", s.Objective, s.Bound, s.Optimal, err, tt.want)
			}
			sum := sha256.Sum256([]byte(strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Labels), " ", ","), "[]")))
			if got := hex.EncodeToString(sum[:]); got != tt.sum {
				t.Errorf("labels have sum %s, want %s", got, tt.sum)
			}
		})
	}
}

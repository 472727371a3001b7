package link_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/testenv"
)

// published is the example of the paper in our sign, with its own numbers of nodes.
const published = "i\tj\tweight\n7\t12\t-.456\n7\t20\t-.999\n12\t20\t-.085\n7\t25\t.076\n12\t25\t.156\n20\t25\t.253\n"

// files writes a graph, plain and compressed, and its truth.
func files(t *testing.T) (edges, zipped, truth string) {
	t.Helper()
	dir := t.TempDir()
	edges, zipped, truth = filepath.Join(dir, "edges.tsv"), filepath.Join(dir, "edges.tsv.gz"), filepath.Join(dir, "truth.tsv")
	clitest.Write(t, edges, published)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(published)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, zipped, b.String())
	clitest.Write(t, truth, "node\trecord\tentity\ttheirs\n7\ta\tA\t1\n12\tb\tA\t1\n20\tc\tB\t2\n25\td\tC\t3\n-1\te\tA\t-1\n")
	return edges, zipped, truth
}

// run returns what a command prints as JSON.
func run(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, out, errs := program.Sotto(t, "", append(args, "--json")...)
	var v map[string]any
	if code != command.ExitDone || json.Unmarshal([]byte(out), &v) != nil {
		t.Fatalf("sotto %v: exit code %d, %q, %q", args, code, out, errs)
	}
	return v
}

func TestGraph(t *testing.T) {
	edges, zipped, truth := files(t)
	for _, args := range [][]string{{"--edges", edges}, {"--edges", zipped}, {"--edges", edges, "--form", "two-phase"}, {"--edges", edges, "--unknown", "neutral"}} {
		v := run(t, append([]string{"link", "graph", "--truth", truth}, args...)...)
		for name, want := range map[string]float64{
			// Found: {7, 12, 20} and {25}, and a record that is no node. True: {a, b, e}.
			"objective": -1.54, "bound": -1.54, "gap": 0, "clusters": 2, "precision": 1 / 3.0, "recall": 1 / 3.0, "f1": 1 / 3.0, "node_f1": 0.5,
		} {
			if got, _ := v[name].(float64); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: %s is %v, want %v", args, name, v[name], want)
			}
		}
		if _, ok := v["seconds"].(float64); v["optimal"] != true || !ok {
			t.Errorf("%v: %v", args, v)
		}
		others, _ := v["others"].([]any)
		if len(others) != 1 || others[0].(map[string]any)["objective"] != -.456 {
			t.Errorf("%v: others are %v, want one for -.456", args, others)
		}
	}
}

// Links of one's own are kept to, and a division is written that can be explained.
func TestGraphLinks(t *testing.T) {
	edges, _, truth := files(t)
	dir := filepath.Dir(edges)
	must, cannot, out := filepath.Join(dir, "must.tsv"), filepath.Join(dir, "cannot.tsv"), filepath.Join(dir, "out.tsv")
	clitest.Write(t, must, "i\tj\n20\t25\n")
	clitest.Write(t, cannot, "i\tj\n7\t12\n")
	v := run(t, "link", "graph", "--edges", edges, "--must", must, "--cannot", cannot, "--out", out)
	if want := .253 - .999 + .076; math.Abs(v["objective"].(float64)-want) > 1e-12 {
		t.Errorf("objective is %v, want %v", v["objective"], want)
	}
	content, err := os.ReadFile(out)
	if want := "node\tcluster\n7\t0\n12\t1\n20\t0\n25\t0\n"; err != nil || string(content) != want {
		t.Errorf("--out holds %q, %v; want %q", content, err, want)
	}
	e := run(t, "link", "explain", "--edges", edges, "--clusters", out, "--truth", truth)
	if e["wrong_pairs_in_all"] != 3.0 {
		t.Errorf("wrong pairs are %v, want 3", e["wrong_pairs_in_all"])
	}
}

// The published near miss: .076 + .156 + .253 = .485.
func TestExplain(t *testing.T) {
	edges, _, _ := files(t)
	v := run(t, "link", "explain", "--edges", edges, "--node", "25", "--with", "7")
	near, _ := v["near_misses"].([]any)
	if len(near) != 1 || near[0].(map[string]any)["change"] != .485 || len(near[0].(map[string]any)["terms"].([]any)) != 3 {
		t.Errorf("near misses are %v, want one for .485", near)
	}
	code, out, errs := program.Sotto(t, "", "link", "explain", "--edges", edges)
	for _, want := range []string{"+0.076 +0.156 +0.253 = +0.485", "12 and 20", "worse"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("sotto link explain: exit code %d, %q, %q; want %q", code, out, errs, want)
		}
	}
}

func TestGraphRefuses(t *testing.T) {
	edges, _, truth := files(t)
	dir := filepath.Dir(edges)
	both := filepath.Join(dir, "both.tsv")
	clitest.Write(t, both, "i\tj\n7\t12\n")
	bad := filepath.Join(dir, "bad.tsv")
	clitest.Write(t, bad, "i\tj\tweight\n0\t1\tsecret\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"graph"}, "want --edges"},
		{[]string{"graph", "--edges", filepath.Join(dir, "absent.tsv")}, "absent.tsv"},
		{[]string{"graph", "--edges", bad}, "bad.tsv:2: weight must be a finite number"},
		{[]string{"graph", "--edges", truth}, "must be i, j and weight"},
		{[]string{"graph", "--edges", edges, "--unknown", "maybe"}, `unknown is "maybe", must be one of`},
		{[]string{"graph", "--edges", edges, "--unknown", "penalty"}, "penalty is 0, must be positive"},
		{[]string{"graph", "--edges", edges, "--penalty", "1"}, "penalty is 1"},
		{[]string{"graph", "--edges", edges, "--form", "third"}, `--form is "third"`},
		{[]string{"graph", "--edges", edges, "--parts", "3"}, "--parts has no meaning without --form two-phase"},
		{[]string{"graph", "--edges", edges, "--form", "two-phase", "--unknown", "neutral"}, "must be forbidden with --form two-phase"},
		{[]string{"graph", "--edges", edges, "--must", both, "--cannot", both}, "must differ"},
		{[]string{"graph", "--edges", edges, "--out", edges}, "must differ"},
		{[]string{"graph", "--edges", edges, "--work", "-1"}, "must not be below 0"},
		{[]string{"explain", "--edges", edges, "--node", "99"}, `--node: node is "99", must be one of the 4 nodes`},
		{[]string{"explain", "--edges", edges, "--with", "7"}, "--node is empty"},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"link"}, tt.args...)...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) || out != "" || strings.Contains(errs, "secret") {
			t.Errorf("sotto link %v: exit code %d, %q, %q; want 2 and %q", tt.args, code, out, errs, tt.want)
		}
	}
}

// The published F1 of real graphs, at the level of records.
func TestGraphPublished(t *testing.T) {
	for name, want := range map[string]float64{"csv_example": .951, "settlements": .957} {
		v := run(t, "link", "graph", "--edges", testenv.Data(t, "er_graphs", name+"_edges.tsv"), "--truth", testenv.Data(t, "er_graphs", name+"_truth.tsv"))
		if f1, _ := v["f1"].(float64); v["optimal"] != true || math.Abs(f1-want) >= .0005 {
			t.Errorf("%s: F1 is %v, optimal %v; want %v", name, v["f1"], v["optimal"], want)
		}
	}
}

package link_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/study/link"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.tsv")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(content, " ", "\t")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEdges(t *testing.T) {
	for _, tt := range []struct {
		content string
		names   []string
		edges   []link.Edge
	}{
		{"i j weight\n10 2 -.5\n2 9 1\n", []string{"2", "9", "10"}, []link.Edge{{I: 2, J: 0, Weight: -.5}, {I: 0, J: 1, Weight: 1}}},
		{"j i probability\nb a 1\n7 b .25\n", []string{"a", "b", "7"}, []link.Edge{{I: 0, J: 1, Weight: -1}, {I: 1, J: 2, Weight: .5}}},
	} {
		f, err := link.ReadEdges(write(t, tt.content))
		if err != nil || !reflect.DeepEqual(f.Names, tt.names) || !reflect.DeepEqual(f.Edges, tt.edges) {
			t.Errorf("Edges(%q) = %+v, %v; want %v and %v", tt.content, f, err, tt.names, tt.edges)
		}
	}
}

func TestTruth(t *testing.T) {
	f, err := link.ReadEdges(write(t, "i j weight\n0 1 -.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	truth, err := f.Truth(write(t, "node record entity theirs\n1 x A 3\n0 y A 3\n-1 z A -1\n-1 w B -1\n5 v B 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := truth.Records([]int{0, 0, 1}); !reflect.DeepEqual(got, []int{0, 0, 2, 3, 1}) {
		t.Errorf("Records = %v", got)
	}
	if got := truth.Entities(); !reflect.DeepEqual(got, []int{0, 0, 0, 1, 1}) {
		t.Errorf("Entities = %v", got)
	}
	if got := truth.Other("theirs"); !reflect.DeepEqual(got, []int{0, 0, 5, 6, 2}) {
		t.Errorf("Other = %v", got)
	}
	if got := truth.OfNodes(truth.Entities()); !reflect.DeepEqual(got, []int{0, 0, 1}) {
		t.Errorf("OfNodes = %v", got)
	}
}

func TestRefused(t *testing.T) {
	for content, want := range map[string]string{
		"i j\n0 1\n":                                "must be i, j and weight",
		"i weight\n0 1\n":                           "j",
		"i j weight more\n0 1 1 1\n":                "alone",
		"i j weight\n0 1 x\n":                       ":2: weight must be a finite number",
		"i j weight\n0 1 NaN\n":                     ":2: weight must be a finite number",
		"i j weight\n0 1 1\n1 1 2\n":                ":3: i and j must be",
		"i j weight\n0 1 1\n1 0 2\n":                ":3: the pair stands in a row above",
		"i j probability\n0 1 1.5\n":                ":2: probability must be from 0 to 1",
		"i j weight\n":                              "no row",
		"node record entity\n0 a A\n":               "has 1 nodes of the graph, must have all 2",
		"node record entity\n0 a A\n1 b \n":         ":3: entity must not be empty",
		"node record entity\n0 a A\n1 b B\n0 c C\n": ":4: the node stands in a row above",
		"node record\n0 a\n":                        "entity",
	} {
		var err error
		if path := write(t, content); strings.HasPrefix(content, "i") {
			_, err = link.ReadEdges(path)
		} else {
			f, first := link.ReadEdges(write(t, "i j weight\n0 1 -.5\n"))
			if first != nil {
				t.Fatal(first)
			}
			_, err = f.Truth(path)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v, want %q", content, err, want)
		}
	}
}

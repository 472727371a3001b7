package dataset_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
)

func TestParseTree(t *testing.T) {
	tree, err := dataset.ParseTree("(3 (2 (2 A) (2 plain)) (4 Film))\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.Phrase{{0, 1, 2}, {1, 2, 2}, {0, 2, 2}, {2, 3, 4}, {0, 3, 3}}
	if !slices.Equal(tree.Phrases, want) {
		t.Errorf("phrases are %v, want %v", tree.Phrases, want)
	}
	if got := tree.Text(1, 3); got != "plain film" {
		t.Errorf("Text(1, 3) = %q, want %q", got, "plain film")
	}
	if tree.Class() != 3 {
		t.Errorf("class is %d, want 3", tree.Class())
	}
	for _, bad := range []string{"", "(", "(5 a)", "(3 a", "(3 a))", "(3 )", "(3 (2 a) b)", "(3 a) (2 b)", "(3 \xff)", strings.Repeat("(1 ", 10_000)} {
		if _, err := dataset.ParseTree(bad); err == nil {
			t.Errorf("ParseTree(%.20q) has no error", bad)
		}
	}
}

// The texts of sst2 are the trees that are not neutral, in small letters: what
// attaches constituents to them.
func TestTreesAreSST2(t *testing.T) {
	trees, err := dataset.Trees("")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the treebank is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Load("sst2", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for i, text := range set.Text {
		known[string(set.Split[i])+text] = true
	}
	binary := 0
	for _, tree := range trees {
		if tree.Class() == 2 {
			continue
		}
		binary++
		if !known[string(tree.Part)+tree.Text(0, len(tree.Words))] {
			t.Fatalf("tree %d is no text of sst2", binary)
		}
	}
	if binary != set.Rows {
		t.Errorf("%d trees are not neutral, want %d", binary, set.Rows)
	}
}

func FuzzTree(f *testing.F) {
	f.Add("(3 (2 (2 A) (2 plain)) (4 Film))")
	f.Add("(2 a)")
	f.Fuzz(func(t *testing.T, line string) {
		tree, err := dataset.ParseTree(line)
		if err != nil {
			return
		}
		for _, p := range tree.Phrases {
			if p.First < 0 || p.First >= p.End || p.End > len(tree.Words) || p.Class < 0 || p.Class > 4 {
				t.Fatalf("phrase %v of %d words", p, len(tree.Words))
			}
		}
		if last := tree.Phrases[len(tree.Phrases)-1]; last.First != 0 || last.End != len(tree.Words) {
			t.Errorf("the last phrase is %v, want all %d words", last, len(tree.Words))
		}
	})
}

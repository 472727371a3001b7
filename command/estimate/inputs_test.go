package estimate_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// privatised releases the rows of a file and returns the file of releases.
func privatised(t *testing.T, content string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	raw, private := filepath.Join(dir, "raw.csv"), filepath.Join(dir, "private.csv")
	clitest.Write(t, raw, content)
	if code, _, errs := clitest.Sotto(t, "", append(append([]string{"privatize"}, args...), "--in", raw, "--out", private)...); code != command.ExitDone {
		t.Fatalf("privatize: exit code %d: %s", code, errs)
	}
	return private
}

// estimated runs the command and returns its JSON.
func estimated(t *testing.T, to any, args ...string) {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", append([]string{"estimate", "--json"}, args...)...)
	if code != command.ExitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), to); err != nil {
		t.Fatal(err)
	}
}

// TestCells: releases by cells are counted by the examples in the file of cells.
func TestCells(t *testing.T) {
	cells := filepath.Join(t.TempDir(), "cells.jsonl")
	clitest.Write(t, cells, `{"example": "late flights", "y": [1, 0]}`+"\n"+`{"example": "lost bags", "y": [0, 1]}`+"\n")
	// At ε = 20 none of 100 releases is a lie but with a probability below 10⁻⁶.
	rows := strings.Repeat("0.9,0.1\n", 70) + strings.Repeat("0.2,1\n", 30)
	for _, variant := range []string{"centroid", "index"} {
		private := privatised(t, rows, "cells", "--variant", variant, "--cells", cells, "--epsilon", "20")
		var r result
		estimated(t, &r, "--in", private, "--cells", cells)
		if r.N != 100 || len(r.Shares) != 2 || r.Shares[0].Answer != "late flights" || math.Abs(r.Shares[1].Share-0.3) > 1e-6 {
			t.Errorf("%s: got %+v, want 70 and 30 %%", variant, r)
		}
	}
	private := privatised(t, "0\n1\n", "krr", "--classes", "2", "--epsilon", "1")
	if code, _, errs := clitest.Sotto(t, "", "estimate", "--in", private, "--cells", cells); code != command.ExitUse || !strings.Contains(errs, "--cells has no meaning") {
		t.Errorf("cells for krr: exit code %d: %s", code, errs)
	}
}

// TestCellsShipped: releases by the cells that come with sotto need no file of them.
func TestCellsShipped(t *testing.T) {
	dir := t.TempDir()
	texts, private := filepath.Join(dir, "texts.txt"), filepath.Join(dir, "private.jsonl")
	clitest.Write(t, texts, strings.Repeat("The trees of the forest\n", 40))
	if code, _, errs := clitest.Sotto(t, "", "encode", "--mechanism", "cells", "--epsilon", "20", "--in", texts, "--out", private); code != command.ExitDone {
		t.Fatalf("encode: exit code %d: %s", code, errs)
	}
	var r result
	estimated(t, &r, "--in", private)
	top := r.Shares[0]
	for _, s := range r.Shares {
		if s.Share > top.Share {
			top = s
		}
	}
	if r.N != 40 || top.Share < 0.999 || !strings.Contains(top.Answer, " ") {
		t.Errorf("got %d releases, the commonest %+v, want 40 of one cell with its example", r.N, top)
	}
}

// TestInputs: codewords and codes whose weights raise several are counted by the
// inputs that are given.
func TestInputs(t *testing.T) {
	inputs := filepath.Join(t.TempDir(), "inputs.csv")
	clitest.Write(t, inputs, "1,0,0\n0,1,0\n0,0,1\n")
	rows := strings.Repeat("1,0,0\n", 2000) + strings.Repeat("0,1,0\n", 1000) + strings.Repeat("0,0,1\n", 1000)
	for _, tt := range [][]string{
		{inputs, "codebook", "--codewords", "32", "--epsilon", "6"},
		{"answers", "codes", "--dim", "3", "--weights", "0.001,0.002,0.003", "--epsilon", "6"},
	} {
		private := privatised(t, rows, tt[1:]...)
		var r struct {
			result
			Assuming string
		}
		estimated(t, &r, "--in", private, "--inputs", tt[0], "--names", "a,b,c")
		// Hoeffding's bound of a mean of 4,000 numbers within ±2 at 10⁻⁵ is 0.11.
		if r.N != 4000 || r.Assuming == "" || math.Abs(r.Shares[0].Share-0.5) > 0.11 || r.Shares[2].Low > 0.25 || r.Shares[2].High < 0.25 {
			t.Errorf("%v: got %+v, want 50, 25 and 25 %%", tt, r)
		}
		code, out, _ := clitest.Sotto(t, "", "estimate", "--in", private, "--inputs", tt[0])
		if code != command.ExitDone || !strings.Contains(out, "assuming that each release is one of the 3 inputs") {
			t.Errorf("%v: exit code %d: %s", tt, code, out)
		}
	}
}

// TestGroupReleases: groups that were released are counted with answers, and what
// both cost adds up.
func TestGroupReleases(t *testing.T) {
	answers := privatised(t, strings.Repeat("0\n", 60)+strings.Repeat("1\n", 40), "krr", "--classes", "2", "--epsilon", "20")
	groups := privatised(t, strings.Repeat("0\n", 50)+strings.Repeat("1\n", 50), "krr", "--classes", "2", "--epsilon", "19")
	var r struct {
		Epsilon float64
		Groups  []struct {
			Group  string
			Size   struct{ Share float64 }
			Shares []struct{ Share, Low, High float64 }
		}
		GroupGuarantee struct{ Epsilon float64 } `json:"group_guarantee"`
	}
	estimated(t, &r, "--in", answers, "--group-releases", groups, "--group-names", "young,old")
	if math.Abs(r.Epsilon-39) > 1e-3 || math.Abs(r.GroupGuarantee.Epsilon-19) > 1e-3 || len(r.Groups) != 2 {
		t.Fatalf("got %+v, want ε = 39, of which 19 for the group", r)
	}
	if g := r.Groups[1]; g.Group != "old" || math.Abs(g.Size.Share-0.5) > 1e-6 || math.Abs(g.Shares[0].Share-0.2) > 1e-6 || !(g.Shares[0].Low < 0.2 && g.Shares[0].High > 0.2) {
		t.Errorf("group: %+v, want 20 %% of one half", g)
	}
	short := privatised(t, "0\n1\n", "krr", "--classes", "2", "--epsilon", "1")
	for _, tt := range []struct{ args, want string }{
		{"--group-releases " + short, "have not as many releases"},
		{"--group-names a,b", "want --group-releases"},
		{"--group g --groups g.csv --group-releases " + groups, "must be without --group"},
		{"--group-releases " + groups + " --group-names a", "one for each of 2"},
	} {
		if code, out, errs := clitest.Sotto(t, "", append([]string{"estimate", "--in", answers}, strings.Fields(tt.args)...)...); code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, errs, tt.want)
		}
	}
}

package estimate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/learn/model"
)

// TestTrain: a classifier is trained from vectors and labels that are private, says
// what both cost, and is written as a head that can be served.
func TestTrain(t *testing.T) {
	var vectors, classes strings.Builder
	for i := range 300 {
		fmt.Fprintln(&vectors, []string{"1,0,0", "0,1,0", "0,0,1"}[i%3])
		fmt.Fprintln(&classes, i%3)
	}
	private := privatised(t, vectors.String(), "privunit", "--epsilon", "12")
	labels := privatised(t, classes.String(), "krr", "--classes", "3", "--epsilon", "8")
	head := filepath.Join(t.TempDir(), "head")
	var r struct {
		Format    string
		N         int
		Epsilon   float64
		Accuracy  struct{ Value, Low, High float64 }
		AsTheyAre struct{ Value float64 } `json:"as_they_are"`
		Classes   []string
	}
	estimated(t, &r, "train", "--in", private, "--labels", labels, "--names", "a,b,c", "--epochs", "10", "--out", head)
	// Noise is far smaller than what tells the classes apart: hardly a row is wrong.
	if r.Format != "sotto-estimate-train-1" || r.N != 300 || !(r.Epsilon > 19.9 && r.Epsilon < 20.1) || !(r.Accuracy.Value > 0.8 && r.Accuracy.Low > 0.6) || r.Classes[2] != "c" {
		t.Errorf("got %+v", r)
	}
	h, err := model.LoadHead(head)
	if err != nil || h.Dim() != 3 || h.Manifest.Labels[0].Classes[1] != "b" || !(float64(h.Guarantee().Epsilon) < 12.1) {
		t.Errorf("LoadHead = %+v, %v", h, err)
	}
	code, out, _ := clitest.Sotto(t, "", "estimate", "train", "--in", private, "--labels", labels, "--epochs", "2")
	if code != command.ExitDone || !strings.Contains(out, "told from released ones") || !strings.Contains(out, "as they are") {
		t.Errorf("for a person: exit code %d: %s", code, out)
	}
	short := privatised(t, "0\n1\n", "krr", "--classes", "3", "--epsilon", "8")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "want --in"},
		{[]string{"--in", private, "--labels", short}, "must have as many"},
		{[]string{"--in", private, "--labels", labels, "--names", "a,b"}, "one for each of 3"},
		{[]string{"--in", labels, "--labels", short}, "has 300 releases"},
		{[]string{"--in", private, "--labels", private}, "same file"},
	} {
		if code, out, errs := clitest.Sotto(t, "", append([]string{"estimate", "train"}, tt.args...)...); code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit code %d, %q, want %q", tt.args, code, errs, tt.want)
		}
	}
	// The head of cells of one's own holds their centres.
	cells := filepath.Join(t.TempDir(), "cells.jsonl")
	clitest.Write(t, cells, `{"y": [1, 0, 0]}`+"\n"+`{"y": [0, 1, 0]}`+"\n"+`{"y": [0, 0, 1]}`+"\n")
	private = privatised(t, vectors.String(), "cells", "--cells", cells, "--epsilon", "8")
	estimated(t, &r, "train", "--in", private, "--cells", cells, "--labels", labels, "--epochs", "10")
	if !(r.Accuracy.Value > 0.8) {
		t.Errorf("by cells: %+v", r)
	}
	if code, _, errs := clitest.Sotto(t, "", "estimate", "train", "--in", private, "--cells", cells, "--labels", labels, "--out", head+"2"); code != command.ExitDone {
		t.Errorf("a head of cells: exit code %d: %s", code, errs)
	}
	if h, err = model.LoadHead(head + "2"); err != nil || h.Cells().Rows != 3 {
		t.Errorf("the head of cells: %v, want one that knows 3 cells", err)
	}
}

package relation_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/dataset"
)

// own writes sentences of one's own, as CoNLL04 has them.
func own(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for k := range 60 {
		verb := [][2]string{{"works", "for"}, {"lives", "in"}}[k%2]
		relation := [2]string{"Work_For", "Live_In"}[k%2]
		fmt.Fprintf(&b, `{"split":"%s","tokens":["Ann","%s","%s","Acme%d","."],"entities":[["Peop",0,1],["Org",3,4]],"relations":[["%s",0,1]]}`+"\n",
			[]string{"train", "train", "train", "dev", "train", "test"}[k%6], verb[0], verb[1], k, relation)
	}
	path := filepath.Join(t.TempDir(), "own.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTrain trains on a file of one's own, and finds the same numbers in the model.
func TestTrain(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("it reads all of GloVe: SOTTO_LONG=1 runs it")
	}
	if _, err := os.Stat(filepath.Join(dataset.Dir(), "glove")); err != nil {
		t.Skip("GloVe is not among the data sets")
	}
	path, dir, stored := own(t), filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "result.json")
	read := func(args ...string) map[string]any {
		var all map[string]any
		code, out, errs := program.Sotto(t, "", append([]string{"relations"}, args...)...)
		if err := json.Unmarshal([]byte(out), &all); code != command.ExitDone || err != nil {
			t.Fatalf("exit code %d, %v, %q, %q", code, err, out, errs)
		}
		return all
	}
	trained := read("train", "--data", path, "--out", dir, "--seeds", "1", "--hidden", "8", "--epochs", "2", "--json", "--result", stored)
	measured := read("evaluate", "--model", dir, "--data", path, "--json")
	for _, name := range []string{"macro_f1", "micro_f1", "precision", "recall", "bleu", "faithful"} {
		v, ok := trained[name].(float64)
		if !ok || !(v >= 0 && v <= 1) || measured[name] != v {
			t.Errorf("%s is %v after training and %v of the folder, want a share that is the same", name, trained[name], measured[name])
		}
	}
	if left, err := filepath.Glob(dir + "*.state"); err != nil || len(left) > 0 {
		t.Errorf("states are left: %v, %v", left, err)
	}
	if code, _, errs := program.Sotto(t, "", "report", stored, "--out", filepath.Join(t.TempDir(), "page.html")); code != command.ExitDone {
		t.Errorf("report: exit code %d, %q", code, errs)
	}
}

// TestTrainRefuses refuses flags and files that are wrong, and quotes no text.
func TestTrainRefuses(t *testing.T) {
	bad := clitest.TextFile(t, "bad.jsonl", `{"split":"train","tokens":["secret"],"entities":[["Peop",0,2]],"relations":[]}`)
	half := clitest.TextFile(t, "half.jsonl", `{"split":"train","tokens":["secret"],"entities":[],"relations":[]}`)
	out := filepath.Join(t.TempDir(), "model")
	for args, want := range map[string]string{
		"train": "--data and --out must be given",
		"train --out " + out + " --data conll04 --seeds 0":       "--seeds is 0",
		"train --out " + out + " --data conll04 --arguments x":   "--arguments is \"x\"",
		"train --out " + out + " --data " + bad:                  "bad.jsonl: line 1: an entity must lie within the words",
		"train --out " + out + " --data " + half:                 "1 of 1 lines have a split, must be all, with train, dev and test among them, or none",
		"train --out " + out + " --data semeval":                 "must be one of biographies, conll04, fewrel, semeval2010",
		"evaluate --model " + out + " --data conll04":            "--model: ",
		"evaluate --model " + out:                                "--model and --data must be given",
		"evaluate --model " + out + " --data conll04 --part all": "--part is \"all\"",
	} {
		code, _, errs := program.Sotto(t, "", append([]string{"relations"}, strings.Fields(args)...)...)
		if code == command.ExitDone || !strings.Contains(errs, want) || strings.Contains(errs, "secret") {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
}

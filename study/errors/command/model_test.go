package errors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/dataset"
)

// TestModel: a model answers in place of columns, and what its release costs is told
// with what is proved of it.
func TestModel(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("trains a model; set SOTTO_LONG=1")
	}
	dir := t.TempDir()
	data, folder := filepath.Join(dir, "messages.csv"), filepath.Join(dir, "model")
	clitest.Write(t, data, strings.Join(strings.SplitAfter(dataset.SampleMessages(), "\n")[:201], ""))
	args := append(strings.Fields("train --method noise --mechanism laplace-l1 --epsilon 30 --seeds 1 --text message --label topic"+clitest.Quickly), "--in", data, "--out", folder)
	if code, _, errs := program.Sotto(t, "", args...); code != command.ExitDone {
		t.Fatal(errs)
	}
	for _, more := range [][]string{nil, {"--posteriors", "--heat", "privacy:posterior-before,privacy:distance-moved"}} {
		code, out, errs := program.Sotto(t, "", append([]string{"errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder, "--draws", "20", "--splits", "1", "--json"}, more...)...)
		var r struct {
			Rows    int `json:"rows"`
			Privacy struct {
				Before    float64 `json:"accuracy_before"`
				After     float64 `json:"accuracy_after"`
				Guarantee struct {
					Epsilon float64 `json:"epsilon"`
				} `json:"guarantee"`
				Cohorts []struct{ Rule string } `json:"cohorts"`
			} `json:"privacy"`
			Groups []struct {
				Name     string `json:"name"`
				Features int    `json:"features"`
			} `json:"groups"`
			None []struct{ Name string } `json:"no_features"`
		}
		if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
			t.Fatalf("exit %d: %v %s", code, err, errs)
		}
		if p := r.Privacy; r.Rows != 200 || !(p.Guarantee.Epsilon > 29 && p.Guarantee.Epsilon < 31) || !(p.Before > 0 && p.After >= 0 && p.After <= 1) || len(p.Cohorts) == 0 {
			t.Errorf("%v: %+v", more, r)
		}
		// ε is the same for all texts; the posterior before, after and moved, and the distance.
		if last := r.Groups[len(r.Groups)-1]; last.Name != "privacy" || last.Features != 4 || len(r.None) != 1 || r.None[0].Name != "privacy:epsilon" {
			t.Errorf("features of privacy are %+v but for %+v", last, r.None)
		}
		if spoken := strings.Contains(out, `"feature": "privacy:`); spoken != (more != nil) {
			t.Errorf("%v: rules speak of privacy: %v", more, spoken)
		}
	}
	rankedByModel(t, data, folder)
	for _, tt := range []struct{ flags, want string }{
		{"--confidence p", "with --model"}, {"--predicted age", "either --predicted"},
	} {
		code, _, errs := program.Sotto(t, "", append([]string{"errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder}, strings.Fields(tt.flags)...)...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d: %s", tt.flags, code, errs)
		}
	}
}

// rankedByModel: the model that had answered answers again for new texts.
func rankedByModel(t *testing.T, data, folder string) {
	t.Helper()
	with := filepath.Join(t.TempDir(), "watch")
	if code, _, errs := program.Sotto(t, "", "errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder, "--draws", "2", "--splits", "1", "--out", with); code != command.ExitDone {
		t.Fatal(errs)
	}
	code, out, errs := program.Sotto(t, "", "errors", "rank", "--in", data, "--with", with, "--model", folder, "--top", "3", "--json")
	var got ranked
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.Rows != 200 || len(got.Ranked) != 3 || got.Ranked[0].Answer == "" {
		t.Errorf("exit %d: %v %s %+v", code, err, errs, got)
	}
	if code, _, errs = program.Sotto(t, "", "errors", "rank", "--in", data, "--with", with); code == command.ExitDone || !strings.Contains(errs, "--model") {
		t.Errorf("without the model: exit %d: %s", code, errs)
	}
}

// TestModelUnderEpsilon: rows that the model was trained on are not counted under ε, and
// neither are others of their persons.
func TestModelUnderEpsilon(t *testing.T) {
	dir := t.TempDir()
	data, fresh, folder, rules := filepath.Join(dir, "messages.csv"), filepath.Join(dir, "new.csv"), filepath.Join(dir, "model"), filepath.Join(dir, "rules.json")
	all := strings.SplitAfter(dataset.SampleMessages(), "\n")
	clitest.Write(t, data, strings.Join(all[:201], ""))
	clitest.Write(t, fresh, dataset.SampleNewMessages())
	clitest.Write(t, rules, `{"format":"sotto-rules-1","rules":[[{"feature":"cue:question","above":0}]]}`)
	// A new row of somebody who has many in training.
	known := strings.SplitN(all[1], ",", 3)
	clitest.Write(t, filepath.Join(dir, "hers.csv"), all[0]+"m9999,"+known[1]+",2026-01-05,Nothing like it was ever written.,delivery,under 40\n")
	args := append(strings.Fields("train --method codes --epsilon 8 --seeds 1 --text message --label topic --person customer --encoder hash:32"+clitest.Quickly), "--in", data, "--out", folder)
	if code, _, errs := program.Sotto(t, "", args...); code != command.ExitDone {
		t.Fatal(errs)
	}
	ask := func(in string, more ...string) (int, string, string) {
		return program.Sotto(t, "", append([]string{"errors", "--in", in, "--text", "message", "--label", "topic", "--model", folder, "--rules", rules, "--epsilon", "1", "--json"}, more...)...)
	}
	if code, out, errs := ask(data); code != command.ExitUse || out != "" || !strings.Contains(errs, "of these rows, or on others of their persons") {
		t.Errorf("rows of the training: exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := ask(fresh); code != command.ExitDone || !strings.Contains(out, "was not trained on these rows") {
		t.Errorf("other rows: exit %d: %s%s", code, out, errs)
	}
	hers := filepath.Join(dir, "hers.csv")
	if code, out, errs := ask(hers, "--person", "customer"); code != command.ExitUse || out != "" || !strings.Contains(errs, "trained on 1 of these rows") {
		t.Errorf("a row of somebody with rows in training: exit %d: %s%s", code, out, errs)
	}
	if err := os.Remove(filepath.Join(folder, "seed-1", "trained")); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ask(fresh); code != command.ExitUse || out != "" || !strings.Contains(errs, "it is not known") {
		t.Errorf("a folder of before: exit %d: %s%s", code, out, errs)
	}
}

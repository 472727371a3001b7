package errors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/dataset/sample"
	"sotto/internal/cli"
	"sotto/internal/cli/clitest"
)

// TestModel: a model answers in place of columns, and what its release costs is told
// with what is proved of it.
func TestModel(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("trains a model; set SOTTO_LONG=1")
	}
	dir := t.TempDir()
	data, folder := filepath.Join(dir, "messages.csv"), filepath.Join(dir, "model")
	clitest.Write(t, data, strings.Join(strings.SplitAfter(sample.Messages(), "\n")[:201], ""))
	args := append(strings.Fields("train --method noise --mechanism laplace-l1 --epsilon 30 --seeds 1 --text message --label topic"+clitest.Quickly), "--in", data, "--out", folder)
	if code, _, errs := clitest.Sotto(t, "", args...); code != cli.ExitDone {
		t.Fatal(errs)
	}
	for _, more := range [][]string{nil, {"--posteriors", "--heat", "privacy:posterior-before,privacy:distance-moved"}} {
		code, out, errs := clitest.Sotto(t, "", append([]string{"errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder, "--draws", "20", "--splits", "1", "--json"}, more...)...)
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
		if err := json.Unmarshal([]byte(out), &r); code != cli.ExitDone || err != nil {
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
		code, _, errs := clitest.Sotto(t, "", append([]string{"errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder}, strings.Fields(tt.flags)...)...)
		if code != cli.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d: %s", tt.flags, code, errs)
		}
	}
}

// rankedByModel: the model that had answered answers again for new texts.
func rankedByModel(t *testing.T, data, folder string) {
	t.Helper()
	with := filepath.Join(t.TempDir(), "watch")
	if code, _, errs := clitest.Sotto(t, "", "errors", "--in", data, "--text", "message", "--label", "topic", "--model", folder, "--draws", "2", "--splits", "1", "--out", with); code != cli.ExitDone {
		t.Fatal(errs)
	}
	code, out, errs := clitest.Sotto(t, "", "errors", "rank", "--in", data, "--with", with, "--model", folder, "--top", "3", "--json")
	var got ranked
	if err := json.Unmarshal([]byte(out), &got); code != cli.ExitDone || err != nil || got.Rows != 200 || len(got.Ranked) != 3 || got.Ranked[0].Answer == "" {
		t.Errorf("exit %d: %v %s %+v", code, err, errs, got)
	}
	if code, _, errs = clitest.Sotto(t, "", "errors", "rank", "--in", data, "--with", with); code == cli.ExitDone || !strings.Contains(errs, "--model") {
		t.Errorf("without the model: exit %d: %s", code, errs)
	}
}

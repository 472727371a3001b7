package relation_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/compute/nn/transformer/tiny"
)

// TestTransformer tunes a tiny transformer on a file of one's own, measures the folder, finds
// with it, draws a sheet of its rules, marks that, and counts.
func TestTransformer(t *testing.T) {
	path, dir, encoder := own(t), filepath.Join(t.TempDir(), "model"), t.TempDir()
	if err := tiny.Even().Write(encoder); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) (out, errs string) {
		t.Helper()
		code, out, errs := program.Sotto(t, "", append([]string{"relations"}, args...)...)
		if code != want {
			t.Fatalf("%v: exit code %d, %q, %q", args, code, out, errs)
		}
		return out, errs
	}
	read := func(args ...string) (all map[string]any) {
		t.Helper()
		out, _ := run(command.ExitDone, append(args, "--json")...)
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			t.Fatalf("%v: %v in %q", args, err, out)
		}
		return all
	}
	trained := read("train", "--data", path, "--encoder", encoder, "--arguments", "words", "--out", dir, "--epochs", "2", "--rate", "0.002", "--batch", "8")
	measured := read("evaluate", "--model", dir, "--data", path)
	for _, name := range []string{"macro_f1", "micro_f1", "precision", "recall", "bleu", "faithful"} {
		if v, ok := trained[name].(float64); !ok || !(v >= 0 && v <= 1) || measured[name] != v {
			t.Errorf("%s is %v after training and %v of the folder, want a share that is the same", name, trained[name], measured[name])
		}
	}
	if left, err := filepath.Glob(dir + ".*"); err != nil || len(left) > 0 {
		t.Errorf("beside the folder there are %v, %v", left, err)
	}
	if _, errs := run(command.ExitUse, "train", "--data", path, "--encoder", encoder, "--out", dir, "--share", "0.5"); !strings.Contains(errs, "--share") {
		t.Errorf("a share of rules is refused with %q", errs)
	}

	sheet := filepath.Join(t.TempDir(), "sheet.csv")
	drawn := read("review", "--model", dir, "--data", path, "--part", "train", "--out", sheet)
	if _, errs := run(command.ExitUse, "review", "--marked", sheet); !strings.Contains(errs, "have no mark") {
		t.Errorf("a sheet without marks is refused with %q", errs)
	}
	rows := cells(t, sheet)
	for k, row := range rows[1:] {
		row[len(row)-1] = []string{"explains", "nearly", "not"}[k%3]
	}
	f, err := os.Create(sheet)
	if err != nil {
		t.Fatal(err)
	}
	if err = csv.NewWriter(f).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	counted := read("review", "--marked", sheet)
	if counted["rows"] != drawn["rows"] || counted["format"] != "sotto-relations-review-1" {
		t.Errorf("%v rows are drawn, and counted is %v", drawn["rows"], counted)
	}
}

func cells(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("the sheet has %d rows, %v", len(rows), err)
	}
	return rows
}

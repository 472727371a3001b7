package vectors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// run runs a command and fails unless it ends as wanted.
func run(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	code, out, errs := program.Sotto(t, "", args...)
	if code != want {
		t.Fatalf("sotto %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, errs)
	}
	return out, errs
}

// record reads the hash and the rows of a record.
func record(t *testing.T, path string) (sum string, rows int, assumptions []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		File, SHA256 string
		Rows         int
		Guarantee    struct{ Assumptions []string }
	}
	if err := json.Unmarshal(content, &r); err != nil || r.File != "" && r.File != strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".privacy.json"), ".raw.json") {
		t.Errorf("%s names the file %q, %v", path, r.File, err)
	}
	return r.SHA256, r.Rows, r.Guarantee.Assumptions
}

// TestRecordBelongs: raw vectors in the place of released ones do not pass a gate
// or a report beside the old record, and a record of either kind goes when its
// file is overwritten.
func TestRecordBelongs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	clitest.Write(t, at("in.csv"), table(40, 4))
	clitest.Write(t, at("policy.json"), `{"rules": [{"epsilon": {"max": 2}}]}`)
	run(t, command.ExitDone, "privatize", "laplace-l1", "--epsilon", "1", "--in", at("in.csv"), "--out", at("v.csv"))
	if sum, rows, _ := record(t, at("v.csv.privacy.json")); len(sum) != 64 || rows != 40 {
		t.Errorf("the record has SHA-256 %q and %d rows, want 40", sum, rows)
	}
	run(t, command.ExitDone, "gate", "--policy", at("policy.json"), at("v.csv.privacy.json"))
	run(t, command.ExitDone, "report", at("v.csv.privacy.json"), "--out", at("r.html"))

	private, err := os.ReadFile(at("v.csv"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, at("v.csv"), table(40, 4)) // raw ones, beside the record of ε = 1
	clitest.Write(t, at("a.csv"), "sex\n"+strings.Repeat("f\nm\n", 20))
	for _, args := range [][]string{
		{"gate", "--policy", at("policy.json"), at("v.csv.privacy.json")},
		{"report", at("v.csv.privacy.json"), "--out", at("r.html")},
		{"report", "--record-alone", at("v.csv.privacy.json"), "--out", at("r.html")},
		{"attack", "--vectors", at("v.csv"), "--attributes", at("a.csv"), "--column", "sex"},
		{"bind", at("v.csv")},
	} {
		if _, errs := run(t, command.ExitUse, args...); !strings.Contains(errs, "changed") {
			t.Errorf("sotto %s: %q, want that the file was changed", args[0], errs)
		}
	}
	if err = os.Remove(at("v.csv")); err != nil {
		t.Fatal(err)
	}
	if _, errs := run(t, command.ExitUse, "gate", "--policy", at("policy.json"), at("v.csv.privacy.json")); !strings.Contains(errs, "missing") {
		t.Errorf("a record alone: %q, want that its file is missing", errs)
	}
	// The name of a record does not free it, nor does a file of everything.
	stored, err := os.ReadFile(at("v.csv.privacy.json"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, at("renamed"), string(stored))
	clitest.Write(t, at("all.json"), `{"format": "sotto-evidence-1", "releases": [{"name": "x", `+strings.TrimPrefix(strings.TrimSpace(string(stored)), "{")+`]}`)
	for _, name := range []string{"renamed", "all.json"} {
		if _, errs := run(t, command.ExitUse, "gate", "--policy", at("policy.json"), at(name)); !strings.Contains(errs, "does not belong") {
			t.Errorf("%s: %q, want that the record does not belong to the vectors", name, errs)
		}
	}
	run(t, command.ExitDone, "report", "--record-alone", at("v.csv.privacy.json"), "--out", at("alone.md"))
	if page, err := os.ReadFile(at("alone.md")); err != nil || !strings.Contains(string(page), "unbound") {
		t.Errorf("a record alone is not shown as unbound: %v", err)
	}
	clitest.Write(t, at("v.csv"), string(private))
	run(t, command.ExitDone, "gate", "--policy", at("policy.json"), at("v.csv.privacy.json"))

	clitest.Write(t, at("texts.txt"), "one text\nanother text\n")
	run(t, command.ExitDone, "encode", "--encoder", "hash:8", "--in", at("texts.txt"), "--out", at("v.csv"))
	if _, err := os.Stat(at("v.csv.privacy.json")); err == nil {
		t.Error("raw vectors stand beside the record of private ones")
	}
	if sum, rows, _ := record(t, at("v.csv.raw.json")); len(sum) != 64 || rows != 2 {
		t.Errorf("the record of raw vectors has SHA-256 %q and %d rows, want 2", sum, rows)
	}
	run(t, command.ExitDone, "privatize", "laplace-l1", "--epsilon", "1", "--in", at("in.csv"), "--out", at("v.csv"))
	if _, err := os.Stat(at("v.csv.raw.json")); err == nil {
		t.Error("private vectors stand beside the record of raw ones")
	}
}

// TestRecordOfEarlierVersion: a record without a hash is refused with the command
// that renews it, and taken once renewed.
func TestRecordOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	clitest.Write(t, at("in.csv"), table(30, 4))
	run(t, command.ExitDone, "privatize", "laplace-l1", "--epsilon", "1", "--in", at("in.csv"), "--out", at("v.npy"))
	content, err := os.ReadFile(at("v.npy.privacy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var said map[string]any
	if err = json.Unmarshal(content, &said); err != nil {
		t.Fatal(err)
	}
	delete(said, "sha256")
	delete(said, "file")
	old, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, at("v.npy.privacy.json"), string(old))
	if _, errs := run(t, command.ExitUse, "report", at("v.npy.privacy.json"), "--out", at("r.html")); !strings.Contains(errs, "sotto bind v.npy") {
		t.Errorf("an old record: %q, want the command that renews it", errs)
	}
	run(t, command.ExitDone, "bind", at("v.npy"))
	if _, rows, assumptions := record(t, at("v.npy.privacy.json")); rows != 30 || len(assumptions) != 1 || !strings.Contains(assumptions[0], "on the word") {
		t.Errorf("%d rows with the assumptions %q, want 30 and on whose word it was bound", rows, assumptions)
	}
	run(t, command.ExitDone, "report", at("v.npy.privacy.json"), "--out", at("r.html"))
	if out, _ := run(t, command.ExitDone, "bind", at("v.npy")); !strings.Contains(out, "already") {
		t.Errorf("bound twice: %q, want that it is bound already", out)
	}
	if _, errs := run(t, command.ExitUse, "bind", at("in.csv")); !strings.Contains(errs, "no record") {
		t.Errorf("vectors without a record: %q", errs)
	}
}

// TestRecordSpecials: rows that are left out are an assumption; the record of a
// stream belongs to its bytes; that inside a Parquet file has no hash.
func TestRecordSpecials(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	clitest.Write(t, at("in.csv"), table(5, 4)+"1,2,NaN,4\n"+table(5, 4))
	run(t, command.ExitDone, "privatize", "laplace-l1", "--epsilon", "1", "--in", at("in.csv"), "--out", at("v.csv"), "--skip-bad", "--dim", "4")
	if _, rows, assumptions := record(t, at("v.csv.privacy.json")); rows != 10 || len(assumptions) != 1 || !strings.Contains(assumptions[0], "1 rows were left out") {
		t.Errorf("%d rows with the assumptions %q, want 10 and that one was left out", rows, assumptions)
	}
	code, stream, errs := program.Sotto(t, table(6, 4), "privatize", "laplace-l1", "--epsilon", "1", "--in", "-", "--out", "-", "--format", "csv", "--metadata", at("s.csv.privacy.json"))
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	clitest.Write(t, at("s.csv"), stream)
	run(t, command.ExitDone, "report", at("s.csv.privacy.json"), "--out", at("r.html"))
	run(t, command.ExitDone, "privatize", "laplace-l1", "--epsilon", "1", "--in", at("v.csv"), "--out", at("v.parquet"))
	content, err := os.ReadFile(at("v.parquet"))
	if err != nil || !strings.Contains(string(content), "sotto.privacy") || strings.Contains(string(content), `"sha256"`) {
		t.Errorf("the record inside a Parquet file: %v, want one without a hash of itself", err)
	}
	run(t, command.ExitDone, "report", at("v.parquet.privacy.json"), "--out", at("r.html"))
}

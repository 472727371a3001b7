package command_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	core "sotto/command"
	"sotto/command/term"
	"sotto/data/dataset"
)

// sotto runs the other command, which must end well, and returns what it wrote.
func sotto(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := core.Run(t.Context(), args, term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("sotto %s: exit code %d, %s", args[0], code, &errs)
	}
	return out.Bytes()
}

// messages writes the sample as CSV files: all of it with a column of parts, and the
// rows of the part that tests in two files.
func messages(t *testing.T, dir string) (all string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(dataset.SampleMessages())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, take func(i int) bool) string {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for i, r := range rows {
			part := []string{"test", "test", "validation", "train", "train"}[i%5]
			switch {
			case i == 0:
				part = "part"
			case !take(i):
				continue
			}
			if err = w.Write(append(r[:len(r):len(r)], part)); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		path := filepath.Join(dir, name)
		if err = os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("test-1.csv", func(i int) bool { return i%5 < 2 && i < 250 })
	file("test-2.csv", func(i int) bool { return i%5 < 2 && i >= 250 })
	return file("all.csv", func(int) bool { return true })
}

// read reads an object of JSON.
func read(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(content, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestEvaluated: of rows whose releases are not in doubt, a job says what sotto evaluate
// says of them, number by number; and what sotto attack learns from its pairs is what it
// learns from files that sotto encode wrote of the same rows.
func TestEvaluated(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	all := messages(t, dir)
	if err := os.WriteFile(at("secret"), bytes.Repeat([]byte{5}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	// At ε = 80 another cell than the text's own has a probability below 10⁻³⁰.
	sotto(t, "train", "--in", all, "--text", "message", "--label", "topic", "--split", "part", "--method", "cells", "--epsilon", "80", "--out", at("model"))
	args := []string{
		"--in", at("test-*.csv"), "--text", "message", "--id", "id", "--mechanism", "cells", "--epsilon", "80", "--secret", at("secret"), "--out", at("private"),
		"--evaluate", at("model"), "--label", "topic", "--pairs", at("pairs"), "--attributes", "age", "--json",
	}
	code, out, errs := call(t, args...)
	if code != 0 || errs != "" { // nor is there progress where nobody looks
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if s := read(t, []byte(out)); s["evaluation"] != at("private.evaluation.json") || s["pairs"] != at("pairs") || strings.Contains(out, "accuracy") {
		t.Errorf("the summary is %s, want where the rest is, and nothing of it", out)
	}
	content, err := os.ReadFile(at("private.evaluation.json"))
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := read(t, content), read(t, sotto(t, "evaluate", at("model"), "--in", all, "--json"))
	same(t, mine["seeds"].([]any)[0], theirs["seeds"].([]any)[0], "accuracy", "low", "high", "macro_f1", "macro_f1_low", "balanced_accuracy", "min_recall", "recalls", "claimed", "true", "unit", "limit", "balanced_limit", "seed", "epoch")
	same(t, mine["models"].([]any)[0], theirs["models"].([]any)[0], "method", "mechanism", "variant", "epsilon", "statement", "coverage", "selected")
	same(t, mine["before"], theirs["seeds"].([]any)[0], "accuracy", "low", "high", "recalls", "seed") // noise changes nothing here
	if mine["format"] != theirs["format"] || mine["rows"].(map[string]any)["test"] != theirs["rows"].(map[string]any)["test"] {
		t.Errorf("the evaluation is of %v, sotto's of %v", mine["rows"], theirs["rows"])
	}
	if page := sotto(t, "report", at("private.evaluation.json"), "--out", at("page.html")); strings.Contains(string(page), "error") {
		t.Errorf("the page: %s", page)
	}
	attacked(t, dir)
}

// same holds what a job says against what sotto does, where the job says something, and
// wants it to say at least some things.
func same(t *testing.T, mine, theirs any, least ...string) {
	t.Helper()
	m, s := mine.(map[string]any), theirs.(map[string]any)
	for _, name := range least {
		if m[name] == nil || !reflect.DeepEqual(m[name], s[name]) {
			t.Errorf("%s is %v in a job and %v by sotto evaluate", name, m[name], s[name])
		}
	}
}

// attacked attacks pairs, and the same rows in files.
func attacked(t *testing.T, dir string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	var rows, released bytes.Buffer
	for i, name := range []string{"test-1.csv", "test-2.csv"} {
		content, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			_, content, _ = bytes.Cut(content, []byte("\n"))
		}
		rows.Write(content)
		parts, err := filepath.Glob(at("private/part-*"))
		if err != nil || len(parts) != 2 {
			t.Fatalf("there are the parts %q, %v, want two", parts, err)
		}
		if content, err = os.ReadFile(parts[i]); err != nil {
			t.Fatal(err)
		}
		released.Write(content)
	}
	for name, content := range map[string][]byte{"rows.csv": rows.Bytes(), "released.jsonl": released.Bytes()} {
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sotto(t, "encode", "--in", at("rows.csv"), "--text", "message", "--out", at("raw.npy"))
	attack := func(args ...string) map[string]any {
		return read(t, sotto(t, append([]string{"attack", "--column", "age", "--mdl", "none", "--json"}, args...)...))
	}
	for file, raw := range map[string][]string{"raw.npy": {"--raw"}, "released.jsonl": nil} {
		got, want := attack(append([]string{"--pairs", at("pairs")}, raw...)...), attack("--vectors", at(file), "--attributes", at("rows.csv"))
		if got["attackers"] == nil || !reflect.DeepEqual(got["attackers"], want["attackers"]) && raw != nil {
			t.Errorf("%s: pairs gave %v, the file %v", file, got["attackers"], want["attackers"])
		}
		if (got["guarantee"] == nil) != (raw != nil) {
			t.Errorf("%s: the guarantee of pairs is %v", file, got["guarantee"])
		}
		if raw == nil { // the file states nothing, and everything else is the same
			for i, a := range got["attackers"].([]any) {
				same(t, a, want["attackers"].([]any)[i], "name", "accuracy", "low", "high", "auc", "rows_scored")
			}
		}
	}
}

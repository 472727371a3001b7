package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/term"
)

// names returns the names of the commands of a program.
func names(studies ...command.Study) (all []string) {
	for _, c := range command.NewRoot(term.Streams{}, studies...).Commands() {
		all = append(all, c.Name())
	}
	return all
}

// The core of the command knows no study: go list says what it is made of.
func TestCoreKnowsNoStudy(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "sotto/internal/...", "sotto/promise/...", "sotto/compute/...", "sotto/text/...",
		"sotto/data/...", "sotto/evidence/...", "sotto/learn/...", "sotto/report/...", "sotto/service/...", "sotto/command/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "sotto/command/studio\n") {
		t.Fatal("the core lacks its studio")
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "sotto/study/") {
			t.Errorf("the core is made of %s", line)
		}
	}
}

// Without its line in the list a study is not there, and the rest is. The program is built
// from a list in which each line is missing in turn, in the short run one of them.
func TestWithoutAStudy(t *testing.T) {
	list, err := os.ReadFile("studies.go")
	if err != nil {
		t.Fatal(err)
	}
	place, err := filepath.Abs("studies.go")
	if err != nil {
		t.Fatal(err)
	}
	all := studies()
	if os.Getenv("SOTTO_LONG") == "" {
		all = all[:1]
	}
	core := names()
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			var left []string
			for line := range strings.Lines(string(list)) {
				if !strings.Contains(line, s.Name+".Study()") && !strings.Contains(line, `"sotto/study/`+s.Name+`/command"`) {
					left = append(left, line)
				}
			}
			if n := strings.Count(string(list), "\n") - len(left); n != 2 {
				t.Fatalf("%d lines name the study, must be its import and its place in the list", n)
			}
			dir := t.TempDir()
			other, overlay, program := filepath.Join(dir, "studies.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sotto")
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {place: other}})
			if err != nil {
				t.Fatal(err)
			}
			for path, content := range map[string]string{other: strings.Join(left, ""), overlay: string(replace)} {
				if err = os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out, failed := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-overlay", overlay, "-o", program, ".").CombinedOutput(); failed != nil { //nolint:gosec // the program of this repository
				t.Fatalf("%v: %s", failed, out)
			}
			help, err := exec.CommandContext(t.Context(), program, "--help").Output() //nolint:gosec // what was just built
			if err != nil {
				t.Fatal(err)
			}
			has := func(name string) bool { return strings.Contains(string(help), "\n  "+name+" ") }
			for _, name := range names(s) {
				if !slices.Contains(core, name) && has(name) {
					t.Errorf("sotto --help lists %s", name)
				}
			}
			for _, name := range core {
				if name != "man" && !has(name) { // which is hidden
					t.Errorf("sotto --help does not list %s", name)
				}
			}
			if out, err := exec.CommandContext(t.Context(), program, "epsilon", "laplace-l1", "--dim", "4", "--epsilon", "1").CombinedOutput(); err != nil { //nolint:gosec // what was just built
				t.Errorf("epsilon: %v: %s", err, out)
			}
		})
	}
}

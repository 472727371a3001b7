package integration_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is what the tests need of action.yml.
type action struct {
	Inputs map[string]struct {
		Description, Default string
		Required             bool
	}
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, If, Shell, Run string
			Env                map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

var (
	expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)
	condition  = regexp.MustCompile(`^\$\{\{ inputs\.(\w+) != '' \}\}$`)
)

// runner does with action.yml what a runner of GitHub does: it fills expressions in,
// runs each step in bash as it would, and hands on what steps write into its files.
type runner struct {
	values  map[string]string // inputs.NAME and steps.ID.outputs.NAME
	outputs map[string]string // of the action
	summary string
	path    string // what steps added to the path
	said    string
	code    int
}

func (r *runner) fill(t *testing.T, text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		value, ok := r.values[name]
		if !ok && !strings.HasPrefix(name, "steps.") { // a step that was not run has no outputs
			t.Errorf("action.yml has %q, which the emulation of a runner does not know", e)
		}
		return value
	})
}

// run uses the action with some inputs, in a job whose temporary folder is given.
func (a action) run(t *testing.T, temp string, inputs map[string]string) *runner {
	t.Helper()
	r := &runner{values: map[string]string{}, outputs: map[string]string{}}
	for name, in := range a.Inputs {
		value, given := inputs[name]
		if !given {
			value = in.Default
		}
		r.values["inputs."+name] = value
	}
	for name := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("%q is no input of the action", name)
		}
	}
	home, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range a.Runs.Steps {
		if step.If != "" {
			m := condition.FindStringSubmatch(step.If)
			if m == nil {
				t.Fatalf("step %s has the condition %q, which the emulation of a runner does not know", step.ID, step.If)
			}
			if r.values["inputs."+m[1]] == "" {
				continue
			}
		}
		if expression.MatchString(step.Run) {
			t.Errorf("step %s has an expression in its script, where an input could be code; must have it in env", step.ID)
		}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		if err := os.WriteFile(file("script"), []byte(step.Run), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(step.Shell, "--noprofile", "--norc", "-eo", "pipefail", file("script"))
		c.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+home, "RUNNER_TEMP="+temp, "PATH="+r.path+os.Getenv("PATH"),
			"GITHUB_OUTPUT="+file("output"), "GITHUB_PATH="+file("path"), "GITHUB_STEP_SUMMARY="+file("summary"))
		for name, value := range step.Env {
			c.Env = append(c.Env, name+"="+r.fill(t, value))
		}
		said, err := c.CombinedOutput()
		r.said += string(said)
		r.take(t, step.ID, dir)
		if err != nil {
			var failed *exec.ExitError
			if !errors.As(err, &failed) {
				t.Fatal(err)
			}
			r.code = failed.ExitCode()
			break
		}
	}
	for name, out := range a.Outputs {
		r.outputs[name] = r.fill(t, out.Value)
	}
	return r
}

// take reads what a step has left in the files of the runner.
func (r *runner) take(t *testing.T, id, dir string) {
	t.Helper()
	left := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(text)
	}
	for line := range strings.Lines(left("output")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		r.values["steps."+id+".outputs."+name] = value
	}
	for line := range strings.Lines(left("path")) {
		r.path = strings.TrimSpace(line) + ":" + r.path
	}
	r.summary += left("summary")
}

// gateFiles trains a small model with ε = 4, and writes a policy that it keeps and one
// that it does not.
func gateFiles(t *testing.T) (results, open, closed string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a folder")
	results = filepath.Join(dir, "model")
	c := exec.Command(binary, "train", "--data", "reviews", "--method", "label", "--epsilon", "4", "--epochs", "2", "--seeds", "1", "--out", results)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	policy := func(name string, limit int) string {
		file := filepath.Join(dir, name)
		rule := fmt.Sprintf(`{"rules": [{"name": "budget", "match": {"kind": "training"}, "epsilon": {"max": %d}, "claim": "true"}]}`, limit)
		if err := os.WriteFile(file, []byte(rule), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return results, policy("open.json", 8), policy("closed.json", 2)
}

// prepared returns the temporary folder of a job in which sotto is installed, so that
// it is not built again.
func prepared(t *testing.T) string {
	t.Helper()
	temp := t.TempDir()
	bin := filepath.Join(temp, "sotto-action", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(bin, "sotto")); err != nil {
		t.Fatal(err)
	}
	return temp
}

func TestAction(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 {
		t.Fatalf("action runs %+v, want two steps", a.Runs)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Inputs)) {
		if a.Inputs[name].Description == "" {
			t.Errorf("input %s is not described", name)
		}
	}
	results, open, closed := gateFiles(t)
	temp := prepared(t)
	for _, tt := range []struct {
		name            string
		inputs          map[string]string
		code            int
		passed, summary string
		said            string
	}{
		{"open", map[string]string{"policy": open, "results": results + "\n"}, 0, "true", "## sotto: the gate is open\n", ""},
		{"closed", map[string]string{"policy": closed, "results": results}, 3, "false", "## sotto: the gate is closed\n\n    FAIL budget: ", "::error title=sotto gate::budget: "},
		{"as JSON", map[string]string{"policy": open, "results": results, "args": "--json\n"}, 0, "true", `"passed": true`, ""},
		{"no results", map[string]string{"policy": open}, 2, "false", "## sotto: nothing could be judged\n", "::error title=sotto gate::nothing could be judged"},
		{"no such policy", map[string]string{"policy": open + "x", "results": results}, 2, "false", "nothing could be judged", "exit code 2"},
		{"no policy", map[string]string{"results": results}, 0, "", "", "sotto version "},
		{"code as an input", map[string]string{"policy": "$(touch " + temp + "/hacked)", "results": "`touch " + temp + "/hacked`; touch " + temp + "/hacked"}, 2, "false", "nothing could be judged", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := a.run(t, temp, tt.inputs)
			if r.code != tt.code || r.outputs["passed"] != tt.passed || !strings.Contains(r.summary, tt.summary) || !strings.Contains(r.said, tt.said) {
				t.Errorf("code %d, passed %q, summary %q, want %d, %q and %q; it said\n%s", r.code, r.outputs["passed"], r.summary, tt.code, tt.passed, tt.summary, r.said)
			}
			if !strings.Contains(r.outputs["version"], "sotto version ") || !strings.Contains(r.path, "sotto-action/bin") {
				t.Errorf("version is %q and the path got %q, want what was installed", r.outputs["version"], r.path)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(temp, "hacked")); err == nil {
		t.Error("an input was run as code")
	}
}

// TestActionInstalls builds sotto from the action's own files, and takes it from an
// archive whose checksum must be right.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	temp := t.TempDir()
	if r := a.run(t, temp, nil); r.code != 0 || !strings.Contains(r.outputs["version"], "sotto version ") {
		t.Fatalf("from its own files: code %d, version %q\n%s", r.code, r.outputs["version"], r.said)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sotto_1"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A stand-in, which shows that it came out of the archive.
	if err := os.WriteFile(filepath.Join(dir, "sotto_1", "sotto"), []byte("#!/bin/sh\necho sotto version of the archive\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "sotto_1.tar.gz")
	if out, err := exec.Command("tar", "-czf", archive, "-C", dir, "sotto_1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	right := hex.EncodeToString(sum[:])
	for _, tt := range []struct {
		name, archive, sum string
		code               int
		said               string
	}{
		{"right", archive, right, 0, "sotto version of the archive"},
		{"in capitals", archive, strings.ToUpper(right), 0, "sotto version of the archive"},
		{"another sum", archive, strings.Repeat("0", 64), 2, "and not the one that was given"},
		{"no sum", archive, "", 2, "sha256 must be the 64 digits"},
		{"no archive", archive + "x", right, 2, "cannot be read"},
		{"not https", "http://127.0.0.1/sotto.tar.gz", right, 2, "begins with https://"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := a.run(t, t.TempDir(), map[string]string{"archive": tt.archive, "sha256": tt.sum})
			if r.code != tt.code || !strings.Contains(r.said, tt.said) {
				t.Errorf("code %d, and it said %q, want %d and %q", r.code, r.said, tt.code, tt.said)
			}
		})
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sotto runs a command as main does and returns its exit code and output.
func sotto(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, streams{strings.NewReader(stdin), &out, &errs})
	return code, out.String(), errs.String()
}

// fields splits a command line at blanks.
func fields(line string) []string { return strings.Fields(line) }

func TestEpsilonNumbers(t *testing.T) {
	for _, tt := range []struct {
		line      string
		claimed   float64
		want      float64 // NaN means "infinite"
		tolerance float64
		unit      string
	}{
		{"ome --dim 50 --bits 10 --lambda 100 --epsilon 1", 1, 3451.39, 0.005, "text"},
		{"ome --dim 50 --bits 10 --lambda 1 --epsilon 1", 1, 0.50, 0.005, "text"},
		{"ome --dim 768 --bits 10 --lambda 100 --epsilon 1", 1, 53013.4, 0.05, "text"},
		{"laplace-l1 --variant released --dim 300 --epsilon 14", 14, 242.5, 0.05, "text"},
		{"laplace-l1 --dim 300 --epsilon 8", 8, 8, 1e-4, "text"},
		{"dpnr --variant paper --dim 768 --epsilon 0.05", 0.05, 38.4, 0.005, "text"},
		{"dpnr --variant released --dim 768 --epsilon 0.05", 0.05, math.NaN(), 0, "text"},
		{"laplace-l1 --epsilon 1 --dropout 0.5", 0.6201, 0.6201, 5e-5, "word"},
		{"privemb --variant paper --input-dim 300 --output-dim 50 --epsilon 1", 1, 1.73, 0.1, "metric"},
		{"codebook --dim 50 --codewords 256 --selected 16 --epsilon 4", 4, 4, 1e-9, "text"},
		{"gaussian --dim 50 --epsilon 8 --delta 1e-6", 8, 8, 1e-9, "text"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			code, out, errs := sotto(t, "", append([]string{"epsilon", "--json"}, fields(tt.line)...)...)
			if code != exitDone {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			var got struct {
				Mechanism, Variant, Unit, Reason string
				Claimed                          float64
				True                             any
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if math.Abs(got.Claimed-tt.claimed) > max(tt.tolerance, 1e-9) || got.Unit != tt.unit || got.Reason == "" || got.Variant == "" {
				t.Errorf("got %+v, want claimed %v, unit %s, a variant and a reason", got, tt.claimed, tt.unit)
			}
			if math.IsNaN(tt.want) {
				if got.True != "infinite" {
					t.Errorf("true = %v, want \"infinite\"", got.True)
				}
			} else if v, ok := got.True.(float64); !ok || math.Abs(v-tt.want) > tt.tolerance {
				t.Errorf("true = %v, want %v ± %v", got.True, tt.want, tt.tolerance)
			}
		})
	}
}

func TestEpsilonText(t *testing.T) {
	code, out, _ := sotto(t, "", fields("epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1")...)
	for _, want := range []string{"ε = 1 (text-level)", "ε = 3451.39 (text-level)", "11111111…", "10101010…", "the claim is false: the true ε is 3451 times as large"} {
		if code != exitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
	_, out, _ = sotto(t, "", fields("epsilon laplace-l1 --epsilon 1 --dropout 0.5")...)
	for _, want := range []string{"0.6201", "word-level", "text-level", "gains nothing"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// The spectral bound is printed, and lies where theory puts it.
func TestEpsilonSpectralBound(t *testing.T) {
	_, out, _ := sotto(t, "", fields("epsilon privemb --variant spectral --input-dim 300 --output-dim 50 --epsilon 1 --json")...)
	var got struct{ Facts map[string]float64 }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if b := got.Facts["spectral_bound"]; b < 3.2 || b > 3.7 {
		t.Errorf("spectral bound = %v, want between 3.2 and 3.7", b)
	}
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claims.json")
	write(t, path, `[{"name": "AG", "mechanism": "dpnr", "variant": "paper", "parameters": {"dim": 768}, "claimed": 0.05, "accuracy": 0.8087, "priors": [0.578]},
		{"name": "honest", "mechanism": "laplace-l1", "parameters": {"dim": 8}, "claimed": 4}]`)
	code, out, _ := sotto(t, "", "epsilon", "--check", path)
	if code != exitNo || !strings.Contains(out, "AG: REFUTED") || !strings.Contains(out, "impossible") || !strings.Contains(out, "honest: stands") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	code, out, _ = sotto(t, `[{"mechanism": "krr", "classes": 4, "epsilon": 1}]`, "epsilon", "--check", "-", "--json")
	if code != exitDone || !strings.Contains(out, `"refuted": false`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestAuditCommand(t *testing.T) {
	code, out, errs := sotto(t, "", fields("audit laplace-l1 --dim 4 --epsilon 1 --draws 3000 --json")...)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	for _, key := range []string{"claimed", "lower_bound", "confidence", "refuted", "true"} {
		if _, ok := got[key]; !ok {
			t.Errorf("the report lacks %q: %s", key, out)
		}
	}
	code, out, _ = sotto(t, "", fields("audit ome --dim 5 --lambda 100 --epsilon 1 --draws 3000")...)
	if code != exitNo || !strings.Contains(out, "REFUTED") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	// A foreign mechanism that sends its input back.
	code, out, errs = sotto(t, "", "audit", "--exec", `sed -u 's/"x"/"y"/'`, "--claim", "5", "--dim", "4", "--draws", "1000", "--range", "0,1")
	if code != exitNo || !strings.Contains(out, "REFUTED") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

// Wrong use is exit code 2 and a message that says what to do.
func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.csv")
	write(t, bad, "1,2,3\n4,5,6\n7,private-word,9\n")
	short := filepath.Join(dir, "short.csv")
	write(t, short, "1,2,3\n4,5\n")
	huge := filepath.Join(dir, "huge.jsonl")
	write(t, huge, "[1,2]\n[1e308,1e308]\n")
	out := filepath.Join(dir, "out.npy")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{fields("epsilon"), "want one mechanism"},
		{fields("epsilon nonsense --epsilon 1"), `mechanism is "nonsense", must be one of laplace-l1`},
		{fields("epsilon ome"), "want --epsilon"},
		{fields("epsilon ome --epsilon -1"), "epsilon is -1, must be at least 1e-06"},
		{fields("epsilon ome --epsilon NaN"), "epsilon is NaN"},
		{fields("epsilon ome --epsilon 1 --codewords 5"), `ome takes no parameter "codewords"`},
		{fields("epsilon ome --epsilon 1 --variant true"), "must be one of paper"},
		{fields("epsilon ome --wrong 1"), "unknown flag: --wrong"},
		{fields("epsilon privemb --epsilon 1 --dropout 0.5"), "must be text"},
		{fields("epsilon laplace-l1 --epsilon 1 --dropout 1.5"), "dropout is 1.5"},
		{fields("epsilon --check nowhere.json"), "nowhere.json"},
		{fields("epsilon ome --epsilon 1 --lambda 0"), "--lambda is 0, must be positive or absent"},
		{fields("epsilon --table --lambda 3"), "--lambda has no meaning with --check or --table"},
		{fields("audit laplace-l1 --epsilon 1 --range 0,5"), "--range has no meaning for a built-in mechanism"},
		{fields("audit --exec cat --claim 1 --dim 3 --epsilon 3"), "--epsilon has no meaning for a foreign mechanism"},
		{fields("audit laplace-l1 --epsilon 1 --draws 0"), "--draws is 0"},
		{fields("audit"), "--exec or --url"},
		{fields("audit --exec cat --dim 3"), "want --claim"},
		{fields("audit --exec cat --claim 1"), "want --dim"},
		{fields("audit --exec cat --claim 1 --dim 3 --range 1"), "must be two numbers"},
		{fields("audit laplace-l1 --dim 3 --epsilon 1 --draws 3"), "draws is 3"},
		{fields("nonsense"), `unknown command "nonsense"`},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", bad, "--out", out}, "bad.csv:3:3: not a number"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", short, "--out", out}, "short.csv:2: has 2 columns, must have 3"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", huge, "--out", out}, "huge.jsonl:2: input outside the mechanism's domain"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", filepath.Join(dir, "absent.npy"), "--out", out}, "absent.npy"},
		{[]string{"privatize", "laplace-l1", "--in", huge, "--out", out}, "want --epsilon"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", huge, "--out", huge}, "must differ"},
		{[]string{"privatize", "dpnr", "--variant", "released", "--epsilon", "1", "--in", huge, "--out", out}, "--i-know-this-is-not-private"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1"}, "want --format"},
	} {
		code, stdout, errs := sotto(t, "", tt.args...)
		if code != exitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("sotto %s: exit code %d, %q; want 2 and %q", strings.Join(tt.args, " "), code, errs, tt.want)
		}
		if stdout != "" || strings.Contains(errs, "private-word") {
			t.Errorf("sotto %s printed %q and %q, want nothing on stdout and no input quoted", strings.Join(tt.args, " "), stdout, errs)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*out.npy*")); len(left) > 0 {
			t.Errorf("sotto %s left %v behind, want nothing", strings.Join(tt.args, " "), left)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A panic ends in exit code 4 and says where, never what.
func TestInternalFault(t *testing.T) {
	var errs bytes.Buffer
	code := run(t.Context(), fields("epsilon krr --epsilon 1"), streams{strings.NewReader(""), panicking{}, &errs})
	if code != exitInternal || strings.Contains(errs.String(), "a private value") || !strings.Contains(errs.String(), "main_test.go") {
		t.Errorf("exit code %d, %q; want 4, the place and not the value", code, errs.String())
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a private value") }

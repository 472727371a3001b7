package bias_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// printed is what the three commands print of small tables as JSON, by file, once they
// were run.
var printed = map[string]string{}

// stored returns the files of what the three commands print as JSON.
func stored(t *testing.T) (weat, direction, erasure string) {
	t.Helper()
	dir := t.TempDir()
	vectors, words := workVectors(t)
	german, gendered := germanVectors(t), genderedWords(t, 600)
	release := " --mechanism laplace-l1 --epsilon 50 --draws 3"
	for name, flags := range map[string]string{
		"weat.json":      "weat --vectors " + vectors + " --words " + words + release,
		"direction.json": "direction --vectors de=" + filepath.Join(german, "de.txt") + release,
		"erasure.json":   "erase --method leace --units 8 --words 290 --vectors " + gendered + " --out " + filepath.Join(dir, "erased.txt") + release,
	} {
		if printed[name] == "" {
			code, out, errs := program.Sotto(t, "", strings.Fields("bias "+flags+" --json")...)
			if code != command.ExitDone {
				t.Fatalf("%s: exit code %d: %s", flags, code, errs)
			}
			printed[name] = out
		}
		clitest.Write(t, filepath.Join(dir, name), printed[name])
	}
	return filepath.Join(dir, "weat.json"), filepath.Join(dir, "direction.json"), filepath.Join(dir, "erasure.json")
}

func TestReportOfBias(t *testing.T) {
	weat, direction, erasure := stored(t)
	page := filepath.Join(t.TempDir(), "page")
	for _, ending := range []string{".html", ".md"} {
		code, out, errs := program.Sotto(t, "", "report", weat, direction, erasure, "--out", page+ending)
		if code != command.ExitDone {
			t.Fatalf("exit code %d: %s%s", code, out, errs)
		}
		text, err := os.ReadFile(page + ending)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"Association tests: ", "work.txt", "refused: set X lost 1 of 2 words", "Before and after",
			"Gender direction: Professions", "scientist", "Gender direction: Before and after release",
			"Erasure: words.txt", "erased, then private", "Erasure is not a privacy guarantee", "protects nobody",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the page %s lacks %q", ending, want)
			}
		}
	}
}

func TestGateOfBias(t *testing.T) {
	weat, direction, erasure := stored(t)
	for _, tt := range []struct{ name, rule, want string }{
		{"an effect", `"match": {"kind": "weat", "test": "work", "method": "cosine"}, "numbers": {"effect": {"max": 2}, "p": {"min": 0.01}}`, ""},
		{"too great an effect", `"match": {"kind": "weat", "test": "work"}, "numbers": {"effect": {"max": 0.5}}`, "association test work by cosine mean of work.txt: effect is 1."},
		{"chance", `"match": {"kind": "weat", "test": "work"}, "numbers": {"p": {"min": 0.2}}`, "p is 0.05, allowed at least 0.2"},
		{"a refused test", `"match": {"kind": "weat"}, "numbers": {"effect": {"max": 2}}`, "the test was refused: set X lost 1 of 2 words"},
		{"private effects", `"match": {"kind": "weat", "test": "work"}, "numbers": {"private_effect": {"max": 0.001, "by": "interval"}}`, "private effect may be as high as"},
		{"a direction", `"match": {"kind": "direction", "data": "de"}, "numbers": {"direct_bias": {"max": 0.9}, "confidence": {"min": 0.5}, "private_direct_bias": {"max": 1.1, "by": "interval"}}`, ""},
		{"too much bias", `"match": {"kind": "direction"}, "numbers": {"direct_bias": {"max": 0.01}}`, "gender direction of German: direct bias is 0.1"},
		{"an erasure", `"match": {"kind": "erasure", "method": "leace"}, "numbers": {"linear_after": {"max": 0.8}, "private_linear_after": {"max": 0.9}}`, ""},
		{"too good a probe", `"match": {"kind": "erasure"}, "numbers": {"linear_after": {"max": 0.1, "by": "interval"}}`, "leace on words.txt: linear after may be as high as"},
		{"another method", `"match": {"kind": "erasure", "method": "inlp"}, "numbers": {"linear_after": {"max": 0.8}}`, "the rule matches nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policy := clitest.TextFile(t, "policy.json", `{"rules": [{`+tt.rule+`}]}`)
			code, out, errs := program.Sotto(t, "", "gate", "--policy", policy, weat, direction, erasure)
			if want := map[bool]int{true: command.ExitDone, false: command.ExitGate}[tt.want == ""]; code != want || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d, want %d and %q: %s%s", code, want, tt.want, out, errs)
			}
		})
	}
}

// What a report lacks is refused before a page is made of it.
func TestReportRefusesBias(t *testing.T) {
	weat, direction, erasure := stored(t)
	for path, change := range map[string][2]string{
		weat:      {`"summaries": [`, `"summaries": [{"model": "x", "measure": "cosine", "statistic": "mean", "tests": 1, "significant": 0, "mean": 1, "deviation": null},`},
		direction: {`"language": "de",`, `"language": "de", "tongue": "de",`},
		erasure:   {`"classes": [`, `"classes": ["third",`},
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Replace(string(text), change[0], change[1], 1)
		if code, out, errs := program.Sotto(t, "", "report", clitest.TextFile(t, "wrong.json", wrong), "--out", "-"); code != command.ExitUse || out != "" || wrong == string(text) {
			t.Errorf("%s: exit code %d, %s%s; want it refused", change[1], code, out, errs)
		}
	}
}

package explain_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/study/explain"
	"sotto/study/explain/predictor"
)

// models holds a model of each method, trained once for all tests.
var models struct {
	dir  string
	made map[string]string
}

func TestMain(m *testing.M) {
	var err error
	if models.dir, err = os.MkdirTemp("", "sotto-explain-"); err != nil {
		panic(err)
	}
	models.made = map[string]string{}
	code := m.Run()
	os.RemoveAll(models.dir)
	os.Exit(code)
}

// trained returns a small model of made-up feedback.
func trained(t *testing.T, method string) string {
	t.Helper()
	if dir, ok := models.made[method]; ok {
		return dir
	}
	var b strings.Builder
	b.WriteString("text,stars\n")
	for i := range 120 {
		words := []string{"awful broken slow", "lovely quick clean"}[i%2]
		fmt.Fprintf(&b, "%s thing %d,%s\n", words, i%5, []string{"bad", "good"}[i%2])
	}
	dir := filepath.Join(models.dir, strings.Fields(method)[0])
	in := clitest.TextFile(t, "feedback.csv", b.String())
	args := strings.Fields("train --in " + in + " --text text --label stars --epochs 15 --encoder hash:64 --hidden 16 --out " + dir + " --method " + method)
	if code, _, errs := program.Sotto(t, "", args...); code != command.ExitDone {
		t.Fatalf("train: exit code %d: %s", code, errs)
	}
	models.made[method] = dir
	return dir
}

// said is what --json prints.
type said struct {
	explain.Explanation
	View    string           `json:"view"`
	Noise   *predictor.Noise `json:"noise"`
	Private *bool            `json:"private"`
}

const text = "A lovely thing, but slow; so «slow»!\n"

func TestContract(t *testing.T) {
	dir := trained(t, "codes --epsilon 3")
	for _, method := range []string{"lime", "shap", "ig", "gradient", "occlusion"} {
		code, out, errs := program.Sotto(t, text, "explain", "--model", dir, "--method", method, "--json")
		var got said
		if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", method, code, err, errs)
		}
		if len(got.Tokens) != 7 || got.Tokens[1] != (explain.Token{Text: "lovely", Start: 2, End: 8, Weight: got.Tokens[1].Weight}) || text[got.Tokens[6].Start:got.Tokens[6].End] != "slow" {
			t.Errorf("%s: tokens are %+v", method, got.Tokens)
		}
		if got.Prediction != "good" && got.Prediction != "bad" || got.Method != method || got.View != "before" || got.Private == nil || *got.Private {
			t.Errorf("%s: %+v", method, got)
		}
		if got.Limit > 0 && got.Check > got.Limit {
			t.Errorf("%s: check is %v, must be at most %v", method, got.Check, got.Limit)
		}
		if got.Noise == nil || !got.Noise.Exact || !(got.Noise.Flips > 0 && got.Noise.Flips < 0.5) {
			t.Errorf("%s: noise is %+v", method, got.Noise)
		}
		again, same, _ := program.Sotto(t, text, "explain", "--model", dir, "--method", method, "--json", "--workers", "3")
		if again != code || same != out {
			t.Errorf("%s: the second time other bytes are printed", method)
		}
	}
	code, out, errs := program.Sotto(t, text, "explain", "--model", dir)
	for _, want := range []string{"[", "local fit", "stability", "R²", "noise", "not private", "SPEAKS"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d: %s%s, want %q in it", code, out, errs, want)
		}
	}
	code, out, _ = program.Sotto(t, text, "explain", "--model", dir, "--view", "expected", "--method", "shap", "--json")
	var got said
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.View != "expected" || got.Check > explain.AdditiveTo {
		t.Errorf("what is expected: exit code %d: %s", code, out)
	}
}

// TestFiles explains several texts, writes both files, and refuses to write them of a
// private model.
func TestFiles(t *testing.T) {
	in := clitest.TextFile(t, "texts.csv", "id,text\n1,\"lovely <b>thing</b>\"\n2,awful and broken\n")
	dir := t.TempDir()
	page, lines := filepath.Join(dir, "page.html"), filepath.Join(dir, "lines.jsonl")
	args := func(model string) []string {
		return []string{"explain", "--model", model, "--in", in, "--text", "text", "--method", "occlusion", "--html", page, "--out", lines}
	}
	private := trained(t, "codes --epsilon 3")
	if code, _, errs := program.Sotto(t, "", args(private)...); code != command.ExitUse || !strings.Contains(errs, "no ε covers") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Fatalf("files of a private model are %v, %v", left, err)
	}
	if code, _, errs := program.Sotto(t, "", append(args(private), "--i-know-this-is-not-private")...); code != command.ExitDone {
		t.Errorf("exit code %d: %s", code, errs)
	}
	known := filepath.Join(dir, "explained.json")
	if code, _, errs := program.Sotto(t, "", "explain", "--model", private, "--in", in, "--text", "text", "--summary", known); code != command.ExitDone {
		t.Errorf("exit code %d: %s", code, errs)
	}
	policy := clitest.TextFile(t, "policy.json", `{"rules": [{"name": "noise", "match": {"kind": "explained"}, "numbers": {"flips": {"max": 0.9}}}]}`)
	if code, out, errs := program.Sotto(t, "", "gate", "--policy", policy, known); code != command.ExitDone || strings.Contains(out, "lovely") {
		t.Errorf("gate: exit code %d: %s%s", code, out, errs)
	}
	if content, err := os.ReadFile(known); err != nil || strings.Contains(string(content), "lovely") || !strings.Contains(string(content), `"flips"`) {
		t.Errorf("the summary is %s, %v", content, err)
	}
	code, out, errs := program.Sotto(t, "", append(args(trained(t, "plain")), "--json")...)
	if code != command.ExitDone || strings.Count(out, "\n") != 2 {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	content, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(content), `<mark class="`) || strings.Contains(string(content), "<b>thing") {
		t.Errorf("the page is %.300s, %v", content, err)
	}
	content, err = os.ReadFile(lines)
	if err != nil || string(content) != out {
		t.Errorf("the file is %s, %v; want %s", content, err, out)
	}
}

func TestRelease(t *testing.T) {
	model, dir := trained(t, "codes --epsilon 3"), t.TempDir()
	words := clitest.TextFile(t, "public.txt", "# public\nlovely\nawful\nslow\n")
	ledger := filepath.Join(dir, "ledger.db")
	if code, _, errs := program.Sotto(t, "", "budget", "init", "--ledger", ledger, "--budget", "5", "--window", "0s"); code != command.ExitDone {
		t.Fatalf("budget init: exit code %d: %s", code, errs)
	}
	args := []string{"explain", "--model", model, "--method", "occlusion", "--release", "--epsilon", "2", "--top", "2", "--class", "good", "--words", words, "--ledger", ledger, "--user", "alice", "--json"}
	for i := range 3 {
		s := []string{text, "?!", text}[i]
		code, out, errs := program.Sotto(t, s, args...)
		if i == 2 { // the budget is spent
			if code != command.ExitUse || out != "" || !strings.Contains(errs, "nothing was told") {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
			continue
		}
		var got struct {
			Told      []explain.Told
			Guarantee struct{ Epsilon float64 }
			Private   bool
		}
		if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || len(got.Told) != 2 || !got.Private || !(got.Guarantee.Epsilon > 1.9 && got.Guarantee.Epsilon <= 2+1e-9) {
			t.Errorf("exit code %d: %s%s", code, out, errs)
		}
	}
	for _, tt := range [][]string{{"1 of these 1 texts, which ε does not cover"}, {"1 of these 1 texts are not covered", "--include-trained"}} {
		code, out, errs := program.Sotto(t, "Awful broken slow thing 0", append(slices.Replace(slices.Clone(args), slices.Index(args, "alice"), slices.Index(args, "alice")+1, "bob"), tt[1:]...)...)
		if want := map[bool]int{true: command.ExitUse, false: command.ExitDone}[len(tt) == 1]; code != want || (out == "") != (len(tt) == 1) || !strings.Contains(out+errs, tt[0]) {
			t.Errorf("a text of the training, %q: exit code %d: %s%s", tt[1:], code, out, errs)
		}
	}
	for _, left := range []string{"--class", "--words", "--ledger", "--user", "--epsilon"} {
		var less []string
		for i := 0; i < len(args); i++ {
			if args[i] == left {
				i++
				continue
			}
			less = append(less, args[i])
		}
		if code, out, _ := program.Sotto(t, text, less...); code != command.ExitUse || out != "" {
			t.Errorf("without %s: exit code %d: %s", left, code, out)
		}
	}
}

func TestForeign(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	const theirs = `while read -r l; do case "$l" in *slow*) echo '[0.9,0.1]';; *) echo '[0.2,0.8]';; esac; done`
	code, out, errs := program.Sotto(t, text, "explain", "--exec", theirs, "--classes", "bad,good", "--method", "shap", "--json")
	var got said
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.Prediction != "bad" || got.Tokens[4].Weight < 0.3 || got.Check > 1e-6 {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	for _, args := range [][]string{
		{},
		{"--exec", theirs, "--url", "http://localhost:1"},
		{"--exec", "exit 1"},
		{"--exec", theirs, "--method", "ig"},
		{"--exec", theirs, "--method", "limes"},
		{"--exec", theirs, "--method", "influence"},
		{"--exec", theirs, "--class", "other"},
		{"--exec", theirs, "--method", "shap", "--features", "3"},
		{"--exec", theirs, "--view", "expected"},
		{"--exec", theirs, "--samples", "0"},
		{"--exec", theirs, "--text", "text"},
		{"--url", "https://example.com/predict"},
		{"--url", "http://example.com/predict", "--i-trust-this-address-with-texts"},
		{"--model", filepath.Join(t.TempDir(), "none")},
	} {
		if code, out, errs := program.Sotto(t, text, append([]string{"explain"}, args...)...); code != command.ExitUse || out != "" || strings.Contains(errs, "lovely") {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, errs)
		}
	}
}

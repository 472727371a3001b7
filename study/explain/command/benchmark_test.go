package explain_test

import (
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// reviews writes a file of labelled texts, in two thirds of which movie tells nothing.
func reviews(t *testing.T) string {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("review,rating\n")
	for i := range 400 {
		words := []string{"word" + fmt.Sprint(rng.IntN(50)), "word" + fmt.Sprint(rng.IntN(50)), "word" + fmt.Sprint(rng.IntN(50))}
		if rng.IntN(2) == 0 {
			words = append(words, []string{"dull", "great"}[i%2])
		}
		if rng.IntN(3) > 0 {
			words = append(words, "movie")
		}
		fmt.Fprintf(&b, "%s,%s\n", strings.Join(words, " "), []string{"bad", "good"}[i%2])
	}
	return clitest.TextFile(t, "reviews.csv", b.String())
}

func TestBenchmark(t *testing.T) {
	file := reviews(t)
	code, out, errs := program.Sotto(t, "", "explain", "benchmark", "--in", file, "--text", "review", "--label", "rating", "--decoy", "deletion:movie:bad",
		"--seeds", "2", "--pool", "20", "--instances", "10", "--samples", "100", "--json")
	if code != command.ExitDone {
		t.Fatal(errs)
	}
	var r struct {
		Clean         *float64 `json:"clean"`
		Decoy         *float64 `json:"decoy"`
		CleanSlice    *float64 `json:"clean_slice"`
		DecoySlice    *float64 `json:"decoy_slice"`
		Applicability int      `json:"applicability"`
		Productivity  float64  `json:"productivity"`
		Coverage      float64  `json:"coverage"`
		Explainers    []struct {
			Name     string   `json:"name"`
			Top1     *float64 `json:"top1"`
			FirstHit *float64 `json:"first_hit"`
		} `json:"explainers"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Clean == nil || r.Decoy == nil || r.CleanSlice == nil || r.DecoySlice == nil || !(*r.DecoySlice < *r.CleanSlice) || r.Applicability == 0 || r.Productivity != 1 || !(r.Coverage > 0) {
		t.Errorf("the benchmark prints %s, want an adopted decoy", out)
	}
	names := []string{}
	for _, e := range r.Explainers {
		if e.Top1 == nil || e.FirstHit == nil {
			t.Errorf("%s has no top1 or no first_hit", e.Name)
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if want := []string{"gradient", "ig", "lime", "occlusion", "random", "shap"}; !slices.Equal(names, want) {
		t.Errorf("explainers are %q, want %q", names, want)
	}

	// The evidence opens a gate that asks for what was found, and closes one that asks for
	// more than any explainer can give.
	dir := t.TempDir()
	stored := filepath.Join(dir, "decoy.json")
	clitest.Write(t, stored, out)
	for _, tt := range []struct {
		max  string
		open bool
	}{{"20", true}, {"0.5", false}} {
		policy := filepath.Join(dir, "policy.json")
		clitest.Write(t, policy, `{"rules": [{"name": "shap finds it", "match": {"kind": "decoy", "method": "shap"}, "numbers": {"first_hit": {"max": `+tt.max+`}}}]}`)
		if code, out, errs := program.Sotto(t, "", "gate", "--policy", policy, stored); (code == command.ExitDone) != tt.open {
			t.Errorf("a gate of %s explanations ends with %d\n%s%s", tt.max, code, out, errs)
		}
	}
	if code, _, errs := program.Sotto(t, "", "report", "--out", filepath.Join(dir, "page.html"), stored); code != command.ExitDone {
		t.Errorf("report: %s", errs)
	}
}

// TestBenchmarkForPeople: tables of words and of rows, and what was planted.
func TestBenchmarkForPeople(t *testing.T) {
	code, out, errs := program.Sotto(t, "", "explain", "benchmark", "--in", reviews(t), "--text", "review", "--label", "rating",
		"--decoy", "insert:zig=good,zag=bad", "--decoy", "flip:0.1", "--seeds", "2", "--pool", "20", "--instances", "10", "--samples", "100")
	for _, want := range []string{"insert:zig=good,zag=bad", `"zig" stands for good`, "EXPLAINER", "FINDER", "random-rows", "2 seeds"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Fatalf("exit %d, output without %q:\n%s%s", code, want, out, errs)
		}
	}
}

func TestBenchmarkRefuses(t *testing.T) {
	file := reviews(t)
	in := []string{"--in", file, "--text", "review", "--label", "rating"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{in, "want --decoy"},
		{append(in, "--decoy", "deletion:movie"), "must be deletion:WORD:CLASS"},
		{append(in, "--decoy", "deletion:movie:goood"), "must be one of bad, good"},
		{append(in, "--decoy", "deletion:xyzzy:good"), "in no training row"},
		{append(in, "--decoy", "flip:0.1", "--method", "lyme"), "did you mean"},
		{append(in, "--decoy", "flip:0.1", "--data", "sst2"), "--data and --in are given"},
		{[]string{"--decoy", "flip:0.1", "--in", file, "--text", "review"}, "want --text and --label"},
		{append(in, "--decoy", "flip:0.1", "--encoder", "nonesuch"), "nonesuch"},
		{[]string{"--decoy", "flip:0.1", "--data", "adult"}, ""},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"explain", "benchmark"}, tt.args...)...)
		if code == command.ExitDone || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%q: exit %d, %q, want an error with %q", tt.args, code, errs, tt.want)
		}
		if strings.Contains(errs, "word1 ") {
			t.Errorf("%q: the error quotes a text: %q", tt.args, errs)
		}
	}
}

// TestRows: an answer by rows, and rows whose label is wrong.
func TestRows(t *testing.T) {
	var b strings.Builder
	b.WriteString("review,rating\n")
	for i := range 60 {
		label := i % 2
		if i == 16 {
			label = 1
		}
		fmt.Fprintf(&b, "%s word%d word%d,%s\n", []string{"dull", "great"}[i%2], i%7, i%5, []string{"bad", "good"}[label])
	}
	in := []string{"explain", "rows", "--in", clitest.TextFile(t, "reviews.csv", b.String()), "--text", "review", "--label", "rating"}
	type row struct {
		Row             int
		Label, Believed string
		Score           float64
		Text            string
	}
	var r struct {
		Prediction                        string
		Nearest, Helped, Harmed, Suspects []row
	}
	code, out, errs := program.Sotto(t, "a great word3", append(in, "--json", "--rows", "3")...)
	if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
		t.Fatal(errs, err)
	}
	if r.Prediction != "good" || len(r.Nearest) != 3 || len(r.Helped) != 3 || r.Helped[0].Label != "good" || !(r.Helped[0].Score > 0) || !(r.Harmed[0].Score < 0) || r.Nearest[0].Text != "" {
		t.Errorf("rows print %s, want an answer good, three rows of each kind and no text", out)
	}
	code, out, errs = program.Sotto(t, "", append(in, "--suspects", "3", "--texts", "--json")...)
	if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil {
		t.Fatal(errs, err)
	}
	if len(r.Suspects) != 3 || r.Suspects[0].Row != 17 || r.Suspects[0].Label != "good" || r.Suspects[0].Believed != "bad" || !strings.HasPrefix(r.Suspects[0].Text, "dull") {
		t.Errorf("suspects are %+v, want row 17 first, labelled good and believed bad", r.Suspects)
	}
	if code, out, _ = program.Sotto(t, "", append(in, "--suspects", "3", "--texts")...); code != command.ExitDone || !strings.Contains(out, "OTHERS NEAR") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, _, errs = program.Sotto(t, " \n", in...); code == command.ExitDone || !strings.Contains(errs, "standard input is empty") {
		t.Errorf("no text: exit %d, %q", code, errs)
	}
}

// TestPlant: what is planted trains models, which the benchmark takes.
func TestPlant(t *testing.T) {
	dir := t.TempDir()
	planted, clean := filepath.Join(dir, "planted.csv"), filepath.Join(dir, "clean.csv")
	must := func(args ...string) string {
		t.Helper()
		code, out, errs := program.Sotto(t, "", args...)
		if code != command.ExitDone {
			t.Fatalf("%q: exit %d: %s", args, code, errs)
		}
		return out
	}
	must("explain", "plant", "--in", reviews(t), "--text", "review", "--label", "rating", "--decoy", "insert:zig=good,zag=bad", "--out", planted, "--clean", clean)
	for _, name := range []string{"clean", "planted"} {
		must(append([]string{"train", "--in", filepath.Join(dir, name+".csv"), "--text", "text", "--label", "label", "--split", "split", "--method", "unconstrained", "--out", filepath.Join(dir, name)},
			strings.Fields("--encoder hash:64 --hidden 16 --dim 16 --epochs 12")...)...)
	}
	var r struct {
		Model         string
		Rows, Planted int
		DecoySlice    float64 `json:"decoy_slice"`
		CleanSlice    float64 `json:"clean_slice"`
		Explainers    []struct {
			Name    string
			Removed *struct{}
		}
	}
	bench := []string{"explain", "benchmark", "--in", clean, "--text", "text", "--label", "label", "--split", "split", "--decoy", "insert:zig=good,zag=bad", "--model", filepath.Join(dir, "planted")}
	out := must(append(bench, "--clean-model", filepath.Join(dir, "clean"), "--method", "occlusion,random", "--seeds", "2", "--pool", "10", "--instances", "5", "--json")...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	// The parts of the file were drawn 60, 20 and 20, and validation is not trained on.
	if r.Rows != 240 || !(r.DecoySlice < r.CleanSlice) || len(r.Explainers) != 2 || r.Explainers[0].Removed != nil || !strings.Contains(r.Model, "sotto train") {
		t.Errorf("the benchmark of two models prints %s", out)
	}
	if code, _, errs := program.Sotto(t, "", bench...); code == command.ExitDone || !strings.Contains(errs, "both or none") {
		t.Errorf("one model: exit %d, %s", code, errs)
	}
}

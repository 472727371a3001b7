package vectors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// What is left of a label is said to whoever releases, and stands in no file.
func TestEncodeSaysWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	var b strings.Builder
	b.WriteString("id,review,stars\n")
	for i := range 400 {
		review, stars := "a wonderful film that I loved", "good"
		if i%3 == 0 {
			review, stars = "a dreadful film, boring and slow", "bad"
		}
		fmt.Fprintf(&b, "%d,%s and number %d,%s\n", i, review, i, stars)
	}
	clitest.Write(t, in, strings.ReplaceAll(b.String(), "film, boring", "film boring"))
	encode := func(args ...string) (string, string) {
		t.Helper()
		code, out, errs := program.Sotto(t, "", append([]string{"encode", "--in", in, "--text", "review", "--label", "stars"}, args...)...)
		if code != command.ExitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		return out, errs
	}
	file := filepath.Join(dir, "private.npy")
	_, much := encode("--out", file, "--mechanism", "privunit", "--epsilon", "400")
	if !strings.Contains(much, "reads stars from these releases in") || strings.Contains(much, "chance may give") || strings.Contains(much, "hint:") {
		t.Errorf("at ε = 400: %s", much)
	}
	lines := filepath.Join(dir, "private.jsonl")
	_, little := encode("--out", lines, "--mechanism", "codebook", "--epsilon", "0.5", "--keep", "id")
	if !strings.Contains(little, "chance may give") || !strings.Contains(little, "hint: at ε = 0.5") || !strings.Contains(little, "sotto encode --model") {
		t.Errorf("at ε = 0.5: %s", little)
	}
	record, err := os.ReadFile(lines + ".privacy.json")
	if err != nil || strings.Contains(string(record), "stars") || strings.Contains(string(record), "left") {
		t.Errorf("the record is %s, %v, want nothing of the label", record, err)
	}
	out, _ := encode("--out", file, "--mechanism", "privunit", "--epsilon", "400", "--json")
	var said struct {
		Left *struct {
			Label              string
			Accuracy, Majority float64
			Rows               int
		}
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Left == nil || said.Left.Label != "stars" || said.Left.Rows != 200 || said.Left.Accuracy < 0.9 {
		t.Errorf("JSON is %s, %v", out, err)
	}
	code, _, errs := program.Sotto(t, "", "encode", "--in", in, "--text", "review", "--label", "id", "--out", file, "--mechanism", "codebook", "--epsilon", "8")
	if code != command.ExitDone || !strings.Contains(errs, "what is left is not known: the column id has 400 values") {
		t.Errorf("a column of ids: exit code %d: %s", code, errs)
	}
	for _, label := range []string{"review", "absent"} {
		if code, _, errs := program.Sotto(t, "", "encode", "--in", in, "--text", "review", "--label", label, "--out", file, "--mechanism", "codebook", "--epsilon", "8"); code == command.ExitDone {
			t.Errorf("--label %s was taken: %s", label, errs)
		}
	}
}

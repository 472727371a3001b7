package vectors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/cli"
	"sotto/internal/cli/clitest"
)

// TestCellsMake: cells of public texts release private ones, with a text that people
// can read for each.
func TestCellsMake(t *testing.T) {
	dir := t.TempDir()
	public, out, private := filepath.Join(dir, "public.txt"), filepath.Join(dir, "cells.jsonl"), filepath.Join(dir, "private.jsonl")
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%s %d\n", []string{"late flights and refunds", "a recipe of soup and bread", "football in the second league"}[i%3], i)
	}
	clitest.Write(t, public, b.String())
	code, said, errs := clitest.Sotto(t, "", "cells", "make", "--in", public, "--epsilon", "1,4", "--out", out, "--json")
	if code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var got struct {
		Cells []struct {
			Out    string `json:"out"`
			SHA256 string `json:"cells_sha256"`
			Chosen struct{ Cells int }
		}
	}
	if err := json.Unmarshal([]byte(said), &got); err != nil || len(got.Cells) != 2 {
		t.Fatalf("%v in %s, want two sets of cells", err, said)
	}
	content, err := os.ReadFile(filepath.Join(dir, "cells-4.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != got.Cells[1].Chosen.Cells || !strings.Contains(lines[0], `"example":"`) || !strings.Contains(lines[0], `"encoder":"default"`) {
		t.Errorf("%d lines, the first %.200s, want one for each cell with an example and the encoder", len(lines), lines[0])
	}
	code, _, errs = clitest.Sotto(t, "my flight was late\n", "encode", "--mechanism", "cells", "--cells", got.Cells[1].Out, "--cells-sha256", got.Cells[1].SHA256, "--epsilon", "4", "--out", private)
	if code != cli.ExitDone || !strings.Contains(errs, "ε = 4 (text-level)") {
		t.Errorf("encode: exit code %d: %s", code, errs)
	}
}

func TestCellsMakeRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "cells.jsonl")
	for line, want := range map[string]string{
		"--out x.csv":                         "ends in .jsonl",
		"--epsilon 4,4 --out " + out:          "twice",
		"--epsilon 0.5,NaN --out " + out:      "epsilon is NaN",
		"--cells 1 --out " + out:              "number of cells is 1",
		"--in " + out + " --out " + out:       "the same file",
		"--out " + out:                        "there are 1 texts",
		"--encoder nothing --out " + out:      "nothing",
		"--least -2 --epsilon 8 --out " + out: "texts a cell are -2",
	} {
		code, _, errs := clitest.Sotto(t, "one text\n", append([]string{"cells", "make"}, strings.Fields(line)...)...)
		if code == cli.ExitDone || !strings.Contains(errs, want) {
			t.Errorf("sotto cells make %s: exit code %d: %s, want %q", line, code, errs, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("sotto cells make %s left a file", line)
		}
	}
}

package vectors_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/text/encode/cells"
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
	code, said, errs := program.Sotto(t, "", "cells", "make", "--in", public, "--epsilon", "1,4", "--out", out, "--json")
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var got cells.Head
	if err := json.Unmarshal([]byte(said), &got); err != nil || len(got.Sets) != 2 || got.Texts != 300 || got.Format != cells.Format {
		t.Fatalf("%v in %s, want two sets of cells", err, said)
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != 1+got.Sets[0].Cells+got.Sets[1].Cells || !strings.Contains(lines[1], `"example":"`) || !strings.Contains(lines[0], `"encoder":"default"`) {
		t.Errorf("%d lines, the second %.200s, want one for each cell with an example, after the head", len(lines), lines[1])
	}
	encode := []string{"encode", "--mechanism", "cells", "--cells", out, "--epsilon", "4", "--out", private}
	code, _, errs = program.Sotto(t, "my flight was late\n", append(encode, "--cells-sha256", got.Sets[1].SHA256)...)
	if code != command.ExitDone || !strings.Contains(errs, "ε = 4 (text-level)") || !strings.Contains(errs, "sotto cells show --in "+private) {
		t.Errorf("encode: exit code %d: %s", code, errs)
	}
	code, said, errs = program.Sotto(t, "", "cells", "show", "--in", private, "--cells", out)
	if code != command.ExitDone || !strings.Contains(said, "row  cell  about") {
		t.Errorf("cells show: exit code %d: %s%s", code, said, errs)
	}
	if code, _, errs = program.Sotto(t, "", "cells", "show", "--in", private); code == command.ExitDone || !strings.Contains(errs, "name the file") {
		t.Errorf("cells show without the file of cells: exit code %d: %s", code, errs)
	}
	// The vectors of another encoder have nothing to do with these cells.
	if code, _, errs = program.Sotto(t, "late\n", append(encode, "--encoder", "hash:128")...); code == command.ExitDone || !strings.Contains(errs, "these are cells of the encoder default") {
		t.Errorf("cells of another encoder: exit code %d: %s", code, errs)
	}
}

// TestCellsWithNothingElse: cells come with sotto, and say what was released.
func TestCellsWithNothingElse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "o.jsonl")
	code, _, errs := program.Sotto(t, "the soup was cold\nmy flight was late\n", "encode", "--mechanism", "cells", "--variant", "index", "--epsilon", "8", "--out", out)
	if code != command.ExitDone || !strings.Contains(errs, "ε = 8 (text-level)") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	code, said, errs := program.Sotto(t, "", "cells", "show", "--in", out, "--json")
	var got struct{ Releases []struct{ Example string } }
	if err := json.Unmarshal([]byte(said), &got); code != command.ExitDone || err != nil || len(got.Releases) != 2 || got.Releases[0].Example == "" {
		t.Errorf("exit code %d, %v: %s%s", code, err, said, errs)
	}
	if code, said, errs = program.Sotto(t, "", "cells", "show", "--epsilon", "4"); code != command.ExitDone || !strings.Contains(said, "public cells of default; at ε = 4") {
		t.Errorf("exit code %d: %s%s", code, said, errs)
	}
	if code, _, errs = program.Sotto(t, "a\n", "encode", "--mechanism", "cells", "--encoder", "hash", "--epsilon", "8", "--out", out); code == command.ExitDone || !strings.Contains(errs, "no cells for the encoder hash") {
		t.Errorf("an encoder without cells: exit code %d: %s", code, errs)
	}
}

// TestCellsMakePrivate: private texts are counted in public cells, and none is shown.
func TestCellsMakePrivate(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "mine.txt"), filepath.Join(dir, "cells.jsonl")
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "%s\n", []string{"the soup was cold and the waiter was rude", "my flight from boston was late", "the battery of this phone is dead", "she sang a song of love"}[i%4])
	}
	clitest.Write(t, in, b.String())
	code, said, errs := program.Sotto(t, "", "cells", "make", "--in", in, "--private", "--epsilon-cells", "2", "--epsilon", "4", "--out", out)
	if code != command.ExitDone || !strings.Contains(said, "promise ε = 2 (text-level)") || !strings.Contains(said, "noisy counts alone") {
		t.Fatalf("exit code %d: %s%s", code, said, errs)
	}
	content, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(content), "waiter was rude") || strings.Contains(string(content), `"example"`) || !strings.Contains(string(content), `"private":{`) {
		t.Errorf("%v: the file shows a text or no guarantee: %.400s", err, content)
	}
	if code, _, errs = program.Sotto(t, "late\n", "encode", "--mechanism", "cells", "--cells", out, "--epsilon", "4"); code != command.ExitDone {
		t.Errorf("encode: exit code %d: %s", code, errs)
	}
}

// TestCellsMakePrivateIsPaid: what private cells promise is booked before anything is
// drawn, once for all of their sets, and refused once the budget is spent.
func TestCellsMakePrivateIsPaid(t *testing.T) {
	dir := t.TempDir()
	in, ledger := filepath.Join(dir, "mine.txt"), filepath.Join(dir, "ledger.db")
	clitest.Write(t, in, strings.Repeat("the soup was cold and the waiter was rude\nmy flight from boston was late\nthe battery of this phone is dead\nshe sang a song of love\n", 500))
	if code, _, errs := program.Sotto(t, "", "budget", "init", "--ledger", ledger, "--budget", "5", "--window", "0s"); code != command.ExitDone {
		t.Fatalf("budget init: exit code %d: %s", code, errs)
	}
	for i, name := range []string{"one", "two", "three"} {
		out := filepath.Join(dir, name+".jsonl")
		code, said, errs := program.Sotto(t, "", "cells", "make", "--in", in, "--private", "--epsilon-cells", "2", "--epsilon", "4,8", "--ledger", ledger, "--user", "mine", "--out", out)
		if i == 2 {
			if _, err := os.Stat(out); code != command.ExitUse || err == nil || said != "" || !strings.Contains(errs, "nothing was told") {
				t.Errorf("beyond the budget: exit code %d: %s%s", code, said, errs)
			}
			break
		}
		f, err := cells.Open(out)
		if code != command.ExitDone || err != nil || !strings.Contains(said, "differ in one, which is replaced") {
			t.Fatalf("exit code %d, %v: %s%s", code, err, said, errs)
		}
		p := f.Private
		if e := float64(p.Guarantee.Epsilon); p.Neighbours != cells.Replacement || p.Guarantee.Unit != "text" || !(e > 1.9 && e <= 2) {
			t.Errorf("the file says %+v, want ε = 2 of a text that is replaced", p)
		}
		_, shown, _ := program.Sotto(t, "", "budget", "show", "--ledger", ledger, "--user", "mine", "--json")
		var booked struct {
			Users []struct{ Spent struct{ Epsilon float64 } }
		}
		if err = json.Unmarshal([]byte(shown), &booked); err != nil || len(booked.Users) != 1 || math.Abs(booked.Users[0].Spent.Epsilon-float64(i+1)*float64(p.Guarantee.Epsilon)) > 1e-6 {
			t.Errorf("the ledger says %v, %s; want what %d files promise", err, shown, i+1)
		}
	}
	if code, _, errs := program.Sotto(t, "", "cells", "make", "--in", in, "--private", "--epsilon-cells", "2", "--ledger", ledger, "--user", "mine", "--out", ledger); code != command.ExitUse || !strings.Contains(errs, "the same file") {
		t.Errorf("over the ledger: exit code %d: %s", code, errs)
	}
}

// TestCellsMakeLabelled: labels of public texts stand in the file, and releases are
// vectors of the encoder as before, in a cell that people can look up.
func TestCellsMakeLabelled(t *testing.T) {
	dir := t.TempDir()
	public, out, private := filepath.Join(dir, "public.csv"), filepath.Join(dir, "cells.jsonl"), filepath.Join(dir, "private.jsonl")
	var b strings.Builder
	b.WriteString("review,stars\n")
	for i := range 200 {
		fmt.Fprintf(&b, "the %s was %s,%d\n", []string{"soup", "film", "phone"}[i%3], []string{"terrible and bad", "wonderful and good"}[i%2], 1+4*(i%2))
	}
	clitest.Write(t, public, b.String())
	code, said, errs := program.Sotto(t, "", "cells", "make", "--in", public, "--text", "review", "--labelled", public, "--labelled-text", "review", "--label", "stars", "--label-weight", "2", "--epsilon", "2", "--out", out)
	if code != command.ExitDone || !strings.Contains(said, "labels of 200 public texts (1, 5) count by 2: 100.0 %") {
		t.Fatalf("exit code %d: %s%s", code, said, errs)
	}
	f, err := cells.Open(out)
	if err != nil || f.Labelled.Texts != 200 || f.Labelled.About != "1, 5" || len(f.Direction()) != f.Dim {
		t.Fatalf("%v: labels are %+v", err, f.Labelled)
	}
	if code, _, errs = program.Sotto(t, "a bad film\n", "encode", "--mechanism", "cells", "--cells", out, "--epsilon", "2", "--out", private); code != command.ExitDone {
		t.Fatalf("encode: exit code %d: %s", code, errs)
	}
	if code, said, errs = program.Sotto(t, "", "cells", "show", "--in", private, "--cells", out, "--json"); code != command.ExitDone || !strings.Contains(said, "example") {
		t.Errorf("cells show: exit code %d: %s%s", code, said, errs)
	}
}

func TestCellsMakeRefuses(t *testing.T) {
	dir := t.TempDir()
	out, one, three := filepath.Join(dir, "cells.jsonl"), filepath.Join(dir, "one.csv"), filepath.Join(dir, "three.csv")
	clitest.Write(t, one, "text,label\na,1\nb,1\n")
	clitest.Write(t, three, "text,label\na,1\nb,2\nc,3\n")
	for line, want := range map[string]string{
		"--epsilon 4":                                               "want --out",
		"--private --out " + out:                                    "--epsilon-cells is 0, must be positive",
		"--epsilon-cells 1 --out " + out:                            "no meaning without --private",
		"--ledger x --user u --out " + out:                          "no meaning without --private",
		"--private --epsilon-cells 1 --ledger x --out " + out:       "one without the other",
		"--private --epsilon-cells 1 --user x --out " + out:         "one without the other",
		"--private --epsilon-cells 1 --secret x --out " + out:       "no meaning without --ledger",
		"--public default --out " + out:                             "no meaning without --private",
		"--encoder hash --private --epsilon-cells 1 --out " + out:   "no cells for the encoder hash",
		"--epsilon 4,4 --out " + out:                                "twice",
		"--epsilon 0.5,NaN --out " + out:                            "epsilon is NaN",
		"--cells 1 --out " + out:                                    "number of cells is 1",
		"--in " + out + " --out " + out:                             "the same file",
		"--out " + out:                                              "there are 1 texts",
		"--encoder nothing --out " + out:                            "nothing",
		"--least -2 --epsilon 8 --out " + out:                       "texts a cell are -2",
		"--label stars --out " + out:                                "no meaning without --labelled",
		"--labelled x.csv --label-weight 0 --out " + out:            "--label-weight is 0",
		"--labelled " + out + " --out " + out:                       "the same file",
		"--labelled x.csv --private --epsilon-cells 1 --out " + out: "no meaning with --private",
		"--labelled " + one + " --out " + out:                       "2 texts with 1 different labels",
		"--labelled " + three + " --out " + out:                     "more than two labels by row 3",
	} {
		code, _, errs := program.Sotto(t, "one text\n", append([]string{"cells", "make"}, strings.Fields(line)...)...)
		if code == command.ExitDone || !strings.Contains(errs, want) {
			t.Errorf("sotto cells make %s: exit code %d: %s, want %q", line, code, errs, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("sotto cells make %s left a file", line)
		}
	}
}

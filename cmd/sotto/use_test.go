package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
)

// Wrong use is exit code 2 and a message that says what to do.
func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.csv")
	clitest.Write(t, bad, "1,2,3\n4,5,6\n7,private-word,9\n")
	short := filepath.Join(dir, "short.csv")
	clitest.Write(t, short, "1,2,3\n4,5\n")
	huge := filepath.Join(dir, "huge.jsonl")
	clitest.Write(t, huge, "[1,2]\n[1e308,1e308]\n")
	out := filepath.Join(dir, "out.npy")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{strings.Fields("epsilon"), "want one mechanism"},
		{strings.Fields("epsilon nonsense --epsilon 1"), `mechanism is "nonsense", must be one of laplace-l1`},
		{strings.Fields("epsilon ome"), "want --epsilon"},
		{strings.Fields("epsilon ome --epsilon -1"), "epsilon is -1, must be at least 1e-06"},
		{strings.Fields("epsilon ome --epsilon NaN"), "epsilon is NaN"},
		{strings.Fields("epsilon ome --epsilon 1 --codewords 5"), `ome takes no parameter "codewords"`},
		{strings.Fields("epsilon ome --epsilon 1 --variant true"), "must be one of paper"},
		{strings.Fields("epsilon ome --wrong 1"), "unknown flag: --wrong"},
		{strings.Fields("epsilon privemb --epsilon 1 --dropout 0.5"), "must be text"},
		{strings.Fields("epsilon laplace-l1 --epsilon 1 --dropout 1.5"), "dropout is 1.5"},
		{strings.Fields("epsilon --check nowhere.json"), "nowhere.json"},
		{strings.Fields("train --in nowhere.csv --text a --label b --method label --epsilon 1 --out " + bad + "/below"), "bad.csv"},
		{strings.Fields("demo --out " + bad), "no folder, must be one to write into"},
		{strings.Fields("reproduce privemb --out " + bad + "/below.json"), "no folder, must be one to write into"},
		{strings.Fields("reproduce frontier --html " + bad + "/below.html"), "no folder, must be one to write into"},
		{strings.Fields("train --text a --label b --method label --epsilon 1"), "--text has no meaning without --in"},
		{strings.Fields("train --in a.csv --data adult --method label --epsilon 1"), "--data and --in are given"},
		{strings.Fields("attack --in a.csv"), "want --model"},
		{strings.Fields("epsilon ome --epsilon 1 --lambda 0"), "--lambda is 0, must be positive or absent"},
		{strings.Fields("epsilon --table --lambda 3"), "--lambda has no meaning with --check or --table"},
		{strings.Fields("audit laplace-l1 --epsilon 1 --range 0,5"), "--range has no meaning for a built-in mechanism"},
		{strings.Fields("audit --exec cat --claim 1 --dim 3 --epsilon 3"), "--epsilon has no meaning for a foreign mechanism"},
		{strings.Fields("audit laplace-l1 --epsilon 1 --draws 0"), "--draws is 0"},
		{strings.Fields("audit"), "--exec or --url"},
		{strings.Fields("audit --exec cat --dim 3"), "want --claim"},
		{strings.Fields("audit --exec cat --claim 1"), "want --dim"},
		{strings.Fields("audit --exec cat --claim 1 --dim 3 --range 1"), "must be two numbers"},
		{strings.Fields("audit laplace-l1 --dim 3 --epsilon 1 --draws 3"), "draws is 3"},
		{strings.Fields("nonsense"), `unknown command "nonsense"`},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", bad, "--out", out}, "bad.csv:3:3: not a number"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", short, "--out", out}, "short.csv:2: has 2 columns, must have 3"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", huge, "--out", out}, "huge.jsonl:2: input outside the mechanism's domain"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", filepath.Join(dir, "absent.npy"), "--out", out}, "absent.npy"},
		{[]string{"privatize", "laplace-l1", "--in", huge, "--out", out}, "want --epsilon"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", huge, "--out", huge}, "must differ"},
		{[]string{"privatize", "dpnr", "--variant", "released", "--epsilon", "1", "--in", huge, "--out", out}, "--i-know-this-is-not-private"},
		{[]string{"privatize", "laplace-l1", "--epsilon", "1"}, "want --format"},
	} {
		code, stdout, errs := program.Sotto(t, "", tt.args...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) {
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

// What was mistyped is answered with what was probably meant.
func TestTypos(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texts.csv")
	clitest.Write(t, file, "id,review,rating\n1,good,5\n")
	for args, want := range map[string]string{
		"trian":                  `; did you mean "train"?`,
		"bias weta":              `; did you mean "weat"?`,
		"train --espilon 1":      "unknown flag: --espilon; did you mean --epsilon?",
		"train -epsilon 1":       "; did you mean --epsilon?",
		"train --epslon=1":       "; did you mean --epsilon?",
		"train --xyz 1":          "unknown flag: --xyz; sotto train --help lists the flags",
		"train --method fedrate": `; did you mean "federate"?`,
		"train --data revews":    `; did you mean "reviews"?`,
		"train --label sentimnt": `; did you mean "sentiment"?`,
		"train --method plain --data-variant skwed":                        `; did you mean "skewed"?`,
		"train --method plain --encoder defaullt":                          `; did you mean "default"?`,
		"train --method noise --mechanism laplac-l1":                       `; did you mean "laplace-l1"?`,
		"train --method noise --mechanism dpnr --variant papr --epsilon 1": `; did you mean "paper"?`,
		"train --method unconstrained --attribute athor":                   `; did you mean "author"?`,
		"epsilon lapalce-l1 --epsilon 1":                                   `; did you mean "laplace-l1"?`,
		"epsilon dpnr --variant releasd --epsilon 1":                       `; did you mean "released"?`,
		"data verify revews":                                               `; did you mean "reviews"?`,
		"encoder verify minlm":                                             `; did you mean "minilm"?`,
		"reproduce dpnr-bolg":                                              `; did you mean "dpnr-blog"?`,
		"encode --column reviw --out out.npy --in " + file:                 `; did you mean "review"?`,
	} {
		code, _, errs := program.Sotto(t, "", strings.Fields(args)...)
		if code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("sotto %s: exit code %d, %q; want 2 and %q", args, code, errs, want)
		}
	}
}

// A panic ends in exit code 4 and says where, never what.
func TestInternalFault(t *testing.T) {
	var errs bytes.Buffer
	code := command.Run(t.Context(), strings.Fields("epsilon krr --epsilon 1"), term.Streams{In: strings.NewReader(""), Out: panicking{}, Err: &errs}, studies()...)
	if code != command.ExitInternal || strings.Contains(errs.String(), "a private value") || !strings.Contains(errs.String(), "use_test.go") {
		t.Errorf("exit code %d, %q; want 4, the place and not the value", code, errs.String())
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a private value") }

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// Shells are told what a flag can be set to.
func TestCompletion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.csv")
	clitest.Write(t, file, "id;review text;stars;\x1b[2J\n1;good;5;x\n2;bad;1;y\n")
	for _, tt := range []struct {
		args       []string // the last is what was typed so far
		want, none string   // the beginning of lines that must be there, and must not
	}{
		{[]string{"tr"}, "train", "attack"},
		{[]string{"train", "--meth"}, "--method", ""},
		{[]string{"train", "--method", ""}, "federate", "mine.csv"},
		{[]string{"train", "--method", "noise,fed"}, "noise,federate", "noise,noise"},
		{[]string{"train", "--data", "rev"}, "reviews", ""},
		{[]string{"train", "--data-variant", ""}, "skewed", ""},
		{[]string{"train", "--data", "adult", "--label", ""}, "income", "sentiment"},
		{[]string{"train", "--data", "adult", "--attribute", ""}, "race", "author"},
		{[]string{"train", "--attribute", ""}, "author", ""},
		{[]string{"train", "--mechanism", "lap"}, "laplace-l1", ""},
		{[]string{"train", "--mechanism", "dpnr", "--variant", ""}, "paper", "m1"},
		{[]string{"train", "--encoder", ""}, "default", ""},
		{[]string{"train", "--seeds", ""}, ":4", "1"},
		{[]string{"train", "--in", file, "--text", ""}, "review text", "\x1b"},
		{[]string{"train", "--in", file, "--label", ""}, "stars", "sentiment"},
		{[]string{"train", "--in", file, "--attributes", "id,"}, "id,stars", "id,id"},
		{[]string{"train", "--in", file, "--person", ""}, "id", ""},
		{[]string{"train", "--in", "absent.csv", "--text", ""}, ":4", "review"},
		{[]string{"train", "--in", "-", "--text", ""}, ":4", "review"},
		{[]string{"plan", "--in", file, "--label", "st"}, "stars", ""},
		{[]string{"encode", "--in", file, "--text", ""}, "review text", ""},
		{[]string{"measure", "fairness", "--predictions", file, "--group", ""}, "stars", ""},
		{[]string{"data", "inspect", file, "--person", ""}, "id", ""},
		{[]string{"data", "verify", ""}, "adult", ""},
		{[]string{"encoder", "verify", ""}, "minilm", ""},
		{[]string{"reproduce", ""}, "stsb", ""},
		{[]string{"epsilon", ""}, "ome", ""},
		{[]string{"epsilon", "privemb", "--variant", ""}, "m1", "as-stated"},
		{[]string{"bias", "erase", "--method", ""}, "leace", "federate"},
		{[]string{"bias", "erase", "--labels", ""}, ":0", "sentiment"},
		{[]string{"bias", "weat", "--measure", ""}, "cosine", ""},
		{[]string{"reproduce", "frontier", "--methods", ""}, "auto", ""},
		{[]string{"epsilon", "--color", ""}, "never", ""},
		{[]string{"gateway", "--composition", ""}, "optimal", ""},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"__complete"}, tt.args...)...)
		lines := "\n" + out
		if code != command.ExitDone || !strings.Contains(lines, "\n"+tt.want) || tt.none != "" && strings.Contains(lines, "\n"+tt.none) {
			t.Errorf("%q: exit code %d, %q, %s; want %q and not %q", tt.args, code, out, errs, tt.want, tt.none)
		}
	}
}

// Each shell has its script.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, _ := program.Sotto(t, "", "completion", shell); code != command.ExitDone || !strings.Contains(out, "sotto") {
			t.Errorf("sotto completion %s: exit code %d, %.80q; want a script", shell, code, out)
		}
	}
}

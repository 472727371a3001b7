package attack_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/report"
)

// attempt runs a kind of attack and reads what it prints as a report would.
func attempt(t *testing.T, wantCode int, args ...string) *attack.Result {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", append([]string{"attack"}, append(args, "--json")...)...)
	if code != wantCode {
		t.Fatalf("%v: exit code %d, want %d: %s%s", args, code, wantCode, out, errs)
	}
	all, err := report.Kinds().New()
	if err != nil {
		t.Fatal(err)
	}
	if err = all.Add("attempt.json", strings.NewReader(out)); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
	attempts := evidence.All[attack.Result](all)
	if len(attempts) != 1 {
		t.Fatalf("%v: %d attacks in %s", args, len(attempts), out)
	}
	return attempts[0]
}

func metrics(a *attack.Result) []string {
	var names []string
	for _, f := range a.Findings {
		if !slices.Contains(names, f.Metric) {
			names = append(names, f.Metric)
		}
	}
	return names
}

func TestAttackKinds(t *testing.T) {
	small := " --data reviews --rows 120 --encoder hash:32"
	for _, c := range []struct {
		args    string
		code    int
		kind    attack.Kind
		metrics string
	}{
		{"averaging laplace-l1 --epsilon 4 --releases 1,3" + small, command.ExitDone, attack.Averaging, "accuracy cosine relative error"},
		{"averaging sue --epsilon 4 --releases 2 --attribute author" + small, command.ExitDone, attack.Averaging, "accuracy"},
		{"inversion" + small, command.ExitDone, attack.Inversion, "precision@1 precision@5 precision@10"},
		{"inversion codebook --epsilon 2 --public-seed 5 --words 7" + small, command.ExitDone, attack.Inversion, "precision@1 precision@5"},
		{"membership privunit --epsilon 4" + small, command.ExitDone, attack.Membership, "pair accuracy balanced accuracy auc"},
		{"membership privunit --epsilon 4 --data reviews --rows 400 --encoder hash:8", command.ExitDone, attack.Membership, "pair accuracy balanced accuracy auc found at 1 % false"},
		{"membership dpnr --variant released --epsilon 1 --claim 1" + small, command.ExitNo, attack.Membership, "pair accuracy balanced accuracy auc"},
	} {
		a := attempt(t, c.code, strings.Fields(c.args)...)
		if got := strings.Join(metrics(a), " "); a.Kind != c.kind || got != c.metrics || a.Refuted != (c.code == command.ExitNo) {
			t.Errorf("%s: kind %s, metrics %q, refuted %v, want %s and %q", c.args, a.Kind, got, a.Refuted, c.kind, c.metrics)
		}
		if strings.HasPrefix(c.args, "inversion --data") != (a.Guarantee == nil) {
			t.Errorf("%s: guarantee %v", c.args, a.Guarantee)
		}
	}
	code, out, _ := clitest.Sotto(t, "", strings.Fields("attack membership dpnr --variant released --epsilon 1 --claim 1"+small)...)
	for _, want := range []string{"membership: reviews, 120 rows, dpnr released; stated: ε = 1", "refutes the stated ε", "the stated ε is refuted", "note: releases are simulated"} {
		if code != command.ExitNo || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
}

// Every kind that package attack has is a command, with help of its own.
func TestCommandsFollowKinds(t *testing.T) {
	_, help, _ := clitest.Sotto(t, "", "attack", "--help")
	for _, info := range attack.Kinds() {
		if info.Kind != attack.Attribute && !strings.Contains(help, string(info.Kind)+" ") {
			t.Errorf("the help of attack lacks %s", info.Kind)
		}
		_, own, _ := clitest.Sotto(t, "", "attack", string(info.Kind), "--help")
		if info.Kind != attack.Attribute && !strings.Contains(own, "sotto attack "+string(info.Kind)) {
			t.Errorf("the help of %s has no example:\n%s", info.Kind, own)
		}
	}
}

func TestAttackTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.txt")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%s %s\n", []string{"red", "green", "blue"}[i%3], []string{"bird", "fish"}[i/3%2])
	}
	clitest.Write(t, path, b.String())
	a := attempt(t, command.ExitDone, "inversion", "--texts", path, "--encoder", "hash:64")
	if f := a.Findings[0]; f.Attacker != "recogniser" || f.Value != 1 || f.Rows != 30 {
		t.Errorf("inversion of raw vectors: %+v, want all right on 30 texts", f)
	}
	code, out, errs := clitest.Sotto(t, b.String(), strings.Fields("attack averaging laplace-l2 --epsilon 9 --texts - --releases 1,5 --encoder hash:16")...)
	if code != command.ExitDone || !strings.Contains(out, "the data has no attribute") || !strings.Contains(out, "memoised") || !strings.Contains(out, "limit: none is known for what was measured") {
		t.Errorf("texts from standard input: exit code %d:\n%s%s", code, out, errs)
	}
}

// A copied entity is found; what stands beside it in the file is another's.
func TestAttackEntities(t *testing.T) {
	vectors, attributes := attackFiles(t, 120, true)
	a := attempt(t, command.ExitNo, "entities", "--vectors", vectors, "--attributes", attributes, "--column", "sex", "--epsilon", "1")
	if a.Kind != attack.Entities || !a.Refuted || len(a.Findings) != 15 {
		t.Errorf("entities of a copy: %+v, want ε refuted and five findings for each of three attackers", a)
	}
	for _, f := range a.Findings {
		// The mean that the centred one takes out holds two numbers of noise.
		if f.Value != 1 && f.Attacker != "mlp-100-centred" {
			t.Errorf("entity that was copied: %+v, want 1", f)
		}
	}
	code, out, _ := clitest.Sotto(t, "", "attack", "entities", "--vectors", vectors, "--attributes", attributes, "--column", "sex")
	if code != command.ExitDone || !strings.Contains(out, "present means that sex is") || !strings.Contains(out, "no guarantee is stated") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestAttackEntityModel(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a model and attacks it")
	}
	dir := filepath.Join(t.TempDir(), "model")
	if code, _, errs := clitest.Sotto(t, "", strings.Fields("train --data reviews --method federate --epsilon 4 --limit 400 --out "+dir+clitest.Quickly)...); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	a := attempt(t, command.ExitDone, "entities", "--model", dir)
	if len(a.Findings) < 10 || a.Findings[0].Target != "author" || a.Guarantee == nil || !(a.Findings[0].Limit > 0.5) {
		t.Errorf("entities of a model: %+v, want the author with a limit", a)
	}
}

func TestAttackKindErrors(t *testing.T) {
	vectors, attributes := attackFiles(t, 20, true)
	empty, some := filepath.Join(t.TempDir(), "empty.txt"), filepath.Join(t.TempDir(), "some.txt")
	clitest.Write(t, empty, "")
	clitest.Write(t, some, strings.Repeat("red bird\nblue fish\n", 10))
	for _, c := range []struct{ args, want string }{
		{"averaging --data reviews", "want one mechanism"},
		{"averaging laplace-l1 --data reviews", "want --epsilon"},
		{"averaging laplace-l1 --epsilon 1", "want --texts, --in or --data"},
		{"averaging laplace-l1 --epsilon 1 --data reviews --texts x", "want --texts, --in or --data"},
		{"averaging laplace-l1 --epsilon 1 --data reviews --column x", "no meaning"},
		{"averaging laplace-l1 --epsilon 1 --texts x --attribute author", "no meaning"},
		{"averaging laplace-l1 --epsilon 1 --data reviews --attribute shoe --rows 50 --encoder hash:8", "shoe"},
		{"averaging krr --classes 3 --epsilon 1 --data reviews --rows 50 --encoder hash:8", "must be a mechanism for vectors"},
		{"averaging nothing --epsilon 1 --data reviews --rows 50 --encoder hash:8", "nothing"},
		{"averaging laplace-l1 --epsilon 1 --data reviews --rows 5 --encoder hash:8", "at least 8"},
		{"averaging laplace-l1 --epsilon 1 --data reviews --releases 0", "must be positive"},
		{"inversion --epsilon 1 --data reviews", "without a mechanism"},
		{"inversion --claim 1 --data reviews", "without a mechanism"},
		{"inversion --texts no-such-file.txt --encoder hash:8", "no such file"},
		{"membership laplace-l1 --epsilon 1 --data reviews --claim -1", "must be positive"},
		{"membership laplace-l1 --epsilon 1 --data reviews --workers -1", "workers"},
		{"entities", "want --vectors and --attributes, --pairs, or --model"},
		{"entities --model m --vectors v --attributes a", "want --vectors and --attributes, --pairs, or --model"},
		{"entities --vectors v", "want both"},
		{"entities --model m --column a", "no meaning"},
		{"entities --vectors " + vectors + " --attributes " + attributes + " --column id", "must have two"},
		{"entities --vectors v --attributes a --epsilon -1", "must be non-negative"},
		{"entities --vectors v --attributes a --epsilon nan", "--epsilon is NaN, must be non-negative"},
		{"averaging laplace-l1 --epsilon 1 --encoder hash:8 --texts " + empty, "has no texts"},
		{"inversion --encoder hash:8 --texts " + empty, "has no texts"},
		{"averaging oue --epsilon 4 --encoder hash:8 --texts " + some, "nothing can be attacked"},
	} {
		code, out, errs := clitest.Sotto(t, "", append([]string{"attack"}, strings.Fields(c.args)...)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, output %q, error %q, want 2 and %q", c.args, code, out, errs, c.want)
		}
	}
}

// The stored form is what package evidence reads, with nulls where nothing is
// known.
func TestAttemptJSON(t *testing.T) {
	_, out, _ := clitest.Sotto(t, "", strings.Fields("attack inversion --data reviews --rows 60 --encoder hash:16 --json")...)
	var got struct {
		Format   string
		Findings []struct{ Limit *float64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Format != attack.Format || len(got.Findings) == 0 || got.Findings[0].Limit != nil {
		t.Errorf("%v: %s, want the format %s and no limit", err, out, attack.Format)
	}
}

// TestOwnTexts attacks a column of a file of one's own, and prints no path.
func TestOwnTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("comment;city\n")
	for i := range 120 {
		fmt.Fprintf(&b, "%s parcel %d;%s\n", []string{"fine", "poor"}[i%2], i, []string{"Rome", "Oslo"}[i%2])
	}
	file := clitest.TextFile(t, "customers.csv", b.String())
	run := func(args string) (int, string, string) {
		return clitest.Sotto(t, "", strings.Fields("attack averaging privunit --epsilon 8 --encoder hash:16 --json "+args)...)
	}
	code, out, errs := run("--in " + file + " --text comment --attribute city")
	if code != command.ExitDone || !strings.Contains(out, `"city"`) || strings.Contains(out, "customers") {
		t.Errorf("exit code %d, output %.300s, error %s", code, out, errs)
	}
	for args, want := range map[string]string{
		"--in " + file: "want --text",
		"--in " + file + " --text comment --data reviews": "one of them",
		"--in " + file + " --text commentt":               `did you mean "comment"`,
	} {
		if code, _, errs := run(args); code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s, want %q", args, code, errs, want)
		}
	}
}

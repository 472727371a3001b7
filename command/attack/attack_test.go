package attack_test

import (
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/evidence"
	"sotto/learn/attack"
)

// attackFiles writes vectors, of which the first number is the attribute if it
// is to leak, and the attribute.
func attackFiles(t *testing.T, rows int, leak bool) (vectors, attributes string) {
	t.Helper()
	r := weakrand.New(weakrand.NewPCG(7, 7))
	var v, a strings.Builder
	a.WriteString("id,sex\n")
	for i := range rows {
		z := r.IntN(2)
		first := r.NormFloat64()
		if leak {
			first = float64(z)
		}
		fmt.Fprintf(&v, "%v,%v,%v\n", first, r.NormFloat64(), r.NormFloat64())
		fmt.Fprintf(&a, "%d,%s\n", i, []string{"f", "m"}[z])
	}
	dir := t.TempDir()
	vectors, attributes = filepath.Join(dir, "v.csv"), filepath.Join(dir, "a.csv")
	clitest.Write(t, vectors, v.String())
	clitest.Write(t, attributes, a.String())
	return vectors, attributes
}

type attackJSON struct {
	Format    string
	Attribute string
	Values    []string
	Attackers []struct {
		Name                               string
		Accuracy, Low, High, Majority, AUC float64
		Balanced                           float64 `json:"balanced_accuracy"`
		Rows                               int     `json:"rows_scored"`
		Refutes                            bool
		MDL                                *struct {
			Code        string
			Compression float64
			Blocks      []any
		}
	}
	Guarantee *struct{ Epsilon float64 }
	Limit     *float64
	Refuted   bool
	Models    []struct {
		Folder string
		Seed   int
		Limit  *float64
	}
}

// infer makes an attack, and sees that what is written is what is printed.
func infer(t *testing.T, wantCode int, args ...string) attackJSON {
	t.Helper()
	file := filepath.Join(t.TempDir(), "attack.json")
	code, out, errs := clitest.Sotto(t, "", append([]string{"attack", "--json", "--out", file}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s%s", code, wantCode, out, errs)
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != out {
		t.Errorf("--out wrote %q (%v), want what was printed", written, err)
	}
	var got attackJSON
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return got
}

// A copied attribute is read off, whatever ε is stated, and refutes a small one.
func TestAttackCopy(t *testing.T) {
	vectors, attributes := attackFiles(t, 120, true)
	base := []string{"--vectors", vectors, "--attributes", attributes, "--column", "sex"}
	got := infer(t, command.ExitNo, append(base, "--epsilon", "1")...)
	if !got.Refuted || got.Limit == nil || *got.Limit > 0.76 || len(got.Attackers) != 4 || got.Format != attack.AttributeFormat {
		t.Errorf("attack on a copy: %+v, want ε refuted by four attackers", got)
	}
	for _, a := range got.Attackers {
		if a.Name == "mlp-100-centred" {
			continue // the mean that it takes out holds two numbers of noise
		}
		if a.Accuracy != 1 || !a.Refutes || a.Rows != 60 || a.AUC != 1 || a.Balanced != 1 || !(a.Majority < 0.7) {
			t.Errorf("attacker %+v, want all right on 60 rows", a)
		}
		if a.MDL == nil || a.MDL.Code != "block" || len(a.MDL.Blocks) != 11 || a.Name != "linear" && !(a.MDL.Compression > 1.2) {
			t.Errorf("attacker %s: description %+v, want a short one", a.Name, a.MDL)
		}
	}
	got = infer(t, command.ExitDone, append(base, "--mdl", "none")...)
	if got.Refuted || got.Limit != nil || got.Guarantee != nil || got.Attackers[0].MDL != nil || strings.Join(got.Values, " ") != "f m" || got.Attribute != "sex" {
		t.Errorf("attack without a guarantee: %+v, want no limit", got)
	}
	code, out, _ := clitest.Sotto(t, "", append([]string{"attack", "--epsilon", "1", "--mdl", "prefix"}, base...)...)
	for _, want := range []string{"the stated ε is refuted", "mlp-512", "refutes the stated ε", "prefix code", "60 to score; stated: ε = 1 (text-level)"} {
		if code != command.ExitNo || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
}

// Noise says nothing: at ε = 0 the limit is the majority rate, and the attack
// stays within it.
func TestAttackNoise(t *testing.T) {
	vectors, attributes := attackFiles(t, 400, false)
	got := infer(t, command.ExitDone, "--vectors", vectors, "--attributes", attributes, "--column", "sex", "--epsilon", "0", "--mdl", "none")
	for _, a := range got.Attackers {
		if a.Refutes || !(a.Low <= a.Majority) || got.Limit == nil || *got.Limit != a.Majority {
			t.Errorf("attacker %+v on noise, limit %v, want the majority rate within the interval", a, got.Limit)
		}
	}
}

// What sotto privatize promises is found beside the vectors, and holds.
func TestAttackPrivatized(t *testing.T) {
	vectors, attributes := attackFiles(t, 120, true)
	private := filepath.Join(t.TempDir(), "private.npy")
	if code, _, errs := clitest.Sotto(t, "", "privatize", "laplace-l1", "--epsilon", "2", "--in", vectors, "--out", private); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	args := []string{"--vectors", private, "--attributes", attributes, "--column", "sex", "--mdl", "none"}
	got := infer(t, command.ExitDone, args...)
	if got.Guarantee == nil || !(got.Guarantee.Epsilon > 1.9 && got.Guarantee.Epsilon <= 2) || got.Limit == nil || !(*got.Limit > 0.85 && *got.Limit < 0.9) {
		t.Errorf("guarantee %+v and limit %v, want ε = 2 and e²/(e²+1)", got.Guarantee, got.Limit)
	}
	// The shape that sotto encode writes.
	sum, err := evidence.HashFile(private)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, private+".privacy.json", `{"private":true,"release":{"guarantee":{"unit":"text","epsilon":2,"delta":1e-6}},"sha256":"`+sum+`"}`)
	if got := infer(t, command.ExitDone, args...); got.Guarantee == nil || got.Limit != nil {
		t.Errorf("guarantee %+v and limit %v with δ > 0, want a guarantee and no limit", got.Guarantee, got.Limit)
	}
}

func TestAttackModel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if testing.Short() {
		t.Skip("trains a model and attacks it")
	}
	code, _, errs := clitest.Sotto(t, "", strings.Fields("train --data reviews --method federate,majority --epsilon 4 --limit 400 --out "+dir+clitest.Quickly)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	got := infer(t, command.ExitDone, "--model", dir, "--data", "reviews", "--mdl", "none")
	if len(got.Models) != 1 || got.Limit == nil || *got.Limit != *got.Models[0].Limit || len(got.Attackers) != 4 || got.Attribute == "" {
		t.Errorf("attack on models: %+v, want one model, as majority releases nothing, with a limit and four attackers", got)
	}
	var evaluated struct{ Mean struct{ Leakage float64 } }
	code, out, errs := clitest.Sotto(t, "", "evaluate", dir, "--json")
	if err := json.Unmarshal([]byte(out), &evaluated); code != command.ExitDone || err != nil {
		t.Fatalf("evaluate: exit code %d, %v: %s", code, err, errs)
	}
	if a := got.Attackers[1]; a.Name != "mlp-100" || a.Accuracy != evaluated.Mean.Leakage {
		t.Errorf("attacker %+v, want mlp-100 with the leakage %v that evaluate prints", a, evaluated.Mean.Leakage)
	}
	code, out, errs = clitest.Sotto(t, "", "attack", "--model", dir, "--data", "adult")
	if code != command.ExitUse || out != "" || !strings.Contains(errs, "trained on reviews") {
		t.Errorf("other data: exit code %d, %s, want 2 and what the model was trained on", code, errs)
	}
}

func TestAttackErrors(t *testing.T) {
	vectors, attributes := attackFiles(t, 20, true)
	short := filepath.Join(t.TempDir(), "short.csv")
	clitest.Write(t, short, "sex\nsecret\nm\n")
	same := filepath.Join(t.TempDir(), "same.csv")
	clitest.Write(t, same, "sex\n"+strings.Repeat("secret\n", 20))
	record := filepath.Join(t.TempDir(), "record.json")
	clitest.Write(t, record, `{"other": 1}`)
	for _, c := range []struct{ name, args, want string }{
		{"nothing", "", "want --vectors and --attributes, --pairs, or --model"},
		{"both", "--vectors x --model y", "want --vectors and --attributes, --pairs, or --model"},
		{"no attributes", "--vectors " + vectors, "want both"},
		{"no model", "--data reviews", "want --model"},
		{"no folder", "--vectors " + vectors + " --attributes " + attributes + " --column sex --out nowhere/x.json", "nothing can be written into nowhere"},
		{"no such model", "--model " + filepath.Dir(short) + " --data reviews", "no model"},
		{"epsilon of a model", "--model m --data reviews --epsilon 1", "no meaning"},
		{"not a number", "--vectors " + vectors + " --attributes " + attributes + " --epsilon nan", "--epsilon is NaN, must be non-negative"},
		{"negative", "--vectors " + vectors + " --attributes " + attributes + " --epsilon -1", "must be non-negative"},
		{"several columns", "--vectors " + vectors + " --attributes " + attributes, "2 columns"},
		{"rows", "--vectors " + vectors + " --attributes " + short, "must be those of"},
		{"one value", "--vectors " + vectors + " --attributes " + same, "at least 2"},
		{"code", "--vectors " + vectors + " --attributes " + attributes + " --mdl morse", "must be block, prefix or none"},
		{"record", "--vectors " + vectors + " --attributes " + attributes + " --metadata " + record, "no guarantee is recorded"},
		{"no record", "--vectors " + vectors + " --attributes " + attributes + " --metadata no.json", "no such file"},
	} {
		code, out, errs := clitest.Sotto(t, "", append([]string{"attack"}, strings.Fields(c.args)...)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, c.want) || strings.Contains(errs, "secret") {
			t.Errorf("%s: exit code %d, output %q, error %q, want 2 and %q", c.name, code, out, errs, c.want)
		}
	}
}

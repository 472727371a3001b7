package claims_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/promise/dp"
)

func TestEpsilonNumbers(t *testing.T) {
	for _, tt := range []struct {
		line      string
		claimed   float64
		want      float64 // NaN means "infinite"
		tolerance float64
		unit      string
		verdict   string // with the claimed unit before it, where that differs
	}{
		{"ome --dim 50 --bits 10 --lambda 100 --epsilon 1", 1, 3451.39, 0.005, "text", "false"},
		{"ome --dim 50 --bits 10 --lambda 1 --epsilon 1", 1, 0.50, 0.005, "text", "true"},
		{"ome --dim 768 --bits 10 --lambda 100 --epsilon 1", 1, 53013.4, 0.05, "text", "false"},
		{"laplace-l1 --variant released --dim 300 --epsilon 14", 14, 242.5, 0.05, "text", "false"},
		{"laplace-l1 --dim 300 --epsilon 8", 8, 8, 1e-4, "text", "true"},
		{"dpnr --variant paper --dim 768 --epsilon 0.05", 0.05, 38.4, 0.005, "text", "word not proved"},
		{"dpnr --variant released --dim 768 --epsilon 0.05", 0.05, math.NaN(), 0, "text", "word false"},
		{"laplace-l1 --epsilon 1 --dropout 0.5", 0.6201, 0.6201, 5e-5, "word", "true"},
		{"privemb --variant paper --input-dim 300 --output-dim 50 --epsilon 1", 1, 1.73, 0.1, "metric", "conditional"},
		{"codebook --dim 50 --codewords 256 --selected 16 --epsilon 4", 4, 4, 1e-9, "text", "true"},
		{"gaussian --dim 50 --epsilon 8 --delta 1e-6", 8, 8, 1e-9, "text", "true"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			code, out, errs := clitest.Sotto(t, "", append([]string{"epsilon", "--json"}, strings.Fields(tt.line)...)...)
			if code != command.ExitDone {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			var got struct {
				Mechanism, Variant, Unit, Reason, Verdict string
				ClaimedUnit                               string `json:"claimed_unit"`
				Claimed                                   float64
				True                                      any
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if math.Abs(got.Claimed-tt.claimed) > max(tt.tolerance, 1e-9) || got.Unit != tt.unit || got.Reason == "" || got.Variant == "" {
				t.Errorf("got %+v, want claimed %v, unit %s, a variant and a reason", got, tt.claimed, tt.unit)
			}
			want, unit := tt.verdict, tt.unit
			if u, v, ok := strings.Cut(tt.verdict, " "); ok && dp.Unit(u).Valid() {
				unit, want = u, v
			}
			if got.Verdict != want || got.ClaimedUnit != unit {
				t.Errorf("verdict %q on a %s-level claim, want %q on a %s-level one", got.Verdict, got.ClaimedUnit, want, unit)
			}
			if math.IsNaN(tt.want) {
				if got.True != "infinite" {
					t.Errorf("true = %v, want \"infinite\"", got.True)
				}
			} else if v, ok := got.True.(float64); !ok || math.Abs(v-tt.want) > tt.tolerance {
				t.Errorf("true = %v, want %v ± %v", got.True, tt.want, tt.tolerance)
			}
		})
	}
}

func TestEpsilonText(t *testing.T) {
	code, out, _ := clitest.Sotto(t, "", strings.Fields("epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1")...)
	for _, want := range []string{"ε = 1 (text-level)", "ε = 3451.4 (text-level)", "no ε below 3451.39", "11111111…", "10101010…", "the claim is false: the true ε is 3451 times as large"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s", code, want, out)
		}
	}
	_, out, _ = clitest.Sotto(t, "", strings.Fields("epsilon dpnr --variant paper --dim 768 --epsilon 0.05")...)
	for _, want := range []string{"ε = 0.05 (word-level)", "bound", "no text-level ε below 38.39", "the claim is not proved", "Appendix C"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	_, out, _ = clitest.Sotto(t, "", strings.Fields("epsilon laplace-l1 --epsilon 1 --dropout 0.5")...)
	for _, want := range []string{"0.6201", "word-level", "text-level", "gains nothing"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// The spectral bound is printed, and lies where theory puts it.
func TestEpsilonSpectralBound(t *testing.T) {
	_, out, _ := clitest.Sotto(t, "", strings.Fields("epsilon privemb --variant spectral --input-dim 300 --output-dim 50 --epsilon 1 --json")...)
	var got struct{ Facts map[string]float64 }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if b := got.Facts["spectral_bound"]; b < 3.2 || b > 3.7 {
		t.Errorf("spectral bound = %v, want between 3.2 and 3.7", b)
	}
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "claims.json")
	clitest.Write(t, path, `[{"name": "AG", "mechanism": "dpnr", "variant": "paper", "parameters": {"dim": 768}, "claimed": 0.05, "accuracy": 0.8087, "priors": [0.578], "words": 40},
		{"name": "text", "mechanism": "dpnr", "variant": "paper", "parameters": {"dim": 768}, "claimed": 0.05, "unit": "text", "accuracy": 0.8087, "priors": [0.578]},
		{"name": "honest", "mechanism": "laplace-l1", "parameters": {"dim": 8}, "claimed": 4}]`)
	code, out, _ := clitest.Sotto(t, "", "epsilon", "--check", path)
	if code != command.ExitNo || !strings.Contains(out, "AG: not proved") || !strings.Contains(out, "is possible") || !strings.Contains(out, "text: REFUTED") || !strings.Contains(out, "impossible") || !strings.Contains(out, "honest: true") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	code, out, _ = clitest.Sotto(t, `[{"mechanism": "krr", "classes": 4, "epsilon": 1}]`, "epsilon", "--check", "-", "--json")
	if code != command.ExitDone || !strings.Contains(out, `"refuted": false`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestAuditCommand(t *testing.T) {
	code, out, errs := clitest.Sotto(t, "", strings.Fields("audit laplace-l1 --dim 4 --epsilon 1 --draws 3000 --confidence 0.99999 --json")...)
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != command.ExitDone {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	for _, key := range []string{"claimed", "lower_bound", "confidence", "refuted", "true"} {
		if _, ok := got[key]; !ok {
			t.Errorf("the report lacks %q: %s", key, out)
		}
	}
	code, out, _ = clitest.Sotto(t, "", strings.Fields("audit ome --dim 5 --lambda 100 --epsilon 1 --draws 3000")...)
	if code != command.ExitNo || !strings.Contains(out, "REFUTED") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	// A foreign mechanism that sends its input back.
	code, out, errs = clitest.Sotto(t, "", "audit", "--exec", `sed -u 's/"x"/"y"/'`, "--claim", "3", "--dim", "4", "--draws", "300", "--range", "0,1")
	if code != command.ExitNo || !strings.Contains(out, "REFUTED") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

// Cells of another encoder than the built-in one are looked at by name.
func TestEpsilonOfCells(t *testing.T) {
	for _, args := range [][]string{{"epsilon", "cells", "--cells", "minilm", "--epsilon", "8"}, {"epsilon", "cells", "--epsilon", "8"}} {
		if code, out, errs := clitest.Sotto(t, "", args...); code != command.ExitDone || !strings.Contains(out, "the claim is true") {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, errs)
		}
	}
}

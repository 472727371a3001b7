package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/promise/audit"
)

// Files named *.good.json are lists of claims; *.bad.json hold a list that is
// refused, with the message in a file of the same name and the ending .txt.
func TestClaimFiles(t *testing.T) {
	good, err := filepath.Glob("testdata/*.good.json")
	if err != nil || len(good) == 0 {
		t.Fatalf("no good claim files: %v", err)
	}
	for _, path := range good {
		claims, bad := readClaims(t, path)
		if bad != nil {
			t.Errorf("%s: %v", path, bad)
		}
		for i, c := range claims {
			v, fault := audit.CheckClaim(c)
			if fault != nil {
				t.Errorf("%s: claim %d: %v", path, i+1, fault)
			}
			// The name of each claim says what must become of it.
			if want, _, _ := strings.Cut(c.Name, ":"); string(v.Verdict) != want || v.Refuted != (want == "false") || len(v.Reasons) == 0 {
				t.Errorf("%s: claim %q: %s, refuted %v (%v)", path, c.Name, v.Verdict, v.Refuted, v.Reasons)
			}
		}
	}
	bad, err := filepath.Glob("testdata/*.bad.json")
	if err != nil || len(bad) == 0 {
		t.Fatalf("no bad claim files: %v", err)
	}
	for _, path := range bad {
		claims, err := readClaims(t, path)
		if err == nil {
			_, err = audit.CheckClaim(claims[0])
		}
		want, readErr := os.ReadFile(strings.TrimSuffix(path, ".json") + ".txt")
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(string(want))) {
			t.Errorf("%s: error = %v, want it to contain %q", path, err, strings.TrimSpace(string(want)))
		}
	}
}

func readClaims(t *testing.T, path string) ([]audit.Claim, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return audit.ReadClaims(f)
}

// The published accuracy of DPNR on AG at ε = 0.05 is impossible at text
// level, whatever the mechanism.
func TestImpossibleAccuracy(t *testing.T) {
	claims, err := audit.ReadClaims(strings.NewReader(`[
		{"name": "AG", "claimed": 0.05, "accuracy": 0.8087, "priors": [0.578, 0.371, 0.0416, 0.0073], "test_size": 1457}]`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := audit.CheckClaim(claims[0])
	if err != nil {
		t.Fatal(err)
	}
	if !v.Refuted || v.Limit == nil || *v.Limit < 0.578 || *v.Limit > 0.6 {
		t.Errorf("CheckClaim = %+v, want refuted with a limit near the majority rate", v)
	}
}

// The limit is proved for text-level δ = 0; elsewhere an accuracy is not used,
// and that is said.
func TestAccuracyNotChecked(t *testing.T) {
	claims, err := audit.ReadClaims(strings.NewReader(`[
		{"mechanism": "gaussian", "dim": 5, "epsilon": 0.5, "delta": 0.3, "accuracy": 0.7, "priors": [0.5, 0.5]},
		{"claimed": 0.05, "delta": 0.3, "accuracy": 0.99, "priors": [0.578]},
		{"unit": "word", "claimed": 0.05, "accuracy": 0.99, "priors": [0.578]}]`))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		v, err := audit.CheckClaim(c)
		if err != nil {
			t.Fatal(err)
		}
		if v.Refuted || v.Limit != nil || !strings.Contains(strings.Join(v.Reasons, " "), "was not checked") {
			t.Errorf("claim %d: CheckClaim = %+v, want an accuracy that was not checked", i+1, v)
		}
	}
}

func FuzzReadClaims(f *testing.F) {
	f.Add(`[{"mechanism":"ome","dim":50,"epsilon":1}]`)
	f.Add(`[{"mechanism":"krr","parameters":{"classes":3,"epsilon":1},"accuracy":0.5,"priors":[0.4]}]`)
	f.Add(`[{}]`)
	f.Fuzz(func(t *testing.T, text string) {
		claims, err := audit.ReadClaims(strings.NewReader(text))
		if err == nil && len(claims) == 0 {
			t.Errorf("ReadClaims(%q) returned no claim and no error", text)
		}
		for _, c := range claims {
			if !(c.Claimed > 0) {
				t.Errorf("ReadClaims(%q) accepted claimed %v", text, c.Claimed)
			}
		}
	})
}

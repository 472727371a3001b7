package relation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sotto/command"
	"sotto/data/testenv"
)

// TestSemEval trains on SemEval-2010 as scripts do, which takes minutes, and holds what is
// asked of the network: an official mean of F1 of 80, and BLEU of 85.
func TestSemEval(t *testing.T) {
	if os.Getenv("SOTTO_RELATIONS") == "" {
		t.Skip("it trains for minutes: make relations")
	}
	testenv.Set(t, "semeval2010")
	begun := time.Now()
	code, out, errs := program.Sotto(t, "", "relations", "train", "--data", "semeval2010", "--out", filepath.Join(t.TempDir(), "model"), "--seeds", "1", "--json")
	if code != command.ExitDone {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	t.Logf("trained and measured in %v:\n%s", time.Since(begun).Round(time.Second), out)
	var r struct {
		Macro float64 `json:"macro_f1"`
		BLEU  float64 `json:"bleu"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if !(r.Macro >= 0.80) || !(r.BLEU >= 0.85) {
		t.Errorf("macro F1 is %.4f and BLEU %.4f, want at least 0.80 and 0.85", r.Macro, r.BLEU)
	}
}

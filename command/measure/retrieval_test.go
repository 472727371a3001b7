package measure_test

import (
	"encoding/json"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// vectors writes a file of unit-sized noise.
func vectors(t *testing.T, path string, rows, cols int) {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	var b strings.Builder
	for range rows {
		for j := range cols {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.4f", rng.NormFloat64())
		}
		b.WriteByte('\n')
	}
	clitest.Write(t, path, b.String())
}

// retrieved is what the command prints, as far as tests look at it.
type retrieved struct {
	Format, Raw, Private, Mechanism string
	Rows                            int
	Guarantee                       *struct{ Epsilon float64 }
	Recalls                         []struct {
		K                         int
		Recall, Low, High, Chance float64
	}
}

func TestMeasureRetrieval(t *testing.T) {
	dir := t.TempDir()
	raw, private := filepath.Join(dir, "raw.csv"), filepath.Join(dir, "private.csv")
	vectors(t, raw, 200, 8)
	measure := func(args ...string) (r retrieved) {
		t.Helper()
		code, out, errs := clitest.Sotto(t, "", append([]string{"measure", "retrieval", "--json", "--raw", raw}, args...)...)
		if code != command.ExitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, dir) {
			t.Errorf("%v: the result has the path of the data: %s", args, out)
		}
		return r
	}
	if code, _, errs := clitest.Sotto(t, "", "privatize", "laplace-l1", "--epsilon", "4000", "--in", raw, "--out", private); code != command.ExitDone {
		t.Fatal(errs)
	}
	r := measure("--private", private)
	if r.Format != "sotto-retrieval-1" || r.Rows != 200 || r.Mechanism != "laplace-l1" || r.Guarantee == nil || math.Abs(r.Guarantee.Epsilon-4000) > 1e-3 || len(r.Recalls) != 3 {
		t.Errorf("result is %+v, want 200 rows and what is recorded of them", r)
	}
	if r.Recalls[1].Recall < 0.8 {
		t.Errorf("at ε = 4000 recall@10 is %v, want nearly all", r.Recalls[1].Recall)
	}
	simulated := measure("--mechanism", "laplace-l1", "--epsilon", "4000", "--k", "10", "--seed", "3")
	if math.Abs(simulated.Recalls[0].Recall-r.Recalls[1].Recall) > 0.1 {
		t.Errorf("simulated recall@10 is %v, of the file %v, want about the same", simulated.Recalls[0].Recall, r.Recalls[1].Recall)
	}
	if low := measure("--mechanism", "laplace-l1", "--epsilon", "0.01", "--k", "10"); low.Recalls[0].Recall > 0.3 {
		t.Errorf("at ε = 0.01 recall@10 is %v, want little more than chance, %v", low.Recalls[0].Recall, low.Recalls[0].Chance)
	}
	code, out, errs := clitest.Sotto(t, "", "measure", "retrieval", "--raw", raw, "--private", private, "--metric", "dot")
	if code != command.ExitDone || !strings.Contains(out, "RECALL %") || !strings.Contains(out, "by dot") || !strings.Contains(out, "ε = 4000") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

func TestMeasureRetrievalRefuses(t *testing.T) {
	dir := t.TempDir()
	raw, short := filepath.Join(dir, "raw.csv"), filepath.Join(dir, "short.csv")
	vectors(t, raw, 50, 4)
	vectors(t, short, 49, 4)
	replaced := filepath.Join(dir, "replaced.csv")
	vectors(t, replaced, 50, 4)
	clitest.Write(t, replaced+".privacy.json", `{"guarantee": {"unit": "text", "epsilon": 1, "delta": 0}, "sha256": "00"}`)
	for args, want := range map[string]string{
		"--raw " + raw:                                                                    "--private or --mechanism",
		"--raw " + raw + " --private " + raw:                                              "same",
		"--raw " + raw + " --private " + short:                                            "49 rows",
		"--raw " + raw + " --private " + replaced:                                         "changed or replaced",
		"--raw " + raw + " --mechanism laplace-l1":                                        "--epsilon",
		"--raw " + raw + " --private " + short + " --epsilon 4":                           "without --mechanism",
		"--raw " + raw + " --mechanism laplace-l1 --epsilon 4 --private " + short:         "with --mechanism",
		"--raw " + raw + " --mechanism laplace-l1 --epsilon 4 --k 49":                     "below 49",
		"--raw " + raw + " --mechanism laplace-l1 --epsilon 4 --metric l2":                "cosine or dot",
		"--raw " + filepath.Join(dir, "absent.csv") + " --mechanism codebook --epsilon 4": "absent.csv",
	} {
		code, out, errs := clitest.Sotto(t, "", append([]string{"measure", "retrieval"}, strings.Fields(args)...)...)
		if code == command.ExitDone || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: exit code %d, %q and %q, want an error with %q", args, code, out, errs, want)
		}
	}
}

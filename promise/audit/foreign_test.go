package audit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// The test binary plays the foreign command when this variable is set.
const foreignMode = "SOTTO_TEST_FOREIGN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(foreignMode); mode != "" {
		playForeign(mode)
		return
	}
	os.Exit(m.Run())
}

// playForeign answers lines on standard input as the mode says.
func playForeign(mode string) {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 3, Epsilon: 1})
	if err != nil {
		panic(err)
	}
	src := noise.Crypto()
	say := func(line string) {
		if _, err := os.Stdout.WriteString(line + "\n"); err != nil {
			os.Exit(1)
		}
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q struct{ X []float64 }
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		y, err := m.Privatize(q.X, src)
		switch {
		case mode == "silent":
			fmt.Fprintln(os.Stderr, "I say nothing")
			os.Exit(7)
		case mode == "talkative":
			say(`{"y": [1, 2, 3]}`)
		case mode == "nonsense":
			say("[1, 2]")
			continue
		case mode == "leaky":
			y[2] = q.X[2]
		case mode == "refusing" && q.X[0] == 0:
			say(`{"error": "no zeros"}`)
			continue
		}
		if err != nil {
			panic(err)
		}
		line, err := json.Marshal(map[string]any{"y": y})
		if err != nil {
			panic(err)
		}
		say(string(line))
		if mode == "once" {
			return
		}
	}
}

// certain is how many draws show what one input always gives and the other never, at a
// confidence of 1 − 10⁻⁵. A coin leaves each input 100 of twice as many but once in 10⁵
// runs; then p is above 0.87 and q below 0.13, whose ratio refutes 1.
const certain = 150

func runForeign(t *testing.T, open func(context.Context) (audit.Sampler, error), draws int) (audit.Result, error) {
	t.Helper()
	target, err := audit.Foreign(audit.Domain{Dim: 3, Low: -1, High: 1}, open)
	if err != nil {
		t.Fatal(err)
	}
	// All pairs are tried by [TestMutants]; here each release is a message, so that the
	// ones with opposite ends and with zeros must do.
	target.Pairs = []audit.Pair{target.Pairs[0], target.Pairs[7]}
	return audit.Run(t.Context(), target, audit.Config{Claim: 1, Draws: draws, Workers: 2, Confidence: 1 - falseFailure})
}

func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode    string
		draws   int
		refuted bool
		want    string // part of the error
	}{
		{mode: "honest", draws: certain},
		{mode: "leaky", draws: certain, refuted: true},
		{mode: "refusing", draws: certain, refuted: true},
		{mode: "silent", draws: 200, want: "ended without an answer (its last words: I say nothing): exit status 7"},
		{mode: "nonsense", draws: 200, want: "no JSON object"},
		{mode: "talkative", draws: 200, want: "more lines than it was sent"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			r, err := runForeign(t, audit.Command(foreignMode+"="+tt.mode+" '"+self+"'"), tt.draws)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error = %v, want it to contain %q", err, tt.want)
				}
				return
			}
			if err != nil || r.Refuted != tt.refuted {
				t.Errorf("Run = %+v, %v; want refuted %v", r, err, tt.refuted)
			}
		})
	}
}

// A command that ends after each answer is started again for the next one.
func TestCommandOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.Command(foreignMode + "=once '" + self + "'")(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 {
		if r, err := s.Sample(t.Context(), []float64{1, 0, 0}); err != nil || len(r.Y) != 3 {
			t.Fatalf("answer %d = %v, %v; want 3 numbers", i, r, err)
		}
	}
}

func TestCommandStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := audit.Command("cat >/dev/null")(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cancel()
	if _, err := s.Sample(ctx, []float64{1}); err == nil {
		t.Error("Sample with a cancelled context succeeded, want an error")
	}
}

func TestEndpoint(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 3, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	handle := func(path string, spoil func(y, x []float64)) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			var q struct{ X []float64 }
			if json.NewDecoder(r.Body).Decode(&q) != nil {
				http.Error(w, "bad", http.StatusBadRequest)
				return
			}
			y, refusal := m.Privatize(q.X, noise.Crypto())
			if refusal != nil {
				http.Error(w, "refused", http.StatusUnprocessableEntity)
				return
			}
			spoil(y, q.X)
			json.NewEncoder(w).Encode(map[string]any{"y": y}) //nolint:errcheck // the client sees it
		})
	}
	handle("/honest", func(_, _ []float64) {})
	handle("/leaky", func(y, x []float64) { y[2] = x[2] })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for path, refuted := range map[string]bool{"/honest": false, "/leaky": true} {
		open, bad := audit.Endpoint(srv.URL + path)
		if bad != nil {
			t.Fatal(bad)
		}
		if r, failed := runForeign(t, open, certain); failed != nil || r.Refuted != refuted {
			t.Errorf("%s: Run = %+v, %v; want refuted %v", path, r, failed, refuted)
		}
	}
	open, err := audit.Endpoint(srv.URL + "/absent")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runForeign(t, open, 200); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("error = %v, want one that names status 404", err)
	}
	if _, err := audit.Endpoint("ftp://example"); err == nil {
		t.Error("Endpoint of an ftp address succeeded, want an error")
	}
}

func TestConfigAndDomainValidate(t *testing.T) {
	target := audit.Builtin(honest(t, "laplace-l1", 1))
	for name, c := range map[string]audit.Config{
		"claim":      {Claim: -1},
		"draws":      {Draws: 5},
		"confidence": {Confidence: 1},
		"delta":      {Delta: 1},
		"workers":    {Workers: -1},
	} {
		if _, err := audit.Run(t.Context(), target, c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Run with bad %s: error = %v, want one that names it", name, err)
		}
	}
	for _, d := range []audit.Domain{{Dim: 0, High: 1}, {Dim: 2, Low: 1, High: 1}, {Dim: 2, Low: 2, High: 1}} {
		if _, err := audit.Foreign(d, nil); err == nil {
			t.Errorf("Foreign(%+v) succeeded, want an error", d)
		}
	}
	if _, err := audit.Run(t.Context(), audit.Target{}, audit.Config{}); err == nil {
		t.Error("Run of a target without pairs succeeded, want an error")
	}
}

var _ dp.Vector = mutant{}

// drifting ignores its input, but its answers change over time.
type drifting struct{ asked *atomic.Int64 }

func (d drifting) Privatize([]float64, rand.Source) ([]float64, error) {
	return []float64{float64(d.asked.Add(1) / 700 % 2)}, nil
}

func (drifting) Guarantee() dp.Guarantee { return dp.None(dp.Text) }

// A mechanism that ignores its input is not refuted, whatever it does over time.
func TestDriftIsNoLeak(t *testing.T) {
	for range 5 {
		if r := attackForeign(t, drifting{new(atomic.Int64)}, 1, 0.01, dptest.Count(t, 5000, 20_000), nil); r.Refuted {
			t.Errorf("a mechanism that ignores its input was refuted: %+v", r)
		}
	}
}

// identity releases its input.
type identity struct{}

func (identity) Privatize(x []float64, _ rand.Source) ([]float64, error) { return x, nil }
func (identity) Guarantee() dp.Guarantee                                 { return dp.None(dp.Text) }

// Whatever the range, reading the input off certifies far more than counting.
func TestIdentityIsRead(t *testing.T) {
	for _, d := range []audit.Domain{{Dim: 20, Low: -1, High: 1}, {Dim: 20, Low: 3, High: 5}, {Dim: 20, Low: 0, High: 1}} {
		target, err := audit.Foreign(d, newSampler(identity{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		r, err := audit.Run(t.Context(), target, audit.Config{Claim: 100, Draws: 500})
		if err != nil || !r.Refuted || r.Method != "recovery" {
			t.Errorf("range %v to %v: Run = %+v, %v; want refuted by recovery", d.Low, d.High, r, err)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, s := range []string{`{"y":[1,2.5]}`, `{"error":"no"}`, `{"y":null}`, `[]`, `{"y":[1e999]}`, `{"y":[1],"error":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := audit.ParseAnswer(line)
		if err == nil && r.Refused == (r.Y != nil) {
			t.Errorf("ParseAnswer(%q) = %+v, want either a release or a refusal", line, r)
		}
	})
}

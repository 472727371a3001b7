package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// service starts a gateway with ε = 1 a text and returns its address.
func service(t *testing.T, noise gateway.Noise, m mech.Mechanism) string {
	t.Helper()
	e, err := encode.NewHash(16)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := gateway.NewSecret(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(t.Context(), gateway.Config{Encoder: e, Mechanism: m, Ledger: &memory{paid: map[string]bool{}}, Secret: secret, Noise: noise})
	if err != nil {
		t.Fatal(err)
	}
	s, err := gateway.NewService(gateway.ServiceConfig{Gateway: g, Name: "sotto"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

func newMechanism(t *testing.T, p mech.Params) mech.Mechanism {
	t.Helper()
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// memory is a ledger that forgets, and waits for no disk.
type memory struct {
	mu   sync.Mutex
	paid map[string]bool
}

func (m *memory) Spend(_ context.Context, requests ...ledger.Request) ([]ledger.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	receipts := make([]ledger.Receipt, len(requests))
	for i, r := range requests {
		name := r.Subject + r.Key.String()
		receipts[i].Repeated, m.paid[name] = m.paid[name], true
	}
	return receipts, nil
}

func (m *memory) Balance(context.Context, string) (ledger.Balance, error) {
	return ledger.Balance{}, nil
}

// liar promises ε = 1 and adds almost no noise.
type liar struct{ mech.Mechanism }

func (l liar) PrivatizeTo(dst, x []float64, src rand.Source) error {
	if err := l.Mechanism.PrivatizeTo(dst, x, src); err != nil {
		return err
	}
	for i, v := range x {
		dst[i] = v + dst[i]/1e3
	}
	return nil
}

// TestAuditGateway: a gateway keeps its ε against whoever sees releases, with
// memoised and with fresh noise; whoever asks as the same user learns what was
// asked for with the former alone; and a gateway that lies is caught.
func TestAuditGateway(t *testing.T) {
	t.Parallel()
	honest := newMechanism(t, mech.Params{Mechanism: "laplace-l1", Dim: 16, Epsilon: 1})
	texts := filepath.Join(t.TempDir(), "texts")
	clitest.Write(t, texts, "good\nbad\n")
	for _, tt := range []struct {
		name    string
		noise   gateway.Noise
		m       mech.Mechanism
		code    int
		refuted bool
		tells   bool
	}{
		{"memoised", gateway.Memoised, honest, command.ExitDone, false, true},
		{"fresh", gateway.Fresh, honest, command.ExitDone, false, false},
		{"a liar", gateway.Memoised, liar{honest}, command.ExitNo, true, true},
	} {
		address := service(t, tt.noise, tt.m)
		// At this confidence an honest gateway is refuted, or a coin taken for
		// knowledge, once in 10⁵ runs.
		code, out, errs := clitest.Sotto(t, "", "audit", "--gateway", address, "--texts", texts, "--draws", "200", "--trials", "20", "--confidence", "0.99999", "--json")
		var got struct {
			Format  string
			Claimed float64
			Refuted bool
			Querier struct {
				Trials, Right int
				LowerBound    float64 `json:"lower_bound"`
				Means         string
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != tt.code {
			t.Errorf("%s: exit code %d, %v: %s%s", tt.name, code, err, out, errs)
			continue
		}
		q := got.Querier
		if got.Format == "" || math.Abs(got.Claimed-1) > 1e-5 || got.Refuted != tt.refuted || q.Trials != 20 || (q.LowerBound > 0.5) != tt.tells {
			t.Errorf("%s: %+v, want refuted to be %v, and asking to tell to be %v", tt.name, got, tt.refuted, tt.tells)
		}
		if tt.tells && (q.Right != 20 || !strings.Contains(q.Means, "outside ε")) {
			t.Errorf("%s: asking as the same user is right %d times of 20 and means %q, want always, outside ε", tt.name, q.Right, q.Means)
		}
	}
}

func TestAuditGatewayText(t *testing.T) {
	t.Parallel()
	honest := newMechanism(t, mech.Params{Mechanism: "codebook", Dim: 16, Epsilon: 1})
	address := service(t, gateway.Memoised, honest)
	texts := filepath.Join(t.TempDir(), "texts")
	clitest.Write(t, texts, "good\nbad\n")
	code, out, errs := clitest.Sotto(t, "", "audit", "--gateway", address, "--texts", texts, "--draws", "200", "--trials", "20", "--confidence", "0.99999")
	for _, want := range []string{"gateway, codebook, memoised noise", "texts 1 and 2", "asking as the user", "20 of 20", "not refuted"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, output lacks %q:\n%s%s", code, want, out, errs)
		}
	}
	clitest.Write(t, texts, "good\nbad\nugly\n")
	for _, tt := range []struct{ line, want string }{
		{"--gateway " + address + " --texts " + texts, "must be pairs"},
		{"--gateway " + address + " --texts " + texts + "x", "--texts cannot be read"},
		{"--gateway " + address + " --key-file " + texts + "x", "--key-file cannot be read"},
		{"--gateway nowhere", "must be an http or https address"},
		{"--gateway " + address + " --dim 5", "--dim has no meaning for a gateway"},
		{"--gateway " + address + " laplace-l1", "want one of a mechanism"},
		{"laplace-l1 --dim 4 --epsilon 1 --trials 5", "--trials has no meaning"},
	} {
		if code, _, errs := clitest.Sotto(t, "", append([]string{"audit"}, strings.Fields(tt.line)...)...); code != command.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("audit %s: exit code %d, %q, want %q", tt.line, code, errs, tt.want)
		}
	}
}

func (m *memory) Grant(context.Context, ledger.Grant) error { return nil }

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
	"sotto/text/encode"
)

// TestMain lets many tests run at a time, since those that may do so wait.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8") //nolint:errcheck // which there is
	os.Exit(m.Run())
}

const width = 16

// secretOf makes a secret that a test can repeat.
func secretOf(tb testing.TB, fill byte) gateway.Secret {
	tb.Helper()
	s, err := gateway.NewSecret(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func mechanism(tb testing.TB, epsilon float64) mech.Mechanism {
	tb.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: width, Epsilon: epsilon})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func openLedger(tb testing.TB, path string, epsilon float64) *ledger.Ledger {
	tb.Helper()
	l, err := ledger.OpenFile(path, ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: epsilon, Window: 24 * time.Hour}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// config is a gateway with ε = 2 a text and a budget of 20.
func config(tb testing.TB) gateway.Config {
	tb.Helper()
	e, err := encode.NewHash(width)
	if err != nil {
		tb.Fatal(err)
	}
	return gateway.Config{Encoder: e, Mechanism: mechanism(tb, 2), Ledger: openLedger(tb, filepath.Join(tb.TempDir(), "ledger"), 20), Secret: secretOf(tb, 1)}
}

func newGateway(tb testing.TB, c gateway.Config) *gateway.Gateway {
	tb.Helper()
	g, err := gateway.New(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// diary notes in which order ledger and mechanism were used.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, " ")
}

// spyLedger notes spends, or fails with err.
type spyLedger struct {
	gateway.Ledger
	diary *diary
	err   error
}

func (s *spyLedger) Spend(ctx context.Context, r ...ledger.Request) ([]ledger.Receipt, error) {
	if s.err != nil {
		return nil, s.err
	}
	receipts, err := s.Ledger.Spend(ctx, r...)
	s.diary.add("spent")
	return receipts, err
}

// spyMechanism notes releases, or does something else instead.
type spyMechanism struct {
	mech.Mechanism
	diary   *diary
	instead func() error
}

func (s *spyMechanism) PrivatizeTo(dst, x []float64, src rand.Source) error {
	if _, public := src.(*rand.ChaCha8); public { // the fingerprint that New takes, which is of no text
		return s.Mechanism.PrivatizeTo(dst, x, src)
	}
	s.diary.add("drawn")
	if s.instead != nil {
		return s.instead()
	}
	return s.Mechanism.PrivatizeTo(dst, x, src)
}

// badEncoder answers every text with the same number.
type badEncoder struct {
	value float32
	panic string
}

func (badEncoder) Name() string { return "bad" }
func (badEncoder) Dim() int     { return width }
func (b badEncoder) Encode(dst []float32, _ string) {
	if b.panic != "" {
		panic(b.panic)
	}
	for i := range dst {
		dst[i] = b.value
	}
}

// site is a service that a test asks.
type site struct {
	*httptest.Server
	service *gateway.Service
	gateway *gateway.Gateway
	log     *servetest.Buffer
	key     string
}

func serve(tb testing.TB, c gateway.Config, sc gateway.ServiceConfig) *site {
	tb.Helper()
	s := &site{gateway: newGateway(tb, c), log: new(servetest.Buffer)}
	sc.Gateway, sc.Log = s.gateway, slog.New(slog.NewJSONHandler(s.log, nil))
	var err error
	if s.service, err = gateway.NewService(sc); err != nil {
		tb.Fatal(err)
	}
	s.Server = httptest.NewServer(s.service)
	tb.Cleanup(s.Close)
	return s
}

// ask sends a request with a JSON body and returns status, body and header.
func (s *site) ask(tb testing.TB, method, path, body string, header ...string) (int, string, http.Header) {
	tb.Helper()
	always := []string{"Content-Type", "application/json"}
	if s.key != "" {
		always = append(always, "Authorization", "Bearer "+s.key)
	}
	return servetest.Ask(tb, method, s.URL+path, body, append(always, header...)...)
}

// answer is the part of an answer that tests look at.
type answer struct {
	Object string
	Model  string
	Data   []struct {
		Index     int
		Embedding json.RawMessage
		Class     string
		Scores    map[string]float64
	}
	Usage   struct{ Prompt_tokens, Total_tokens int } //nolint:revive // as the wire spells it
	Privacy gateway.Privacy
	Error   struct {
		Message, Type, Code string
		Param               *string
		Asked, Left         *float64
		Renews              *time.Time
	}
}

func parse(tb testing.TB, body string) answer {
	tb.Helper()
	var a answer
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return a
}

// embed asks for the embeddings of a body and fails on any error.
func (s *site) embed(tb testing.TB, body string) answer {
	tb.Helper()
	status, content, _ := s.ask(tb, http.MethodPost, "/v1/embeddings", body)
	if status != http.StatusOK {
		tb.Fatalf("status %d for %s: %s", status, body, content)
	}
	return parse(tb, content)
}

// discard pays for everything and writes nothing.
type discard struct{ gateway.Ledger }

func (discard) Spend(_ context.Context, r ...ledger.Request) ([]ledger.Receipt, error) {
	return make([]ledger.Receipt, len(r)), nil
}

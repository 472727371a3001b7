package gateway_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
)

func TestEmbeddings(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{})
	a := s.embed(t, `{"input": ["Don't panic!", "Mostly harmless"], "model": "sotto", "user": "alice", "dimensions": 16}`)
	if a.Object != "list" || a.Model != "sotto" || len(a.Data) != 2 || a.Data[1].Index != 1 || a.Usage.Prompt_tokens != 4 || a.Usage.Total_tokens != 4 {
		t.Errorf("answer is %+v, want a list of two, the model and 4 words", a)
	}
	p := a.Privacy
	if p.Mechanism != "laplace-l1" || p.Parameters.Dim != width || p.Unit != "text" || math.Abs(p.Epsilon-2) > 1e-5 || p.Noise != gateway.Memoised ||
		!strings.Contains(p.Scope, "same text is visible") || math.Abs(p.Spent-4) > 1e-5 || math.Abs(p.Left-16) > 1e-5 || p.Renews == nil || p.Assumptions == nil {
		t.Errorf("privacy is %+v", p)
	}
	var numbers []float32
	if err := json.Unmarshal(a.Data[0].Embedding, &numbers); err != nil || len(numbers) != width {
		t.Fatalf("embedding has %d numbers, %v", len(numbers), err)
	}
	b := s.embed(t, `{"input": "Don't panic!", "user": "alice", "encoding_format": "base64"}`)
	var text string
	if err := json.Unmarshal(b.Data[0].Embedding, &text); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != 4*width {
		t.Fatalf("base64 has %d bytes, %v", len(raw), err)
	}
	for i, want := range numbers {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); got != want {
			t.Errorf("number %d in base64 is another than in the list", i)
		}
	}
	if b.Privacy.Cost != 0 || b.Privacy.Repeated != 1 {
		t.Errorf("the repetition cost %v", b.Privacy.Cost)
	}
	if other := s.embed(t, `{"input": "Don't panic!", "user": "bob"}`); string(other.Data[0].Embedding) == string(a.Data[0].Embedding) {
		t.Error("another user got the same release")
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.MaxTexts, c.MaxBytes = 3, 1000
	s := serve(t, c, gateway.ServiceConfig{MaxBody: 4096})
	long := strings.Repeat("a", 1001)
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code, param              string
	}{
		{"no JSON", "POST", "/v1/embeddings", `input=a`, 400, "invalid_value", ""},
		{"empty body", "POST", "/v1/embeddings", ``, 400, "invalid_value", ""},
		{"cut off", "POST", "/v1/embeddings", `{"input": "a`, 400, "invalid_value", ""},
		{"two objects", "POST", "/v1/embeddings", `{"input": "a"}{}`, 400, "invalid_value", ""},
		{"a list", "POST", "/v1/embeddings", `["a"]`, 400, "invalid_value", ""},
		{"no input", "POST", "/v1/embeddings", `{"model": "sotto"}`, 400, "invalid_value", "input"},
		{"null input", "POST", "/v1/embeddings", `{"input": null}`, 400, "invalid_value", "input"},
		{"no texts", "POST", "/v1/embeddings", `{"input": []}`, 400, "invalid_value", "input"},
		{"an empty text", "POST", "/v1/embeddings", `{"input": ""}`, 400, "invalid_value", "input"},
		{"tokens", "POST", "/v1/embeddings", `{"input": [1, 2]}`, 400, "invalid_value", "input"},
		{"lists of tokens", "POST", "/v1/embeddings", `{"input": [[1], [2]]}`, 400, "invalid_value", "input"},
		{"null among texts", "POST", "/v1/embeddings", `{"input": ["a", null]}`, 400, "invalid_value", "input"},
		{"unknown field", "POST", "/v1/embeddings", `{"input": "a", "epsilon": 100}`, 400, "invalid_value", ""},
		{"other spelling", "POST", "/v1/embeddings", `{"Input": "a"}`, 400, "invalid_value", ""},
		{"field twice", "POST", "/v1/embeddings", `{"input": "a", "input": "b"}`, 400, "invalid_value", "input"},
		{"not UTF-8", "POST", "/v1/embeddings", "{\"input\": \"\xff\"}", 400, "invalid_value", ""},
		{"format", "POST", "/v1/embeddings", `{"input": "a", "encoding_format": "hex"}`, 400, "invalid_value", "encoding_format"},
		{"dimensions", "POST", "/v1/embeddings", `{"input": "a", "dimensions": 8}`, 400, "invalid_value", "dimensions"},
		{"half a dimension", "POST", "/v1/embeddings", `{"input": "a", "dimensions": 0.5}`, 400, "invalid_value", "dimensions"},
		{"model", "POST", "/v1/embeddings", `{"input": "a", "model": "ada"}`, 404, "model_not_found", "model"},
		{"user", "POST", "/v1/embeddings", `{"input": "a", "user": 5}`, 400, "invalid_value", "user"},
		{"too many", "POST", "/v1/embeddings", `{"input": ["a", "b", "c", "d"]}`, 413, "too_large", "input"},
		{"too long", "POST", "/v1/embeddings", `{"input": "` + long + `"}`, 413, "too_large", "input"},
		{"giant", "POST", "/v1/embeddings", `{"input": "` + strings.Repeat(long, 10) + `"}`, 413, "too_large", ""},
		{"over budget", "POST", "/v1/embeddings", `{"input": ["a", "b", "c"], "user": "spender"}`, 403, "over_budget", ""},
		{"no server", "POST", "/v1/classify", `{"input": "a"}`, 501, "no_server", ""},
		{"method", "GET", "/v1/embeddings", ``, 404, "not_found", ""},
		{"path", "GET", "/v2/secret%20words", ``, 404, "not_found", ""},
		{"parameter", "GET", "/v1/budget?name=a", ``, 400, "invalid_value", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.code == "over_budget" {
				for i := range 4 {
					s.embed(t, fmt.Sprintf(`{"input": ["1%d", "2%d"], "user": "spender"}`, i, i))
				}
			}
			status, body, header := s.ask(t, tt.method, tt.path, tt.body)
			a := parse(t, body)
			param := ""
			if a.Error.Param != nil {
				param = *a.Error.Param
			}
			if status != tt.status || a.Error.Code != tt.code || param != tt.param || a.Error.Message == "" || a.Error.Type == "" || header.Get("X-Request-Id") == "" {
				t.Errorf("status %d, %s, want %d, %s, %q", status, body, tt.status, tt.code, tt.param)
			}
			if tt.code == "over_budget" && (a.Error.Type != "insufficient_budget" || math.Abs(*a.Error.Asked-6) > 1e-5 || math.Abs(*a.Error.Left-4) > 1e-5 || a.Error.Renews == nil) {
				t.Errorf("over budget says %s, want asked 6, left 4 and when it renews", body)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{})
	if status, body, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a"}`, "Content-Type", "text/plain"); status != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %d %s, want 415", status, body)
	}
	if status, body, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a"}`, "Origin", "https://elsewhere.example"); status != http.StatusForbidden || parse(t, body).Error.Code != "cross_origin" {
		t.Errorf("a foreign page: %d %s, want 403", status, body)
	}
}

// TestLedgerDown has ledgers that cannot be written, and one that is closed.
func TestLedgerDown(t *testing.T) {
	c, d := config(t), new(diary)
	book := &spyLedger{Ledger: c.Ledger, diary: d}
	c.Ledger, c.Mechanism = book, &spyMechanism{Mechanism: mechanism(t, 2), diary: d}
	s := serve(t, c, gateway.ServiceConfig{})
	for _, err := range []error{fmt.Errorf("%w: no space left", ledger.ErrUnavailable), ledger.ErrDamaged} {
		book.err, d.lines = err, nil
		for _, path := range []string{"/v1/embeddings", "/readyz"} {
			method := map[bool]string{true: "GET", false: "POST"}[path == "/readyz"]
			status, body, header := s.ask(t, method, path, `{"input": "a"}`)
			if a := parse(t, body); status != http.StatusServiceUnavailable || a.Error.Code != "ledger_unavailable" || len(a.Data) != 0 || header.Get("Retry-After") == "" || d.String() != "" {
				t.Errorf("%s with %v: %d %s, drawn %q", path, err, status, body, d)
			}
		}
	}
	if status, _, _ := s.ask(t, "GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz = %d, want 200", status)
	}
}

// TestPanic lets encoder and mechanism panic with a text.
func TestPanic(t *testing.T) {
	const private = "zaphod"
	for name, change := range map[string]func(*gateway.Config){
		"encoder": func(c *gateway.Config) { c.Encoder = badEncoder{panic: private} },
		"mechanism": func(c *gateway.Config) {
			c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: new(diary), instead: func() error { panic(private) }}
		},
		"error": func(c *gateway.Config) {
			c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: new(diary), instead: func() error { return errors.New("no such thing") }}
		},
	} {
		c := config(t)
		change(&c)
		s := serve(t, c, gateway.ServiceConfig{})
		status, body, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "`+private+`"}`)
		if status != http.StatusInternalServerError || parse(t, body).Error.Code != "internal_error" || strings.Contains(body+s.log.String(), private) {
			t.Errorf("%s: %d %s, log %s", name, status, body, s.log)
		}
		if status, _, _ = s.ask(t, "GET", "/readyz", ""); status != http.StatusOK {
			t.Errorf("%s: not ready afterwards", name)
		}
	}
}

// TestSilence sends texts, users and keys through every answer, and looks for
// them in logs, metrics and errors.
func TestSilence(t *testing.T) {
	key, set := newKeys(t, keys.Order{Subject: "team", Scopes: keys.Scopes()})
	c := config(t)
	s := serve(t, c, gateway.ServiceConfig{Keys: set, Classifier: labels{}})
	s.key = key
	said := ""
	for _, body := range []string{
		`{"input": "heliotrope"}`, `{"input": "heliotrope", "user": "zarniwoop"}`, `{"input": ["heliotrope", 5]}`, `{"heliotrope": 1}`,
		`{"input": "heliotrope", "model": "zarniwoop"}`, `{"input": "heliotrope`, `{"input": "heliotrope", "user": "zarniwoop\n"}`,
		`{"input": "heliotrope", "encoding_format": "zarniwoop"}`, `{"input": "heliotrope", "dimensions": "zarniwoop"}`,
	} {
		for _, path := range []string{"/v1/embeddings", "/v1/classify", "/heliotrope"} {
			_, answer, _ := s.ask(t, "POST", path, body)
			said += answer
		}
	}
	_, answer, _ := s.ask(t, "GET", "/v1/budget?user=zarniwoop&heliotrope=1", "")
	said += answer
	_, answer, _ = s.ask(t, "GET", "/v1/budget", "", "Authorization", "Bearer heliotrope")
	status, numbers, _ := s.ask(t, "GET", "/metrics", "")
	said += answer + numbers + s.log.String()
	if status != http.StatusOK || !strings.Contains(numbers, `sotto_gateway_texts_total{payment="paid"} 2`) || !strings.Contains(numbers, `sotto_gateway_refused_total{code="invalid_api_key"} 1`) {
		t.Errorf("metrics: %d\n%s", status, numbers)
	}
	if !strings.Contains(s.log.String(), `"key":"team"`) {
		t.Error("the log does not name the key's subject")
	}
	for _, private := range []string{"heliotrope", "zarniwoop", strings.TrimPrefix(key, "sotto_")[13:]} {
		if i := strings.Index(said, private); i >= 0 {
			t.Errorf("found in what was said: …%s", said[max(0, i-200):i+10])
		}
	}
}

// labels answers every vector with the same class.
type labels struct{ err error }

func (l labels) Classify(_ context.Context, vectors [][]float32, g dp.Guarantee) ([]gateway.Answer, error) {
	if l.err != nil || g.Unit != dp.Text || g.Epsilon > 2 {
		return nil, fmt.Errorf("%w: %w", gateway.ErrServer, l.err)
	}
	answers := make([]gateway.Answer, len(vectors))
	for i := range answers {
		answers[i] = gateway.Answer{Class: "good", Scores: map[string]float64{"good": 0.9, "bad": 0.1}}
	}
	return answers, nil
}

func TestClassify(t *testing.T) {
	c := config(t)
	s := serve(t, c, gateway.ServiceConfig{Classifier: labels{}})
	status, body, _ := s.ask(t, "POST", "/v1/classify", `{"input": ["a", "b"]}`)
	if a := parse(t, body); status != http.StatusOK || len(a.Data) != 2 || a.Data[1].Class != "good" || a.Data[1].Scores["bad"] != 0.1 || a.Privacy.Paid != 2 || a.Data[0].Embedding != nil {
		t.Errorf("classify: %d %s", status, body)
	}
	s = serve(t, c, gateway.ServiceConfig{Classifier: labels{errors.New("connection refused")}})
	status, body, _ = s.ask(t, "POST", "/v1/classify", `{"input": "c"}`)
	if status != http.StatusBadGateway || parse(t, body).Error.Code != "server_unavailable" {
		t.Errorf("server down: %d %s, want 502", status, body)
	}
}

func TestBudgetAndModels(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Name: "private"})
	s.embed(t, `{"input": "a", "user": "alice"}`)
	for user, want := range map[string]float64{"?user=alice": 18, "": 20} {
		status, body, _ := s.ask(t, "GET", "/v1/budget"+user, "")
		var got struct {
			Epsilon, Left float64
			Window        string
			Renews        time.Time
			Release       gateway.Privacy
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || got.Epsilon != 20 || math.Abs(got.Left-want) > 1e-5 || got.Window != "24h0m0s" || got.Renews.IsZero() || got.Release.Mechanism != "laplace-l1" {
			t.Errorf("budget%s: %d %s, want %v left", user, status, body, want)
		}
	}
	if status, body, _ := s.ask(t, "GET", "/v1/models", ""); status != http.StatusOK || !strings.Contains(body, `"id":"private"`) {
		t.Errorf("models: %d %s", status, body)
	}
}

func TestRate(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Rate: 1e-3, Burst: 2})
	s.embed(t, `{"input": "a", "user": "alice"}`)
	s.embed(t, `{"input": "a", "user": "alice"}`)
	status, body, header := s.ask(t, "POST", "/v1/embeddings", `{"input": "a", "user": "alice"}`)
	if status != http.StatusTooManyRequests || parse(t, body).Error.Type != "rate_limit_exceeded" || header.Get("Retry-After") == "" {
		t.Errorf("the third request: %d %s, want 429", status, body)
	}
	s.embed(t, `{"input": "a", "user": "bob"}`)
}

// TestInFlight fills the only place with a request that waits in the mechanism.
func TestInFlight(t *testing.T) {
	c := config(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: new(diary), instead: func() error { close(entered); <-leave; return nil }}
	s := serve(t, c, gateway.ServiceConfig{MaxInFlight: 1})
	done := make(chan int)
	go func() {
		status, _, _ := s.ask(t, "POST", "/v1/embeddings", `{"input": "a"}`)
		done <- status
	}()
	<-entered
	if status, body, _ := s.ask(t, "GET", "/v1/models", ""); status != http.StatusTooManyRequests {
		t.Errorf("a second request: %d %s, want 429", status, body)
	}
	if status, _, _ := s.ask(t, "GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz = %d, want 200 however busy", status)
	}
	close(leave)
	if status := <-done; status != http.StatusOK {
		t.Errorf("the first request: %d, want 200", status)
	}
}

// TestServe drains: a request that is under way when the end comes is answered,
// and readiness is withdrawn.
func TestServe(t *testing.T) {
	c := config(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: new(diary), instead: func() error { close(entered); <-leave; return nil }}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	answered := make(chan int, 1)
	go func() {
		response, err := http.Post("http://"+address+"/v1/embeddings", "application/json", strings.NewReader(`{"input": "a"}`))
		if err != nil {
			answered <- 0
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()
	<-entered
	go func() { _ = end() }() // the error is asked for below
	servetest.AwaitClosed(address)
	close(leave)
	if status, err := <-answered, end(); status != http.StatusOK || err != nil {
		t.Errorf("the last request: %d, Serve: %v, want 200 and nil", status, err)
	}
}

// TestSlowClient sends half a body and no more.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	c, d := config(t), new(diary)
	c.Mechanism = &spyMechanism{Mechanism: mechanism(t, 2), diary: d}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, c), Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	conn := servetest.Dial(t, address, "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"input\": ")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		defer response.Body.Close()
		io.Copy(io.Discard, response.Body) //nolint:errcheck // the connection ends
	}
	if err != nil || response.StatusCode != http.StatusBadRequest || d.String() != "" {
		t.Errorf("a slow body: %v %v, drawn %q, want 400 and nothing", response, err, d)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyLedger opens the ledger as one that cannot be written.
func TestReadOnlyLedger(t *testing.T) {
	c := config(t)
	path := filepath.Join(t.TempDir(), "ledger")
	openLedger(t, path, 20).Close()
	l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c.Ledger = l
	if _, err := gateway.New(t.Context(), c); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("New on a read-only ledger: %v, want ErrUnavailable", err)
	}
}

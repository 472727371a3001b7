package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
)

// TestAskedIsGross: at the end of a budget, requests of as many texts are refused
// with the same words, however many of them were paid for before.
func TestAskedIsGross(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{})
	for i := range 5 { // all of ε = 20, but for what is rounded
		s.embed(t, fmt.Sprintf(`{"input": ["a%d", "b%d"], "user": "alice"}`, i, i))
	}
	first := ""
	for _, input := range []string{`"a0", "b0", "new"`, `"a0", "new", "newer"`, `"x", "y", "z"`, `"new", "new", "new"`, `"a0", "a0", "new"`} {
		status, body, header := s.ask(t, "POST", "/v1/embeddings", `{"input": [`+input+`], "user": "alice"}`)
		if a := parse(t, body); status != http.StatusForbidden || a.Error.Code != "over_budget" || math.Abs(*a.Error.Asked-6) > 1e-5 {
			t.Errorf("[%s]: %d %s, want 403 and asked 6", input, status, body)
		}
		header.Del("X-Request-Id")
		header.Del("Date")
		if said := fmt.Sprint(body, header); first == "" {
			first = said
		} else if said != first {
			t.Errorf("[%s] was refused with %s, another with %s", input, said, first)
		}
	}
}

// TestHosts: without keys, who calls the gateway by a name that is not its own is
// refused, and so is the page of another site. With keys the key is what counts.
func TestHosts(t *testing.T) {
	key, set := newKeys(t, keys.Order{Subject: "team", Scopes: keys.Scopes()})
	open, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, config(t)), Hosts: []string{"sotto.example", "fd00::5"}})
	if err != nil {
		t.Fatal(err)
	}
	locked, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, config(t)), Keys: set})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		service            *gateway.Service
		host, header, says string
		granted            bool
	}{
		{open, "127.0.0.1:8787", "", "", true},
		{open, "localhost", "", "", true},
		{open, "[::1]:8787", "", "", true},
		{open, "sotto.example:80", "", "", true},
		{open, "SOTTO.example", "", "", true},
		{open, "[fd00::5]:8787", "", "", true},
		{open, "rebound.example:8787", "", "", false},
		{open, "sotto.example.rebound.example", "", "", false},
		{open, "", "", "", false},
		{open, "10.0.0.1", "", "", false},
		{open, "localhost", "Sec-Fetch-Site", "cross-site", false},
		{open, "localhost", "Sec-Fetch-Site", "same-site", false},
		{open, "localhost", "Sec-Fetch-Site", "same-origin", true},
		{open, "localhost", "Sec-Fetch-Site", "none", true},
		{open, "localhost", "Origin", "http://rebound.example", false},
		{open, "localhost", "Origin", "null", false},
		{open, "localhost", "Origin", "http://localhost", true},
		{locked, "rebound.example:8787", "", "", true},
	} {
		for _, at := range []string{"POST /v1/embeddings", "GET /v1/budget", "GET /v1/models", "GET /metrics", "POST /v1/classify"} {
			method, path, _ := strings.Cut(at, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(`{"input": "a"}`))
			r.Host = tt.host
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+key)
			if tt.header != "" {
				r.Header.Set(tt.header, tt.says)
			}
			w := httptest.NewRecorder()
			tt.service.ServeHTTP(w, r)
			granted := w.Code == http.StatusOK || path == "/v1/classify" && w.Code == http.StatusNotImplemented
			if granted != tt.granted || !granted && parse(t, w.Body.String()).Error.Code != "cross_origin" {
				t.Errorf("%s of %q with %s %s: %d %s, want granted %v", at, tt.host, tt.header, tt.says, w.Code, w.Body, tt.granted)
			}
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.Host = tt.host
		if tt.service.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("healthz of %q: %d, want 200 for whoever probes", tt.host, w.Code)
		}
	}
}

// TestRateCountsTexts: repeats count, and a request counts as many as it has
// texts.
func TestRateCountsTexts(t *testing.T) {
	s := serve(t, config(t), gateway.ServiceConfig{Rate: 1e-3, Burst: 4})
	s.embed(t, `{"input": ["a", "b"], "user": "alice"}`)
	s.embed(t, `{"input": ["a", "b"], "user": "alice"}`)
	for _, ask := range []string{"POST /v1/embeddings", "GET /v1/budget?user=alice"} {
		method, path, _ := strings.Cut(ask, " ")
		if status, body, _ := s.ask(t, method, path, `{"input": "a", "user": "alice"}`); status != http.StatusTooManyRequests {
			t.Errorf("%s after four texts: %d %s, want 429", ask, status, body)
		}
	}
	s.embed(t, `{"input": ["1", "2", "3", "4", "5"], "user": "bob"}`) // more than a burst, but once
}

// hostile are bodies of which little may be made.
func hostile(size int) map[string]string {
	fill := func(before, part, after string) string {
		return before + strings.Repeat(part, (size-len(before)-len(after))/len(part)) + after
	}
	return map[string]string{
		"empty texts":  fill(`{"input": ["a"`, `,""`, `]}`),
		"nested":       fill(`{"input": `, `[`, ``),
		"objects":      fill(``, `{"input":`, ``),
		"numbers":      fill(`{"input": [1`, `,1`, `]}`),
		"a number":     fill(`{"dimensions": 1`, `0`, `}`),
		"fields":       fill(`{"input": "a"`, `,"":0`, `}`),
		"escapes":      fill(`{"input": ["a"`, `,"\u0041"`, `]}`),
		"white space":  fill(`{"input": `, ` `, `}`),
		"a large text": fill(`{"input": "`, `a`, `"}`),
		"large texts":  fill(`{"input": ["a"`, `,"`+strings.Repeat("a", 32<<10)+`"`, `]}`),
	}
}

// TestMemory: whatever a body of a mebibyte holds, no more than six are made of
// it. 350,000 empty strings used to take a hundred.
func TestMemory(t *testing.T) {
	c := config(t)
	c.Ledger = discard{c.Ledger}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, c)})
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range hostile(1 << 20) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := httptest.NewRequest("POST", "http://localhost/v1/embeddings", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		service.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 6<<20 {
			t.Errorf("%s: %d bytes of memory were taken for one mebibyte, want at most six; %d %s", name, took, w.Code, w.Body)
		}
	}
}

// raw sends bytes and returns the status of the answer, 0 without one.
func raw(tb testing.TB, address, request string) int {
	tb.Helper()
	conn := servetest.Dial(tb, address, request)
	defer conn.Close()
	return statusOf(conn)
}

func statusOf(conn net.Conn) int {
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body) //nolint:errcheck // the connection may end
	return response.StatusCode
}

// post is a whole request for one text.
const post = "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"input\": \"a\"}"

// TestSlowBodies: requests whose bodies do not come keep nobody out, however many
// more there are than places.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, config(t)), MaxInFlight: 2})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	const slow = "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"input\": "
	var slowly []net.Conn
	for range 20 {
		slowly = append(slowly, servetest.Dial(t, address, slow))
	}
	for { // until all are being read
		status, numbers, _ := servetest.Ask(t, "GET", "http://"+address+"/metrics", "")
		if status != http.StatusOK {
			t.Fatalf("metrics: %d %s while others send slowly, want 200", status, numbers)
		}
		if strings.Contains(numbers, "sotto_gateway_requests_in_flight 21") {
			break
		}
	}
	if status := raw(t, address, post); status != http.StatusOK {
		t.Errorf("status %d while others send slowly, want 200", status)
	}
	for _, c := range slowly {
		c.Close()
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestIdleConnections: connections that ask for nothing give way to one that does,
// and health is answered on the listener they fill.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, config(t)), Connections: 8, Each: 8})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	for i := range 8 {
		servetest.Dial(t, address, map[bool]string{true: "", false: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"}[i%2 == 0])
	}
	if status := raw(t, address, post); status != http.StatusOK { // the oldest of them gives way
		t.Errorf("status %d while all connections are new, want 200", status)
	}
	time.Sleep(1100 * time.Millisecond) // which is how long those are left alone that asked for something before
	if status := raw(t, address, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"); status != http.StatusOK {
		t.Errorf("readyz: %d while others ask for nothing, want 200", status)
	}
	if status := raw(t, address, post); status != http.StatusOK {
		t.Errorf("status %d while others ask for nothing, want 200", status)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// meeting is a ledger that pays nobody before so many have asked, as one does that writes
// for all who wait.
type meeting struct {
	gateway.Ledger
	wanted  int32
	come    atomic.Int32
	arrived chan struct{}
}

func (m *meeting) Spend(ctx context.Context, r ...ledger.Request) ([]ledger.Receipt, error) {
	if len(r) > 0 {
		if m.come.Add(1) == m.wanted {
			close(m.arrived)
		}
		select {
		case <-m.arrived:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return discard{}.Spend(ctx, r...)
}

// TestTurns: large requests wait for the ledger together, and are worked on in turns, of
// which there is one less than processors.
func TestTurns(t *testing.T) {
	c := config(t)
	book := &meeting{Ledger: c.Ledger, wanted: 6, arrived: make(chan struct{})}
	c.Ledger = book
	var now, most atomic.Int32
	plain := mechanism(t, 2)
	c.Mechanism = &spyMechanism{Mechanism: plain, diary: new(diary), instead: func() error {
		n := now.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); {
			seen = most.Load()
		}
		runtime.Gosched()
		now.Add(-1)
		return nil
	}}
	s := serve(t, c, gateway.ServiceConfig{})
	var group sync.WaitGroup
	for i := range int(book.wanted) {
		group.Go(func() {
			texts := make([]string, 256)
			for k := range texts {
				texts[k] = fmt.Sprintf(`"text %d of request %d"`, k, i)
			}
			if status, body, _ := s.ask(t, "POST", "/v1/embeddings", `{"user": "alice", "input": [`+strings.Join(texts, ",")+`]}`); status != http.StatusOK {
				t.Errorf("request %d: %d %s, want 200: it waited for the ledger alone", i, status, body)
			}
		})
	}
	group.Wait()
	if want := int32(max(1, runtime.GOMAXPROCS(0)-1)); most.Load() > want || most.Load() == 0 {
		t.Errorf("%d large requests were worked on at a time, want %d at most", most.Load(), want)
	}
}

// TestShedding: with no memory for bodies, large ones are refused and readiness
// tells it, on both listeners; small ones are answered all the same.
func TestShedding(t *testing.T) {
	t.Parallel()
	admin, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := config(t)
	c.Ledger = discard{c.Ledger}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, c), Memory: 8 << 20, Admin: admin})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, service.Serve)
	ready := func(at string) int {
		status, _, _ := servetest.Ask(t, "GET", "http://"+at+"/readyz", "")
		return status
	}
	if a, b := ready(address), ready(admin.Addr().String()); a != http.StatusOK || b != http.StatusOK {
		t.Errorf("readyz: %d and %d at first, want 200", a, b)
	}
	large := "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"input\": \"" + strings.Repeat("a", 600_000)
	shed := 0
	var waiting []net.Conn
	for range 40 {
		waiting = append(waiting, servetest.Dial(t, address, large)) // which waits for the rest
	}
	for range 200 {
		if raw(t, address, strings.Replace(large, "{", "[", 1)) == http.StatusServiceUnavailable {
			shed++
		}
		if status := raw(t, address, post); status != http.StatusOK {
			t.Fatalf("a small request: %d, want 200", status)
		}
		if ready(address) == http.StatusServiceUnavailable {
			break
		}
	}
	if a, b := ready(address), ready(admin.Addr().String()); a != http.StatusServiceUnavailable || b != http.StatusServiceUnavailable {
		t.Errorf("readyz: %d and %d after %d large requests were turned away, want 503", a, b, shed)
	}
	for _, path := range []string{"/healthz", "/metrics"} {
		for _, at := range []string{address, admin.Addr().String()} {
			if status, _, _ := servetest.Ask(t, "GET", "http://"+at+path, ""); status != http.StatusOK {
				t.Errorf("%s: %d, want 200 however busy", path, status)
			}
		}
	}
	if status, _, _ := servetest.Ask(t, "POST", "http://"+admin.Addr().String()+"/v1/embeddings", `{"input": "a"}`); status != http.StatusNotFound {
		t.Errorf("a release at the second listener: %d, want 404", status)
	}
	for _, c := range waiting {
		c.Close()
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

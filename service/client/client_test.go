package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/client"
)

const good = `{"data":[{"index":0,"embedding":"AACAPw=="}],"privacy":{"unit":"text","epsilon":8}}`

// flaky answers with the given statuses one after the other, the last one
// again and again, and tells which idempotency keys it saw.
func flaky(t *testing.T, body string, statuses ...int) (url string, keys func() []string) {
	t.Helper()
	var n atomic.Int64
	var mu sync.Mutex // a dead line orders nothing
	var seen []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Get("Idempotency-Key"))
		mu.Unlock()
		status := statuses[min(int(n.Add(1)), len(statuses))-1]
		if status == 0 {
			panic(http.ErrAbortHandler) // the line goes dead
		}
		w.Header().Set("Location", "http://192.0.2.1/")
		w.WriteHeader(status)
		said := body
		if status == http.StatusOK {
			said = good
		}
		if _, err := io.WriteString(w, said); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(h.Close)
	return h.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func embed(t *testing.T, url string, r client.Request) error {
	t.Helper()
	c, err := client.New(url, client.Options{Backoff: time.Microsecond, Key: "the key"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Embed(t.Context(), r)
	return err
}

func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name     string
		statuses []int
		attempts int
		fails    bool
	}{
		{"at once", []int{200}, 1, false},
		{"third time lucky", []int{503, 502, 200}, 3, false},
		{"dead line", []int{0, 200}, 2, false},
		{"rate", []int{429, 200}, 2, false},
		{"never", []int{503}, 4, true},
		{"a fault is not repeated", []int{500}, 1, true},
		{"nor a refusal", []int{400}, 1, true},
		{"nor a redirect followed", []int{307}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, keys := flaky(t, `{}`, tt.statuses...)
			if err := embed(t, url, client.Request{Texts: []string{"x"}}); (err != nil) != tt.fails {
				t.Errorf("Embed error = %v, want one: %v", err, tt.fails)
			}
			if len(keys()) != tt.attempts {
				t.Errorf("%d attempts, want %d", len(keys()), tt.attempts)
			}
			for _, k := range keys() {
				if len(k) < 20 || k != keys()[0] {
					t.Errorf("idempotency keys %q, want one that is random and stays", keys())
				}
			}
		})
	}
	url, keys := flaky(t, `{}`, 200)
	if err := embed(t, url, client.Request{Texts: []string{"x"}, IdempotencyKey: "mine"}); err != nil || keys()[0] != "mine" {
		t.Errorf("key %q, %v, want the one that was given", keys(), err)
	}
}

func TestErrors(t *testing.T) {
	over := `{"error":{"message":"m","type":"insufficient_budget","code":"over_budget","param":null,"asked":8,"left":0.5,"renews":"2030-01-02T03:04:05Z"}}`
	for _, tt := range []struct {
		name   string
		status int
		body   string
		check  func(error) bool
	}{
		{"over budget", 403, over, func(err error) bool {
			var e *client.OverBudget
			return errors.As(err, &e) && e.Asked == 8 && e.Left == 0.5 && e.Renews.Year() == 2030
		}},
		{"rate", 429, `{"error":{"code":"rate_limit_exceeded"}}`, func(err error) bool {
			var e *client.RateLimited
			return errors.As(err, &e)
		}},
		{"ledger", 503, `{"error":{"code":"ledger_unavailable"}}`, func(err error) bool {
			var e *client.Unavailable
			return errors.As(err, &e) && e.Status == 503 && e.Code == "ledger_unavailable"
		}},
		{"input", 400, `{"error":{"message":"m","code":"invalid_value","param":"input"}}`, func(err error) bool {
			var e *client.Refused
			return errors.As(err, &e) && e.Param == "input" && e.Message == "m" && e.Status == 400
		}},
		{"forbidden otherwise", 403, `{"error":{"message":"m","code":"else"}}`, func(err error) bool {
			var e *client.Refused
			return errors.As(err, &e) && e.Code == "else"
		}},
		{"as KServe says it", 400, `{"error":"m","code":"wrong_width"}`, func(err error) bool {
			var e *client.Refused
			return errors.As(err, &e) && e.Code == "wrong_width" && e.Message == "m"
		}},
		{"not JSON", 404, `<html>`, func(err error) bool {
			var e *client.Refused
			return errors.As(err, &e) && e.Code == "unknown"
		}},
		{"dead line", 0, ``, func(err error) bool {
			var e *client.Unavailable
			return errors.As(err, &e) && e.Status == 0 && errors.Is(err, io.EOF)
		}},
	} {
		url, _ := flaky(t, tt.body, tt.status)
		err := embed(t, url, client.Request{Texts: []string{"confidential"}, User: "secretive"})
		if !tt.check(err) {
			t.Errorf("%s: error %#v", tt.name, err)
		}
		if s := fmt.Sprint(err); strings.Contains(s, "confidential") || strings.Contains(s, "secretive") || strings.Contains(s, "the key") {
			t.Errorf("%s: error tells too much: %s", tt.name, s)
		}
	}
}

// TestMalformed: an answer that is not what it should be is never taken.
func TestMalformed(t *testing.T) {
	for _, body := range []string{
		`hello`, `{}`,
		`{"data":[{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":"AACAPw=="}]}`,
		`{"data":[{"index":1,"embedding":"AACAPw=="}]}`,
		`{"data":[{"index":0,"embedding":"AAC"}]}`,
		`{"data":[{"index":0,"embedding":""}]}`,
		`{"data":[{"index":0,"embedding":"AACA"}]}`,
	} {
		h := speak(http.StatusOK, body)
		err := embed(t, h.URL, client.Request{Texts: []string{"x"}})
		h.Close()
		var e *client.Unavailable
		if !errors.As(err, &e) || e.Code != "malformed_answer" {
			t.Errorf("%s: error %v, want malformed_answer", body, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:8787", "ftp://x", "http://", "http://u:p@x", "http://x?y", "http://x\x7f"} {
		if _, err := client.New(base, client.Options{}); err == nil {
			t.Errorf("New(%q) error = nil, want one", base)
		}
	}
	if _, err := client.NewServer("http://x", "", client.Options{Backoff: -1}); err == nil {
		t.Error("NewServer error = nil, want one about the backoff")
	}
}

// TestCancel: a context ends the waiting between attempts.
func TestCancel(t *testing.T) {
	url, keys := flaky(t, `{}`, 503)
	c, err := client.New(url, client.Options{Backoff: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = c.Budget(ctx, "secretive user"); err == nil || len(keys()) != 1 {
		t.Errorf("Budget error = %v after %d attempts, want one after 1", err, len(keys()))
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err = c.Budget(ctx, "secretive user"); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "secretive") {
		t.Errorf("Budget error = %v, want that of the context without the address", err)
	}
}

func TestServerRefuses(t *testing.T) {
	s, err := client.NewServer("http://127.0.0.1:1", "m", client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	fair := dp.Guarantee{Unit: dp.Text, Epsilon: 8}
	for _, tt := range []struct {
		name    string
		vectors [][]float32
		g       dp.Guarantee
	}{
		{"no vectors", nil, fair},
		{"ragged", [][]float32{{1}, {1, 2}}, fair},
		{"no guarantee", [][]float32{{1}}, dp.Guarantee{}},
		{"nobody there", [][]float32{{1}}, fair},
	} {
		if _, err := s.Classify(t.Context(), tt.vectors, tt.g); err == nil {
			t.Errorf("%s: Classify error = nil, want one", tt.name)
		}
	}
}

func TestServerOfSeveral(t *testing.T) {
	h := speak(http.StatusOK, `[{"name":"a","state":"READY"},{"name":"b","state":"READY"}]`)
	defer h.Close()
	s, err := client.NewServer(h.URL, "", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Model(t.Context()); err == nil || !strings.Contains(err.Error(), "several models") {
		t.Errorf("Model error = %v, want that there are several", err)
	}
}

package studio_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"sotto/command/studio"
)

// bench is a studio under test, and a session of it.
type bench struct {
	*testing.T
	*studio.Studio
	h       http.Handler
	session string
}

// at is an address that nobody listens on.
var at = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8789}

// start makes a studio, and enters it.
func start(t *testing.T, c studio.Config) *bench {
	t.Helper()
	s, err := studio.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{T: t, Studio: s, h: s.Handler()}
	_, secret, _ := strings.Cut(s.Address(at), "#")
	b.session = b.enter(secret)
	if b.session == "" {
		t.Fatal("the secret that is printed does not let in")
	}
	return b
}

// enter exchanges a secret for a session; "" if it is refused.
func (b *bench) enter(secret string) string {
	b.Helper()
	w := b.send("POST", "/api/enter", `{"secret": "`+secret+`"}`)
	var got struct{ Session string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		b.Fatal(err)
	}
	return got.Session
}

// send sends a request with pairs of headers, a Host among them.
func (b *bench) send(method, path, body string, header ...string) *httptest.ResponseRecorder {
	b.Helper()
	return b.stream(method, path, strings.NewReader(body), header...)
}

func (b *bench) stream(method, path string, body io.Reader, header ...string) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(b.Context(), method, path, body)
	r.Host = "127.0.0.1:8789"
	if b.session != "" {
		r.Header.Set("Authorization", "Bearer "+b.session)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	return w
}

// ask sends a request that must be answered with a status, and reads the JSON of
// the answer.
func (b *bench) ask(method, path, body string, status int, to any) {
	b.Helper()
	w := b.send(method, path, body)
	if w.Code != status {
		b.Fatalf("%s %s is answered with %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), to); err != nil {
		b.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
	}
}

// refused sends a request that must be refused with a status and words.
func (b *bench) refused(method, path, body string, status int, words string) {
	b.Helper()
	var got struct{ Error string }
	b.ask(method, path, body, status, &got)
	if !strings.Contains(got.Error, words) {
		b.Errorf("%s %s says %q, want %q", method, path, got.Error, words)
	}
}

// job is work as the page sees it.
type job struct {
	ID, State, Note, Error string
	Share                  float64
	Version                int
	Result                 json.RawMessage
}

// finish follows work to its end.
func (b *bench) finish(id string) job {
	b.Helper()
	j := job{Version: -1}
	for j.State != "done" && j.State != "failed" && j.State != "stopped" {
		b.ask("GET", "/api/jobs/"+id+"?after="+strconv.Itoa(j.Version), "", http.StatusOK, &j)
	}
	return j
}

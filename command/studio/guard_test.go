package studio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
)

// paths are some of every kind.
var paths = []string{"/", "/healthz", "/studio.css", "/studio.js", "/tabs/data.js", "/api/data/first", "/api/jobs/none", "/shown/none", "/nowhere"}

func TestHeaders(t *testing.T) {
	b := start(t, studio.Config{})
	for _, path := range paths {
		h := b.Send("GET", path, "").Header()
		if got := h.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; ") || strings.Contains(got, "*") || !strings.Contains(got, "frame-ancestors") || !strings.Contains(got, "base-uri 'none'") {
			t.Errorf("%s has the policy %q", path, got)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Access-Control-Allow-Origin": "", "Set-Cookie": ""} {
			if got := h.Get(name); got != want {
				t.Errorf("%s has %s %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestHost(t *testing.T) {
	b := start(t, studio.Config{})
	for host, allowed := range map[string]bool{
		"127.0.0.1:8789": true, "localhost:8789": true, "[::1]:8789": true, "127.0.0.1:99": true, // a tunnel's
		"evil.example": false, "evil.example:8789": false, "127.0.0.1.evil.example": false, "10.0.0.1:8789": false, "": false,
	} {
		for _, path := range paths {
			if got := b.Send("GET", path, "", "Host", host).Code; (got == http.StatusForbidden) == allowed {
				t.Errorf("%s under the name %q is answered with %d", path, host, got)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	b := start(t, studio.Config{})
	const own, other = "http://127.0.0.1:8789", "https://evil.example"
	for _, tt := range []struct {
		name      string
		header    []string
		page, api bool // whether they answer
	}{
		{"own page", []string{"Sec-Fetch-Site", "same-origin", "Origin", own}, true, true},
		{"own page, old browser", []string{"Origin", own}, true, true},
		{"a program with the session", nil, true, true},
		{"typed", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, true, false},
		{"a link from elsewhere", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, true, false},
		{"another site's frame", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, false, false},
		{"another site's script", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Origin", other}, false, false},
		{"another port", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:99"}, false, false},
		{"another site, old browser", []string{"Origin", other}, false, false},
		{"a page of no origin", []string{"Origin", "null"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := b.Send("GET", "/", "", tt.header...).Code; (got == http.StatusOK) != tt.page {
				t.Errorf("the page is answered with %d", got)
			}
			if got := b.Send("GET", "/api/data/first", "", tt.header...).Code; (got == http.StatusOK) != tt.api {
				t.Errorf("a question is answered with %d", got)
			}
			if got := b.Send("POST", "/api/enter", `{"secret": "no"}`, tt.header...).Code; (got == http.StatusUnauthorized) != tt.api {
				t.Errorf("a secret is answered with %d", got)
			}
		})
	}
}

func TestGate(t *testing.T) {
	b := start(t, studio.Config{})
	good := b.Session
	for name, session := range map[string]string{"none": "", "wrong": "AAAA", "empty": " "} {
		b.Session = session
		for _, path := range []string{"/api/data/first", "/api/jobs/none"} {
			if got := b.Send("GET", path, "").Code; got != http.StatusUnauthorized {
				t.Errorf("%s with the session %q is answered with %d, want 401", path, name, got)
			}
		}
	}
	if got := b.Enter("AAAA"); got != "" {
		t.Error("a wrong secret lets in")
	}
	if got := b.Enter(""); got != "" {
		t.Error("no secret lets in")
	}
	for _, body := range []string{``, `[]`, `{"secret": 1}`, `{"secret": "a", "more": 1}`, `{"secret": "a"} {}`, strings.Repeat("a", 2<<20)} {
		if got := b.Send("POST", "/api/enter", body).Code; got != http.StatusBadRequest && got != http.StatusRequestEntityTooLarge {
			t.Errorf("a request of %d bytes is answered with %d", len(body), got)
		}
	}

	// A code lets in once. Whoever comes second shows that somebody saw it.
	_, code, _ := strings.Cut(b.OnceAddress(studiotest.At), "#")
	b.Session = b.Enter(code)
	if got := b.Send("GET", "/api/data/first", "").Code; got != http.StatusOK {
		t.Errorf("after the first use of a code a question is answered with %d", got)
	}
	if got := b.Enter(code); got != "" {
		t.Error("a code lets in twice")
	}
	if got := b.Send("GET", "/api/data/first", "").Code; got != http.StatusUnauthorized {
		t.Errorf("after the second use of a code a question is answered with %d, want 401", got)
	}
	b.Session = good
	if got := b.Send("GET", "/api/data/first", "").Code; got != http.StatusOK {
		t.Errorf("the session of the secret is answered with %d", got)
	}
}

func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:80", "", "127.0.0.1", "localhost:x"} {
		if l, err := studio.Listen(address); err == nil {
			t.Errorf("Listen(%q) listens on %v", address, l.Addr())
			l.Close()
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := studio.Listen(address)
		if err != nil {
			t.Errorf("Listen(%q) = %v", address, err)
			continue
		}
		l.Close()
	}
}

func TestPrivateFolder(t *testing.T) {
	s, err := studio.New(studio.Config{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.PrivateDir())
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has %v (%v), want 0700", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.PrivateDir()); !os.IsNotExist(err) {
		t.Errorf("after the end the folder is still there (%v)", err)
	}
}

// TestDoor: a browser is shown a file that only its owner reads, which leads to an address
// that lets in once.
func TestDoor(t *testing.T) {
	b := start(t, studio.Config{})
	here := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8789}
	path, err := b.Door(here)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode())
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "url=http://127.0.0.1:8789/#")
	code, _, _ := strings.Cut(rest, `"`)
	if strings.Contains(string(content), b.Address(here)) || b.Enter(code) == "" || b.Enter(code) != "" {
		t.Errorf("the file says %q, want a code that lets in once", content)
	}
}

// TestConnections: who has not entered takes no more than so many connections, and no
// memory for what it sends on them.
func TestConnections(t *testing.T) {
	s, err := studio.New(studio.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := studio.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	var all []net.Conn
	for i := range 3 * studio.MostConnections {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		// Half a header, or a body of which more is announced than may be.
		sends := "GET / HTTP/1.1\r\nHo"
		if i%2 == 0 {
			body := strings.Repeat("a", 1<<15)
			sends = fmt.Sprintf("POST /api/enter HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", l.Addr(), 1<<20, body)
		}
		if _, err = io.WriteString(c, sends); err == nil {
			all = append(all, c)
		}
	}
	open := 0
	until := time.Now().Add(time.Second)
	for _, c := range all {
		if err := c.SetReadDeadline(until); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			open++
		}
	}
	if open == 0 || open > studio.MostConnections {
		t.Errorf("%d of %d connections are open, want some and no more than %d", open, len(all), studio.MostConnections)
	}
	stop()
	if err := <-ended; err != nil {
		t.Logf("Serve = %v", err) // some were cut off, as they should be
	}
}

package httpserve_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sotto/service/httpserve"
	"sotto/service/httpserve/servetest"
)

func TestIntake(t *testing.T) {
	in := httpserve.NewIntake(1<<20, 0)
	large, middling, small := in.Open(), in.Open(), in.Open()
	if err := large.Add(1 << 20); !errors.Is(err, httpserve.ErrFull) {
		t.Errorf("all of it for one: %v, want ErrFull", err)
	}
	for _, step := range []struct {
		load  *httpserve.Load
		bytes int64
		want  error
	}{
		{&large, 3 << 18, nil},
		{&large, 1, httpserve.ErrFull},
		{&middling, 1 << 15, nil},
		{&small, 1 << 14, nil},
	} {
		if err := step.load.Add(step.bytes); !errors.Is(err, step.want) {
			t.Errorf("%d more: %v, want %v", step.bytes, err, step.want)
		}
	}
	if held := in.Held(); held != 3<<18+1<<15+1<<14 {
		t.Errorf("%d bytes are held", held)
	}
	for _, l := range []*httpserve.Load{&large, &middling, &small} {
		l.Close()
		l.Close() // once
	}
	if held := in.Held(); held != 0 {
		t.Errorf("%d bytes are held after all have ended", held)
	}
}

func TestReadBodyOfLoad(t *testing.T) {
	stop := errors.New("enough")
	for _, tt := range []struct {
		name string
		size int
		said int64 // by the header; −1 for nothing
		room int64
		look func([]byte) error
		want error
	}{
		{"nothing", 0, 0, 1 << 20, nil, nil},
		{"little", 4, 4, 1 << 20, nil, nil},
		{"as much as may be", 1 << 16, 1 << 16, 1 << 20, nil, nil},
		{"of unknown size", 1 << 16, -1, 1 << 20, nil, nil},
		{"too much", 1<<16 + 1, -1, 1 << 20, nil, httpserve.ErrTooLarge},
		{"too much, as it says", 1, 1<<16 + 1, 1 << 20, nil, httpserve.ErrTooLarge},
		{"no room", 1 << 16, -1, 1 << 14, nil, httpserve.ErrFull},
		{"wrong at the beginning", 1 << 16, -1, 1 << 20, func([]byte) error { return stop }, stop},
		{"too little to look at", 1 << 10, -1, 1 << 20, func([]byte) error { return stop }, nil},
	} {
		in := httpserve.NewIntake(tt.room, 0)
		load := in.Open()
		r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(strings.Repeat("a", tt.size)))) // whose size is not seen
		r.ContentLength = tt.said
		body, err := load.ReadBody(httptest.NewRecorder(), r, 1<<16, tt.look)
		if !errors.Is(err, tt.want) || err == nil && len(body) != tt.size {
			t.Errorf("%s: %d bytes, %v, want %d, %v", tt.name, len(body), err, tt.size, tt.want)
		}
		if err == nil && load.Bytes() < 2*int64(tt.size) {
			t.Errorf("%s: %d bytes are counted for %d", tt.name, load.Bytes(), tt.size)
		}
		if load.Close(); in.Held() != 0 {
			t.Errorf("%s: %d bytes are held at the end", tt.name, in.Held())
		}
	}
}

// TestGiveUp: where there is no room, bodies that do not come are given up.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	in := httpserve.NewIntake(1<<20, time.Minute)
	s := service(io.Discard)
	ended := make(chan error, 1)
	address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
		return s.Serve(ctx, l, s.Handle("/", func(w http.ResponseWriter, r *http.Request) error {
			load := in.Open()
			defer load.Close()
			_, err := load.ReadBody(w, r, 1<<20, nil)
			ended <- err
			return errors.New("short and stout")
		}))
	})
	servetest.Dial(t, address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"+strings.Repeat("a", 100_000))
	for in.Held() < 400_000 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	for full := false; !full; {
		other := in.Open()
		full = errors.Is(other.Add(1<<20), httpserve.ErrFull)
		select {
		case err := <-ended:
			if took := time.Since(began); !errors.Is(err, httpserve.ErrIncomplete) || took > 4*time.Second {
				t.Errorf("a slow body ended with %v after %v, want ErrIncomplete before its time", err, took)
			}
		case <-time.After(10 * time.Millisecond):
			full = false
		}
	}
	if err := end(); err != nil && !errors.Is(err, httpserve.ErrCut) {
		t.Error(err)
	}
}

// TestEach: one address cannot have all connections.
func TestEach(t *testing.T) {
	c := service(io.Discard).Config
	c.Connections, c.Each = 10, 2
	s := httpserve.New(c)
	working := make(chan struct{}, 2)
	address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
		return s.Serve(ctx, l, s.Handle("/", func(w http.ResponseWriter, r *http.Request) error {
			if r.URL.Path == "/wait" {
				working <- struct{}{}
				<-r.Context().Done()
			}
			return httpserve.WriteJSON(w, http.StatusOK, 1)
		}))
	})
	// They are worked on, and give way to nobody.
	const wait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"
	busy := []net.Conn{servetest.Dial(t, address, wait), servetest.Dial(t, address, wait)}
	<-working
	<-working
	ask := func(from string) int {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
		response, err := client.Get("http://" + address)
		if err != nil {
			return 0
		}
		response.Body.Close()
		return response.StatusCode
	}
	for n := 0; ; n++ { // the others may not have been accepted yet
		if status := ask("127.0.0.1"); status == http.StatusServiceUnavailable || status == 0 {
			break
		} else if n == 100 {
			t.Fatalf("a third connection of one address: %d, want 503 or none", status)
		}
	}
	if status := ask("127.0.0.2"); status != http.StatusOK && status != 0 { // 0 where a machine has one such address
		t.Errorf("a connection of another address: %d, want 200", status)
	}
	for _, c := range busy {
		c.Close()
	}
	if err := end(); err != nil && !errors.Is(err, httpserve.ErrCut) {
		t.Error(err)
	}
}

// TestStrangers: where there is no room, whoever comes takes the place of a connection on
// which nothing whole has come, be it silent or a body that does not end, and not of one
// whose sender is known.
func TestStrangers(t *testing.T) {
	for name, stranger := range map[string]string{"silent": "", "a header that does not end": "GET / HTTP/1.1\r\nHo", "a body that does not come": "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			c := service(io.Discard).Config
			c.Connections = 3
			s := httpserve.New(c)
			in := httpserve.NewIntake(1<<20, time.Minute)
			address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
				return s.Serve(ctx, l, s.Handle("/", func(w http.ResponseWriter, r *http.Request) error {
					if r.URL.Path == "/body" {
						load := in.Open()
						defer load.Close()
						_, err := load.ReadBody(w, r, 100, nil)
						return err
					}
					httpserve.Known(r)
					return httpserve.WriteJSON(w, http.StatusOK, 1)
				}))
			})
			known := servetest.Dial(t, address, "")
			asks := func() error {
				if _, err := io.WriteString(known, "GET /known HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
					return err
				}
				response, err := http.ReadResponse(bufio.NewReader(known), nil)
				if err != nil {
					return err
				}
				defer response.Body.Close()
				_, err = io.Copy(io.Discard, response.Body)
				return err
			}
			if err := asks(); err != nil {
				t.Fatal(err)
			}
			all := []net.Conn{}
			for range 20 { // each takes the place of another
				all = append(all, servetest.Dial(t, address, stranger))
			}
			for _, c := range all[:10] {
				if err := c.SetReadDeadline(time.Now().Add(4 * time.Second)); err != nil { // before a body has had its time
					t.Fatal(err)
				}
				if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a stranger's connection is left open while others want its place: %v", err)
				}
			}
			if err := asks(); err != nil {
				t.Errorf("who is known lost the connection to strangers: %v", err)
			}
			if s.Shedding(false) || s.Shedding(true) {
				t.Error("strangers make the service say that it has no room")
			}
			for _, c := range append(all, known) {
				c.Close()
			}
			if err := end(); err != nil && !errors.Is(err, httpserve.ErrCut) {
				t.Error(err)
			}
		})
	}
}

// TestRefusals: who is refused all the time loses the connection, waits for nothing and
// is no trouble for another address.
func TestRefusals(t *testing.T) { synctest.Test(t, testRefusals) }

func testRefusals(t *testing.T) {
	c := service(io.Discard).Config
	c.Refusals = 2
	s := httpserve.New(c)
	h := s.Handle("/", func(http.ResponseWriter, *http.Request) error { return errors.New("short and stout") })
	began := time.Now()
	for i, from := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1"} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		h.ServeHTTP(w, r)
		if closed := w.Header().Get("Connection") == "close"; closed != (i == 2) {
			t.Errorf("refusal %d, of %s, ends the connection: %v, want %v", i+1, from, closed, i == 2)
		}
	}
	if took := time.Since(began); took > 0 {
		t.Errorf("refusals took %v, want none to wait", took)
	}
}

func TestNetwork(t *testing.T) {
	for from, want := range map[string]string{
		"192.0.2.7:1": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "[2001:db8::1]:1": "2001:db8::", "[2001:db8:0:0:9:9:9:9]:2": "2001:db8::",
		"[2001:db8:0:1::1]:1": "2001:db8:0:1::", "[fe80::1%eth0]:1": "fe80::", "@": "invalid IP",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		if got := httpserve.Network(r); got != want {
			t.Errorf("Network of %s = %s, want %s", from, got, want)
		}
	}
}

// counted is a connection that counts what is read of it.
type counted struct {
	net.Conn
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

type countedListener struct {
	net.Listener
	read *atomic.Int64
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return counted{c, l.read}, err
}

// The rest of a body that is refused is not taken apart: net/http would read 256 KiB
// of it, in chunks of a byte if it comes so. The answer arrives nevertheless.
func TestAbandon(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := httpserve.NewIntake(1<<30, 0).Open()
		defer l.Close()
		if _, err := l.ReadBody(w, r, 1<<20, func([]byte) error { return errors.New("enough") }); err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	s.Listener = countedListener{s.Listener, &read}
	s.Start()
	defer s.Close()
	c := servetest.Dial(t, s.Listener.Addr().String(), "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	go io.WriteString(c, strings.Repeat("1\r\nx\r\n", 1<<19)) //nolint:errcheck // it is cut off
	answer := make([]byte, 64)
	if n, err := io.ReadAtLeast(c, answer, 20); err != nil || !strings.HasPrefix(string(answer[:n]), "HTTP/1.1 418") {
		t.Errorf("answer %q, %v, want status 418", answer[:n], err)
	}
	// At most 32 Ki bytes come before the first look, each in a chunk of 6.
	if got := read.Load(); got > 6<<15+1<<14 {
		t.Errorf("%d bytes were read, want little more than %d", got, 6<<15)
	}
}

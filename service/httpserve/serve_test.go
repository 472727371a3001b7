package httpserve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sotto/service/httpserve"
	"sotto/service/httpserve/servetest"
)

// service refuses everything with 418, or 500 for a fault, and logs to a buffer.
func service(log io.Writer) *httpserve.Service {
	return httpserve.New(httpserve.Config{
		Name: "test", Log: slog.New(slog.NewJSONHandler(log, nil)), Level: slog.LevelDebug,
		Read: 10 * time.Second, Write: 10 * time.Second, Timeout: time.Minute, Drain: 50 * time.Millisecond, Buckets: []float64{1},
		Refuse: func(w http.ResponseWriter, err error) (int, string) {
			status := http.StatusTeapot
			if err.Error() != "short and stout" {
				status = http.StatusInternalServerError
			}
			w.WriteHeader(status)
			return status, err.Error()
		},
	})
}

func TestHandle(t *testing.T) {
	var log servetest.Buffer
	s := service(&log)
	for _, tt := range []struct {
		name   string
		action httpserve.Action
		status int
		logged string // "" for nothing at level info
	}{
		{"granted", func(w http.ResponseWriter, _ *http.Request) error { return httpserve.WriteJSON(w, 200, 1) }, 200, ""},
		{"refused", func(_ http.ResponseWriter, r *http.Request) error {
			httpserve.Note(r, slog.String("key", "team"))
			return errors.New("short and stout")
		}, 418, `"level":"INFO","msg":"request","route":"refused","key":"team","error":"short and stout","status":418`},
		{"panic", func(http.ResponseWriter, *http.Request) error { panic("a private value") }, 500, `"level":"ERROR","msg":"request","route":"panic"`},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) error { return httpserve.WriteJSON(w, 200, func() {}) }, 500, `"route":"no JSON"`},
		{"deadline", func(_ http.ResponseWriter, r *http.Request) error {
			if _, ok := r.Context().Deadline(); !ok {
				return errors.New("no deadline")
			}
			return nil
		}, 200, ""},
	} {
		before := log.String()
		w := httptest.NewRecorder()
		s.Handle(tt.name, tt.action).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		said := strings.TrimPrefix(log.String(), before)
		if w.Code != tt.status || !strings.Contains(said, tt.logged) || tt.logged == "" && said != "" || strings.Contains(said+w.Body.String(), "private") {
			t.Errorf("%s: status %d, log %q, want %d and %q", tt.name, w.Code, said, tt.status, tt.logged)
		}
	}
	w := httptest.NewRecorder()
	if err := s.ShowMetrics(w, httptest.NewRequest("GET", "/", nil)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`sotto_test_requests_total{route="refused",status="418"} 1`, `sotto_test_request_seconds_bucket{route="granted",le="1"} 1`, `sotto_test_requests_in_flight 0`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("metrics lack %s:\n%s", want, w.Body)
		}
	}
}

// TestCut ends a service that a request holds up.
func TestCut(t *testing.T) {
	entered := make(chan struct{})
	s := service(io.Discard)
	address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
		return s.Serve(ctx, l, s.Handle("/", func(_ http.ResponseWriter, r *http.Request) error {
			close(entered)
			<-r.Context().Done() // its connection is closed
			return nil
		}))
	})
	servetest.Dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-entered
	if s.Draining() {
		t.Error("the service drains before its end")
	}
	if err := end(); !errors.Is(err, httpserve.ErrCut) || !s.Draining() {
		t.Errorf("Serve error = %v, draining %v, want ErrCut", err, s.Draining())
	}
}

// TestWithdraw ends a service that goes on answering for a while: only when all
// of its time is over does nobody listen any more.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	s := service(io.Discard)
	s.Withdraw = time.Second
	address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
		return s.Serve(ctx, l, s.Handle("/", func(w http.ResponseWriter, _ *http.Request) error { return httpserve.WriteJSON(w, 200, s.Draining()) }))
	})
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	for answered := ""; answered != "true\n"; {
		_, answered, _ = servetest.Ask(t, "GET", "http://"+address, "")
	}
	servetest.AwaitClosed(address)
	if took := time.Since(began); took < s.Withdraw {
		t.Errorf("it listened for %v, want at least %v", took, s.Withdraw)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestReadBody(t *testing.T) {
	for _, tt := range []struct {
		body io.Reader
		want error
	}{
		{strings.NewReader("1234"), nil},
		{strings.NewReader("12345"), httpserve.ErrTooLarge},
		{io.MultiReader(strings.NewReader("1"), failing{}), httpserve.ErrIncomplete},
	} {
		r := httptest.NewRequest("POST", "/", tt.body)
		if _, err := httpserve.ReadBody(httptest.NewRecorder(), r, 4); !errors.Is(err, tt.want) {
			t.Errorf("ReadBody error = %v, want %v", err, tt.want)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestPlaces(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Millisecond} {
		p := httpserve.NewPlaces(1, wait)
		place, err := p.Enter(t.Context())
		if err != nil {
			t.Fatal("no place although all are free")
		}
		if _, err = p.Enter(t.Context()); !errors.Is(err, httpserve.ErrNoPlace) {
			t.Errorf("two have the only place: %v", err)
		}
		place.Leave()
		place.Leave() // is left once
		if place, err = p.Enter(t.Context()); err != nil {
			t.Fatal("a place that was left is taken")
		}
		place.Leave()
	}
	p := httpserve.NewPlaces(1, time.Minute)
	place, _ := p.Enter(t.Context())
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Enter(gone); err == nil {
		t.Error("a client that has gone got a place")
	}
	time.AfterFunc(time.Millisecond, place.Leave)
	if _, err := p.Enter(t.Context()); err != nil {
		t.Error("a place that was left in time was not taken")
	}
}

// TestLend: a place that is lent is another's, and there is one again afterwards, unless
// nobody waits for it any more.
func TestLend(t *testing.T) {
	p := httpserve.NewPlaces(1, 0).Share(1)
	place, err := p.Enter(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	if err = place.Lend(t.Context(), func() {
		other, failed := p.Enter(t.Context(), "other")
		if failed != nil {
			t.Errorf("another does not get what is lent: %v", failed)
		}
		if _, failed = p.Enter(t.Context(), "key"); !errors.Is(failed, httpserve.ErrShare) {
			t.Errorf("who lends has more than a share: %v", failed)
		}
		time.AfterFunc(time.Millisecond, other.Leave)
	}); err != nil {
		t.Errorf("a place that was lent: %v", err)
	}
	if _, err = p.Enter(t.Context(), "other"); !errors.Is(err, httpserve.ErrNoPlace) {
		t.Errorf("two have the only place: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	var other httpserve.Place
	if err = place.Lend(gone, func() {
		other, _ = p.Enter(t.Context(), "other")
		cancel()
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has gone: %v", err)
	}
	place.Leave() // it has none
	other.Leave()
	if _, err = p.Enter(t.Context(), "key"); err != nil {
		t.Errorf("after all have left: %v", err)
	}
	ran := false
	if err = new(httpserve.Place).Lend(gone, func() { ran = true }); err != nil || !ran {
		t.Errorf("no place, lent: %v, want that it runs", err)
	}
}

// TestShares: who has a share of the places gets no more, in either name, and
// keeps nobody else out.
func TestShares(t *testing.T) {
	p := httpserve.NewPlaces(4, 0).Share(2)
	enter := func(who ...string) (*httpserve.Place, error) {
		place, err := p.Enter(t.Context(), who...)
		return &place, err
	}
	first, _ := enter("key", "here")
	if _, err := enter("key", "there"); err != nil {
		t.Fatal(err)
	}
	if _, err := enter("key", "elsewhere"); !errors.Is(err, httpserve.ErrShare) {
		t.Errorf("a third of one key: %v, want ErrShare", err)
	}
	if _, err := enter("", "here"); err != nil {
		t.Errorf("a second of an address: %v", err)
	}
	if _, err := enter("other", "here"); !errors.Is(err, httpserve.ErrShare) {
		t.Errorf("a third of one address: %v, want ErrShare", err)
	}
	first.Leave()
	if _, err := enter("other", "here"); err != nil {
		t.Errorf("after one has left: %v", err)
	}
	if _, err := enter("", ""); err != nil {
		t.Errorf("the last place: %v", err)
	}
	if _, err := enter("", ""); !errors.Is(err, httpserve.ErrNoPlace) {
		t.Errorf("beyond the last place: %v, want ErrNoPlace", err)
	}
}

func TestRates(t *testing.T) {
	r := httpserve.NewRates(1e-3, 2)
	for i, limited := range []bool{false, false, true} {
		if wait := r.Take("alice", 1); (wait > 0) != limited {
			t.Errorf("request %d: wait %v, want a wait: %v", i, wait, limited)
		}
	}
	if wait := r.Take("bob", 1); wait != 0 {
		t.Errorf("bob waits %v for alice", wait)
	}
	if wait := httpserve.NewRates(0, 1).Take("alice", 1); wait != 0 {
		t.Errorf("without a limit alice waits %v", wait)
	}
	// More than a burst is granted to who has not asked, and paid back in time.
	if wait := r.Take("carol", 10); wait != 0 {
		t.Errorf("carol waits %v for ten at once", wait)
	}
	if wait := r.Take("carol", 1); wait < 8500*time.Second {
		t.Errorf("carol waits %v after eight too many, want 9,000 s", wait)
	}
}

// However many names are made up, nobody is kept out, and who has used up what they
// may goes on to wait.
func TestRatesOfMany(t *testing.T) {
	t.Parallel()
	r := httpserve.NewRates(1e-3, 256)
	r.Take("alice", 256)
	for i := range 1 << 17 {
		if wait := r.Take(fmt.Sprint(i), 255); wait != 0 {
			t.Fatalf("the name %d waits %v, want that it is let in", i, wait)
		}
	}
	if wait := r.Take("alice", 1); wait == 0 {
		t.Error("alice does not wait any more, want that others are forgotten first")
	}
}

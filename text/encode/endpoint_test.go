package encode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sotto/text/encode"
)

const (
	private = "a private text"
	secret  = "sk-secret-key"
)

// embed is the model of the test servers: the length of a text, its first byte
// and 1.
func embed(s string) []float64 { return []float64{float64(len(s)), float64(s[0]), 1} }

// asked decodes a request.
func asked(r *http.Request) (model string, input []string) {
	var q struct {
		Model string
		Input []string
	}
	if json.NewDecoder(r.Body).Decode(&q) != nil {
		return "", nil
	}
	return q.Model, q.Input
}

// answer writes the vectors of an honest server.
func answer(w io.Writer, input []string) {
	type item struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	data := make([]item, len(input))
	for i, s := range input {
		data[i] = item{"embedding", i, embed(s)}
	}
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"total_tokens": 7}}) //nolint:errcheck // the client sees it
}

// serve starts a server that answers honestly to the word "a", which asks for
// the length, and by h to everything else.
func serve(t *testing.T, h func(w http.ResponseWriter, r *http.Request, input []string)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		model, input := asked(r)
		switch {
		case model != "m" || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings":
			http.Error(w, "no such thing", http.StatusNotFound)
		case len(input) == 1 && input[0] == "a":
			answer(w, input)
		default:
			h(w, r, input)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestEndpoint(t *testing.T) {
	t.Setenv("SOTTO_TEST_KEY", secret)
	var requests, busy atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request, input []string) {
		requests.Add(1)
		switch {
		case r.Header.Get("Authorization") != "Bearer "+secret || len(input) > 7:
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case busy.Add(1)%3 == 0: // every third request is refused
			http.Error(w, "busy", []int{429, 500, 503}[busy.Load()/3%3])
		default:
			answer(w, input)
		}
	})
	for _, base := range []string{s.URL, s.URL + "/", s.URL + "/v1", s.URL + "/v1/"} {
		e, err := encode.NewEndpoint(t.Context(), encode.EndpointConfig{Base: base, Model: "m", KeyVar: "SOTTO_TEST_KEY", Batch: 7, Attempts: 100, Backoff: time.Microsecond})
		if err != nil {
			t.Fatal(err)
		}
		if e.Dim() != 3 {
			t.Errorf("Dim = %d, want 3", e.Dim())
		}
		all := append(texts(100), "", " \n", private)
		m, err := encode.Texts(t.Context(), e, all, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			want := []float32{0, 0, 0}
			if strings.TrimSpace(s) != "" {
				want = []float32{float32(len(s)), float32(s[0]), 1}
			}
			if !slices.Equal(m.Row(i), want) {
				t.Errorf("row %d is %v, want %v", i, m.Row(i), want)
			}
		}
		pairs, err := encode.Pairs(t.Context(), e, []string{"b"}, []string{"cc"}, 1)
		if want := []float32{1, 1, 0, 2, 'b' * 'c', 1}; err != nil || !slices.Equal(pairs.Data, want) {
			t.Errorf("Pairs = %v, %v, want %v", pairs.Data, err, want)
		}
	}
	if requests.Load() < 4*15 {
		t.Errorf("%d requests, want at least 15 for 101 texts in batches of 7, four times", requests.Load())
	}
}

// TestOpenEndpoint checks that the name of an endpoint makes it again.
func TestOpenEndpoint(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, input []string) { answer(w, input) })
	first, err := encode.OpenContext(t.Context(), "endpoint:"+s.URL+"?model=m&batch=5", "")
	if err != nil {
		t.Fatal(err)
	}
	again, err := encode.OpenContext(t.Context(), first.Name(), "")
	if err != nil || again.Name() != first.Name() || again.Dim() != 3 {
		t.Errorf("Open(%s) = %v, %v, want the same of 3", first.Name(), again, err)
	}
	if _, ok := first.(encode.BatchEncoder); !ok {
		t.Errorf("Open gives a %T, want a BatchEncoder", first)
	}
}

func TestEndpointRefusesConfig(t *testing.T) {
	t.Setenv("SOTTO_TEST_KEY", secret+"\n")
	os.Unsetenv("SOTTO_TEST_NO_KEY") //nolint:errcheck // it is not set
	for _, tt := range []struct{ spec, want string }{
		{"", "is not like https://host"},
		{"ftp://host?model=m", "is not like https://host"},
		{"localhost:80?model=m", "is not like https://host"},
		{"http://example.com?model=m", "is http and its host example.com, must be https"},
		{"http://10.0.0.1?model=m", "must be https"},
		{"http://localhost.example.com?model=m", "must be https"},
		{"https://user:" + secret + "@host?model=m", "must have none"},
		{"https://host#x?model=m", "must have none"},
		{"https://host", "model of the endpoint is empty"},
		{"https://host?model=m&token=" + secret, `have "token", must be model, key, dim and batch`},
		{"https://host?model=m&model=n", "option model of the endpoint must be given once"},
		{"https://host?model=m&dim=x", "option dim of the endpoint must"},
		{"https://host?model=m&dim=-1", "dim of the endpoint is -1"},
		{"https://host?model=m&batch=-1", "negative"},
		{"https://host?model=m&key=SOTTO_TEST_NO_KEY", "environment variable SOTTO_TEST_NO_KEY holds no key"},
		{"https://host?model=m&key=SOTTO_TEST_KEY", "environment variable SOTTO_TEST_KEY holds no key"},
		{"https://host?model=%zz", "are not like model=NAME"},
	} {
		_, err := encode.OpenContext(t.Context(), "endpoint:"+tt.spec, "")
		wantError(t, err, tt.want)
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("error %v shows the key", err)
		}
	}
}

// TestHostileEndpoints checks that every bad answer is an error that shows
// neither text nor key, and in time.
func TestHostileEndpoints(t *testing.T) {
	t.Setenv("SOTTO_TEST_KEY", secret)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	item := func(index, v string) string { return `{"index":` + index + `,"embedding":` + v + `}` }
	say := func(items ...string) func(http.ResponseWriter, *http.Request, []string) {
		return func(w http.ResponseWriter, _ *http.Request, _ []string) {
			io.WriteString(w, `{"data":[`+strings.Join(items, ",")+`],"error":"`+private+secret+`"}`) //nolint:errcheck // the client sees it
		}
	}
	good := "[1,2,3]"
	for _, tt := range []struct {
		name, want string
		h          func(w http.ResponseWriter, r *http.Request, input []string)
	}{
		{"too few", "holds 1 vectors, must hold 2", say(item("0", good))},
		{"too many", "holds 3 vectors, must hold 2", say(item("0", good), item("1", good), item("2", good))},
		{"none", "holds 0 vectors", say()},
		{"out of order", "vector 1 of its answer has another index or none, must have 0", say(item("1", good), item("0", good))},
		{"twice the same", "vector 2 of its answer has another index", say(item("0", good), item("0", good))},
		{"no index", "another index or none", say(`{"embedding":[1,2,3]}`, item("1", good))},
		{"shorter", "a vector has 2 numbers, must have 3", say(item("0", good), item("1", "[1,2]"))},
		{"longer", "a vector has 4 numbers, must have 3", say(item("0", good), item("1", "[1,2,3,4]"))},
		{"no vector", "a vector has 0 numbers", say(item("0", good), item("1", "null"))},
		{"NaN", "is not JSON", say(item("0", good), item("1", "[1,2,NaN]"))},
		{"infinite", "is not JSON", say(item("0", good), item("1", "[1,2,1e999]"))},
		{"too large", "has a number 3 that is not from", say(item("0", good), item("1", "[1,2,1e30]"))},
		{"strings", "is not JSON", say(item("0", good), item("1", `"`+private+`"`))},
		{"echo", "is not JSON", func(w http.ResponseWriter, _ *http.Request, input []string) { io.WriteString(w, input[0]) }}, //nolint:errcheck // the client sees it
		{"huge", "has more than", func(w http.ResponseWriter, _ *http.Request, _ []string) {
			for range 1 << 12 {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}},
		{"slow", "the time is up", func(w http.ResponseWriter, r *http.Request, _ []string) {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"redirect", "status 307", func(w http.ResponseWriter, r *http.Request, _ []string) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}},
		{"refusal", "status 400 at attempt 1", func(w http.ResponseWriter, _ *http.Request, input []string) {
			http.Error(w, input[0]+secret, http.StatusBadRequest)
		}},
		{"always busy", "status 503 at attempt 3", func(w http.ResponseWriter, _ *http.Request, input []string) {
			http.Error(w, input[0], http.StatusServiceUnavailable)
		}},
		{"no HTTP", "what came is not HTTP", raw(private + secret + "\r\n\r\n")},
		{"broken off", "the connection was closed", raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + private)},
		{"hang up", "the connection was closed", raw("")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.h)
			timeout := 20 * time.Second
			if tt.name == "slow" {
				timeout = 100 * time.Millisecond
			}
			e, err := encode.NewEndpoint(t.Context(), encode.EndpointConfig{
				Base: s.URL, Model: "m", KeyVar: "SOTTO_TEST_KEY", Timeout: timeout, Attempts: 3, Backoff: time.Microsecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = encode.Texts(t.Context(), e, []string{private, "b"}, 1)
			wantError(t, err, tt.want)
			if text := fmt.Sprint(err); strings.Contains(text, "private") || strings.Contains(text, secret) {
				t.Errorf("error %v shows a text or the key", err)
			}
		})
	}
}

// raw answers with bytes and closes the connection.
func raw(answer string) func(w http.ResponseWriter, r *http.Request, input []string) {
	return func(w http.ResponseWriter, _ *http.Request, _ []string) {
		var c net.Conn
		if h, ok := w.(http.Hijacker); ok {
			c, _, _ = h.Hijack()
		}
		io.WriteString(c, answer) //nolint:errcheck // the client sees it
		c.Close()
	}
}

func TestEndpointStopsWithContext(t *testing.T) {
	began := make(chan struct{}, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ []string) {
		began <- struct{}{}
		<-r.Context().Done()
	})
	e, err := encode.NewEndpoint(t.Context(), encode.EndpointConfig{Base: s.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err = encode.Texts(ctx, e, []string{private}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
	if _, err = encode.NewEndpoint(t.Context(), encode.EndpointConfig{Base: "http://127.0.0.1:1", Model: "m"}); err == nil || !strings.Contains(err.Error(), "no connection") {
		t.Errorf("error = %v, want one about the connection", err)
	}
}

// FuzzEndpointAnswer checks that an answer is refused, or holds as many finite
// vectors as were asked for.
func FuzzEndpointAnswer(f *testing.F) {
	for _, s := range []string{`{"data":[{"index":0,"embedding":[1,2]}]}`, `{"data":[{"index":0,"embedding":[1e300]},{"index":1}]}`, `{"data":null}`, `[`, `{"data":[{"index":1,"embedding":[1,NaN]}]}`} {
		f.Add([]byte(s), byte(1))
	}
	f.Fuzz(func(t *testing.T, answer []byte, texts byte) {
		rows, err := encode.ParseAnswer(answer, int(texts))
		if err != nil {
			return
		}
		if len(rows) != int(texts) {
			t.Fatalf("%d vectors for %d texts", len(rows), texts)
		}
		for _, row := range rows {
			for _, v := range row {
				if !(v >= -1e18 && v <= 1e18) {
					t.Fatalf("a number is %v", v)
				}
			}
		}
	})
}

func ExampleEndpoint() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, input := asked(r)
		answer(w, input)
	}))
	defer server.Close()
	e, err := encode.NewEndpoint(context.Background(), encode.EndpointConfig{Base: server.URL, Model: "all-minilm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := encode.Texts(context.Background(), e, []string{"one", "four"}, 2)
	fmt.Println(m.Data, err)
	// Output: [3 111 1 4 102 1] <nil>
}

package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/service/client"
	"sotto/service/gateway"
)

// write sends what a server says to whoever is still there.
func write(w io.Writer, s string) { _, _ = io.WriteString(w, s) }

// TestLyingServer: what a server says that cannot be true is a 502 that repeats
// nothing of it, to the client and in the log.
func TestLyingServer(t *testing.T) {
	const marker = "MARKER"
	for _, tt := range []struct {
		status     int
		body, code string
	}{
		{200, `{"model_name":"m","outputs":[{"name":"` + marker + `","datatype":"BYTES","shape":[1],"data":["` + marker + `"]}]}`, "server_invalid"},
		{200, `{"model_name":"m","outputs":[{"name":"scores","datatype":"FP32","shape":[1,2],"data":[1,0]},{"name":"class","datatype":"BYTES","shape":[1],"data":["` + marker + `"]}]}`, "server_invalid"},
		{200, marker, "server_invalid"},
		{400, `{"error":"` + marker + `","code":"` + marker + `"}`, "server_unavailable"},
		{500, `{"error":"` + marker + `","code":"` + marker + `"}`, "server_unavailable"},
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				write(w, `{"name":"m","inputs":[{"shape":[-1,16]}],"parameters":{"classes":["good","bad"],"guarantee":{"unit":"text","epsilon":2}}}`)
				return
			}
			w.WriteHeader(tt.status)
			write(w, tt.body)
		}))
		c, err := client.NewServer(h.URL, "m", client.Options{Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		s := serve(t, config(t), gateway.ServiceConfig{Classifier: c})
		status, body, _ := s.ask(t, "POST", "/v1/classify", `{"input": "a"}`)
		if status != http.StatusBadGateway || parse(t, body).Error.Code != tt.code {
			t.Errorf("%s: %d %s, want 502 and %s", tt.body, status, body, tt.code)
		}
		if strings.Contains(body+s.log.String(), marker) {
			t.Errorf("%s is repeated: %s %s", tt.body, body, s.log)
		}
		h.Close()
	}
}

// stuck never answers while the request lasts.
type stuck struct{ entered chan struct{} }

func (s stuck) Classify(ctx context.Context, _ [][]float32, _ dp.Guarantee) ([]gateway.Answer, error) {
	s.entered <- struct{}{}
	<-ctx.Done()
	return nil, errors.New("it took too long")
}

// TestStuckServer: a server that does not answer takes some places, not all, and
// what finds none is not paid for.
func TestStuckServer(t *testing.T) {
	slow := stuck{make(chan struct{}, 2)}
	s := serve(t, config(t), gateway.ServiceConfig{Classifier: slow, MaxInFlight: 8})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	for range 2 {
		go func() {
			defer func() { ended <- struct{}{} }()
			r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/classify", strings.NewReader(`{"input": "a"}`))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			if res, err := http.DefaultClient.Do(r); err == nil {
				res.Body.Close()
			}
		}()
		<-slow.entered
	}
	status, body, _ := s.ask(t, "POST", "/v1/classify", `{"input": "b", "user": "bob"}`)
	if status != http.StatusTooManyRequests {
		t.Errorf("the third: %d %s, want 429", status, body)
	}
	if _, body, _ = s.ask(t, "GET", "/v1/budget?user=bob", ""); !strings.Contains(body, `"spent":0,`) {
		t.Errorf("the third spent: %s", body)
	}
	if a := s.embed(t, `{"input": "c"}`); len(a.Data) != 1 {
		t.Errorf("an embedding beside a stuck server: %+v", a)
	}
	cancel()
	<-ended
	<-ended
}

package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sotto/service/gateway"
)

// FuzzRequest sends any body: the answer is JSON with a known status, never a
// fault, and an error has no vectors.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"input": "a"}`, `{"input": ["a", "b"], "encoding_format": "base64", "user": "u"}`, `{"input": [1]}`, `{"input": "a", "input": "b"}`,
		`{"input": "\ud800"}`, `{"dimensions": 1e9}`, `{"input": [[`, `[]`, "\xff", `{"input": "a", "model": null, "user": ""}`, `{"input":["a",  ]}`,
	} {
		f.Add(seed)
	}
	c := config(f)
	c.Ledger = discard{c.Ledger}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(f, c), Classifier: labels{}})
	if err != nil {
		f.Fatal(err)
	}
	known := []int{200, 400, 403, 404, 413}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/embeddings", "/v1/classify"} {
			r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			service.ServeHTTP(w, r)
			var a map[string]json.RawMessage
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || !slices.Contains(known, w.Code) || (w.Code == http.StatusOK) != (a["data"] != nil) || (a["error"] == nil) != (a["data"] != nil) {
				t.Errorf("%s: %d %s %v", path, w.Code, w.Body, err)
			}
		}
	})
}

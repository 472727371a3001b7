package predictor_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"sotto/study/explain"
	"sotto/study/explain/predictor"
	"sotto/text/encode"
)

// grep finds the word dull in lines of JSON.
const grep = `while read -r line; do case "$line" in *dull*) echo '[0.9, 0.1]';; *) echo '[0.25, 0.75]';; esac; done`

func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	c, err := predictor.NewCommand(t.Context(), grep, []string{"bad", "good"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.SHAP{}.Explain(t.Context(), c, "a dull \"film\"\nindeed", explain.Predicted)
	if err != nil {
		t.Fatal(err)
	}
	if err = c.Close(); err != nil {
		t.Error(err)
	}
	if e.Prediction != "bad" || e.Tokens[1].Weight < 0.64 || e.Tokens[0].Weight > 1e-9 || e.Check > 1e-6 {
		t.Errorf("explanation is %+v", e)
	}
	for name, tt := range map[string]struct {
		line    string
		classes []string
	}{
		"no program":           {" ", nil},
		"other classes":        {grep, []string{"a", "b", "c"}},
		"one name twice":       {grep, []string{"a", "a"}},
		"one probability":      {"while read -r l; do echo '[1]'; done", nil},
		"no answer":            {"exit 3", nil},
		"no JSON":              {"while read -r l; do echo dull; done", nil},
		"no such program":      {"/no/such/program", nil},
		"more than one answer": {"while read -r l; do echo '[.5,.5]'; echo '[.5,.5]'; done", nil},
	} {
		if other, failed := predictor.NewCommand(t.Context(), tt.line, tt.classes); failed == nil {
			t.Errorf("%s: not refused", name)
			other.Close()
		}
	}
	wrong, err := predictor.NewCommand(t.Context(), "while read -r l; do echo '[0.5, 0.2]'; done", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if _, err := wrong.Predict(t.Context(), []string{"x"}); err == nil {
		t.Error("what is no probability is taken")
	}
}

func TestAddress(t *testing.T) {
	answer := func(texts []string) any {
		rows := [][]float64{}
		for _, s := range texts {
			p := 0.75
			if strings.Contains(s, "dull") {
				p = 0.1
			}
			rows = append(rows, []float64{1 - p, p})
		}
		return map[string]any{"probabilities": rows, "classes": []string{"bad", "good"}}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Texts []string }
		if json.NewDecoder(r.Body).Decode(&q) != nil {
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(answer(q.Texts)) //nolint:errcheck // the client sees it
	}))
	defer srv.Close()
	config := encode.AddressConfig{URL: srv.URL + "/predict", Attempts: 1, Timeout: 10 * time.Second}
	a, err := predictor.NewAddress(t.Context(), config, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Occlusion{}.Explain(t.Context(), a, "a dull film", explain.Predicted)
	if err != nil || e.Prediction != "bad" || e.Tokens[1].Weight < 0.6 {
		t.Fatalf("explanation is %+v, %v", e, err)
	}
	for name, wrong := range map[string]any{
		"unknown field": map[string]any{"probabilities": [][]float64{{1, 0}}, "text": "secret"},
		"no row":        map[string]any{"probabilities": [][]float64{}},
		"no JSON":       "secret",
		"one class":     map[string]any{"probabilities": [][]float64{{1}}},
		"no shares":     map[string]any{"probabilities": [][]float64{{3, -2}}},
	} {
		answer = func([]string) any { return wrong }
		b, err := predictor.NewAddress(t.Context(), config, nil)
		if err == nil {
			_, err = b.Predict(t.Context(), []string{"x"})
		}
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error is %v, want one that does not quote the answer", name, err)
		}
	}
	for _, url := range []string{"http://example.com/x", "ftp://localhost", "", "http://u:p@localhost/", "https://localhost/?q=1"} {
		if _, err := predictor.NewAddress(t.Context(), encode.AddressConfig{URL: url}, nil); err == nil {
			t.Errorf("address %q is taken", url)
		}
	}
}

//go:build linux

package fortress_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// checkedMiB is what a gateway may take whatever a server answers.
const checkedMiB = 256

var untrusted = []attack{
	{"a server whose answer has no end", "502; below 256 MiB; within a minute", func(s *scene) {
		s.classify(func(w http.ResponseWriter, r *http.Request) {
			head := `{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1, 2], "data": [0`
			io.WriteString(w, head) //nolint:errcheck // the other side ends it
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(",0", 1<<15)); err != nil {
					return
				}
			}
		}, refusedAnswer)
	}},
	{"a server that sends a gzip bomb", "502; below 256 MiB; within a minute", func(s *scene) {
		bomb := slices.Concat(
			zipped(s, `{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1, 2], "data": [0`),
			bytes.Repeat(zipped(s, strings.Repeat(",0", 1<<19)), 512),
		)
		s.note("%d KiB for 512 MiB", len(bomb)>>10)
		s.classify(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb) //nolint:errcheck // the other side ends it
		}, refusedAnswer)
	}},
	{"a server that names a class the model does not have", "502; the class is not passed on", func(s *scene) {
		s.classify(says(`{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1, 2], "data": [0.5, 0.5]}, {"name": "class", "datatype": "BYTES", "shape": [1], "data": ["<script>"]}]}`), refusedAnswer)
	}},
	{"a server whose class is not the likeliest", "502", func(s *scene) {
		s.classify(says(`{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1, 2], "data": [0.9, 0.1]}, {"name": "class", "datatype": "BYTES", "shape": [1], "data": ["positive"]}]}`), refusedAnswer)
	}},
	{"a server whose scores are no probabilities", "502", func(s *scene) {
		s.classify(says(`{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1, 2], "data": [1e30, -7]}, {"name": "class", "datatype": "BYTES", "shape": [1], "data": ["negative"]}]}`), refusedAnswer)
	}},
	{"a server that answers for a thousand texts", "502", func(s *scene) {
		s.classify(says(fmt.Sprintf(`{"model_name": "m", "model_version": "1", "outputs": [{"name": "scores", "datatype": "FP32", "shape": [1000, 2], "data": [%s]}, {"name": "class", "datatype": "BYTES", "shape": [1000], "data": %s}]}`,
			strings.TrimSuffix(strings.Repeat("1,0,", 1000), ","), texts(1000, "negative"))), refusedAnswer)
	}},
	{"a server that sends its answer elsewhere", "no request goes there", redirected},
	{"a server that answers a byte a second", "502 or 503 within a minute; others are answered meanwhile", func(s *scene) {
		s.patient()
		var flags []string
		if !s.full {
			flags = []string{"--timeout", "6s"}
		}
		s.classify(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")                //nolint:errcheck // the other side ends it
				http.NewResponseController(w).Flush() //nolint:errcheck // likewise
				pause(r.Context(), time.Second)
			}
		}, refusedAnswer, flags...)
	}},
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) } //nolint:errcheck // it may have gone
}

// hostile is a server that describes a model as it should, and answers as it likes.
func hostile(s *scene, infer http.HandlerFunc) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v2/repository/index", says(`[{"name": "m", "state": "READY"}]`))
	mux.HandleFunc("GET /v2/models/m", says(`{"name": "m", "versions": ["1"], "platform": "sotto", "inputs": [{"name": "vector", "datatype": "FP32", "shape": [-1, 128]}],
		"outputs": [{"name": "scores", "datatype": "FP32", "shape": [-1, 2]}, {"name": "class", "datatype": "BYTES", "shape": [-1]}],
		"parameters": {"method": "noise", "classes": ["negative", "positive"], "labels": [{"name": "", "classes": ["negative", "positive"], "scores": "scores", "class": "class"}], "guarantee": {"unit": "text", "epsilon": 8}}}`))
	mux.HandleFunc("POST /v2/models/m/infer", infer)
	server := httptest.NewServer(mux)
	s.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func refusedAnswer(a answer) bool {
	return a.err == nil && (a.status == http.StatusBadGateway || a.status == http.StatusServiceUnavailable)
}

// classify has several clients ask a gateway whose server is hostile.
func (s *scene) classify(infer http.HandlerFunc, want func(answer) bool, more ...string) {
	s.Helper()
	g := s.gateway(slices.Concat(whole, []string{"--server", hostile(s, infer).URL, "--budget", "1e6"}, more)...)
	var group sync.WaitGroup
	got := make([]answer, s.many(16, 4))
	for i := range got {
		group.Go(func() {
			got[i] = from("127.0.0.1", g.base).do("POST", "/v1/classify", `{"input": "a text", "user": "user`+strconv.Itoa(i)+`"}`)
		})
	}
	began := time.Now()
	bystander := from("127.0.0.1", g.base).embed("bystander", "meanwhile")
	s.judge(bystander.status == http.StatusOK, "meanwhile %v", bystander)
	group.Wait()
	took := time.Since(began)
	count, right := tally{}, 0
	for _, a := range got {
		count.add(a)
		if want(a) {
			right++
		}
		if strings.Contains(string(a.body), "script") {
			s.fell("an answer quotes the server")
		}
	}
	s.judge(right == len(got) && took < time.Minute, "%v in %.1f s", count, took.Seconds())
	s.judge(g.alive() && g.peak() < checkedMiB, "%d MiB", g.peak())
}

func redirected(s *scene) {
	reached := make(chan string, 1000)
	trap := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	defer trap.Close()
	s.classify(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, trap.URL+"/stolen", http.StatusTemporaryRedirect)
	}, func(a answer) bool { return a.err == nil && a.status >= 400 })
	s.judge(len(reached) == 0, "%d requests followed", len(reached))
}

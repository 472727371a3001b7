package server_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/learn/model"
	"sotto/service/httpserve/servetest"
	"sotto/service/server"
	"sotto/service/server/kserve"
)

// put copies a model's folder to dir, manifest last, as a person may do.
func put(t testing.TB, from, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{model.SecretFile, model.WeightsFile, model.ManifestFile} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// served returns the version of the model m, and whether it is stale.
func served(t testing.TB, url string) (version string, stale bool) {
	t.Helper()
	body, _ := request(t, 1, fair, false)
	status, got, _ := ask(t, "POST", url+"/v2/models/m/infer", body)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, got)
	}
	res, err := kserve.ParseResponse(got, "")
	if err != nil {
		t.Fatal(err)
	}
	_, ready, _ := ask(t, "GET", url+"/v2/health/ready", "")
	return res.ModelVersion, bytes.Contains(ready, []byte(`"stale":["m"]`))
}

func versionOf(t testing.TB, name string) string {
	t.Helper()
	_, info, err := model.Load(folderOf(name))
	if err != nil {
		t.Fatal(err)
	}
	return info.ID[:12]
}

func TestReload(t *testing.T) {
	dir := t.TempDir()
	m := filepath.Join(dir, "m")
	put(t, folderOf(modelName), m)
	url, s := start(t, server.Config{Model: dir})
	first, second := versionOf(t, modelName), versionOf(t, otherName)
	check := func(what, want string, stale bool) {
		t.Helper()
		if v, old := served(t, url); v != want || old != stale {
			t.Errorf("%s: version %s, stale %v, want %s, %v", what, v, old, want, stale)
		}
	}
	look := func() {
		t.Helper()
		if err := s.Look(); err != nil {
			t.Error(err)
		}
	}
	check("at first", first, false)
	look()
	check("unchanged", first, false)

	put(t, folderOf(otherName), m)
	look()
	check("another model", second, false)

	weights := filepath.Join(m, model.WeightsFile)
	whole, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(weights, whole[:len(whole)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	look()
	check("cut weights", second, true)
	_, got, _ := ask(t, "GET", url+"/metrics", "")
	for _, want := range []string{`sotto_server_model_stale{model="m"} 1`, `sotto_server_model_reads_total{result="refused"} 1`} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("metrics lack %s:\n%s", want, got)
		}
	}
	look()
	check("still cut", second, true)
	if err = os.WriteFile(weights, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	look()
	check("mended", second, false)

	put(t, filepath.Join(stored, "reference"), m)
	look()
	check("without protection", second, true)
	if err = s.Reload(); err != nil {
		t.Error(err)
	}
	check("after a reload", second, true)
	if err = os.RemoveAll(m); err != nil {
		t.Fatal(err)
	}
	if err = s.Reload(); err == nil || !strings.Contains(err.Error(), "holds no model") {
		t.Errorf("Reload error = %v, want that there is no model", err)
	}
	check("all gone", second, true)

	put(t, folderOf(modelName), m)
	put(t, folderOf(otherName), filepath.Join(dir, "n"))
	look()
	check("good again", first, false)
	if s.Models() != 2 {
		t.Errorf("%d models, want 2 with the one that appeared", s.Models())
	}
	if err = os.RemoveAll(filepath.Join(dir, "n")); err != nil {
		t.Fatal(err)
	}
	look()
	if status, _, _ := ask(t, "GET", url+"/v2/models/n/ready", ""); status != http.StatusOK {
		t.Errorf("status %d of a model that is gone, want 200 until a reload", status)
	}
	if err = s.Reload(); err != nil {
		t.Error(err)
	}
	if status, _, _ := ask(t, "GET", url+"/v2/models/n/ready", ""); status != http.StatusNotFound {
		t.Errorf("status %d of a model that is gone, want 404 after a reload", status)
	}
}

// TestNames refuses folders that no address can name, and two of one name.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	put(t, folderOf(modelName), filepath.Join(dir, "a b"))
	if _, err := server.New(server.Config{Model: dir}); err == nil || !strings.Contains(err.Error(), "letters, digits") {
		t.Errorf("New error = %v, want one about the name", err)
	}
	put(t, folderOf(modelName), filepath.Join(dir, "a", "b-c"))
	put(t, folderOf(modelName), filepath.Join(dir, "a-b", "c"))
	if _, err := server.New(server.Config{Model: dir}); err == nil || !strings.Contains(err.Error(), "both be called a-b-c") {
		t.Errorf("New error = %v, want one about the two folders", err)
	}
}

// TestConcurrent asks from many goroutines while models come and go. Each
// answer must be wholly that of one of the two.
func TestConcurrent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	url, s := start(t, server.Config{Model: dir, Concurrency: 4, Share: 8, Wait: time.Minute})
	body, _ := request(t, 3, fair, false)
	want := map[string]string{} // by version
	ends := map[string]string{versionOf(t, modelName): modelName, versionOf(t, otherName): otherName}
	for version, name := range ends {
		logits, _ := expect(t, folderOf(name), 3)
		want[version] = fmt.Sprint(logits.Row(0)[0] > logits.Row(0)[1], logits.Row(1)[0] > logits.Row(1)[1], logits.Row(2)[0] > logits.Row(2)[1])
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				status, got, _ := ask(t, "POST", url+"/v2/models/m/infer", body)
				res, err := kserve.ParseResponse(got, "")
				if status != http.StatusOK || err != nil {
					t.Errorf("status %d, %v", status, err)
					return
				}
				p := res.Outputs[0].Floats
				if g := fmt.Sprint(p[0] > p[1], p[2] > p[3], p[4] > p[5]); g != want[res.ModelVersion] {
					t.Errorf("version %s says %s, want %s", res.ModelVersion, g, want[res.ModelVersion])
				}
			}
		})
	}
	for i := range 10 {
		put(t, folderOf([]string{otherName, modelName}[i%2]), dir)
		if err := s.Look(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}

// hold begins a request and returns a function that ends it and gives its
// status.
func hold(t *testing.T, url string) (finish func() int) {
	t.Helper()
	body, _ := request(t, 1, fair, false)
	r, w := io.Pipe()
	status := make(chan int, 1)
	go func() {
		res, err := http.Post(url+"/v2/models/m/infer", "application/json", r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		res.Body.Close()
		status <- res.StatusCode
	}()
	if _, err := io.WriteString(w, body[:10]); err != nil { // returns when it is on its way
		t.Fatal(err)
	}
	for { // until it has its turn
		_, got, _ := ask(t, "GET", url+"/metrics", "")
		if bytes.Contains(got, []byte("sotto_server_requests_in_flight 2")) {
			break
		}
	}
	return func() int {
		if _, err := io.WriteString(w, body[10:]); err != nil {
			t.Error(err)
		}
		w.Close()
		return <-status
	}
}

func TestOverload(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	url, s := start(t, server.Config{Model: dir, Concurrency: 1, Wait: time.Millisecond})
	leave := s.Occupy(t.Context())
	body, _ := request(t, 1, fair, false)
	status, got, h := ask(t, "POST", url+"/v2/models/m/infer", body)
	if status != http.StatusServiceUnavailable || !bytes.Contains(got, []byte(`"overloaded"`)) || h.Get("Retry-After") == "" {
		t.Errorf("status %d, %s, want 503, overloaded and when to try again", status, got)
	}
	leave()
	if status, got, _ = ask(t, "POST", url+"/v2/models/m/infer", body); status != http.StatusOK {
		t.Errorf("status %d, %s when there is room again, want 200", status, got)
	}
}

// TestSlowBodies begins more requests than are worked on at a time, and sends no
// more of them: others are answered.
func TestSlowBodies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	url, _ := start(t, server.Config{Model: dir, Concurrency: 1, Wait: time.Millisecond})
	finish := hold(t, url)
	body, _ := request(t, 1, fair, false)
	if status, got, _ := ask(t, "POST", url+"/v2/models/m/infer", body); status != http.StatusOK {
		t.Errorf("status %d, %s while another sends slowly, want 200", status, got)
	}
	if status := finish(); status != http.StatusOK {
		t.Errorf("status %d of the slow one, want 200", status)
	}
}

// TestDrain ends a server while a request is under way: it is answered, nobody
// else is let in, and Serve returns nil.
func TestDrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	s, err := server.New(server.Config{Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, s.Serve)
	finish := hold(t, "http://"+address)
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	servetest.AwaitClosed(address) // before requests are waited for
	select {
	case err := <-ended:
		t.Fatalf("Serve returned %v before the request was answered", err)
	default:
	}
	if status := finish(); status != http.StatusOK {
		t.Errorf("status %d of the request under way, want 200", status)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve error = %v, want nil", err)
	}
}

func TestDrainGivesUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	s, err := server.New(server.Config{Model: dir, Drain: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, s.Serve)
	servetest.Dial(t, address, "POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
	for { // until the server has it
		_, got, _ := ask(t, "GET", "http://"+address+"/metrics", "")
		if bytes.Contains(got, []byte("sotto_server_requests_in_flight 2")) {
			break
		}
	}
	if err := end(); err == nil || !strings.Contains(err.Error(), "did not end within") {
		t.Errorf("Serve error = %v, want that a request did not end", err)
	}
}

// TestSlow: a body that does not arrive in time is refused and logged.
func TestSlow(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "m")
	put(t, folderOf(modelName), dir)
	var log servetest.Buffer
	s, err := server.New(server.Config{Model: dir, ReadTimeout: 500 * time.Millisecond, Poll: time.Millisecond, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	address, end := servetest.Start(t, s.Serve)
	c := servetest.Dial(t, address, "POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Contains(got, []byte("408")) || !bytes.Contains(got, []byte("incomplete_body")) {
		t.Errorf("%s, %v, want 408 and incomplete_body", got, err)
	}
	put(t, folderOf(otherName), dir) // Serve looks at the folder by itself
	for !strings.Contains(log.String(), versionOf(t, otherName)) {
		time.Sleep(time.Millisecond)
	}
	if err := end(); err != nil {
		t.Errorf("Serve error = %v, want nil", err)
	}
}

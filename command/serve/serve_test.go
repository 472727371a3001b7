package serve_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/serve"
	"sotto/command/term"
	"sotto/service/httpserve/servetest"
	language "sotto/study/language/command"
)

// watched is an output that a test reads while a command writes it.
type watched struct{ servetest.Buffer }

// line waits for the n-th line with a message and returns it.
func (w *watched) line(t *testing.T, message string, n int) map[string]any {
	t.Helper()
	for t.Context().Err() == nil {
		left := n
		for l := range strings.Lines(w.String()) {
			var got map[string]any
			if json.Unmarshal([]byte(l), &got) == nil && got["msg"] == message {
				if left--; left == 0 {
					return got
				}
			}
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("no line %q", message)
	return nil
}

// serveCommand runs "sotto serve" until the returned function ends it.
func serveCommand(t *testing.T, args ...string) (log *watched, end func() error) {
	t.Helper()
	log = &watched{}
	c := serve.NewServe(term.Streams{In: strings.NewReader(""), Out: io.Discard, Err: log})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append([]string{"--listen", "127.0.0.1:0", "--withdraw", "0s"}, args...))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx) }()
	return log, func() error { cancel(); return <-ended }
}

// masking is the core with what masks personal data by its type.
var masking = clitest.Program{language.Study()}

// small are the files of small models that were trained, by their flags.
var small = struct {
	sync.Mutex
	models map[string]fstest.MapFS
}{models: map[string]fstest.MapFS{}}

// smallModel trains one, unless one with such flags was trained before, and returns the
// folder of the result.
func smallModel(t *testing.T, more ...string) string {
	t.Helper()
	dir, name := filepath.Join(t.TempDir(), "model"), strings.Join(more, " ")
	small.Lock()
	defer small.Unlock()
	if files, ok := small.models[name]; ok {
		if err := os.CopyFS(dir, files); err != nil {
			t.Fatal(err)
		}
		for path := range files { // CopyFS lets others read, and a secret that they may is refused
			if err := os.Chmod(filepath.Join(dir, path), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	if code, _, errs := masking.Sotto(t, "", append(strings.Fields("train --method noise --epsilon 4 --limit 200 --out "+dir+clitest.Quickly), more...)...); code != command.ExitDone {
		t.Fatal(errs)
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	small.models[name] = files
	return dir
}

// hangup sends SIGHUP to this process.
func hangup(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGHUP)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkLive asks over gRPC whether the server lives.
func checkLive(t *testing.T, address string) {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	r, err := http.NewRequest("POST", "http://"+address+"/inference.GRPCInferenceService/ServerLive", strings.NewReader("\x00\x00\x00\x00\x00"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	res, err := (&http.Client{Transport: &http.Transport{Protocols: protocols}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); err != nil || !bytes.HasSuffix(got, []byte("\x08\x01")) {
		t.Errorf("ServerLive over gRPC: %x, %v, want true", got, err)
	}
}

func TestServe(t *testing.T) {
	log, end := serveCommand(t, "--model", smallModel(t), "--grpc-listen", "127.0.0.1:0")
	url := log.line(t, "serving", 1)["address"].(string)
	checkLive(t, log.line(t, "serving", 1)["grpc"].(string))
	body := `{"parameters":{"sotto_privacy":{"unit":"text","epsilon":4,"delta":0}},"inputs":[{"name":"vector","datatype":"FP32","shape":[1,16],"data":[` + strings.Repeat("0,", 15) + `0]}]}`
	res, err := http.Post(url+"/v2/models/seed-1/infer", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(got, []byte(`"data":["`)) {
		t.Errorf("status %d, %s, %v, want a class", res.StatusCode, got, err)
	}
	if runtime.GOOS != "windows" { // which has no such signal
		hangup(t)
		log.line(t, "model loaded", 2)
		log.line(t, "reloaded", 2) // models and certificates
	}
	if err := end(); err != nil {
		t.Errorf("serve error = %v, want nil when it is told to end", err)
	}
	log.line(t, "ended", 1)
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"modell": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"", "--model is empty"},
		{"--model " + dir, "holds no model"},
		{"--model " + dir + " --max-rows 0", "--max-rows is 0"},
		{"--model " + dir + " --wait -1s", "wait is -1"},
		{"--model " + dir + " --log-level loud", "log-level"},
		{"--model " + dir + " --tls-cert " + config, "certificate"},
		{"--model " + dir + " --config " + config, "modell: there is no such setting"},
		{"--model " + dir + " --config nowhere", "nowhere"},
	} {
		log, end := serveCommand(t, strings.Fields(tt.line)...)
		if err := end(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, log %s, want a word of %q", tt.line, err, log.String(), tt.want)
		}
	}
}

// TestServeTLS: with an authority of callers, only they are answered.
func TestServeTLS(t *testing.T) {
	cert, key := servetest.Certify(t) // which is its own authority
	log, end := serveCommand(t, "--model", smallModel(t), "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", cert)
	url := log.line(t, "serving", 1)["address"].(string) + "/v2/health/ready"
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if !servetest.Reaches(t, url, cert, pair) {
		t.Error("a caller with a certificate was not answered")
	}
	if servetest.Reaches(t, url, cert) {
		t.Error("a caller without a certificate was answered")
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestServeHangup: certificates that were replaced are shown after SIGHUP, and
// the old ones as long as the new are refused.
func TestServeHangup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGHUP")
	}
	cert, key := servetest.Certify(t)
	next, nextKey := servetest.Certify(t)
	log, end := serveCommand(t, "--model", smallModel(t), "--tls-cert", cert, "--tls-key", key)
	url := log.line(t, "serving", 1)["address"].(string) + "/v2/health/ready"
	old := filepath.Join(t.TempDir(), "old.pem")
	swap := func(from, to string) {
		t.Helper()
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	swap(cert, old)
	swap(next, cert) // its key is still the old one's
	hangup(t)
	if part := log.line(t, "reload refused; the old one is still in use", 1)["part"]; part != "certificates" {
		t.Errorf("%v was refused, want the certificates", part)
	}
	if !servetest.Reaches(t, url, old) {
		t.Error("the old certificate is not shown although the new one was refused")
	}
	swap(nextKey, key)
	hangup(t)
	log.line(t, "reloaded", 3)
	if !servetest.Reaches(t, url, next) || servetest.Reaches(t, url, old) {
		t.Error("the new certificate is not shown, or the old one is")
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// TestServeWithdraws: a server that is told to end reports it and still answers.
func TestServeWithdraws(t *testing.T) {
	t.Parallel()
	log, end := serveCommand(t, "--model", smallModel(t), "--withdraw", "2s")
	url := log.line(t, "serving", 1)["address"].(string)
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	log.line(t, "withdrawn", 1)
	for path, want := range map[string]int{"/v2/health/ready": 503, "/v2/models/seed-1/ready": 503, "/v2/health/live": 200, "/v2/models/seed-1": 200, "/metrics": 200} {
		if status, body, _ := servetest.Ask(t, "GET", url+path, ""); status != want {
			t.Errorf("%s: %d %.100s, want %d", path, status, body, want)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

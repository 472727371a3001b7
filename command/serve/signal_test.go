//go:build unix

package serve_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sotto/command"
	"sotto/command/term"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve/servetest"
)

// TestMain lets this program be the command, so that tests send signals to a
// process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("SOTTO_SERVE_TEST_CHILD") == "" {
		flag.Parse()
		flag.Set("test.parallel", "8") //nolint:errcheck // which there is; most of the time tests wait
		os.Exit(m.Run())
	}
	os.Unsetenv("SOTTO_SERVE_TEST_CHILD") //nolint:errcheck // which no setting is called
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	os.Exit(command.Run(ctx, os.Args[1:], term.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// child is the command in a process of its own.
type child struct {
	*exec.Cmd
	t      *testing.T
	log    servetest.Buffer
	base   string
	client http.Client
	ended  chan error
}

// startChild starts a gateway, and kills it with the test if it runs still.
func startChild(t *testing.T, roots *x509.CertPool, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0], append([]string{"gateway", "--listen", "127.0.0.1:0"}, args...)...), t: t, ended: make(chan error, 1)}
	c.Env = append(os.Environ(), "SOTTO_SERVE_TEST_CHILD=1")
	c.Stdout, c.Stderr = io.Discard, &c.log
	c.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.ended <- c.Wait() }()
	t.Cleanup(func() { c.Process.Kill() }) //nolint:errcheck // it may have ended
	c.base = "http://"
	if roots != nil {
		c.base = "https://"
	}
	c.base += c.line("listening", 1)["address"].(string)
	return c
}

// line waits for the nth line of the log with a message.
func (c *child) line(message string, n int) map[string]any {
	c.t.Helper()
	for range 6000 {
		found := 0
		for text := range strings.Lines(c.log.String()) {
			if !strings.Contains(text, `"msg":"`+message) {
				continue
			}
			if found++; found == n {
				var line map[string]any
				if err := json.Unmarshal([]byte(text), &line); err != nil {
					c.t.Fatal(err)
				}
				return line
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Fatalf("%d lines with %q did not come", n, message)
	return nil
}

func (c *child) hangup() {
	c.t.Helper()
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		c.t.Fatal(err)
	}
}

// ask returns status and body of an answer; 0 and why, if none came.
func (c *child) ask(method, path, key, body string) (int, string) {
	r, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := c.client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(content)
}

// model returns which model released, and what it cost.
func (c *child) model(key string) (identity string, cost float64) {
	c.t.Helper()
	status, content := c.ask("POST", "/v1/embeddings", key, `{"input": "a wonderful day"}`)
	var a struct {
		Privacy struct {
			Model string
			Cost  float64
		}
	}
	if err := json.Unmarshal([]byte(content), &a); status != http.StatusOK || err != nil {
		c.t.Fatalf("status %d, %v: %s", status, err, content)
	}
	return a.Privacy.Model, a.Privacy.Cost
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// putModel puts the files of a model in the place of another's.
func putModel(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		copyFile(t, filepath.Join(from, f.Name()), filepath.Join(to, f.Name()))
	}
}

// TestHangup replaces keys, certificates and the model of a gateway that runs and
// is asked all the time.
func TestHangup(t *testing.T) {
	t.Parallel()
	dir, file := filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "keys")
	trained := smallModel(t, "--seeds", "2")
	putModel(t, filepath.Join(trained, "seed-1"), dir)
	var all []string
	for _, o := range []keys.Order{{Subject: "shop"}, {Subject: "thief"}, {Subject: "ops", Scopes: []keys.Scope{keys.Metrics}}} {
		key, e, err := keys.New(o)
		if err == nil {
			err = keys.Add(file, e)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, key)
	}
	shop, thief, ops := all[0], all[1], all[2]
	cert, certKey := servetest.Certify(t)
	newCert, newKey := servetest.Certify(t)
	roots := x509.NewCertPool()
	for _, path := range []string{cert, newCert} {
		content, err := os.ReadFile(path)
		if err != nil || !roots.AppendCertsFromPEM(content) {
			t.Fatal(err)
		}
	}
	args := append(gatewayPlaces(t), "--model", dir, "--keys", file, "--tls-cert", cert, "--tls-key", certKey, "--budget", "1e6", "--rate", "0")
	c := startChild(t, roots, args...)
	first, cost := c.model(shop)
	if first == "" || cost == 0 {
		t.Fatalf("model %q for %v, want one that is paid for", first, cost)
	}
	lost := c.load(shop)

	// All three are others.
	putModel(t, filepath.Join(trained, "seed-2"), dir)
	copyFile(t, newCert, cert)
	copyFile(t, newKey, certKey)
	if _, err := keys.Revoke(file, []string{"thief"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if status, _ := c.ask("GET", "/v1/models", thief, ""); status != http.StatusOK {
		t.Errorf("before SIGHUP the key is refused with %d", status)
	}
	c.hangup()
	changed := c.line("releases are others from now on, and texts are paid for anew", 1)
	c.line("reloaded", 3)
	if status, _ := c.ask("GET", "/v1/models", thief, ""); status != http.StatusUnauthorized {
		t.Errorf("after SIGHUP the revoked key is answered with %d, want 401", status)
	}
	second, cost := c.model(shop)
	if second == first || second == "" || cost == 0 || changed["identity"] == changed["before"] {
		t.Errorf("after SIGHUP model %q for %v, logged as %v; want another than %q, paid for anew", second, cost, changed, first)
	}
	if again, cost := c.model(shop); again != second || cost != 0 {
		t.Errorf("the same text costs %v again", cost)
	}
	if pair, err := tls.LoadX509KeyPair(newCert, newKey); err != nil || !bytes.Equal(shown(t, c.base, roots), pair.Certificate[0]) {
		t.Errorf("after SIGHUP the certificate is another than the new one (%v)", err)
	}

	// None can be read: what there is stays.
	for _, path := range []string{filepath.Join(dir, "manifest.json"), file, cert} {
		if err := os.WriteFile(path, []byte("broken"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.hangup()
	c.line("reload refused; the old one is still in use", 3)
	if third, _ := c.model(shop); third != second {
		t.Errorf("a broken model replaced %q by %q", second, third)
	}
	_, numbers := c.ask("GET", "/metrics", ops, "")
	for _, part := range []string{"keys", "certificates", "model"} {
		for _, want := range []string{
			fmt.Sprintf(`sotto_gateway_reloads_total{part=%q,result="refused"} 1`, part), fmt.Sprintf(`sotto_gateway_reloads_total{part=%q,result="taken"} 1`, part),
			fmt.Sprintf(`sotto_gateway_last_reload_successful{part=%q} 0`, part),
		} {
			if !strings.Contains(numbers, want) {
				t.Errorf("metrics lack %s", want)
			}
		}
	}
	if answered, lines := lost(); len(lines) > 0 || answered == 0 {
		t.Errorf("%d answers, lost %v", answered, lines)
	}
	if strings.Contains(c.log.String(), "wonderful") || strings.Contains(c.log.String(), shop) {
		t.Error("the log holds a text or a key")
	}
}

// load asks all the time, until lost is called, which returns how many answers
// came and what came instead of others.
func (c *child) load(key string) (lost func() (int, []string)) {
	var group sync.WaitGroup
	var mu sync.Mutex
	var lines []string
	var answered, stop atomic.Int64
	for w := range 4 {
		group.Go(func() {
			for i := 0; stop.Load() == 0; i++ {
				status, content := c.ask("POST", "/v1/embeddings", key, fmt.Sprintf(`{"input": "text %d of %d"}`, i, w))
				if status == http.StatusOK {
					answered.Add(1)
					continue
				}
				mu.Lock()
				lines = append(lines, fmt.Sprint(status, " ", content))
				mu.Unlock()
			}
		})
	}
	return func() (int, []string) {
		stop.Store(1)
		group.Wait()
		return int(answered.Load()), lines
	}
}

// shown returns the certificate that a service shows.
func shown(t *testing.T, base string, roots *x509.CertPool) []byte {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(base, "https://"), &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].Raw
}

// TestTerminate ends a gateway that is asked all the time by clients which stop
// when it says that it is not ready: none loses an answer, and it listens until
// its time is over.
func TestTerminate(t *testing.T) {
	t.Parallel()
	c := startChild(t, nil, append(gatewayPlaces(t), "--encoder", "hash:32", "--budget", "1e6", "--rate", "0", "--withdraw", "2s")...)
	lost := c.load("")
	if status, content := c.ask("GET", "/readyz", "", ""); status != http.StatusOK {
		t.Fatalf("before SIGTERM: %d %s", status, content)
	}
	began := time.Now()
	for range 2 { // some send it twice
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	c.line("withdrawn", 1)
	if status, content := c.ask("GET", "/readyz", "", ""); status != http.StatusServiceUnavailable || !strings.Contains(content, `"draining"`) {
		t.Errorf("after SIGTERM readiness is %d %s, want 503", status, content)
	}
	if status, content := c.ask("POST", "/v1/embeddings", "", `{"input": "one more"}`); status != http.StatusOK {
		t.Errorf("while it withdraws, a request is answered with %d %s, want 200", status, content)
	}
	if status, _ := c.ask("GET", "/healthz", "", ""); status != http.StatusOK {
		t.Errorf("while it withdraws, health is %d, want 200", status)
	}
	if answered, lines := lost(); len(lines) > 0 || answered == 0 {
		t.Errorf("%d answers, lost %v", answered, lines)
	}
	if err := <-c.ended; err != nil {
		t.Errorf("it ended with %v: %s", err, c.log.String())
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("it ended after %v, want 2s of withdrawal at least", took)
	}
	c.line("drained", 1)
}

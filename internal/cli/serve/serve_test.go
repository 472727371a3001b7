package serve_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sotto/internal/cli"
	"sotto/internal/cli/clitest"
	"sotto/internal/cli/serve"
	"sotto/internal/cli/term"
)

// watched is an output that a test reads while a command writes it.
type watched struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// line waits for the n-th line with a message and returns it.
func (w *watched) line(t *testing.T, message string, n int) map[string]any {
	t.Helper()
	for t.Context().Err() == nil {
		w.mu.Lock()
		text := w.b.String()
		w.mu.Unlock()
		left := n
		for l := range strings.Lines(text) {
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
	c.SetArgs(append(args, "--listen", "127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx) }()
	return log, func() error { cancel(); return <-ended }
}

// smallModel trains one and returns the folder of the result.
func smallModel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if code, _, errs := clitest.Sotto(t, "", strings.Fields("train --method noise --epsilon 4 --out "+dir+clitest.Quickly)...); code != cli.ExitDone {
		t.Fatal(errs)
	}
	return dir
}

func TestServe(t *testing.T) {
	log, end := serveCommand(t, "--model", smallModel(t))
	url := log.line(t, "serving", 1)["address"].(string)
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
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(syscall.SIGHUP)
		}
		if err != nil {
			t.Fatal(err)
		}
		log.line(t, "model loaded", 2)
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
			t.Errorf("%s: error %v, log %s, want a word of %q", tt.line, err, log.b.String(), tt.want)
		}
	}
}

// certificates makes an authority and a pair for 127.0.0.1 that it signed, and
// returns the paths of authority, certificate and key.
func certificates(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	c := write("cert.pem", "CERTIFICATE", der)
	return c, c, write("key.pem", "PRIVATE KEY", private)
}

// TestServeTLS: with an authority of callers, only they are answered.
func TestServeTLS(t *testing.T) {
	ca, cert, key := certificates(t)
	log, end := serveCommand(t, "--model", smallModel(t), "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", ca)
	url := log.line(t, "serving", 1)["address"].(string)
	content, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(content)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		config *tls.Config
		ok     bool
	}{
		{"with a certificate", &tls.Config{RootCAs: trusted, Certificates: []tls.Certificate{pair}}, true},
		{"without one", &tls.Config{RootCAs: trusted}, false},
	} {
		c := http.Client{Transport: &http.Transport{TLSClientConfig: tt.config}}
		res, err := c.Get(url + "/v2/health/ready")
		if (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want an answer: %v", tt.name, err, tt.ok)
		}
		if err == nil {
			res.Body.Close()
		}
		c.CloseIdleConnections()
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// Package servetest is what tests of HTTP services share.
package servetest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Command makes the command of this checkout in a folder, unless SOTTO_BINARY names one that
// is made already, and returns its path. What debuggers read is left out, since it takes as
// long to link as the rest. It is a copy of what go run would start, which go keeps: tests
// of another package, or of the same another time, do not link it again.
func Command(dir string) (string, error) {
	if path := os.Getenv("SOTTO_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(dir, "sotto")
	c := exec.Command("go", "run", "-ldflags=-s -w", "-exec", "cp", "sotto/cmd/sotto", path)
	if runtime.GOOS == "windows" {
		c = exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "sotto/cmd/sotto")
	}
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("servetest: the command is not built: %w\n%s", err, out)
	}
	return path, nil
}

// Buffer is a buffer that is read while others write it.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *Buffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns what was written until now.
func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Take returns what was written since it was last called, and forgets it.
func (s *Buffer) Take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.b.Reset()
	return s.b.String()
}

// check ends the test if there is an error.
func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Start lets a service answer on a free port, and returns its address and what
// ends it, which returns the service's error.
func Start(tb testing.TB, serve func(context.Context, net.Listener) error) (address string, end func() error) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(tb, err)
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l) }()
	return l.Addr().String(), sync.OnceValue(func() error { cancel(); return <-ended })
}

// AwaitClosed returns when nobody listens on an address any more.
func AwaitClosed(address string) {
	for {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		c.Close() //nolint:errcheck // nothing was sent
		time.Sleep(time.Millisecond)
	}
}

// Dial sends the beginning of a request and leaves the connection open until
// the test ends.
func Dial(tb testing.TB, address, beginning string) net.Conn {
	tb.Helper()
	c, err := net.Dial("tcp", address)
	if err == nil {
		tb.Cleanup(func() { c.Close() }) //nolint:errcheck // it may have ended
		_, err = io.WriteString(c, beginning)
	}
	check(tb, err)
	return c
}

// Ask sends a request with pairs of headers, and returns status, body and
// header of the answer.
func Ask(tb testing.TB, method, url, body string, header ...string) (int, string, http.Header) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), method, url, strings.NewReader(body))
	check(tb, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	check(tb, err)
	defer response.Body.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(response.Body)
	check(tb, err)
	return response.StatusCode, string(content), response.Header
}

// Certify writes a certificate for this machine that signs itself, and its key.
func Certify(tb testing.TB) (cert, key string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	check(tb, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	check(tb, err)
	dir := tb.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		check(tb, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// Reaches reports whether a service that has the certificate answers a client
// with those of its own.
func Reaches(tb testing.TB, url, cert string, own ...tls.Certificate) bool {
	tb.Helper()
	content, err := os.ReadFile(cert)
	check(tb, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(content)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: own, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get(url)
	if err == nil {
		response.Body.Close() //nolint:errcheck // it is not read
	}
	return err == nil
}

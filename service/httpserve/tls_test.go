package httpserve_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sotto/service/httpserve"
	"sotto/service/httpserve/servetest"
)

func TestTLS(t *testing.T) {
	cert, key := servetest.Certify(t)
	clientCert, clientKey := servetest.Certify(t)
	files, err := httpserve.TLSFiles{Cert: cert, Key: key, ClientCA: clientCert}.Open()
	if err != nil {
		t.Fatal(err)
	}
	own, err := tls.LoadX509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	for want, two := range map[int]bool{1: false, 2: true} {
		protocol := make(chan int, 1)
		s := httpserve.New(httpserve.Config{Name: "test", TLS: files.Config(), HTTP2: two, Read: time.Second, Write: time.Second, Drain: time.Second})
		address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
			return s.Serve(ctx, l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { protocol <- r.ProtoMajor }))
		})
		if servetest.Reaches(t, "https://"+address, cert) {
			t.Error("a client without a certificate was answered")
		}
		if !servetest.Reaches(t, "https://"+address, cert, own) {
			t.Error("a client with a certificate was not answered")
		} else if got := <-protocol; got != want {
			t.Errorf("HTTP/%d was spoken, want %d", got, want)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

func TestTLSFiles(t *testing.T) {
	cert, key := servetest.Certify(t)
	if c, err := (httpserve.TLSFiles{}).Open(); c != nil || err != nil || c.Config() != nil || c.Reload() != nil {
		t.Errorf("no files: %v, %v, want nil", c, err)
	}
	for name, f := range map[string]httpserve.TLSFiles{
		"no key": {Cert: cert}, "no certificate": {Key: key}, "CA alone": {ClientCA: cert}, "absent": {Cert: cert + "x", Key: key},
		"a key as CA": {Cert: cert, Key: key, ClientCA: key}, "absent CA": {Cert: cert, Key: key, ClientCA: cert + "x"},
	} {
		if _, err := f.Open(); err == nil {
			t.Errorf("%s: Open accepted it", name)
		}
	}
}

// TestTLSReload replaces certificate, key and client CA under a service.
func TestTLSReload(t *testing.T) {
	cert, key := servetest.Certify(t)
	newCert, newKey := servetest.Certify(t)
	files := httpserve.TLSFiles{Cert: filepath.Join(t.TempDir(), "cert"), Key: filepath.Join(t.TempDir(), "key"), ClientCA: filepath.Join(t.TempDir(), "ca")}
	put := func(from, to string) {
		t.Helper()
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err = os.WriteFile(to, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair := func(cert, key string) tls.Certificate {
		t.Helper()
		p, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	put(cert, files.Cert)
	put(key, files.Key)
	put(cert, files.ClientCA)
	c, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := httpserve.New(httpserve.Config{Name: "test", TLS: c.Config(), Read: time.Second, Write: time.Second, Drain: time.Second})
	address, end := servetest.Start(t, func(ctx context.Context, l net.Listener) error {
		return s.Serve(ctx, l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	})
	both := func(old, renewed bool) {
		t.Helper()
		if got := servetest.Reaches(t, "https://"+address, cert, pair(cert, key)); got != old {
			t.Errorf("with the old certificates it answers: %v, want %v", got, old)
		}
		if got := servetest.Reaches(t, "https://"+address, newCert, pair(newCert, newKey)); got != renewed {
			t.Errorf("with the new certificates it answers: %v, want %v", got, renewed)
		}
	}
	both(true, false)
	put(newCert, files.Cert)
	if err = c.Reload(); err == nil {
		t.Error("a certificate was taken without its key")
	}
	both(true, false)
	put(newKey, files.Key)
	put(newCert, files.ClientCA)
	if err = c.Reload(); err != nil {
		t.Error(err)
	}
	both(false, true)
	if err = end(); err != nil {
		t.Error(err)
	}
}

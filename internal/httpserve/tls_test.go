package httpserve_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"
	"time"

	"sotto/internal/httpserve"
	"sotto/internal/httpserve/servetest"
)

func TestTLS(t *testing.T) {
	cert, key := servetest.Certify(t)
	clientCert, clientKey := servetest.Certify(t)
	settings, err := httpserve.TLSFiles{Cert: cert, Key: key, ClientCA: clientCert}.Config()
	if err != nil {
		t.Fatal(err)
	}
	own, err := tls.LoadX509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	for want, two := range map[int]bool{1: false, 2: true} {
		protocol := make(chan int, 1)
		s := httpserve.New(httpserve.Config{Name: "test", TLS: settings, HTTP2: two, Read: time.Second, Write: time.Second, Drain: time.Second})
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
	if c, err := (httpserve.TLSFiles{}).Config(); c != nil || err != nil {
		t.Errorf("no files: %v, %v, want nil", c, err)
	}
	for name, f := range map[string]httpserve.TLSFiles{
		"no key": {Cert: cert}, "no certificate": {Key: key}, "CA alone": {ClientCA: cert}, "absent": {Cert: cert + "x", Key: key},
		"a key as CA": {Cert: cert, Key: key, ClientCA: key}, "absent CA": {Cert: cert, Key: key, ClientCA: cert + "x"},
	} {
		if _, err := f.Config(); err == nil {
			t.Errorf("%s: Config accepted it", name)
		}
	}
}

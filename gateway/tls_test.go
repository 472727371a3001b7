package gateway_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sotto/gateway"
)

// certify writes a certificate for this machine that signs itself, and its key.
func certify(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certify(t, dir, "service")
	clientCert, clientKey := certify(t, dir, "client")
	settings, err := gateway.TLSFiles{Cert: cert, Key: key, ClientCA: clientCert}.Config()
	if err != nil {
		t.Fatal(err)
	}
	service, err := gateway.NewService(gateway.ServiceConfig{Gateway: newGateway(t, config(t)), TLS: settings})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- service.Serve(ctx, l) }()
	content, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(content)
	own, err := tls.LoadX509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, certificates := range map[string][]tls.Certificate{"without certificate": nil, "with certificate": {own}} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates}}
		response, err := (&http.Client{Transport: transport}).Get("https://" + l.Addr().String() + "/readyz")
		if err == nil {
			response.Body.Close()
		}
		transport.CloseIdleConnections()
		if (err == nil) != (certificates != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestTLSFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := certify(t, dir, "service")
	if c, err := (gateway.TLSFiles{}).Config(); c != nil || err != nil {
		t.Errorf("no files: %v, %v, want nil", c, err)
	}
	for name, f := range map[string]gateway.TLSFiles{
		"no key": {Cert: cert}, "no certificate": {Key: key}, "CA alone": {ClientCA: cert}, "absent": {Cert: cert + "x", Key: key},
		"a key as CA": {Cert: cert, Key: key, ClientCA: key}, "absent CA": {Cert: cert, Key: key, ClientCA: cert + "x"},
	} {
		if _, err := f.Config(); err == nil {
			t.Errorf("%s: Config accepted it", name)
		}
	}
}

package httpserve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLSFiles names the files of a service's certificates.
type TLSFiles struct {
	Cert, Key string // of the service; "" for plain HTTP
	ClientCA  string // that must have signed a client's certificate; "" to ask for none
}

// Config reads the files; nil without them.
func (f TLSFiles) Config() (*tls.Config, error) {
	if (f.Cert == "") != (f.Key == "") || f.Cert == "" && f.ClientCA != "" {
		return nil, errors.New("tls: certificate, key or client CA is given alone, must be certificate and key, or these and the CA")
	}
	if f.Cert == "" {
		return nil, nil //nolint:nilnil // plain HTTP is no error
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: the certificate: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if f.ClientCA == "" {
		return c, nil
	}
	content, err := os.ReadFile(f.ClientCA)
	if err != nil {
		return nil, fmt.Errorf("tls: the client CA: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("tls: the client CA %s holds no certificate, must hold one in PEM", f.ClientCA)
	}
	return c, nil
}

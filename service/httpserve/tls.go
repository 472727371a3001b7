package httpserve

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync/atomic"

	"sotto/internal/regular"
)

// TLSFiles names the files of a service's certificates.
type TLSFiles struct {
	Cert, Key string // of the service; "" for plain HTTP
	ClientCA  string // that must have signed a client's certificate; "" to ask for none
}

// maxPEM bounds a file of certificates, in bytes: some five hundred of them.
const maxPEM = 1 << 20

// Certificates are files of certificates that can be read anew while a service
// uses them. Nil is plain HTTP.
type Certificates struct {
	files TLSFiles
	now   atomic.Pointer[tls.Config]
}

// Open reads the files; nil without them.
func (f TLSFiles) Open() (*Certificates, error) {
	if (f.Cert == "") != (f.Key == "") || f.Cert == "" && f.ClientCA != "" {
		return nil, errors.New("tls: certificate, key or client CA is given alone, must be certificate and key, or these and the CA")
	}
	if f.Cert == "" {
		return nil, nil //nolint:nilnil // plain HTTP is no error
	}
	c := &Certificates{files: f}
	return c, c.Reload()
}

// Reload reads the files anew, for connections that are made from now on. On an
// error those that were read before stay in use.
func (c *Certificates) Reload() error {
	if c == nil {
		return nil
	}
	next, err := c.files.read()
	if err == nil {
		c.now.Store(next)
	}
	return err
}

// Config returns settings under which each connection has the certificates that
// were read last; nil for plain HTTP.
func (c *Certificates) Config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.now.Load(), nil },
	}
}

func (f TLSFiles) read() (*tls.Config, error) {
	cert, err := regular.Read(f.Cert, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("tls: the certificate: %w", err)
	}
	key, err := regular.Read(f.Key, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("tls: the key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("tls: the certificate: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if f.ClientCA == "" {
		return c, nil
	}
	content, err := regular.Read(f.ClientCA, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("tls: the client CA: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("tls: the client CA %s holds no certificate, must hold one in PEM", f.ClientCA)
	}
	return c, nil
}

// negotiating returns settings that offer the protocols of the service on every
// connection: net/http names them in the settings that it is given, not in those
// that these choose for a connection. HTTP/2 is offered while there are not too many
// that speak it, and always where nothing else is spoken.
func (s *Service) negotiating(g *gate, always bool) *tls.Config {
	if s.TLS == nil || s.TLS.GetConfigForClient == nil {
		return s.TLS.Clone() // net/http writes into it, once for each listener
	}
	type offers struct{ chosen, one, both *tls.Config } // with HTTP/1.1 alone, and with HTTP/2
	var last atomic.Pointer[offers]                     // kept, so that sessions are resumed
	c, choose := s.TLS.Clone(), s.TLS.GetConfigForClient
	c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		chosen, err := choose(hello)
		if chosen == nil || err != nil {
			return nil, err
		}
		p := last.Load()
		if p == nil || p.chosen != chosen {
			p = &offers{chosen, chosen.Clone(), chosen.Clone()}
			p.one.NextProtos, p.both.NextProtos = []string{"http/1.1"}, []string{"h2", "http/1.1"}
			last.Store(p)
		}
		if always || s.HTTP2 && g.streaming.Load() < manyStreams {
			return p.both, nil
		}
		return p.one, nil
	}
	return c
}

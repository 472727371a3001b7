package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"
)

// Serve answers on a listener until ctx ends, lets the requests that are under
// way come to their end, for as long as Drain says, and returns nil.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	if s.TLS != nil {
		l = tls.NewListener(l, s.TLS)
	}
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: min(s.Timeout, 10*time.Second),
		ReadTimeout:       s.Timeout,
		WriteTimeout:      2 * s.Timeout, // it runs from the end of the header
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 14,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("gateway: the service ended: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.Log.Info("draining", slog.Duration("at_most", s.Drain))
	left, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	if err := server.Shutdown(left); err != nil {
		s.Log.Warn("requests were cut off", slog.String("error", "the time to drain was over"))
		return server.Close()
	}
	s.Log.Info("drained")
	return nil
}

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
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
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

package serve

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"sotto/internal/httpserve"
)

// serviceFlags are the flags that every service has.
type serviceFlags struct {
	listen   string
	tls      httpserve.TLSFiles
	logLevel string
	config   string
}

// addFlags declares the flags.
func (o *serviceFlags) addFlags(fs *pflag.FlagSet, listen string) {
	fs.StringVar(&o.listen, "listen", listen, "address to listen on")
	fs.StringVar(&o.tls.Cert, "tls-cert", "", "PEM file of the service's certificate (default: no TLS)")
	fs.StringVar(&o.tls.Key, "tls-key", "", "PEM file of the key to --tls-cert")
	fs.StringVar(&o.tls.ClientCA, "tls-client-ca", "", "PEM file of the authority whose certificates clients must have (default: anybody may call)")
	fs.StringVar(&o.logLevel, "log-level", "info", "least level that is logged: debug, info, warn or error")
	fs.StringVar(&o.config, "config", "", "JSON file of settings, named as the flags are")
}

// begin makes the log, and reads the files of TLS.
func (o *serviceFlags) begin(log io.Writer) (*slog.Logger, *httpserve.Certificates, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return nil, nil, fmt.Errorf("--log-level is %q, must be debug, info, warn or error", o.logLevel)
	}
	certificates, err := o.tls.Open()
	return slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: level})), certificates, err
}

// url is the address of the service for its clients.
func (o *serviceFlags) url(address string) string {
	if o.tls.Cert != "" {
		return "https://" + address
	}
	return "http://" + address
}

package serve

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/spf13/pflag"

	"sotto/service/httpserve"
)

// serviceFlags are the flags that every service has.
type serviceFlags struct {
	listen   string
	admin    string
	tls      httpserve.TLSFiles
	logLevel string
	config   string
}

// addFlags declares the flags.
func (o *serviceFlags) addFlags(fs *pflag.FlagSet, listen string) {
	fs.StringVar(&o.listen, "listen", listen, "address to listen on")
	fs.StringVar(&o.admin, "admin-listen", "", "second address, at which health and metrics are also answered, for when the first has no room (default: none)")
	fs.StringVar(&o.tls.Cert, "tls-cert", "", "PEM file of the service's certificate (default: no TLS)")
	fs.StringVar(&o.tls.Key, "tls-key", "", "PEM file of the key to --tls-cert")
	fs.StringVar(&o.tls.ClientCA, "tls-client-ca", "", "PEM file of the authority whose certificates clients must have (default: anybody may call)")
	fs.StringVar(&o.logLevel, "log-level", "info", "least level that is logged: debug, info, warn or error")
	fs.StringVar(&o.config, "config", "", "JSON file of settings, named as the flags are")
}

// room points at the settings that bound what all clients together may take.
type room struct {
	memory            *int64
	share             *int
	connections, each *int
	refusals          *float64
	shareOf           string // whose requests they are
}

// addFlags declares the flags. Where a share is half of all, 0 means so.
func (m room) addFlags(fs *pflag.FlagSet) {
	fs.Int64Var(m.memory, "memory", 128<<20, "largest number of bytes that all requests under way may take together, and as many again those of users who begin to spend in a window: a kibibyte each")
	fs.IntVar(m.share, "share", 0, "largest number of requests of "+m.shareOf+" that are worked on at a time (default: half of --concurrency)")
	fs.IntVar(m.connections, "connections", 4096, "largest number of connections at a time")
	fs.IntVar(m.each, "connections-each", 0, "largest number of connections from one address (default: half of --connections)")
	fs.Float64Var(m.refusals, "refusals", 200, "number of refusals a second of one address that leave its connection open and are logged; more end it and are only counted, and 0 is for no limit")
}

// open listens, at both addresses if there are two.
func (o *serviceFlags) open() (l, admin net.Listener, err error) {
	if l, err = net.Listen("tcp", o.listen); err != nil || o.admin == "" {
		return l, nil, err
	}
	if admin, err = net.Listen("tcp", o.admin); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, admin, nil
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

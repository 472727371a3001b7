package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"sotto/internal/signed"
)

// Config says what is served and within which limits. A zero means the default.
type Config struct {
	Model       string            // a model's folder, or one that holds several
	Verify      *signed.PublicKey // by which each model must be signed; nil if signatures are not looked at
	MaxBody     int64             // bytes of a request; 0 means 8 MiB
	MaxRows     int               // vectors of a request; 0 means 1024
	Memory      int64             // bytes that all requests under way may take together; 0 means 128 MiB
	Concurrency int               // requests that are worked on at a time; 0 means 64
	Share       int               // of them that one address may have; 0 means half
	Connections int               // at a time; 0 means 4,096
	Each        int               // connections that one address may have; 0 means half
	Refusals    float64           // a second of one address that leave its connection open, others end it; 0 for no limit
	Admin       net.Listener      // at which health and numbers are, as well; nil for none
	GRPC        net.Listener      // at which calls of gRPC are answered; nil for none
	Wait        time.Duration     // for one's turn among them; 0 means 1 s
	Poll        time.Duration     // between looks at the folder; 0 means 1 s
	MaxModels   int64             // bytes of the weights of all models together; 0 means 1 GiB
	LoadTimeout time.Duration     // for the folder to be read; 0 means 30 s
	ReadTimeout time.Duration     // for a whole request to arrive; 0 means 10 s
	Withdraw    time.Duration     // for which it goes on answering when it is about to end, not ready any more; 0 for not at all
	Drain       time.Duration     // for requests to end when the server does; 0 means 20 s
	TLS         *tls.Config       // nil means none
	Logger      *slog.Logger      // nil means none; no vector is ever logged
}

// Validate reports the first setting that cannot be meant.
func (c Config) Validate() error {
	if c.Model == "" {
		return errors.New("server: model is empty, must be a folder of sotto train --out")
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"max body", c.MaxBody},
		{"max rows", int64(c.MaxRows)},
		{"memory", c.Memory},
		{"concurrency", int64(c.Concurrency)},
		{"share", int64(c.Share)},
		{"connections", int64(c.Connections)},
		{"connections of an address", int64(c.Each)},
		{"wait", int64(c.Wait)},
		{"poll", int64(c.Poll)},
		{"max models", c.MaxModels},
		{"load timeout", int64(c.LoadTimeout)},
		{"withdraw", int64(c.Withdraw)},
		{"read timeout", int64(c.ReadTimeout)},
		{"drain", int64(c.Drain)},
	} {
		if n.value < 0 {
			return fmt.Errorf("server: %s is %d, must not be negative", n.name, n.value)
		}
	}
	if c = c.filled(); c.Memory/memoryOfBody < c.MaxBody {
		return fmt.Errorf("server: all requests may take %d bytes and a body %d, must be at least %d times as many", c.Memory, c.MaxBody, memoryOfBody)
	}
	if !(c.Refusals >= 0 && c.Refusals <= 1e9) {
		return fmt.Errorf("server: refusals are %v a second, must be from 0 to 1e9", c.Refusals)
	}
	return nil
}

// filled returns c with its defaults.
func (c Config) filled() Config {
	c.MaxBody = cmp.Or(c.MaxBody, 8<<20)
	c.MaxRows = cmp.Or(c.MaxRows, 1024)
	c.Concurrency = cmp.Or(c.Concurrency, 64)
	c.Memory = cmp.Or(c.Memory, 128<<20)
	c.Share = cmp.Or(c.Share, (c.Concurrency+1)/2)
	c.Connections = cmp.Or(c.Connections, 4096)
	c.Each = cmp.Or(c.Each, (c.Connections+1)/2)
	c.Wait = cmp.Or(c.Wait, time.Second)
	c.Poll = cmp.Or(c.Poll, time.Second)
	c.MaxModels = cmp.Or(c.MaxModels, 1<<30)
	c.LoadTimeout = cmp.Or(c.LoadTimeout, 30*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.Drain = cmp.Or(c.Drain, 20*time.Second)
	return c
}

// Package serve holds gateway and serve, the commands that answer requests, and budget, which looks after their ledger.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/learn/model"
	"sotto/service/httpserve"
	"sotto/service/server"
)

// Commands returns the commands of this group.
func Commands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{newGateway(std), newServe(std), newBudget(std)}
}

// serveOptions are the flags of "sotto serve".
type serveOptions struct {
	server.Config
	serviceFlags
	grpc   string
	verify string
}

func (o *serveOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Model, "model", "", "folder of a model, or of several, that sotto train --out or sotto serve head made")
	term.AddVerify(fs, &o.verify, "each model")
	fs.Int64Var(&o.MaxBody, "max-body", 8<<20, "largest number of bytes of a request")
	fs.IntVar(&o.MaxRows, "max-rows", 1024, "largest number of vectors of a request")
	fs.IntVar(&o.Concurrency, "concurrency", 64, "number of requests that are worked on at a time")
	room{&o.Memory, &o.Share, &o.Connections, &o.Each, &o.Refusals, "one address"}.addFlags(fs)
	fs.DurationVar(&o.Wait, "wait", 0, "time that a request waits for its turn at most (default 1s)")
	fs.DurationVar(&o.Poll, "poll", 0, "time between looks at the folder for new models (default 1s)")
	fs.Int64Var(&o.MaxModels, "max-models", 1<<30, "largest number of bytes of the weights of all models together")
	fs.DurationVar(&o.LoadTimeout, "load-timeout", 0, "time that the folder may take to be read (default 30s)")
	fs.DurationVar(&o.ReadTimeout, "read-timeout", 0, "time that a request may take to arrive (default 10s)")
	fs.DurationVar(&o.Withdraw, "withdraw", time.Second, "time for which the server goes on answering after it has reported that it is about to end")
	fs.DurationVar(&o.Drain, "drain", 0, "time that the last requests have when the server ends (default 20s)")
	fs.StringVar(&o.grpc, "grpc-listen", "", "address to answer calls of gRPC on, such as 127.0.0.1:8789 (default: none are answered)")
	o.serviceFlags.addFlags(fs, "127.0.0.1:8788")
}

func newServe(std term.Streams) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer private vectors with classes, over the KServe v2 protocol",
		Long: `Serve the models of a folder that "sotto train --out" made, or one of them, or
what "sotto serve head" took out of them, over the KServe v2 inference protocol:
HTTP, and gRPC where --grpc-listen says. Both have the same answers and limits.
This is the untrusted side: it takes vectors that a gateway released and never
sees a text. Vectors without a guarantee, or with a weaker one than the model's,
are refused. Of codes it takes the vector or the index.

A model is named after its folder: seed-1, or noise-laplace-l1-e8-d16-seed-1
where there are several configurations. New models are taken up within a second,
or at once and wholly on SIGHUP, which reads the certificates anew, too; what is
refused leaves the old one in place, and no answer is lost.

A setting is taken from its flag, else from SOTTO_SERVE_ and its name in capitals
(SOTTO_SERVE_MAX_ROWS), else from the --config file, else it is the default. A
name that is not known is refused in each of them. Logs are JSON on standard
error. On SIGTERM and Ctrl-C the server reports that it is not ready, goes on
answering for the time of --withdraw, and ends when it has answered everybody.`,
		Example: `  sotto serve --model reviews/seed-1
  sotto serve --model reviews --grpc-listen 127.0.0.1:8789
  sotto serve --model reviews --listen :8788 --tls-cert cert.pem --tls-key key.pem --tls-client-ca gateway-ca.pem`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := term.Settle(c.Flags(), "SOTTO_SERVE_", os.Environ(), &o.config); err != nil {
				return err
			}
			if err := term.RefuseZeros(c.Flags(), "refusals"); err != nil {
				return err
			}
			return runServe(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	c.AddCommand(newServeHead(std))
	return c
}

// runServe serves until ctx ends, which is no failure.
func runServe(ctx context.Context, o serveOptions, std term.Streams) error {
	if o.Model == "" {
		return errors.New("--model is empty, must be a folder that sotto train --out made")
	}
	// From the beginning: a signal that nobody awaits would end the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	log, certificates, err := o.begin(std.Err)
	if err != nil {
		return err
	}
	o.Logger, o.TLS = log, certificates.Config()
	if o.Verify, err = term.CheckingKey(o.verify); err != nil {
		return err
	}
	l, admin, err := o.open()
	if err != nil {
		return err
	}
	o.Admin = admin
	calls := "" // where they are answered
	if o.grpc != "" {
		if o.GRPC, err = net.Listen("tcp", o.grpc); err != nil {
			return errors.Join(err, l.Close())
		}
		calls = o.GRPC.Addr().String()
	}
	s, err := server.New(o.Config)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	go reloadOn(ctx, hangup, s, certificates, o.Logger)
	o.Logger.Info("serving", "address", o.url(l.Addr().String()), "grpc", calls, "models", s.Models(), "callers_identified", o.tls.ClientCA != "", "signed_by", keyID(o.Verify))
	if err := s.Serve(ctx, l); err != nil {
		return err
	}
	o.Logger.Info("ended")
	return nil
}

// reloadOn reads certificates and all models anew on each signal. Each stands for
// itself: what is refused stays as it was.
func reloadOn(ctx context.Context, signals <-chan os.Signal, s *server.Server, certificates *httpserve.Certificates, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		for part, err := range map[string]error{"certificates": certificates.Reload(), "models": s.Reload()} {
			if err != nil {
				log.Error("reload refused; the old one is still in use", "part", part, "error", err.Error())
			} else {
				log.Info("reloaded", "part", part)
			}
		}
	}
}

func newServeHead(std term.Streams) *cobra.Command {
	var sign string
	c := &cobra.Command{
		Use:   "head MODEL OUT",
		Short: "Write what a server needs of a model, without its encoder",
		Long: `Write the classifier of one model, with the guarantee of the vectors that it
takes, as a folder of its own for "sotto serve --model". The encoder stays where
it is: it was trained on texts that no guarantee covers, and only the gateway
needs it. OUT must be absent, empty or such a folder. --sign signs it.`,
		Example: `  sotto serve head reviews/seed-1 receiver/reviews
  sotto serve --model receiver`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := term.SigningKey(sign, std.Err)
			if err != nil {
				return err
			}
			h, err := model.LoadHead(args[0])
			if err != nil {
				return err
			}
			if err = h.Save(args[1]); err != nil {
				return err
			}
			if key != nil {
				if err = key.SignFolder(args[1], term.HeadComment); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(term.ForPeople(std.Out), "%s: takes vectors of %d numbers by %s, %v; it holds no encoder\n", args[1], h.Dim(), h.Manifest.Receives.Mechanism, h.Guarantee())
			return err
		},
	}
	term.AddSign(c.Flags(), &sign, "the folder is signed")
	return c
}

package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/compute/measure"
	"sotto/internal/signed"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode/static"
)

// gatewayOptions are the flags of "sotto gateway".
type gatewayOptions struct {
	term.MechanismFlags
	gateway.ServiceConfig
	serviceFlags
	encoder   string
	mechanism string
	model     string
	ledgerFlags
	budget      ledger.Budget
	composition string
	rotate      bool
	noise       string
	maxTexts    int
	maxBytes    int
	keys        string
	server      string
	serverModel string
	serverClass string
	production  bool
	verify      string
	signed      bool
	key         *signed.PublicKey // of --verify
	page        bool
	words       term.ListFlags
}

func (o *gatewayOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.encoder, "encoder", "default", "encoder that makes vectors of texts (see sotto encoder list); beside --model, the one that its manifest names, which permits a program or an address")
	term.AddEncoderRoots(fs)
	fs.StringVar(&o.mechanism, "mechanism", "", "mechanism that releases each vector (default: cells if sotto comes with those of the encoder, else codebook)")
	fs.StringVar(&o.model, "model", "", "folder of one seed that sotto train --out made, whose layers before the noise and whose mechanism are used")
	term.AddVerify(fs, &o.verify, "the folder of --model")
	fs.BoolVar(&o.signed, "signed", false, "refuse a --model without --verify, for settings that others add theirs to, beside --production")
	fs.StringVar(&o.ledger, "ledger", "", "file of budgets, or postgres://… (default: a file in the user's folder of settings)")
	o.addWatch(fs)
	fs.Float64Var(&o.budget.Epsilon, "budget", 80, "ε that a user may spend in a window")
	fs.Float64Var(&o.budget.Delta, "budget-delta", 0, "δ that a user may spend in a window (default 0)")
	fs.StringVar(&o.composition, "composition", "basic", "how releases add up: basic, by their sum, or optimal, by what they are together at --budget-delta, which is far less for many of small ε")
	fs.Float64Var(&o.budget.Lifetime, "lifetime", 0, "ε that a user may spend in all windows together (default: no limit)")
	fs.DurationVar(&o.budget.Window, "window", 24*time.Hour, "time after which budgets renew, 0s for never; the two windows around a renewal allow twice the budget at once")
	fs.StringVar(&o.secret, "secret", "", "file of 32 random bytes that keys the noise (default: a file in the user's folder of settings, made if absent)")
	fs.BoolVar(&o.rotate, "rotate", false, "take a new secret on an old ledger: what was paid for must be paid for again")
	fs.StringVar(&o.noise, "noise", string(gateway.Memoised), "memoised, by which the same text gives the same vector and costs once, or fresh, by which every request pays")
	fs.IntVar(&o.maxTexts, "max-texts", 256, "largest number of texts of a request")
	fs.IntVar(&o.maxBytes, "max-text", 32768, "largest number of bytes of a text")
	fs.Int64Var(&o.MaxBody, "max-body", 1<<20, "largest number of bytes of a request")
	fs.IntVar(&o.MaxInFlight, "concurrency", 2048, "number of requests that are worked on at a time")
	room{&o.Memory, &o.Share, &o.Connections, &o.Each, &o.Refusals, "one key, and of one address,"}.addFlags(fs)
	fs.Float64Var(&o.Rate, "rate", 20, "texts that each user may ask for in a second on average, also those that cost nothing; 0 is for no limit")
	fs.IntVar(&o.Burst, "burst", 256, "number of texts a user may ask for at once")
	fs.StringSliceVar(&o.Hosts, "host", nil, "name or address by which clients may call the gateway without --keys, besides localhost and that of --listen; the flag may be given several times")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time that a request may take")
	fs.DurationVar(&o.Withdraw, "withdraw", time.Second, "time for which the gateway goes on answering after it has reported that it is about to end; 5s with --production unless it is given")
	fs.DurationVar(&o.Drain, "drain", 30*time.Second, "time that the last requests have after that")
	fs.StringVar(&o.Name, "name", "sotto", "name by which clients call the model")
	fs.StringSliceVar(&o.Aliases, "alias", nil, "other name to which the model answers, such as text-embedding-3-small; the flag may be given several times")
	fs.StringVar(&o.keys, "keys", "", "file of API keys' hashes (see sotto gateway key; default: everybody may ask)")
	fs.StringVar(&o.server, "server", "", "address of a server that classifies, for /v1/classify")
	fs.StringVar(&o.serverModel, "server-model", "", "model of --server that classifies (default: the only one)")
	fs.StringVar(&o.serverClass, "server-classes", "", "classes that --server is believed to have: model, those of --model, or first, those that it names when it is first asked (default: model with --model, else first)")
	fs.BoolVar(&o.production, "production", false, "refuse to start without keys, without TLS beyond this machine, to a database or to --server, with keys, ledger, head, secret, model, certificates or settings that others can change, with secret or head beside the ledger, with a password in an address, with a page, with a --max-clock-jump beyond --window, or with a secret or a ledger that would have to be made")
	fs.BoolVar(&o.page, "page", false, "show a page at / on which to try texts, with raw vectors; on this machine alone, unless there are --keys")
	o.words.AddFlags(fs)
	o.serviceFlags.addFlags(fs, "127.0.0.1:8787")
	o.AddFlags(fs)
	fs.Lookup("epsilon").Usage += " (default 8)"
	term.Widths(fs, "as the encoder makes them")
}

func newGateway(std term.Streams) *cobra.Command {
	var o gatewayOptions
	c := &cobra.Command{
		Use:   "gateway",
		Short: "Answer texts with private vectors, each paid for from a budget",
		Long: `Answer texts with private vectors over HTTP, in the form of OpenAI's embeddings.
This is the trusted side: it sees texts, holds encoder, mechanism, secret and
ledger, and lets out nothing but what the mechanism released.

Each text is paid for, on disk, before its noise is drawn. Noise is memoised: the
same text of the same user gives the same vector and costs nothing again, so that
no average takes the noise away; that two requests carried the same text is
visible, and whoever may ask as a user learns which texts that user has asked for.
With --noise fresh every request pays, and equal texts do not show.

A setting is taken from its flag, else from SOTTO_GATEWAY_ and its name in
capitals (SOTTO_GATEWAY_MAX_TEXTS), else from the --config file, else it is the
default. A name that is not known is refused in each of them. Logs are JSON on
standard error, without texts, vectors, users or keys.

SIGHUP reads keys, certificates, masks, encoder and model anew: requests under way
end as they began, and what cannot be read leaves the old in use, which the log
says. SIGTERM and Ctrl-C end the gateway: it reports that it is not ready, goes on
answering for the time of --withdraw, and ends when it has answered everybody.

` + term.MechanismList(),
		Example: `  sotto gateway
  sotto gateway --mechanism codebook --epsilon 4 --budget 40 --window 24h --ledger ledger.db
  sotto gateway --model reviews/seed-1 --server https://server.example:8788 --keys keys.jsonl`,
		Args: term.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := term.Settle(c.Flags(), "SOTTO_GATEWAY_", os.Environ(), &o.config); err != nil {
				return err
			}
			if o.model != "" {
				if err := term.Refuse(c.Flags(), "with --model, which has a mechanism of its own", append(o.Names(), "mechanism")...); err != nil {
					return err
				}
			}
			o.settle(c.Flags())
			if err := term.RefuseZeros(c.Flags(), "seed", "rate", "refusals", "budget-delta", "ledger-standbys"); err != nil {
				return err
			}
			if o.production && !c.Flags().Changed("withdraw") {
				o.Withdraw = 5 * time.Second
			}
			return runGateway(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	c.AddCommand(newGatewayKey(std), newGatewayKeys(std))
	return c
}

// runGateway answers until ctx ends, which is no failure.
func runGateway(ctx context.Context, o gatewayOptions, std term.Streams) (err error) {
	// From the beginning: a signal that nobody awaits would end the process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	log, certificates, err := o.begin(std.Err)
	if err != nil {
		return err
	}
	o.Log, o.TLS = log, certificates.Config()
	if err = o.places(); err != nil {
		return err
	}
	if err = errors.Join(o.safe(), o.loadVerify()); err != nil {
		return err
	}
	if o.Keys, err = o.loadKeys(); err != nil {
		return err
	}
	var secret gateway.Secret
	var made bool
	var book *ledger.Divided
	e, err := o.assemble(ctx, func(each dp.Guarantee) (_ gateway.Ledger, _ gateway.Secret, err error) {
		if secret, made, err = gateway.LoadSecret(o.secret, !o.production); err == nil {
			book, err = o.open(ctx, each, secret)
		}
		return book, secret, err
	})
	if book != nil {
		defer func() { err = errors.Join(err, book.Close()) }()
	}
	if err != nil {
		return err
	}
	o.Gateway, o.Classifier = e.gateway, e.classifier
	if o.page {
		words, failed := static.Default() // that the page's attacker knows
		if failed != nil {
			return errors.Join(failed, e.close())
		}
		o.Page = &gateway.Page{Vocabulary: words.WordPiece().Vocabulary()}
	}
	l, admin, err := o.serviceFlags.open()
	if err != nil {
		return errors.Join(err, e.close())
	}
	o.Admin = admin
	service, err := gateway.NewService(o.ServiceConfig)
	if err != nil {
		return errors.Join(err, e.close(), l.Close())
	}
	r := &reloader{o: &o, service: service, certificates: certificates, book: book, secret: secret, now: e}
	defer func() { err = errors.Join(err, r.end()) }()
	o.Log.Info("listening", "address", l.Addr().String(), "admin", o.admin, "tls", o.TLS != nil, "keys", o.Keys != nil, "secret", secret.ID(), "secret_made", made, "production", o.production, "signed_by", keyID(o.key), "identity", e.gateway.Identity())
	o.Log.Info("programs and addresses in use", e.outside(&o)...)
	if err := o.explain(term.ForPeople(std.Out), l.Addr().String(), made); err != nil {
		return err
	}
	go r.reloadOn(ctx, hangup)
	return service.Serve(ctx, l)
}

// places fills in where ledger and secret lie.
func (o *gatewayOptions) places() error {
	if o.ledger != "" && o.secret != "" {
		return nil
	}
	if o.production {
		return errors.New("--production wants --ledger and --secret: their places must not depend on who starts it")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return fmt.Errorf("want --ledger and --secret: %w", err)
	}
	dir = filepath.Join(dir, "sotto")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	o.ledger = cmp.Or(o.ledger, filepath.Join(dir, "gateway.ledger"))
	o.secret = cmp.Or(o.secret, filepath.Join(dir, "gateway.secret"))
	return nil
}

// terms returns the budget for releases under a guarantee.
func (o *gatewayOptions) terms(g dp.Guarantee) (ledger.Budget, error) {
	b := o.budget
	b.Unit = g.Unit
	const rounding = 1 + 0x1p-40 // which the ledger allows, too
	if !(float64(g.Epsilon) <= b.Epsilon*rounding) || !(g.Delta <= b.Delta*rounding) {
		return b, fmt.Errorf("a text costs %v and --budget is %v with --budget-delta %v, must be enough for one", g, b.Epsilon, b.Delta)
	}
	switch o.composition {
	case "basic":
	case "optimal":
		if g.Delta != 0 {
			return b, fmt.Errorf("--composition is optimal and a release has δ = %v, must be a mechanism with δ = 0", g.Delta)
		}
		if !(b.Delta > 0) {
			return b, errors.New("--composition is optimal, must have a --budget-delta above 0, such as 1e-6")
		}
		b.Each = float64(g.Epsilon)
	default:
		return b, fmt.Errorf("--composition is %q, must be one of basic, optimal", o.composition)
	}
	return b, nil
}

// memoryOfUser is about what one who begins to spend takes of memory in the ledger.
const memoryOfUser = 1 << 10

// open opens the ledger with a budget for releases under a guarantee.
func (o *gatewayOptions) open(ctx context.Context, g dp.Guarantee, secret gateway.Secret) (*ledger.Divided, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	budget, err := o.terms(g)
	if err != nil {
		return nil, err
	}
	book, err := ledger.OpenAny(ctx, o.ledger, ledger.Options{
		Budget: budget, Raise: o.raise, SecretID: secret.ID(), ChainKey: secret.ChainKey(), Rotate: o.rotate,
		Existing: o.production, Head: o.head, Log: o.Log, LogHead: o.logHead, Clocks: o.clocks, Newcomers: int(o.Memory / memoryOfUser), Timeout: o.timeout, Standbys: o.standby,
	})
	return book, o.advise(err)
}

// explain tells how to call the gateway.
func (o *gatewayOptions) explain(w io.Writer, address string, made bool) error {
	p, base, key := o.Gateway.Promise(), o.url(address), ""
	if o.Keys != nil {
		key = ` -H "Authorization: Bearer $KEY"`
	}
	renews := "that never renews"
	if o.budget.Window > 0 {
		renews = "every " + o.budget.Window.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gateway at %s; each text costs %v of ε = %v a user, %s\n", base, o.Gateway.Mechanism.Guarantee(), o.budget.Epsilon, renews)
	fmt.Fprintf(&b, "%s noise by %s: %s\n", p.Noise, p.Mechanism, p.Scope)
	if m, ok := o.Gateway.Mechanism.(mech.Mechanism); ok && o.model == "" {
		if hint := measure.KeptHint(m, "sotto gateway"); hint != "" {
			fmt.Fprintln(&b, hint)
		}
	}
	if p.Dropout > 0 {
		fmt.Fprintf(&b, "each word is masked with probability %v, as in the model's training", p.Dropout)
		if p.Word != nil {
			fmt.Fprintf(&b, ": %v", *p.Word)
		}
		fmt.Fprintln(&b)
	}
	for _, a := range p.Assumptions {
		fmt.Fprintf(&b, "assuming: %s\n", a)
	}
	if made {
		fmt.Fprintf(&b, "a new secret lies in %s: whoever has it can take the noise away, and without it all is paid for again\n", o.secret)
	}
	if o.page {
		fmt.Fprintf(&b, "a page to try it: %s/\n", base)
	}
	fmt.Fprintf(&b, "\n  curl -s %s/v1/embeddings%s -H 'Content-Type: application/json' -d '{\"input\": \"I feel unwell today\", \"user\": \"alice\"}'\n", base, key)
	fmt.Fprintf(&b, "  curl -s '%s/v1/budget?user=alice'%s\n\n", base, key)
	_, err := io.WriteString(w, b.String())
	return err
}

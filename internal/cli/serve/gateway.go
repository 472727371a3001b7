package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/client"
	"sotto/dataset"
	"sotto/dp"
	"sotto/encode"
	"sotto/encode/catalogue"
	"sotto/encode/static"
	"sotto/gateway"
	"sotto/internal/cli/term"
	"sotto/ledger"
	"sotto/measure/kept"
	"sotto/mech"
	"sotto/train/model"
)

// gatewayOptions are the flags of "sotto gateway".
type gatewayOptions struct {
	term.MechanismFlags
	gateway.ServiceConfig
	serviceFlags
	encoder     string
	mechanism   string
	model       string
	ledger      string
	budget      ledger.Budget
	composition string
	secret      string
	rotate      bool
	noise       string
	maxTexts    int
	maxBytes    int
	keys        string
	server      string
	serverModel string
	serverClass string
	labels      []model.LabelRecord // of --model
	production  bool
	page        bool
	words       term.ListFlags
}

func (o *gatewayOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.encoder, "encoder", "default", "encoder that makes vectors of texts (see sotto encoder list)")
	fs.StringVar(&o.mechanism, "mechanism", "codebook", "mechanism that releases each vector")
	fs.StringVar(&o.model, "model", "", "folder of one seed that sotto train --out made, whose layers before the noise and whose mechanism are used")
	fs.StringVar(&o.ledger, "ledger", "", "file of budgets, or postgres://… (default: a file in the user's folder of settings)")
	fs.Float64Var(&o.budget.Epsilon, "budget", 80, "ε that a user may spend in a window")
	fs.Float64Var(&o.budget.Delta, "budget-delta", 0, "δ that a user may spend in a window (default 0)")
	fs.StringVar(&o.composition, "composition", "basic", "how releases add up: basic, by their sum, or optimal, by what they are together at --budget-delta, which is far less for many of small ε")
	fs.Float64Var(&o.budget.Lifetime, "lifetime", 0, "ε that a user may spend in all windows together (default: no limit)")
	fs.DurationVar(&o.budget.Window, "window", 24*time.Hour, "time after which budgets renew, 0s for never")
	fs.StringVar(&o.secret, "secret", "", "file of 32 random bytes that keys the noise (default: a file in the user's folder of settings, made if absent)")
	fs.BoolVar(&o.rotate, "rotate", false, "take a new secret on an old ledger: what was paid for must be paid for again")
	fs.StringVar(&o.noise, "noise", string(gateway.Memoised), "memoised, by which the same text gives the same vector and costs once, or fresh, by which every request pays")
	fs.IntVar(&o.maxTexts, "max-texts", 256, "largest number of texts of a request")
	fs.IntVar(&o.maxBytes, "max-text", 32768, "largest number of bytes of a text")
	fs.Int64Var(&o.MaxBody, "max-body", 1<<20, "largest number of bytes of a request")
	fs.IntVar(&o.MaxInFlight, "concurrency", 1024, "number of requests that are worked on at a time")
	fs.Float64Var(&o.Rate, "rate", 0, "requests that each user may send in a second on average (default 0: no limit)")
	fs.IntVar(&o.Burst, "burst", 10, "burst of requests a user may send at once")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time that a request may take")
	fs.DurationVar(&o.Drain, "drain", 30*time.Second, "time that the last requests have when the gateway ends")
	fs.StringVar(&o.Name, "name", "sotto", "name by which clients call the model")
	fs.StringVar(&o.keys, "keys", "", "file of API keys' hashes (see sotto gateway key; default: everybody may ask)")
	fs.StringVar(&o.server, "server", "", "address of a server that classifies, for /v1/classify")
	fs.StringVar(&o.serverModel, "server-model", "", "model of --server that classifies (default: the only one)")
	fs.StringVar(&o.serverClass, "server-classes", "", "classes that --server is believed to have: model, those of --model, or first, those that it names when it is first asked (default: model with --model, else first)")
	fs.BoolVar(&o.production, "production", false, "refuse to start without keys, without TLS beyond this machine, with a page, or with a secret that would have to be made")
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
standard error, without texts, vectors, users or keys. SIGTERM and Ctrl-C end the
gateway when it has answered everybody.

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
				if err := term.RefuseFlags(c.Flags(), "with --model, which has a mechanism of its own", append(o.Names(), "mechanism", "encoder")...); err != nil {
					return err
				}
			}
			if err := term.RefuseZeros(c.Flags(), "seed", "rate", "budget-delta"); err != nil {
				return err
			}
			return runGateway(c.Context(), o, std)
		},
	}
	o.addFlags(c.Flags())
	c.AddCommand(newGatewayKey(std))
	return c
}

// runGateway answers until ctx ends, which is no failure.
func runGateway(ctx context.Context, o gatewayOptions, std term.Streams) (err error) {
	log, certificates, err := o.begin(std.Err)
	if err != nil {
		return err
	}
	o.Log, o.TLS = log, certificates.Config()
	if err = o.places(); err != nil {
		return err
	}
	if err = o.safe(); err != nil {
		return err
	}
	if o.keys != "" {
		if o.Keys, err = term.ReadFile(o.keys, gateway.ParseKeys); err != nil {
			return err
		}
	}
	maskers, err := o.words.Maskers()
	if err != nil {
		return err
	}
	e, m, err := o.means(ctx)
	if err != nil {
		return err
	}
	closeEncoder := term.CloserOf(e)
	defer func() { err = errors.Join(err, closeEncoder()) }()
	if err = o.classifier(); err != nil {
		return err
	}
	secret, made, err := gateway.LoadSecret(o.secret, !o.production)
	if err != nil {
		return err
	}
	book, err := o.open(ctx, m.Guarantee(), secret)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	o.Gateway, err = gateway.New(ctx, gateway.Config{
		Encoder: e, Mechanism: m, Ledger: book, Secret: secret, Maskers: maskers, Noise: gateway.Noise(o.noise), MaxTexts: o.maxTexts, MaxBytes: o.maxBytes,
	})
	if err != nil {
		return err
	}
	if o.page {
		words, failed := static.Default() // that the page's attacker knows
		if failed != nil {
			return failed
		}
		o.Page = &gateway.Page{Vocabulary: words.WordPiece().Vocabulary()}
	}
	service, err := gateway.NewService(o.ServiceConfig)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	o.Log.Info("listening", "address", l.Addr().String(), "tls", o.TLS != nil, "keys", o.Keys != nil, "secret", secret.ID(), "secret_made", made, "production", o.production)
	if err := o.explain(std.Out, l.Addr().String(), made); err != nil {
		return err
	}
	return service.Serve(ctx, l)
}

// classifier makes the client of --server, which believes it no other classes
// than those of the model.
func (o *gatewayOptions) classifier() error {
	switch o.serverClass {
	case "", "first":
	case "model":
		if o.model == "" {
			return errors.New("--server-classes is model, must have a --model")
		}
	default:
		return fmt.Errorf("--server-classes is %q, must be one of model, first", o.serverClass)
	}
	if o.server == "" {
		return nil
	}
	s, err := client.NewServer(o.server, o.serverModel, client.Options{})
	if err != nil {
		return err
	}
	o.Classifier = s
	if o.model == "" || o.serverClass == "first" {
		return nil
	}
	labels := make([]client.Label, len(o.labels))
	for i, l := range o.labels {
		labels[i] = client.Label{Name: l.Name, Classes: l.Classes}
	}
	return s.Expect(labels)
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

// safe refuses what production must not be, and warns of it otherwise.
func (o *gatewayOptions) safe() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return fmt.Errorf("--listen is %q, must be HOST:PORT", o.listen)
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	for _, risk := range []struct {
		is   bool
		what string
	}{
		{o.keys == "", "there is no --keys, so that everybody who reaches the gateway may spend everybody's budget"},
		{o.page, "--page shows raw vectors"},
		{!local && o.TLS == nil, "--listen is not on this machine alone and there is no --tls-cert, so that texts travel in the clear"},
	} {
		if risk.is && o.production {
			return fmt.Errorf("--production: %s", risk.what)
		} else if risk.is && !local {
			o.Log.Warn(risk.what)
		}
	}
	if o.page && !local && o.keys == "" {
		return errors.New("--page without --keys wants --listen on this machine alone: it shows raw vectors to whoever opens it")
	}
	return nil
}

// means opens the encoder and makes the mechanism, both those of a model if
// there is one.
func (o *gatewayOptions) means(ctx context.Context) (encode.Source, gateway.Mechanism, error) {
	if o.model != "" {
		trained, info, err := model.Load(o.model)
		if err != nil {
			return nil, nil, err
		}
		if err = info.Data.Texts(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.model, err)
		}
		if o.labels, err = info.Labels(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.model, err)
		}
		m, err := gateway.FromModel(trained, info)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.model, err)
		}
		e, err := catalogue.Open(ctx, info.Data.Encoder, dataset.Dir())
		return e, m, err
	}
	e, err := catalogue.Open(ctx, o.encoder, dataset.Dir())
	if err != nil {
		return nil, nil, err
	}
	p, err := o.Resolve(o.mechanism)
	if err != nil {
		return nil, nil, err
	}
	p.Epsilon = cmp.Or(p.Epsilon, 8)
	m, err := mech.New(p.Fit(e.Dim()))
	return e, m, err
}

// open opens the ledger with a budget for releases under a guarantee.
func (o *gatewayOptions) open(ctx context.Context, g dp.Guarantee, secret gateway.Secret) (*ledger.Ledger, error) {
	o.budget.Unit = g.Unit
	const rounding = 1 + 0x1p-40 // which the ledger allows, too
	if !(float64(g.Epsilon) <= o.budget.Epsilon*rounding) || !(g.Delta <= o.budget.Delta*rounding) {
		return nil, fmt.Errorf("a text costs %v and --budget is %v with --budget-delta %v, must be enough for one", g, o.budget.Epsilon, o.budget.Delta)
	}
	switch o.composition {
	case "basic":
	case "optimal":
		if g.Delta != 0 {
			return nil, fmt.Errorf("--composition is optimal and a release has δ = %v, must be a mechanism with δ = 0", g.Delta)
		}
		if !(o.budget.Delta > 0) {
			return nil, errors.New("--composition is optimal, must have a --budget-delta above 0, such as 1e-6")
		}
		o.budget.Each = float64(g.Epsilon)
	default:
		return nil, fmt.Errorf("--composition is %q, must be one of basic, optimal", o.composition)
	}
	book, err := ledger.Open(ctx, o.ledger, ledger.Options{Budget: o.budget, SecretID: secret.ID(), Rotate: o.rotate})
	if errors.Is(err, ledger.ErrSecret) {
		return nil, fmt.Errorf("%w; bring the old secret back, or say --rotate if it is lost: what was paid for must then be paid for again", err)
	}
	return book, err
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
		if hint := kept.Hint(m, "sotto gateway"); hint != "" {
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

func newGatewayKey(std term.Streams) *cobra.Command {
	var subject string
	var single bool
	c := &cobra.Command{
		Use:   "key --subject NAME",
		Short: "Make an API key: the key to standard error, its entry to standard output",
		Long: `Make an API key. The key is shown once, on standard error, and kept nowhere; what
goes to standard output is its entry, with a hash of it, for the file of --keys.

Who asks with the key spends the budget of NAME, or of NAME/USER where a request
names a user. Whoever may name users can make them up, and a budget for each;
with --single the key stands for one subject, and requests may name none.`,
		Example: "  sotto gateway key --subject alice >>keys.jsonl",
		Args:    term.None,
		RunE: func(*cobra.Command, []string) error {
			key, entry, err := gateway.NewKey(subject, single)
			if err != nil {
				return err
			}
			if err = json.NewEncoder(std.Out).Encode(entry); err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.Err, "the key, shown this once: %s\n", key)
			return err
		},
	}
	c.Flags().StringVar(&subject, "subject", "", "who spends with the key, in letters, digits and . _ @ -")
	c.Flags().BoolVar(&single, "single", false, "refuse requests with this key that name a user")
	return c
}

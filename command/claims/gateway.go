package claims

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"sotto/command/term"
	"sotto/evidence"
	"sotto/internal/regular"
	"sotto/promise/audit"
)

// runGatewayAudit audits a whole service, as whoever sees its releases and as
// whoever may ask for them as the same user.
func runGatewayAudit(ctx context.Context, o auditOptions, args []string, std term.Streams) error {
	if len(args) > 0 {
		return errors.New("want one of a mechanism, --exec, --url and --gateway")
	}
	g, err := o.service()
	if err != nil {
		return err
	}
	said, err := g.Promise(ctx)
	if err != nil {
		return err
	}
	config := o.config
	config.Delta = said.Delta
	if config.Workers == 0 {
		config.Workers = 32 // most of the time a request waits for a disk
	}
	if math.IsNaN(config.Claim) {
		config.Claim = said.Epsilon
	}
	target, err := g.Observer()
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "observing")
	config.Progress = bar.Set
	result, err := audit.Run(ctx, target, config)
	bar.Finish()
	if err != nil {
		return err
	}
	bar = term.NewProgress(std.Err, "asking as the same user")
	querier, err := g.Query(ctx, o.trials, config.Confidence, bar.Set)
	bar.Finish()
	if err != nil {
		return err
	}
	r := evidence.Audit{
		Format: evidence.AuditFormat, Mechanism: fmt.Sprintf("gateway, %s, %s noise", said.Mechanism, said.Noise),
		Unit: said.Unit, Result: result, Querier: &querier,
	}
	return term.Verdict(term.Show(std.Out, o.json, r, printAudit), result.Refuted)
}

// service returns the gateway that the flags describe.
func (o *auditOptions) service() (*audit.Gateway, error) {
	key := ""
	if o.keyFile != "" {
		content, err := regular.Read(o.keyFile, 1<<30)
		if err != nil {
			return nil, fmt.Errorf("--key-file cannot be read: %w", err)
		}
		key = strings.TrimSpace(string(content))
	}
	g, err := audit.NewGateway(o.gateway, key, nil)
	if err != nil || o.texts == "" {
		return g, err
	}
	f, _, err := regular.Open(o.texts, regular.Most)
	if err != nil {
		return nil, fmt.Errorf("--texts cannot be read: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return g, lines.Err()
		}
		g.Texts = append(g.Texts, lines.Text())
	}
}

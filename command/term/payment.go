package term

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"sotto/service/gateway"
	"sotto/service/ledger"
)

// Payment are the flags of a command whose releases are paid for from a ledger that is
// there already.
type Payment struct {
	Ledger, Secret, Head string
	User                 string // whose budget pays
}

// AddFlags adds the flags; what is paid for, and who pays, is said by the caller.
func (p *Payment) AddFlags(fs *pflag.FlagSet, what, who string) {
	fs.StringVar(&p.Ledger, "ledger", "", "file of budgets that pays for "+what+", or postgres://…, made by sotto budget init")
	fs.StringVar(&p.Secret, "secret", "", "file of the secret that the ledger is signed with")
	fs.StringVar(&p.Head, "head", "", "place where the head of the ledger is noted (default: as in sotto budget)")
	fs.StringVar(&p.User, "user", "", who)
}

// Pay spends for so many fresh releases, for all or for none. Each has a key that
// nobody else has. Call it before noise is drawn, never after.
func (p *Payment) Pay(ctx context.Context, releases int, each ledger.Request) error {
	options := ledger.Options{Existing: true, Head: p.Head}
	if p.Secret != "" {
		secret, _, err := gateway.LoadSecret(p.Secret, false)
		if err != nil {
			return err
		}
		options.SecretID, options.ChainKey = secret.ID(), secret.ChainKey()
	}
	book, err := ledger.OpenAny(ctx, p.Ledger, options)
	if err != nil {
		return fmt.Errorf("nothing was told: %w; make a ledger with sotto budget init, and give its --secret if it has one", err)
	}
	requests := make([]ledger.Request, releases)
	for i := range requests {
		requests[i] = each
		requests[i].Subject = p.User
		rand.Read(requests[i].Key[:]) // which never fails
	}
	_, err = book.Spend(ctx, requests...)
	if err = errors.Join(err, book.Close()); err != nil {
		return fmt.Errorf("nothing was told: %w", err)
	}
	return nil
}

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/service/gateway"
	"sotto/service/ledger"
)

// addSecret adds the flag of the gateway's secret.
func (o *budgetOptions) addSecret(fs *pflag.FlagSet, why string) {
	fs.StringVar(&o.secret, "secret", "", "file of the gateway's secret, "+why)
}

// chain returns the name of the secret and the key of the log's MAC, nothing if
// there is no --secret.
func (o budgetOptions) chain() (id string, key []byte, err error) {
	if o.secret == "" {
		return "", nil, nil
	}
	secret, _, err := gateway.LoadSecret(o.secret, false)
	if err != nil {
		return "", nil, err
	}
	return secret.ID(), secret.ChainKey(), nil
}

// usualSecret is where a gateway has its secret that was not told a place, "" if
// there is none.
func usualSecret() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	usual := filepath.Join(dir, "sotto", "gateway.secret")
	if _, err = os.Stat(usual); err != nil {
		return ""
	}
	return usual
}

func newBudgetBackup(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetBackup, &cobra.Command{
		Use:   "backup --ledger PATH --out FILE",
		Short: "Write a copy of a ledger while it is used",
		Long: `Write a copy of the ledger as it is now, and prove that it is whole. The gateway
goes on meanwhile. The copy is a file with a ledger, also of a database, and
replaces the file that is there. Keep the head that is printed with it, and never
the secret.

A ledger that is restored from a copy has forgotten the spends after it.`,
		Example: `  sotto budget backup --ledger ledger.db --out backup.db
  sotto budget backup --ledger postgres://sotto@db/sotto --out backup.db --json`,
	})
	fs.StringVar(&o.out, "out", "", "file to write")
	o.addSecret(fs, "to check the MAC")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetBackup(ctx context.Context, o budgetOptions, out io.Writer) error {
	if o.out == "" {
		return errors.New("want --out, the file to write")
	}
	if err := term.RefuseSame(term.Named("--ledger", o.ledger), term.Named("--out", o.out)); err != nil {
		return err
	}
	return o.with(ctx, true, func(book *ledger.Ledger) error {
		proof, err := book.Backup(ctx, o.out)
		if err != nil {
			return err
		}
		return o.printProof(out, "copied", proof)
	})
}

// printProof prints what a ledger holds that was made.
func (o budgetOptions) printProof(out io.Writer, verdict string, p ledger.Proof) error {
	return term.Show(out, o.json, p, func(out io.Writer, p ledger.Proof) error { return printProof(out, verdict, p) })
}

func newBudgetMigrate(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetMigrate, &cobra.Command{
		Use:   "migrate --ledger PATH --secret FILE",
		Short: "Make a ledger of this version of an older one",
		Long: `Make a ledger of this version of one that sotto wrote before its logs were signed.
The old ledger is proved whole first. Every entry is carried over with the hash
that it had, and so are balances and what was paid for; a head that was noted
before stays one. The gateway must be stopped.

The new ledger takes the place of the old one, which stays beside it with .v1
behind its name; with --out the old one is left as it is. In a database the old
tables stay, with _v1 behind their names, and all is one transaction. If it is
stopped in the middle, there is the old ledger or the new one; type it again.

--secret is the gateway's, with which the log is signed from here on. If that is
lost, say --unsigned, and start the gateway with --rotate.`,
		Example: `  sotto budget migrate --ledger ledger.db --secret gateway.secret
  sotto budget migrate --ledger postgres://sotto@db/sotto --secret gateway.secret`,
	})
	fs.StringVar(&o.out, "out", "", "file to write (default: the new ledger takes the place of the old one)")
	fs.BoolVar(&o.unsigned, "unsigned", false, "do without the secret, which is lost")
	o.addSecret(fs, "to sign the log (default: the one in the user's folder of settings, if it is there)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetMigrate(ctx context.Context, o budgetOptions, out io.Writer) error {
	if o.ledger == "" {
		return errNoLedger
	}
	if o.unsigned && o.secret != "" {
		return errors.New("want --secret or --unsigned, not both")
	}
	proof, err := o.migrate(ctx)
	if usual := usualSecret(); errors.Is(err, ledger.ErrSecret) && o.secret == "" && usual != "" {
		o.secret = usual
		proof, err = o.migrate(ctx)
	}
	if errors.Is(err, ledger.ErrSecret) {
		return fmt.Errorf("%w; --secret is the file that the gateway has, and --unsigned does without one that is lost", err)
	} else if err != nil {
		return err
	}
	return o.printProof(out, "migrated", proof)
}

func (o budgetOptions) migrate(ctx context.Context) (ledger.Proof, error) {
	id, key, err := o.chain()
	if err != nil {
		return ledger.Proof{}, err
	}
	return ledger.Migrate(ctx, o.ledger, ledger.Migration{Out: o.out, SecretID: id, ChainKey: key, Unsigned: o.unsigned})
}

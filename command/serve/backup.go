package serve

import (
	"context"
	"errors"
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

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/service/ledger"
)

func newBudgetArchive(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetArchive, &cobra.Command{
		Use:   "archive --ledger PATH --before TIME --out FILE",
		Short: "Move old entries of a ledger to a file of their own",
		Long: `Move the entries of a ledger that are older than a moment to a file of their own.
The ledger keeps what it counts with: the sums of everybody in every window, and
less than half of each spend, so that what was paid for stays paid for. Its chain
goes on from the last entry in the archive, and a new entry names the archive and
what was kept by their hashes. The gateway must be stopped.

Both are proved together before the new ledger takes the place of the old one. If
it is stopped in the middle, nothing is lost; type it again. Keep every archive:
"sotto budget verify --archive" proves the whole with them, and without one of them
nobody can see any more what it holds.`,
		Example: `  sotto budget archive --ledger ledger.db --secret gateway.secret --before 2026-01-01 --out ledger-2025.db
  sotto budget verify --ledger ledger.db --archive ledger-2025.db`,
	})
	fs.StringVar(&o.before, "before", "", "moment before which entries are archived, as 2026-01-31 or 2026-01-31T12:00:00Z")
	fs.StringVar(&o.out, "out", "", "file to write, which must not be there")
	o.addHead(fs)
	o.addSecret(fs, "to sign the ledger, if that is signed")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetArchive(ctx context.Context, o budgetOptions, out io.Writer) error {
	switch {
	case o.ledger == "":
		return errNoLedger
	case o.before == "" || o.out == "":
		return errors.New("want --before, the moment before which entries are archived, and --out, the file to write")
	}
	before, err := parseMoment(o.before)
	if err != nil {
		return err
	}
	if err = term.RefuseSame(term.Named("--ledger", o.ledger), term.Named("--out", o.out)); err != nil {
		return err
	}
	a := ledger.Archiving{Before: before, Out: o.out, Head: o.head}
	if a.SecretID, a.ChainKey, err = o.chain(); err != nil {
		return err
	}
	done, err := ledger.Archive(ctx, o.ledger, a)
	if errors.Is(err, ledger.ErrSecret) && o.secret == "" {
		return fmt.Errorf("%w: --secret is the file that the gateway has", err)
	} else if err != nil {
		return o.advise(err)
	}
	return term.Show(out, o.json, done, func(out io.Writer, done ledger.Archived) error {
		if _, err := fmt.Fprintf(out, "entries 1 to %d are in archives; the SHA-256 of this one is %s\n", done.Through, done.Archive); err != nil {
			return err
		}
		return printProof(out, "the ledger is whole", done.Proof)
	})
}

// parseMoment reads a day in UTC, or a moment.
func parseMoment(text string) (time.Time, error) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("--before is %.40q, must be like 2026-01-31 or 2026-01-31T12:00:00Z", text)
	}
	return at, nil
}

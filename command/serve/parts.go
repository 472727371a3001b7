package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/service/ledger"
)

// at is one part of a ledger, or all of one that is undivided.
type at struct {
	place, head string
}

// chosen returns the parts of the ledger that a command is about: the one of --part,
// that of --user, or all, if the command can do with all of them.
func (o budgetOptions) chosen(ctx context.Context) ([]at, error) {
	places, err := ledger.PartPlaces(ctx, o.ledger)
	if err != nil {
		return nil, o.advise(err)
	}
	all := make([]at, len(places))
	for i, p := range places {
		all[i] = at{p, ledger.PartHead(o.head, i, len(places))}
	}
	switch {
	case o.part != "":
		n, err := strconv.Atoi(o.part)
		if err != nil || n < 0 || n >= len(all) {
			return nil, fmt.Errorf("--part is %q, must be from 0 to %d", o.part, len(all)-1)
		}
		return all[n : n+1], nil
	case len(all) > 1 && o.user != "":
		n := ledger.PartOf(o.user, len(all))
		return all[n : n+1], nil
	case len(all) > 1 && !o.every:
		return nil, fmt.Errorf("want --part, one of the %d parts of this ledger, from 0", len(all))
	}
	return all, nil
}

// one returns the only part that a command is about.
func (o budgetOptions) one(ctx context.Context) (at, error) {
	o.every = false
	all, err := o.chosen(ctx)
	if err != nil {
		return at{}, err
	}
	return all[0], nil
}

// beginParts makes a ledger in parts.
func (o budgetOptions) beginParts(ctx context.Context, b ledger.Budget, out io.Writer) error {
	book, err := ledger.BeginParts(ctx, o.ledger, o.parts, ledger.Options{Budget: b, Head: o.head})
	if err != nil {
		return o.advise(err)
	}
	if err = book.Close(); err != nil {
		return err
	}
	shown := struct {
		Parts int `json:"parts"`
	}{o.parts}
	return term.Show(out, o.json, shown, func(out io.Writer, _ struct {
		Parts int `json:"parts"`
	},
	) error {
		_, err := fmt.Fprintf(out, "a ledger of %d parts was begun; each user may spend ε = %v\n", o.parts, b.Epsilon)
		return err
	})
}

func newBudgetDivide(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetDivide, &cobra.Command{
		Use:   "divide --ledger postgres://… --parts N --secret FILE",
		Short: "Divide a ledger in PostgreSQL into parts, by its users",
		Long: `Divide a ledger in PostgreSQL into parts that are written at the same time. Users are
dealt out by a hash of their names, and everything of a user goes along: what was
spent, granted and paid for. Each part is a ledger in a schema of its own, with a
chain of its own, and may be moved to another server.

The ledger is proved whole first, and all is one transaction. Its tables stay, with
_undivided behind their names, and each part names the head that they have: heads
that were noted before are those of the old tables. Gateways of this version go on
with the parts when they are started again; until then they are refused, and so are
those of versions that know no parts.`,
		Example: `  sotto budget divide --ledger postgres://sotto@db/sotto --parts 4 --secret gateway.secret`,
	})
	fs.IntVar(&o.parts, "parts", 0, "number of parts to make, from 2 to 256 (required)")
	fs.BoolVar(&o.unsigned, "unsigned", false, "do without the secret, which is lost")
	o.addHead(fs)
	o.addSecret(fs, "to sign the parts")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetDivide(ctx context.Context, o budgetOptions, out io.Writer) error {
	if o.ledger == "" {
		return errNoLedger
	}
	if o.parts == 0 {
		return errors.New("want --parts, the number of parts to make")
	}
	id, key, err := o.chain()
	if err != nil {
		return err
	}
	proof, err := ledger.DivideAt(ctx, o.ledger, o.parts, ledger.Signing{SecretID: id, ChainKey: key, Unsigned: o.unsigned})
	if errors.Is(err, ledger.ErrSecret) {
		return fmt.Errorf("%w; --secret is the file that the gateway has, and --unsigned does without one that is lost", err)
	} else if err != nil {
		return err
	}
	if o.who, err = whoRuns(); err != nil {
		return err
	}
	o.every = true
	note := ledger.Options{ReadOnly: true, Existing: true, Accept: &ledger.HeadAcceptance{Who: o.who, Reason: "divided at entry " + strconv.FormatUint(proof.Entries, 10)}}
	if err = o.open(ctx, note, func(*ledger.Ledger) error { return nil }); err != nil {
		return fmt.Errorf("the ledger is divided, and the heads of its parts are not noted, which sotto budget head --accept does: %w", err)
	}
	return o.printProof(out, fmt.Sprintf("divided into %d parts", o.parts), proof)
}

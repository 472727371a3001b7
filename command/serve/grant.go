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

func newBudgetGrant(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetGrant, &cobra.Command{
		Use:   "grant --ledger PATH --user NAME --epsilon E --reason WHY",
		Short: "Let a user spend more in this window",
		Long: `Let a user spend more than the budget, in the current window alone. It weakens
what that user was promised, so that the grant is an entry of the log with who gave
it and why: "sotto budget grants" lists them.

A gateway that has the file open grants by POST /v1/admin/grant, to keys with the
scope admin.`,
		Example: `  sotto budget grant --ledger ledger.db --user alice --epsilon 10 --reason "ticket 12"
  sotto budget grant --ledger ledger.db --secret gateway.secret --user alice --epsilon 10 --who "Ada, on call" --reason "ticket 12"`,
	})
	o.addHead(fs)
	fs.StringVar(&o.user, "user", "", "user who may spend more")
	fs.Float64Var(&o.epsilon, "epsilon", 0, "ε to add to the budget (default: none)")
	fs.Float64Var(&o.delta, "delta", 0, "δ to add to the budget (default: none)")
	fs.StringVar(&o.who, "who", "", "name of who grants, for the log (default: the account that runs the command)")
	fs.StringVar(&o.reason, "reason", "", "reason for the log, which must be given")
	o.addSecret(fs, "to sign the grant (default: the one in the user's folder of settings, if it is there)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetGrant(ctx context.Context, o budgetOptions, out io.Writer) error {
	switch {
	case o.user == "":
		return errors.New("want --user, who may spend more")
	case o.reason == "":
		return errors.New("want --reason, why the user may spend more: it stands in the log")
	case o.who == "":
		var err error
		if o.who, err = whoRuns(); err != nil {
			return err
		}
	}
	// Opening to write makes a file, and one without a ledger is not wanted.
	if err := o.with(ctx, true, func(*ledger.Ledger) error { return nil }); err != nil {
		return err
	}
	give := func(book *ledger.Ledger) error {
		if err := book.Grant(ctx, ledger.Grant{Subject: o.user, Epsilon: o.epsilon, Delta: o.delta, Who: o.who, Reason: o.reason}); err != nil {
			return err
		}
		b, err := book.Balance(ctx, o.user)
		if err != nil {
			return err
		}
		if o.json {
			return term.PrintJSON(out, lineOf(o.user, b))
		}
		_, err = fmt.Fprintf(out, "%s was granted %v in this window and has %v left\n", term.Plain(o.user), b.Granted, b.Left)
		return err
	}
	err := o.with(ctx, false, give)
	if usual := usualSecret(); errors.Is(err, ledger.ErrSecret) && o.secret == "" && usual != "" {
		o.secret = usual
		err = o.with(ctx, false, give)
	}
	return err
}

// grantLine is one grant for people and scripts.
type grantLine struct {
	Seq     uint64    `json:"seq"` // the entry of the log
	At      time.Time `json:"at"`
	User    string    `json:"user"`
	Granted amount    `json:"granted"`
	Who     string    `json:"who"` // "" of a grant from before names were asked for
	Reason  string    `json:"reason"`
}

func newBudgetGrants(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetGrants, &cobra.Command{
		Use:   "grants --ledger PATH",
		Short: "List who was let to spend more, by whom, and why",
		Long: `List the grants of the log, of all windows, the oldest first: who was let to spend
more than the budget, how much, who gave it, and why.`,
		Example: `  sotto budget grants --ledger ledger.db
  sotto budget grants --ledger ledger.db --user alice --json`,
	})
	o.addHead(fs)
	fs.StringVar(&o.user, "user", "", "list the grants of this user alone")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetGrants(ctx context.Context, o budgetOptions, out io.Writer) error {
	found := []grantLine{}
	o.every = true
	err := o.with(ctx, true, func(book *ledger.Ledger) error {
		return book.Entries(ctx, 1, func(e *ledger.Entry) error {
			if e.Kind == ledger.KindGrant && (o.user == "" || o.user == e.Subject) {
				found = append(found, grantLine{e.Seq, e.At, e.Subject, amountOf(ledger.Cost{Epsilon: e.Epsilon, Delta: e.Delta}), e.Who, e.Reason})
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return err
	}
	return term.Show(out, o.json, found, printGrants)
}

// printGrants prints grants for a person.
func printGrants(out io.Writer, found []grantLine) error {
	if len(found) == 0 {
		_, err := fmt.Fprintln(out, "nobody was granted anything")
		return err
	}
	t := term.NewTable(out, "AT", "USER", "EPSILON", "DELTA", "WHO", "REASON")
	for _, g := range found {
		t.Row(g.At.Format(time.RFC3339), term.Plain(g.User), g.Granted.Epsilon, g.Granted.Delta, term.Plain(g.Who), term.Plain(g.Reason))
	}
	return t.Flush()
}

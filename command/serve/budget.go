package serve

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

func newBudget(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "budget",
		Short: "Begin, show, grant, verify, export and back up what users have spent",
		Long: `Read the ledger of a gateway: who has spent how much ε, on what, in which window
of time. It holds no text and no vector.

Everything but init, grant, archive, divide and accepting only reads, and may be done while a gateway runs.
A file can be written by one process at a time, a ledger in PostgreSQL by many.`,
	}, newBudgetShow(std), newBudgetGrant(std), newBudgetGrants(std), newBudgetVerify(std), newBudgetExport(std),
		newBudgetInit(std), newBudgetHead(std), newBudgetClock(std), newBudgetBackup(std), newBudgetArchive(std), newBudgetDivide(std))
}

// budgetOptions are the flags of the commands of "sotto budget".
type budgetOptions struct {
	ledgerFlags
	accept         bool
	json           bool
	user           string
	epsilon, delta float64
	who, reason    string
	heads          []string
	from           uint64
	out            string
	unsigned       bool
	before         string
	archives       []string
	part           string
	parts          int
	every          bool // the command is about all parts, if no other is asked for
}

// command makes a command that runs with the flags, of which all have --ledger.
func (o *budgetOptions) command(std term.Streams, run func(context.Context, budgetOptions, io.Writer) error, c *cobra.Command) (*cobra.Command, *pflag.FlagSet) {
	c.Args = term.None
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), *o, std.Out) }
	c.Flags().StringVar(&o.ledger, "ledger", "", "file of budgets, or postgres://…")
	c.Flags().StringVar(&o.part, "part", "", "number of the part, from 0, where the ledger is in parts (default: that of --user, or all of them where the command can)")
	return c, c.Flags()
}

var errNoLedger = errors.New("want --ledger, a file of budgets or postgres://…")

// with opens the ledger for use, and closes it. One that is not there is not made.
func (o budgetOptions) with(ctx context.Context, readOnly bool, use func(*ledger.Ledger) error) error {
	return o.open(ctx, ledger.Options{ReadOnly: readOnly, Head: o.head}, use)
}

// open opens the ledger with options for use, and closes it: each part of it that the
// command is about, one after the other.
func (o budgetOptions) open(ctx context.Context, options ledger.Options, use func(*ledger.Ledger) error) error {
	if o.ledger == "" {
		return errNoLedger
	}
	all, err := o.chosen(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := o.openAt(ctx, p, options, use); err != nil {
			return err
		}
	}
	return nil
}

func (o budgetOptions) openAt(ctx context.Context, p at, options ledger.Options, use func(*ledger.Ledger) error) (err error) {
	options.Head = p.head
	if options.SecretID, options.ChainKey, err = o.chain(); err != nil {
		return err
	}
	book, err := ledger.Open(ctx, p.place, options)
	if errors.Is(err, ledger.ErrSecret) && o.secret == "" {
		return fmt.Errorf("%w: --secret is the file that the gateway has", err)
	} else if err != nil {
		return o.advise(err)
	}
	defer func() {
		if failed := book.Close(); err == nil {
			err = failed
		}
	}()
	return use(book)
}

// amount is a cost for people and scripts.
type amount struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

func amountOf(c ledger.Cost) amount { return amount{c.EpsilonValue(), c.DeltaValue()} }

// budgetLine is where one user stands.
type budgetLine struct {
	User    string `json:"user"`
	Spent   amount `json:"spent"`
	Granted amount `json:"granted"`
	Left    amount `json:"left"`
	// Lifetime is what was spent in all windows together.
	Lifetime amount `json:"lifetime"`
	// Together is what the releases of this window promise, where the budget is
	// kept by optimal composition.
	Together *dp.Guarantee `json:"together,omitempty"`
	balance  ledger.Balance
}

func lineOf(user string, b ledger.Balance) budgetLine {
	l := budgetLine{
		User: user, Spent: amountOf(b.Spent), Granted: amountOf(b.Granted), Left: amountOf(b.Left),
		Lifetime: amountOf(b.Lifetime), balance: b,
	}
	if b.Budget.Each != 0 {
		g := b.Together()
		l.Together = &g
	}
	return l
}

// budgetShown is what "sotto budget show --json" prints.
type budgetShown struct {
	Unit   string     `json:"unit"`
	Budget amount     `json:"budget"`
	Window string     `json:"window,omitempty"` // absent if nothing renews
	Renews *time.Time `json:"renews,omitempty"`
	Limit  *float64   `json:"lifetime_limit"` // on the sum of ε over all windows; null if there is none
	// Around is the ε that the two windows allow together that meet where one ends,
	// within a moment; absent if nothing renews.
	Around *float64     `json:"around_renewal,omitempty"`
	Each   float64      `json:"each,omitempty"` // the ε of every release, if the budget is kept by optimal composition
	Users  []budgetLine `json:"users"`
}

func newBudgetShow(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetShow, &cobra.Command{
		Use:   "show --ledger PATH",
		Short: "Show what users have spent in this window, and what is left",
		Long: `Show what users have spent in this window, what they were granted beyond the
budget, and what is left. Users who did nothing in it have all of it left, and are
shown with --user alone.`,
		Example: `  sotto budget show --ledger ledger.db
  sotto budget show --ledger postgres://sotto@db/sotto --user alice --json`,
	})
	fs.StringVar(&o.user, "user", "", "show this user alone")
	o.addHead(fs)
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetShow(ctx context.Context, o budgetOptions, out io.Writer) error {
	shown := budgetShown{Users: []budgetLine{}}
	o.every = true
	err := o.with(ctx, true, func(book *ledger.Ledger) error {
		b := book.Budget()
		shown.Unit, shown.Budget, shown.Each = string(b.Unit), amount{b.Epsilon, b.Delta}, b.Each
		if b.Lifetime != 0 {
			shown.Limit = &b.Lifetime
		}
		if b.Window > 0 {
			around := 2 * b.Epsilon
			if b.Lifetime != 0 {
				around = min(around, b.Lifetime)
			}
			shown.Window, shown.Around = b.Window.String(), &around
		}
		if o.user == "" {
			return book.Balances(ctx, func(subject string, b ledger.Balance) error {
				shown.Users = append(shown.Users, lineOf(subject, b))
				return nil
			})
		}
		balance, err := book.Balance(ctx, o.user)
		shown.Users = append(shown.Users, lineOf(o.user, balance))
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(shown.Users, func(a, b budgetLine) int { return cmp.Compare(a.User, b.User) })
	if len(shown.Users) > 0 && !shown.Users[0].balance.Renews.IsZero() {
		shown.Renews = &shown.Users[0].balance.Renews
	}
	return term.Show(out, o.json, shown, printBudget)
}

// printBudget prints balances for a person.
func printBudget(out io.Writer, s budgetShown) error {
	w := layout.NewBuffer(out)
	fmt.Fprintf(w, "each user may spend ε = %v", s.Budget.Epsilon)
	if s.Budget.Delta > 0 {
		fmt.Fprintf(w, ", δ = %v", s.Budget.Delta)
	}
	fmt.Fprintf(w, " (%s-level)", s.Unit)
	switch {
	case s.Window == "":
		fmt.Fprintln(w, "; it never renews")
	case s.Renews == nil:
		fmt.Fprintf(w, " every %s\n", s.Window)
	default:
		fmt.Fprintf(w, " every %s; it renews at %s\n", s.Window, s.Renews.Format(time.RFC3339))
	}
	switch {
	case s.Limit != nil:
		fmt.Fprintf(w, "all windows together may cost ε = %v\n", *s.Limit)
	case s.Window != "":
		fmt.Fprintln(w, "nothing bounds what all windows cost together: k windows allow k times as much (see LIFETIME; --lifetime of the gateway sets a limit)")
	}
	if s.Around != nil {
		fmt.Fprintf(w, "around the end of a window, the two that meet there allow ε = %v at once\n", *s.Around)
	}
	if s.Each != 0 {
		fmt.Fprintf(w, "kept by optimal composition of releases of ε = %v; the columns are sums\n", s.Each)
	}
	if len(s.Users) == 0 {
		fmt.Fprintln(w, "nobody has spent anything in this window")
		return w.Flush()
	}
	headings := []any{"USER", "SPENT", "GRANTED", "LEFT", "LIFETIME"}
	if s.Each != 0 {
		headings = append(headings, "TOGETHER")
	}
	t := term.NewTable(w, headings...)
	for _, l := range s.Users {
		cells := []any{term.Plain(l.User), l.balance.Spent, l.balance.Granted, l.balance.Left, l.balance.Lifetime}
		if l.Together != nil {
			cells = append(cells, l.Together)
		}
		t.Row(cells...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return w.Flush()
}

// budgetVerdict is what "sotto budget verify --json" prints.
type budgetVerdict struct {
	Whole  bool   `json:"whole"`
	Reason string `json:"reason,omitempty"`
	*ledger.Proof
}

func newBudgetVerify(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetVerify, &cobra.Command{
		Use:   "verify --ledger PATH [--head HASH]",
		Short: "Prove that a ledger is whole",
		Long: `Read the whole log and prove that no entry is missing before the last, changed or
out of order, that nothing was paid twice, that no window was overspent, and that
what the gateway counts with is what the log says.

It prints the head, the hash of the last entry. Note it where whoever can write
the ledger cannot: with --head, a log that was cut off behind it or made anew is
found. With --secret the MAC of the head is checked, which nobody can make who
has no secret: a log that was changed or made anew is found, and one that was
cut off is not. Without both, such a log looks whole.

With --archive for each archive, from the oldest on, archived entries are proved,
too. It may be done while a gateway runs.

Exit codes: 0 whole; 1 damaged; 2 it cannot be read.`,
		Example: `  sotto budget verify --ledger ledger.db
  sotto budget verify --ledger ledger.db --secret gateway.secret --head "$(cat head)" --json`,
	})
	o.addSecret(fs, "to check the MAC")
	fs.StringArrayVar(&o.archives, "archive", nil, "archive of the ledger's old entries; the flag is given for each, from the oldest on")
	fs.StringArrayVar(&o.heads, "head", nil, "hash of the log that was noted before, or the place where a gateway notes it; the flag may be given several times")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetVerify(ctx context.Context, o budgetOptions, out io.Writer) error {
	var heads []ledger.Digest
	for _, text := range o.heads {
		var hash ledger.Digest
		text = strings.TrimSpace(text)
		switch err := hash.UnmarshalText([]byte(text)); {
		case err == nil:
			heads = append(heads, hash)
		case o.head != "":
			return fmt.Errorf("--head is %s and %s, must be one place, and hashes: %w", o.head, text, err)
		default:
			o.head = text
		}
	}
	if o.head != "" && o.head != ledger.NoHead {
		if h, err := o.noted(ctx); err != nil {
			return err
		} else if h.Noted == nil {
			return fmt.Errorf("--head is no hash of 64 digits, and no place where a head is noted: %s", o.head)
		}
	}
	var proofs []ledger.Proof
	o.every = len(heads) == 0 && len(o.archives) == 0 // which are of one part
	err := o.with(ctx, true, func(book *ledger.Ledger) error {
		proof, err := book.VerifyWith(ctx, o.archives, heads...)
		proofs = append(proofs, proof)
		return err
	})
	proof := ledger.ProofOfParts(proofs)
	v := budgetVerdict{Whole: true, Proof: &proof}
	if errors.Is(err, ledger.ErrDamaged) {
		v = budgetVerdict{Reason: err.Error()}
	} else if err != nil {
		return err
	}
	if o.json {
		err = term.PrintJSON(out, v)
	} else if v.Whole {
		err = printProof(out, "whole", proof)
	} else {
		_, err = fmt.Fprintf(out, "DAMAGED: %s\n", v.Reason)
	}
	return term.Verdict(err, !v.Whole)
}

// printProof prints what a ledger was found to hold.
func printProof(out io.Writer, verdict string, p ledger.Proof) error {
	_, err := fmt.Fprintf(out, "%s: %d entries, %d spends of %d users, the last at %s\nhead %s\nMAC %s%s\n",
		verdict, p.Entries, p.Spends, p.Subjects, p.Last.Format(time.RFC3339), p.Head, p.MAC,
		map[ledger.MACState]string{ledger.MACUnchecked: ": it needs --secret"}[p.MAC])
	if err == nil && p.Archived > 0 {
		_, err = fmt.Fprintf(out, "the first %d entries are in archives, which were not read\n", p.Archived)
	}
	return err
}

func newBudgetExport(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetExport, &cobra.Command{
		Use:   "export --ledger PATH",
		Short: "Write the log as JSON lines",
		Long: `Write the entries of the log as they are chained, one a line. The hash of a line is
the SHA-256 of that line with its last 75 bytes, the field "hash", replaced by a
brace; "prev" is the hash of the line before.`,
		Example: `  sotto budget export --ledger ledger.db --out log.jsonl
  sotto budget export --ledger ledger.db --from 1000 | jq .kind`,
	})
	o.addHead(fs)
	fs.Uint64Var(&o.from, "from", 1, "number of the first entry")
	fs.StringVar(&o.out, "out", "-", "file to write, - for standard output")
	return c
}

func runBudgetExport(ctx context.Context, o budgetOptions, stdout io.Writer) error {
	if err := term.RefuseSame(term.Named("--ledger", o.ledger), term.Named("--out", o.out)); err != nil {
		return err
	}
	return o.with(ctx, true, func(book *ledger.Ledger) error {
		return term.WriteWhole(o.out, stdout, func(to io.Writer) error {
			w := bufio.NewWriter(to)
			if err := book.Entries(ctx, o.from, func(e *ledger.Entry) error {
				line, err := json.Marshal(e)
				w.Write(append(line, '\n'))
				return cmp.Or(err, ctx.Err())
			}); err != nil {
				return err
			}
			return w.Flush()
		})
	})
}

package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

func newBudgetInit(std term.Streams) *cobra.Command {
	var o budgetOptions
	var b ledger.Budget
	var unit string
	c, fs := o.command(std, nil, &cobra.Command{
		Use:   "init --ledger PATH --budget E",
		Short: "Begin a ledger, with every budget unspent",
		Long: `Begin a ledger, with every budget unspent, and note its head. A gateway with
--production begins none by itself: a ledger that is not there, since a disk was not
mounted or somebody has deleted it, must not give everybody a new budget.

Give the gateway the same --budget and --window. The unit is that of the mechanism's
guarantee. With sotto gateway --composition optimal all releases have the same ε,
which --each names.`,
		Example: `  sotto budget init --ledger /var/lib/sotto/ledger --budget 80 --window 24h
  sotto budget init --ledger postgres://sotto@db/sotto --budget 80 --window 24h --lifetime 1000`,
	})
	c.RunE = func(c *cobra.Command, _ []string) error {
		b.Unit = dp.Unit(unit)
		return runBudgetInit(c.Context(), o, b, std.Out)
	}
	o.addHead(fs)
	fs.Float64Var(&b.Epsilon, "budget", 80, "ε that a user may spend in a window")
	fs.Float64Var(&b.Delta, "budget-delta", 0, "δ that a user may spend in a window (default 0)")
	fs.Float64Var(&b.Lifetime, "lifetime", 0, "ε that a user may spend in all windows together (default: no limit)")
	fs.DurationVar(&b.Window, "window", 24*time.Hour, "time after which budgets renew, 0s for never; the two windows around a renewal allow twice the budget at once")
	fs.Float64Var(&b.Each, "each", 0, "ε of every release, for --composition optimal (default: releases add up)")
	fs.StringVar(&unit, "unit", string(dp.Text), "unit of the guarantee: text, word or metric")
	fs.IntVar(&o.parts, "parts", 0, "number of parts, from 2 to 256, into which a ledger in PostgreSQL is divided by its users (default: it is one)")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func runBudgetInit(ctx context.Context, o budgetOptions, b ledger.Budget, out io.Writer) error {
	if err := b.Validate(); err != nil {
		return err
	}
	if o.parts != 0 {
		return o.beginParts(ctx, b, out)
	}
	return o.open(ctx, ledger.Options{New: true, Budget: b, Head: o.head}, func(*ledger.Ledger) error {
		h, err := o.noted(ctx)
		if err != nil {
			return err
		}
		return term.Show(out, o.json, h, func(out io.Writer, h headShown) error {
			_, err := fmt.Fprintf(out, "a ledger was begun; each user may spend ε = %v\n%s", b.Epsilon, h)
			return err
		})
	})
}

// headShown is what "sotto budget head --json" prints.
type headShown struct {
	Place string            `json:"place"` // where it is noted
	Noted *ledger.NotedHead `json:"noted"` // null if nothing is
	// Reason is why the ledger does not go on from it, or cannot be read now.
	Reason string `json:"reason,omitempty"`
}

// String is for people.
func (h headShown) String() string {
	if h.Noted == nil {
		return fmt.Sprintf("no head is noted in %s\n", h.Place)
	}
	text := fmt.Sprintf("head %s\nentry %d of %s, noted at %s in %s\n", h.Noted.Hash, h.Noted.Seq, h.Noted.At.Format(time.RFC3339), h.Noted.Seen.Format(time.RFC3339), h.Place)
	if a := h.Noted.Accepted; a != nil {
		before := ""
		if a.Seq > 0 {
			before = fmt.Sprintf(" instead of entry %d, %s", a.Seq, a.Hash)
		}
		text += fmt.Sprintf("accepted by %s at %s%s: %s\n", term.Plain(a.Who), a.When.Format(time.RFC3339), before, term.Plain(a.Reason))
	}
	return text
}

// noted reads the head that was noted of the ledger.
func (o budgetOptions) noted(ctx context.Context) (h headShown, err error) {
	place, err := o.witness(ctx)
	if err != nil {
		return h, err
	}
	defer place.Close() //nolint:errcheck // it was only read
	h.Place = place.String()
	h.Noted, err = place.Head(ctx)
	return h, err
}

// witness opens the place where the ledger's head is noted.
func (o budgetOptions) witness(ctx context.Context) (ledger.HeadPlace, error) {
	switch {
	case o.ledger == "":
		return nil, errNoLedger
	case o.head == ledger.NoHead:
		return nil, errors.New("--head is none, must be a place where the head is noted")
	}
	p, err := o.one(ctx)
	if err != nil {
		return nil, err
	}
	return ledger.OpenWitness(ctx, p.place, p.head)
}

// acceptFlags are the flags by which somebody takes something as it is.
func (o *budgetOptions) acceptFlags(fs *pflag.FlagSet, what string) {
	o.addHead(fs)
	fs.BoolVar(&o.accept, "accept", false, what)
	fs.StringVar(&o.who, "who", "", "name of who accepts (default: the account that runs the command)")
	fs.StringVar(&o.reason, "reason", "", "reason, which must be given with --accept")
	fs.BoolVar(&o.json, "json", false, "print JSON")
}

// accepts says who accepts something, which needs a reason.
func (o *budgetOptions) accepts() (err error) {
	if o.reason == "" {
		return errors.New("want --reason, why it is accepted: it is kept with the head")
	}
	if o.who == "" {
		o.who, err = whoRuns()
	}
	return err
}

func newBudgetHead(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetHead, &cobra.Command{
		Use:   "head --ledger PATH [--accept --reason WHY]",
		Short: "Show the head that is kept outside the ledger, or accept another",
		Long: `Show the head of a ledger that is kept outside of it, and whether the ledger goes on
from there. A gateway notes it while it runs, and refuses a ledger that is missing,
empty, older or another one.

With --accept the ledger is taken as it is, and its head noted anew: after it was
restored from a backup, or when a head was never noted. What was spent after the
backup can then be spent again, so let a window pass first. Who accepted it, when,
why and what the head was before is kept with the head.

Exit codes: 0 it goes on; 1 it does not; 2 it cannot be read.`,
		Example: `  sotto budget head --ledger ledger.db
  sotto budget head --ledger ledger.db --accept --reason "restored the backup of Monday"`,
	})
	o.acceptFlags(fs, "take the ledger as it is")
	return c
}

func runBudgetHead(ctx context.Context, o budgetOptions, out io.Writer) error {
	if o.accept {
		if err := o.accepts(); err != nil {
			return err
		}
		if err := o.open(ctx, ledger.Options{ReadOnly: true, Accept: &ledger.HeadAcceptance{Who: o.who, Reason: o.reason}, Existing: true, Head: o.head}, func(*ledger.Ledger) error { return nil }); err != nil {
			return err
		}
	}
	h, err := o.noted(ctx)
	if err != nil {
		return err
	}
	failed := o.open(ctx, ledger.Options{ReadOnly: true, Head: o.head}, func(*ledger.Ledger) error { return nil })
	behind := errors.Is(failed, ledger.ErrBehind)
	if failed != nil && !behind && !errors.Is(failed, ledger.ErrLocked) {
		return failed
	}
	if failed != nil {
		h.Reason = failed.Error()
	}
	err = term.Show(out, o.json, h, func(out io.Writer, h headShown) error {
		w := layout.NewBuffer(out)
		fmt.Fprint(w, h)
		switch {
		case behind:
			fmt.Fprintf(w, "BEHIND: %s\n", h.Reason)
		case h.Reason != "":
			fmt.Fprintln(w, h.Reason)
		case h.Noted != nil:
			fmt.Fprintln(w, "the ledger goes on from there")
		}
		return w.Flush()
	})
	return term.Verdict(err, behind)
}

// clockShown is what "sotto budget clock --json" prints.
type clockShown struct {
	Place  string             `json:"place"`
	Now    ledger.Moment      `json:"now"`
	Right  *ledger.Moment     `json:"right"` // when it was last taken to be right; null if never
	Seen   time.Time          `json:"seen,omitzero"`
	Last   time.Time          `json:"last,omitzero"`    // entry of the ledger, when its head was noted
	Reason string             `json:"reason,omitempty"` // why it is refused
	Said   *ledger.NotedClock `json:"accepted,omitempty"`
}

func newBudgetClock(std term.Streams) *cobra.Command {
	var o budgetOptions
	c, fs := o.command(std, runBudgetClock, &cobra.Command{
		Use:   "clock --ledger PATH [--accept --reason WHY]",
		Short: "Show whether the clock has jumped, or accept it",
		Long: `Show whether the clock of this machine can be right, by what was noted of the ledger.
Budgets renew with time, so that a gateway refuses to spend when the clock has jumped
by more than its --max-clock-jump, forward or back, or when the machine was off for
longer than --max-away, until the clock is right again.

With --accept the clock is taken as it is. A gateway that runs goes on within
seconds; there is no need to stop it. If the clock went forward, budgets renew that
would not have otherwise. If it went back, the ledger's time stands still until the
clock reaches its last entry. Set the clock right first, if it is not.

Exit codes: 0 it can be right; 1 it cannot; 2 it cannot be read.`,
		Example: `  sotto budget clock --ledger ledger.db
  sotto budget clock --ledger ledger.db --accept --reason "the machine was off for a month"`,
	})
	o.acceptFlags(fs, "take the clock as it is")
	fs.DurationVar(&o.clocks.Jump, "max-clock-jump", ledger.DefaultJump, "as the gateway has it")
	fs.DurationVar(&o.clocks.Away, "max-away", ledger.DefaultAway, "as the gateway has it")
	return c
}

func runBudgetClock(ctx context.Context, o budgetOptions, out io.Writer) error {
	if err := o.checkClocks(); err != nil {
		return err
	}
	place, err := o.witness(ctx)
	if err != nil {
		return err
	}
	defer place.Close() //nolint:errcheck // what is there is written
	h, err := place.Head(ctx)
	if err != nil {
		return err
	}
	shown := clockShown{Place: place.String(), Now: ledger.MachineNow()}
	if h != nil {
		shown.Right, shown.Seen, shown.Last = &h.Right, h.Seen, h.At
	}
	if o.accept {
		if err = o.accepts(); err != nil {
			return err
		}
		if err = place.SetClock(ctx, ledger.NotedClock{Right: shown.Now, Until: shown.Last, Who: o.who, Reason: o.reason}); err != nil {
			return err
		}
	}
	if shown.Said, err = place.Clock(ctx); err != nil {
		return err
	}
	accepted := shown.Said != nil && o.clocks.Near(shown.Said.Right, shown.Now)
	if failed := ledger.CheckClock(o.clocks, h, shown.Now); failed != nil && !accepted {
		shown.Reason = failed.Error()
	}
	err = term.Show(out, o.json, shown, printClock)
	return term.Verdict(err, shown.Reason != "")
}

func printClock(out io.Writer, s clockShown) error {
	w := layout.NewBuffer(out)
	fmt.Fprintf(w, "it is %s\n", s.Now.Wall.UTC().Format(time.RFC3339))
	if s.Right != nil {
		fmt.Fprintf(w, "it was last noted at %s in %s; the last entry of the ledger is of %s\n", s.Seen.Format(time.RFC3339), s.Place, s.Last.Format(time.RFC3339))
	} else {
		fmt.Fprintf(w, "nothing is noted in %s\n", s.Place)
	}
	if s.Said != nil {
		fmt.Fprintf(w, "%s accepted %s: %s\n", term.Plain(s.Said.Who), s.Said.Right.Wall.UTC().Format(time.RFC3339), term.Plain(s.Said.Reason))
	}
	fmt.Fprintln(w, cmp.Or(s.Reason, "the clock can be right"))
	return w.Flush()
}

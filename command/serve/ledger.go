package serve

import (
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/pflag"

	"sotto/service/ledger"
)

// ledgerFlags say where a ledger is, and how it is watched.
type ledgerFlags struct {
	ledger  string
	head    string
	secret  string // file of the gateway's
	clocks  ledger.ClockLimits
	timeout time.Duration
	standby int
	logHead time.Duration
	raise   bool
}

// addHead declares where the head is kept.
func (o *ledgerFlags) addHead(fs *pflag.FlagSet) {
	fs.StringVar(&o.head, "head", "", "file outside the ledger, best on another disk, or postgres://…, that has its last head, so that a ledger that goes back is noticed; none for none (default: the ledger's name and .head, or a schema of its own in the ledger's database)")
}

// addWatch declares how a gateway watches its ledger.
func (o *ledgerFlags) addWatch(fs *pflag.FlagSet) {
	o.addHead(fs)
	fs.DurationVar(&o.logHead, "log-head", time.Minute, "time after which the head of the ledger is logged, 0s for never but at start and end")
	fs.DurationVar(&o.clocks.Jump, "max-clock-jump", ledger.DefaultJump, "how far the clock may be set, in all, before spends are refused until sotto budget clock --accept")
	fs.DurationVar(&o.clocks.Away, "max-away", ledger.DefaultAway, "how long the machine may have been off before a start is refused until sotto budget clock --accept")
	fs.DurationVar(&o.timeout, "ledger-timeout", 10*time.Second, "time that a write to the ledger may take")
	fs.IntVar(&o.standby, "ledger-standbys", 0, "number of standbys that must have a spend on disk before it counts: spends are refused while the database's commits wait for fewer (default 0, for what the database says)")
	fs.BoolVar(&o.raise, "raise-budget", false, "give everybody more than the ledger's budget, by a larger --budget, --budget-delta or --lifetime, or a shorter --window")
}

// check refuses limits that bound nothing.
func (o *ledgerFlags) check() error {
	switch {
	case o.timeout < time.Millisecond:
		return fmt.Errorf("--ledger-timeout is %v, must be at least a millisecond", o.timeout)
	case o.standby < 0:
		return fmt.Errorf("--ledger-standbys is %d, must be a number of servers, or 0", o.standby)
	case o.standby > 0 && !ledger.InDatabase(o.ledger):
		return fmt.Errorf("--ledger-standbys is %d and --ledger is a file, must be postgres://… to have standbys", o.standby)
	case o.logHead < 0:
		return fmt.Errorf("--log-head is %v, must be positive, or 0s for never", o.logHead)
	}
	return o.checkClocks()
}

func (o *ledgerFlags) checkClocks() error {
	if o.clocks.Jump < time.Second || o.clocks.Away < o.clocks.Jump {
		return fmt.Errorf("--max-clock-jump is %v and --max-away %v, must be at least a second, and no less than the jump", o.clocks.Jump, o.clocks.Away)
	}
	return nil
}

// advise adds what can be done about an error of opening a ledger.
func (o *ledgerFlags) advise(err error) error {
	add := func(advice string) error { return fmt.Errorf("%w; %s", err, advice) }
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrLocked):
		return add("a gateway that has it open grants by POST /v1/admin/grant, or must be stopped first")
	case errors.Is(err, ledger.ErrSecret):
		return add("bring the old secret back, or say --rotate if it is lost: what was paid for must then be paid for again")
	case errors.Is(err, ledger.ErrRaise):
		return add("say --raise-budget if that is meant")
	case errors.Is(err, ledger.ErrNone):
		return add("make one with sotto budget init")
	case errors.Is(err, ledger.ErrLost):
		return add("bring it back, or take that head away if it is lost for good, after which everybody has a new budget")
	case errors.Is(err, ledger.ErrBehind):
		return add("bring the ledger back that belongs to it; if this one is meant, say so with sotto budget head --accept, after which what was spent since can be spent again")
	case errors.Is(err, ledger.ErrFormat1):
		return add("keep it for the record and make a new one in another place with sotto budget init; in the new one nobody has spent anything")
	case errors.Is(err, ledger.ErrClock):
		return add("set the clock right, or say that it is with sotto budget clock --accept")
	}
	return err
}

// whoRuns returns the name of the account that runs the command, for logs.
func whoRuns() (string, error) {
	account, err := user.Current()
	if err != nil || account.Username == "" {
		return "", errors.New("want --who, your name for the log: the account that runs this has none")
	}
	return account.Username, nil
}

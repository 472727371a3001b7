package ledger

import (
	"sotto/promise/dp"
	"sotto/service/ledger/book"
)

// The words of the trade, which the stores share.
type (
	// Entry is one line of the log.
	Entry = book.Entry
	// Kind says what an entry of the log does.
	Kind = book.Kind
	// Digest is a SHA-256 hash or a MAC of that size; in JSON it is hexadecimal.
	Digest = book.Digest
	// Cost is an amount of privacy, in integers, so that sums are exact.
	Cost = book.Cost
	// Budget is what each subject may spend in each window of time.
	Budget = book.Budget
	// Balance is where a subject stands in the current window.
	Balance = book.Balance
	// Shard asks to pay for the releases of one part of a job.
	Shard = book.Shard
	// Demand is what one subject pays for in a shard.
	Demand = book.Demand
	// Reserved says which of a shard's releases are paid for.
	Reserved = book.Reserved
)

// The kinds of entries.
const (
	KindBudget = book.KindBudget // sets the budget of all subjects, from here on
	KindSecret = book.KindSecret // names the secret that keys are made with, from here on
	KindSpend  = book.KindSpend  // pays for a release
	KindGrant  = book.KindGrant  // gives one subject more, in one window
	// KindArchive says that the entries up to another are in an archive.
	KindArchive = book.KindArchive
	// KindPart says which part of a divided ledger this is.
	KindPart = book.KindPart
)

// Errors that callers branch on, of a ledger and its store.
var (
	// ErrUnit is returned by Spend for a guarantee of another unit than the
	// budget's, and on opening with a budget of another unit than before.
	ErrUnit = book.ErrUnit
	// ErrUnavailable is returned when the ledger cannot be read or written.
	// Nothing was spent, or it is not known to be: release nothing.
	ErrUnavailable = book.ErrUnavailable
	// ErrLocked is returned by OpenFile, with ErrUnavailable, while another
	// process writes the file.
	ErrLocked = book.ErrLocked
	// ErrFormat1 is returned on opening a ledger of the form that was written before
	// version 0.1.0, which nothing reads any more.
	ErrFormat1 = book.ErrFormat1
	// ErrDamaged is returned when the ledger is not what was written.
	ErrDamaged = book.ErrDamaged
)

// ParseEntry reads a line of the log, as it was exported. It refuses one whose
// hash is not its own, with an error that wraps [ErrDamaged], and so every other
// spelling of the same entry.
func ParseEntry(line []byte) (*Entry, error) { return book.ParseEntry(line) }

// CostOf returns what one release under a guarantee costs. It refuses a
// guarantee that promises nothing: no budget pays for that.
func CostOf(g dp.Guarantee) (Cost, error) { return book.CostOf(g) }

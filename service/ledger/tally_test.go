package ledger_test

import (
	"errors"
	"testing"

	"sotto/service/ledger"
)

// logged is a page of a log at some entry, with the sums of those up to it.
type logged struct {
	ledger.Page
	entries []*ledger.Entry
	wrong   int64 // by how much the sums are
}

func (p *logged) Head() (h ledger.Head, err error) {
	if n := len(p.entries); n > 0 {
		h.Seq, h.Hash = p.entries[n-1].Seq, p.entries[n-1].Hash
	}
	return h, nil
}

func (p *logged) Entries(from uint64, yield func(*ledger.Entry) error) error {
	for _, e := range p.entries {
		if e.Seq >= from {
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *logged) Balances(window int64, yield func(ledger.Standing) error) error {
	of := map[string]ledger.Sums{}
	for _, e := range p.entries {
		if s := of[e.Subject]; e.Kind == ledger.KindSpend && e.Window == window {
			s.Spent = s.Spent.Plus(e.Cost())
			of[e.Subject] = s
		}
	}
	for subject, s := range of {
		s.Spent.Epsilon += p.wrong
		if err := yield(ledger.Standing{Subject: subject, Sums: s}); err != nil {
			return err
		}
	}
	return nil
}

// Whoever looks at sums reads a state of the database that writers have left behind by
// then: it is no damage that the log has gone on since, and a sum that is wrong in it is.
func TestCheckBehind(t *testing.T) {
	var log []*ledger.Entry
	var last ledger.Digest
	for i := range 9 {
		e := &ledger.Entry{Seq: uint64(i + 1), Prev: last, Kind: ledger.KindSpend, Subject: []string{"alice", "bob"}[i%2], Window: int64(i / 3), Epsilon: 1}
		e.Hash[0] = byte(i + 1)
		last = e.Hash
		log = append(log, e)
	}
	counted := func(n int) *ledger.Tally {
		tally := ledger.NewTally()
		if err := tally.Follow(&logged{entries: log[:n]}); err != nil {
			t.Fatal(err)
		}
		return tally
	}
	for behind := range log {
		for window := range int64(4) {
			if err := counted(len(log)).Check(&logged{entries: log[:behind]}, window); err != nil {
				t.Errorf("a page at entry %d of %d, window %d: %v", behind, len(log), window, err)
			}
			if err := counted(behind).Check(&logged{entries: log}, window); err != nil {
				t.Errorf("a page at entry %d, counted up to %d, window %d: %v", len(log), behind, window, err)
			}
		}
	}
	// Of the last window the first entry alone, and no entry of bob's, is in the older page.
	if err := counted(8).Check(&logged{entries: log[:7], wrong: 1}, 2); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("a sum that is wrong: %v, want %v", err, ledger.ErrDamaged)
	}
	if err := counted(9).Follow(&logged{entries: log[:8]}); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("a log that went back: %v, want %v", err, ledger.ErrDamaged)
	}
}

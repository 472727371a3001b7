package ledger_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"sotto/service/ledger"
	"sotto/service/ledger/disk/disktest"
)

// A bit that flips in an old write, while nobody needs it, is found within a minute:
// nothing more is spent, and the log says why.
func TestScrub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := disktest.New(disktest.Source(1))
		var log lines
		l, err := ledger.OpenFile(crashPath, ledger.Options{Budget: daily, Disk: d, Clock: time.Now, Log: log.logger()})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for i := range 5 {
			if _, err = l.Spend(t.Context(), request("alice", fmt.Sprint(i), 1)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if _, err = l.Spend(t.Context()); err != nil {
			t.Fatalf("a ledger that is whole: %v", err)
		}
		d.Edit(crashPath, func(b []byte) []byte { return flipped(b, firstFrame+300, 3) })
		if _, err = l.Spend(t.Context(), request("alice", "not needed", 1)); err != nil {
			t.Fatalf("before anybody has looked: %v", err)
		}
		time.Sleep(time.Minute)
		for range 2 {
			if _, err = l.Spend(t.Context()); !errors.Is(err, ledger.ErrDamaged) || !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("a minute later: %v, want %v", err, ledger.ErrDamaged)
			}
		}
		log.wait(t, "was damaged while it was open")
	})
}

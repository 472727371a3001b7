package ledger_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/promise/dp/dptest"
	"sotto/service/ledger"
)

// TestOnline: a ledger is read, verified and copied while a gateway writes it.
// Spends go on meanwhile, each copy is whole and holds all that was answered
// before it was begun, and nobody waits for the other.
func TestOnline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	spends := dptest.Count(t, 10_000, 50_000)
	fillFile(t, path, spends, 1000)
	budget := daily
	budget.Epsilon = 1e9
	l, err := ledger.OpenFile(path, ledger.Options{Budget: budget, SecretID: "first", ChainKey: chainKey(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var answered atomic.Int64
	// measure spends for as long as others do something, and returns the times.
	measure := func(name string, others func()) []time.Duration {
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		var all []time.Duration
		var group sync.WaitGroup
		for c := range 50 {
			group.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					began := time.Now()
					if _, err := l.Spend(context.Background(), request("alice", fmt.Sprint(name, c, " ", i), 1)); err != nil {
						t.Error(err)
						return
					}
					answered.Add(1)
					mu.Lock()
					all = append(all, time.Since(began))
					mu.Unlock()
				}
			})
		}
		others()
		stop()
		group.Wait()
		slices.Sort(all)
		t.Logf("%s: %d spends, half of them within %v, 99 of 100 within %v", name, len(all), all[len(all)/2], all[len(all)*99/100])
		return all
	}
	began := time.Now()
	busy := measure("while it is verified and copied", func() {
		for round := range 2 {
			before := answered.Load()
			p, err := examine(t, path)
			if err != nil || p.Spends < uint64(spends)+uint64(before) {
				t.Errorf("round %d: %+v, %v; want the %d spends that were answered", round, p, err, int64(spends)+before)
			}
			reader, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, SecretID: "first", ChainKey: chainKey(1)})
			if err != nil {
				t.Error(err)
				continue
			}
			before = answered.Load()
			copied := filepath.Join(dir, "copy.db")
			for from, book := range map[string]*ledger.Ledger{"another process": reader, "the writer": l} {
				if p, err := book.Backup(t.Context(), copied); err != nil || p.MAC != ledger.MACChecked || from == "the writer" && p.Spends < uint64(spends)+uint64(before) {
					t.Errorf("round %d, a copy by %s: %+v, %v", round, from, p, err)
				}
			}
			n := uint64(0)
			if err := reader.Entries(t.Context(), 1, func(*ledger.Entry) error { n++; return nil }); err != nil || n < uint64(spends) {
				t.Errorf("round %d: %d entries exported, %v", round, n, err)
			}
			reader.Close()
		}
	})
	measure("alone", func() { time.Sleep(time.Since(began) / 2) })
	if len(busy) == 0 {
		t.Error("nobody could spend meanwhile")
	}
	verify(t, l)
}

// TestBackupOverOther: a copy takes no place of what is no file, such as a socket or a
// device, which would be gone then.
func TestBackupOverOther(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "other")
	fillFile(t, path, 10, 10)
	l, err := net.Listen("unix", other)
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer l.Close()
	book, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, Head: ledger.NoHead})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if _, err := book.Backup(t.Context(), other); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("Backup over a socket: %v, want a refusal", err)
	}
	if info, err := os.Lstat(other); err != nil || info.Mode()&fs.ModeSocket == 0 {
		t.Errorf("the socket is %v, %v; want it to be there still", info, err)
	}
}

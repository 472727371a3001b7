package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"sotto/promise/dp/dptest"
	"sotto/service/ledger"
)

// fillFile makes a ledger of spends as a gateway makes them, by as many clients
// at a time, in a file that is not waited for.
func fillFile(tb testing.TB, path string, spends, clients int) {
	tb.Helper()
	budget := daily
	budget.Epsilon = 1e9
	l, err := ledger.OpenFile(path, ledger.Options{Budget: budget, SecretID: "first", ChainKey: chainKey(1), Head: ledger.NoHead})
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	mechanism := json.RawMessage(`{"mechanism":"codebook","dim":256,"epsilon":8,"noise":"memoised","encoder":"default","version":"4f0c5a9d8b7e6f1a2c3d4e5f60718293"}`)
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			for i := c; i < spends; i += clients {
				r := request(fmt.Sprintf("customer-%d@example.org", i%5000), fmt.Sprint(i), 8)
				r.Mechanism = mechanism
				r.Guarantee.Assumptions = []string{"the secret stays secret", "texts of a user are released under one key"}
				if _, err := l.Spend(context.Background(), r); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestSize: a spend takes at most 200 bytes on disk, of 5,000 users, also where
// each is written by itself.
func TestSize(t *testing.T) {
	t.Parallel()
	spends := dptest.Count(t, 20_000, 100_000)
	if testing.Short() {
		spends = 2000
	}
	for clients, n := range map[int]int{1000: spends, 1: 500} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		fillFile(t, path, n, clients)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		each := float64(info.Size()) / float64(n)
		t.Logf("%d spends by %d clients: %d bytes, %.1f a spend", n, clients, info.Size(), each)
		if each > 200 {
			t.Errorf("a spend takes %.1f bytes, want at most 200", each)
		}
	}
}

// BenchmarkVerify verifies a million entries, and says how much memory that
// takes.
func BenchmarkVerify(b *testing.B) {
	const spends = 1_000_000
	path := filepath.Join(b.TempDir(), "ledger.db")
	fillFile(b, path, spends, 4000)
	b.ResetTimer()
	for b.Loop() {
		began := time.Now()
		l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, SecretID: "first", ChainKey: chainKey(1), Head: ledger.NoHead})
		if err != nil {
			b.Fatal(err)
		}
		opened := time.Since(began)
		p, err := l.Verify(b.Context())
		if err != nil || p.Spends != spends {
			b.Fatalf("%+v, %v", p, err)
		}
		b.ReportMetric(opened.Seconds(), "s-to-open")
		b.ReportMetric((time.Since(began) - opened).Seconds(), "s-to-verify")
		l.Close()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.Sys)/1e6, "MB-of-process")
	}
}

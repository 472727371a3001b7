package ledger_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// TestBench prints how many spends a second processes make together on one
// PostgreSQL, each with 250 clients of 1,000 users who ask for what nobody asked for
// before: one, two and four of them, on a ledger that is undivided, and in four parts.
// SOTTO_LEDGER_BENCH says for how long each, such as 10s.
//
// Beside what was measured it prints what is derived: the processor time of a spend, of
// both sides together, and how many spends a second two processors would make that had
// nothing else to do. Others on the machine change the first, and hardly the second.
func TestBench(t *testing.T) {
	if url := os.Getenv("SOTTO_LEDGER_BENCH_URL"); url != "" {
		spendFor(t, url)
		return
	}
	text := os.Getenv("SOTTO_LEDGER_BENCH")
	if text == "" {
		t.Skip("SOTTO_LEDGER_BENCH does not say how long to spend")
	}
	lasts, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	s := pgtest.Shared(t)
	for _, parts := range []int{1, 4} {
		for _, gateways := range []int{1, 2, 4} {
			url := s.URL(s.Schema(t))
			o := ledger.Options{Budget: benchBudget(), SecretID: "first", ChainKey: chainKey(1)}
			var book *ledger.Divided
			if parts == 1 {
				book, err = ledger.OpenAny(t.Context(), url, o)
			} else {
				book, err = ledger.BeginParts(t.Context(), url, parts, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			before, err := s.ProcessorTime()
			if err != nil {
				t.Fatal(err)
			}
			spends, work := runGateways(t, url, gateways, lasts)
			server, err := s.ProcessorTime()
			if err != nil {
				t.Fatal(err)
			}
			server -= before
			p := verifyParts(t, book)
			book.Close()
			if int(p.Spends) < spends {
				t.Errorf("%d spends were answered and %d are written", spends, p.Spends)
			}
			each := (work + server) / time.Duration(max(spends, 1))
			t.Logf("%d parts, %d gateways: measured %.0f spends a second for %v; processor time of a spend %v, of which PostgreSQL %v; derived: %.0f a second on two idle processors",
				parts, gateways, float64(spends)/lasts.Seconds(), lasts, each, server/time.Duration(max(spends, 1)), 2/each.Seconds())
		}
	}
}

func benchBudget() ledger.Budget {
	b := daily
	b.Epsilon = 1e8
	return b
}

// runGateways starts processes that spend, and returns how often they did, and the
// processor time that it took them.
func runGateways(t *testing.T, url string, n int, lasts time.Duration) (spends int, work time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			c := exec.Command(os.Args[0], "-test.run", "^TestBench$", "-test.v")
			c.Env = append(os.Environ(), "SOTTO_LEDGER_BENCH_URL="+url, fmt.Sprint("SOTTO_ROUND=", i), "SOTTO_LEDGER_BENCH="+lasts.String())
			out, err := c.CombinedOutput()
			_, said, found := strings.Cut(string(out), "spends: ")
			said, _, _ = strings.Cut(said, "\n")
			count, failed := strconv.Atoi(said)
			if err != nil || !found || failed != nil {
				t.Errorf("a gateway: %v: %s", err, out)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			spends, work = spends+count, work+c.ProcessState.UserTime()+c.ProcessState.SystemTime()
		})
	}
	group.Wait()
	return spends, work
}

// spendFor spends as a gateway with 250 clients does.
func spendFor(t *testing.T, url string) {
	lasts, err := time.ParseDuration(os.Getenv("SOTTO_LEDGER_BENCH"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenAny(t.Context(), url, ledger.Options{SecretID: "first", ChainKey: chainKey(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var n atomic.Int64
	var group sync.WaitGroup
	ends := time.Now().Add(lasts)
	for c := range 250 {
		group.Go(func() {
			for i := 0; time.Now().Before(ends); i++ {
				r := request(fmt.Sprint("user ", (c*4+i)%1000), fmt.Sprint(os.Getenv("SOTTO_ROUND"), " ", c, " ", i), 1)
				if _, err := l.Spend(context.Background(), r); err != nil {
					t.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	group.Wait()
	t.Logf("spends: %d", n.Load())
}

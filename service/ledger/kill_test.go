package ledger_test

import (
	"bufio"
	"context"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/ledger"
)

// killRounds is how often a process is killed; SOTTO_KILLS says another number.
const killRounds = 20

// TestKill kills a process that spends and releases, again and again, without
// warning. No release may be without a spend, no spend lost or doubled, and the
// ledger must verify.
func TestKill(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("SOTTO_LEDGER_CHILD"); dir != "" {
		spendForEver(dir)
		return
	}
	rounds := killRounds
	if testing.Short() {
		rounds = 3
	}
	if text := os.Getenv("SOTTO_KILLS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir, r := t.TempDir(), weakrand.New(weakrand.NewPCG(1, 2))
	for round := range rounds {
		child := exec.Command(os.Args[0], "-test.run", "^TestKill$")
		child.Env = append(os.Environ(), "SOTTO_LEDGER_CHILD="+dir, fmt.Sprint("SOTTO_ROUND=", round))
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// Every other is killed at any moment, also while it opens the ledger; of
		// the rest something is released first, however busy the machine is.
		if round%2 == 0 {
			awaitRelease(t, dir, child)
		}
		time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait() //nolint:errcheck // it was killed
	}
	releases := checkReleases(t, dir)
	t.Logf("%d kills, %d releases", rounds, releases)
	if releases < (rounds+1)/2 {
		t.Errorf("%d releases in %d rounds, want at least one in every other: nothing was tested", releases, rounds)
	}
}

// awaitRelease waits until the child has noted a release.
func awaitRelease(t *testing.T, dir string, child *exec.Cmd) {
	t.Helper()
	size := func() int64 {
		if info, err := os.Stat(filepath.Join(dir, "releases")); err == nil {
			return info.Size()
		}
		return 0
	}
	for before, tries := size(), 0; size() == before; tries++ {
		if tries == 12000 {
			child.Process.Kill() //nolint:errcheck // it is of no use
			t.Fatal("nothing was released within a minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// spendForEver spends from several goroutines, and notes each release in a file
// after its spend, as a gateway sends it.
func spendForEver(dir string) {
	budget := daily
	budget.Epsilon = 1e6
	l, err := ledger.OpenFile(filepath.Join(dir, "ledger.db"), ledger.Options{Budget: budget})
	if err != nil {
		panic(err)
	}
	out, err := os.OpenFile(filepath.Join(dir, "releases"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := 0; ; i++ {
				text := fmt.Sprintf("%s-%d-%d", os.Getenv("SOTTO_ROUND"), worker, i)
				if _, err := l.Spend(context.Background(), request("alice", text, 1)); err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Fprintln(out, text) //nolint:errcheck // the parent counts what is there
				mu.Unlock()
			}
		})
	}
	group.Wait()
}

// checkReleases compares what was released with what was paid for.
func checkReleases(t *testing.T, dir string) int {
	t.Helper()
	l, err := ledger.OpenFile(filepath.Join(dir, "ledger.db"), ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	verify(t, l)
	paid, spends := map[ledger.Digest]int{}, 0
	if err = l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		if e.Kind == ledger.KindSpend {
			paid[e.Key]++
			spends++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "releases"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	releases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); releases++ {
		if n := paid[key(strings.TrimSpace(lines.Text()))]; n != 1 {
			t.Errorf("release %s was paid %d times, want once", lines.Text(), n)
		}
	}
	if spends < releases {
		t.Errorf("%d spends for %d releases", spends, releases)
	}
	return releases
}

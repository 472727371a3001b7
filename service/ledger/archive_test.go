package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/promise/dp/dptest"
	"sotto/service/ledger"
)

// keyedOptions are those of the ledgers that are archived here.
func keyedOptions(c *clock) ledger.Options {
	budget := daily
	budget.Lifetime = 1000
	return ledger.Options{Budget: budget, SecretID: "first", ChainKey: chainKey(1), Clock: c.now}
}

// fourDays makes a ledger of four days, and returns its path, and the clock on
// the last day.
func fourDays(t *testing.T) (string, *clock) {
	t.Helper()
	c := newClock()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.OpenFile(path, keyedOptions(c))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for day := range 4 {
		for i := range 3 {
			if _, err := l.Spend(t.Context(), request("alice", fmt.Sprint(day, " ", i), 1), request("bob", fmt.Sprint(day, " ", i), 0.5)); err != nil {
				t.Fatal(err)
			}
			c.add(time.Minute)
		}
		if err := l.Grant(t.Context(), ledger.Grant{Subject: "carol", Epsilon: 1, Who: "admin", Reason: "every day"}); err != nil {
			t.Fatal(err)
		}
		if day < 3 {
			c.add(24*time.Hour - 3*time.Minute)
		}
	}
	return path, c
}

// midnight begins a day of the ledger.
func midnight(day int) time.Time { return time.Date(2026, 3, 1+day, 0, 0, 0, 0, time.UTC) }

func archiving(c *clock, out string, day int) ledger.Archiving {
	return ledger.Archiving{Before: midnight(day), Out: out, SecretID: "first", ChainKey: chainKey(1), Clock: c.now}
}

// verifyWith verifies the ledger at a path with archives.
func verifyWith(t *testing.T, path string, archives []string, noted ...ledger.Digest) (ledger.Proof, error) {
	t.Helper()
	l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, SecretID: "first", ChainKey: chainKey(1)})
	if err != nil {
		return ledger.Proof{}, err
	}
	defer l.Close()
	return l.VerifyWith(t.Context(), archives, noted...)
}

// archivedTwice archives the first day, and then the second and third.
func archivedTwice(t *testing.T) (path string, archives []string, c *clock, old ledger.Proof) {
	t.Helper()
	path, c = fourDays(t)
	old, err := verifyWith(t, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, day := range []int{1, 3} {
		out := filepath.Join(filepath.Dir(path), fmt.Sprintf("archive-%d.db", i))
		done, err := ledger.Archive(t.Context(), path, archiving(c, out, day))
		if err != nil {
			t.Fatal(err)
		}
		if want := []uint64{9, 23}[i]; done.Through != want || done.Archived != want || done.MAC != ledger.MACChecked {
			t.Errorf("archive %d: %+v, want it to end with entry %d", i, done, want)
		}
		archives = append(archives, out)
	}
	return path, archives, c, old
}

func TestArchive(t *testing.T) {
	path, archives, c, old := archivedTwice(t)
	// The chain is the old one, proved with and without the archives.
	for name, given := range map[string][]string{"alone": nil, "with both": archives, "with the last": archives[1:]} {
		p, err := verifyWith(t, path, given)
		if want := map[string]uint64{"alone": 23, "with both": 0, "with the last": 9}[name]; err != nil || p.Archived != want || p.Entries != old.Entries+2 || p.Spends != old.Spends || p.Subjects != old.Subjects || p.MAC != ledger.MACChecked {
			t.Errorf("%s: %+v, %v; want %d entries in archives and the rest of %+v", name, p, err, want, old)
		}
	}
	if _, err := verifyWith(t, path, archives, old.Head); err != nil {
		t.Errorf("with the head from before: %v", err)
	}
	for name, given := range map[string][]string{
		"in another order": {archives[1], archives[0]}, "without the last": archives[:1],
		"twice": {archives[0], archives[0], archives[1]}, "the ledger itself": {path},
	} {
		if p, err := verifyWith(t, path, given); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("archives %s: %+v, %v; want %v", name, p, err, ledger.ErrDamaged)
		}
	}
	l, err := ledger.OpenFile(path, keyedOptions(c))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for who, want := range map[string][3]float64{"alice": {3, 12, 0}, "bob": {1.5, 6, 0}, "carol": {0, 0, 1}, "nobody": {}} {
		b, err := l.Balance(t.Context(), who)
		if got := [3]float64{b.Spent.EpsilonValue(), b.Lifetime.EpsilonValue(), b.Granted.EpsilonValue()}; err != nil || got != want {
			t.Errorf("%s has spent, in all, and was granted %v, %v; want %v", who, got, err, want)
		}
	}
	// What was paid for stays so, and for nothing else.
	for day := range 4 {
		r, err := l.Spend(t.Context(), request("alice", fmt.Sprint(day, " 1"), 1), request("bob", fmt.Sprint(day, " 2"), 0.5))
		if err != nil || !r[0].Repeated || !r[1].Repeated || r[0].Seq == 0 || r[0].Seq >= r[1].Seq {
			t.Errorf("day %d again: %+v, %v; want it free", day, r, err)
		}
		other, dear := request("alice", fmt.Sprint(day, " 1"), 1), request("alice", fmt.Sprint(day, " 1"), 2)
		other.Check = key("something else")
		for _, bad := range []ledger.Request{other, dear} {
			if _, err := l.Spend(t.Context(), bad); !errors.Is(err, ledger.ErrConflict) {
				t.Errorf("day %d for something else: %v, want %v", day, err, ledger.ErrConflict)
			}
		}
	}
	if r, err := l.Spend(t.Context(), request("carol", "0 1", 1), request("dave", "new", 1)); err != nil || r[0].Repeated || r[1].Repeated {
		t.Errorf("what was not paid for: %+v, %v", r, err)
	}
	copied := path + ".copy"
	if p, err := l.Backup(t.Context(), copied); err != nil || p.Spends != old.Spends+2 {
		t.Errorf("a copy of an archived ledger: %+v, %v", p, err)
	}
	if p, err := verifyWith(t, copied, archives); err != nil || p.Archived != 0 {
		t.Errorf("the copy with the archives: %+v, %v", p, err)
	}
	if _, err := ledger.OpenFile(archives[0], keyedOptions(c)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("an archive was opened to write: %v", err)
	}
}

// The ledger shrinks, and what is kept of a spend is less than half of it.
func TestArchiveSize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	fillFile(t, path, 20000, 100)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "archive.db")
	if _, err = ledger.Archive(t.Context(), path, ledger.Archiving{Before: time.Now().Add(time.Hour), Out: out, SecretID: "first", ChainKey: chainKey(1)}); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of 20,000 spends become %d", before.Size(), after.Size())
	if after.Size() > before.Size()*3/4 {
		t.Errorf("the ledger has %d bytes of %d, want less", after.Size(), before.Size())
	}
}

func TestArchiveRefuses(t *testing.T) {
	t.Parallel()
	path, c := fourDays(t)
	dir := filepath.Dir(path)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	unsigned, wrong, nothing := archiving(c, dir+"/a", 1), archiving(c, dir+"/a", 1), archiving(c, dir+"/a", 0)
	unsigned.SecretID, unsigned.ChainKey, wrong.ChainKey = "", nil, chainKey(2)
	for name, a := range map[string]ledger.Archiving{
		"no key": unsigned, "another key": wrong, "nothing that old": nothing,
		"another file": archiving(c, other, 1), "the ledger": archiving(c, path, 1),
	} {
		if _, err := ledger.Archive(t.Context(), path, a); err == nil {
			t.Errorf("%s: it was archived", name)
		}
	}
	l, err := ledger.OpenFile(path, keyedOptions(c))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := ledger.Archive(t.Context(), path, archiving(c, dir+"/a", 1)); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("while it is open: %v, want %v", err, ledger.ErrLocked)
	}
	verify(t, l)
}

// Every byte counts: of what is kept, and of an archive. Plain tests try one in seven.
func TestArchiveDamage(t *testing.T) {
	t.Parallel()
	path, archives, _, _ := archivedTwice(t)
	for _, file := range append([]string{path}, archives...) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		step := 7
		if dptest.Long() {
			step = 1
		}
		for i := firstFrame; i < len(content); i += step {
			change(t, file, int64(i), content[i]^1<<(i%8))
			if p, err := verifyWith(t, path, archives); !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("%s, byte %d: %+v, %v; want %v", filepath.Base(file), i, p, err, ledger.ErrDamaged)
			}
			change(t, file, int64(i), content[i])
		}
	}
	if _, err := verifyWith(t, path, archives); err != nil {
		t.Errorf("mended again: %v", err)
	}
}

// What is kept cannot be changed by whoever can make all checksums anew.
func TestArchiveForged(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(f []ledger.Frame) []ledger.Frame{
		"less is kept": func(f []ledger.Frame) []ledger.Frame {
			return f[1:]
		},
		"the older of two": nil,
	} {
		path, archives, c, _ := archivedTwice(t)
		if forge != nil {
			rewrite(t, path, forge)
		} else { // what the second archive keeps of the first, before the ledger's entries
			var older []ledger.Frame
			l, err := ledger.OpenLog(archives[1], ledger.LogOptions{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			if err = l.Scan(l.End(), func(f *ledger.Frame) error {
				if f.Kind == 'C' {
					kept := *f
					kept.Body = bytes.Clone(f.Body)
					older = append(older, kept)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			l.Close()
			rewrite(t, path, func(f []ledger.Frame) []ledger.Frame {
				for len(f) > 0 && f[0].Kind == 'C' {
					f = f[1:]
				}
				return append(older, f...)
			})
		}
		if _, err := verifyWith(t, path, nil); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: Verify says %v, want %v", name, err, ledger.ErrDamaged)
		}
		if l, err := ledger.OpenFile(path, keyedOptions(c)); !errors.Is(err, ledger.ErrDamaged) {
			if err == nil {
				l.Close()
			}
			t.Errorf("%s: opening says %v, want %v", name, err, ledger.ErrDamaged)
		}
	}
}

// TestArchiveKilled: whenever it is killed, the old ledger is there or the new
// one with its archive, and another try ends it.
func TestArchiveKilled(t *testing.T) {
	t.Parallel()
	c := newClock()
	c.set(midnight(3).Add(13 * time.Hour))
	if path := os.Getenv("SOTTO_ARCHIVE_CHILD"); path != "" {
		if _, err := ledger.Archive(context.Background(), path, archiving(c, path+".archive", 2)); err != nil {
			panic(err)
		}
		return
	}
	path, _ := fourDays(t)
	old, err := verifyWith(t, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for round := 0; ; round++ {
		child := exec.Command(os.Args[0], "-test.run", "^TestArchiveKilled$")
		child.Env = append(os.Environ(), "SOTTO_ARCHIVE_CHILD="+path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 300 * time.Microsecond)
		child.Process.Kill() //nolint:errcheck // it may have ended
		child.Wait()         //nolint:errcheck // it was killed
		p, err := verifyWith(t, path, nil, old.Head)
		if p.Entries > old.Entries || errors.Is(err, ledger.ErrDamaged) {
			if p, err = verifyWith(t, path, []string{path + ".archive"}, old.Head); err != nil || p.Spends != old.Spends {
				t.Fatalf("round %d: %+v, %v", round, p, err)
			}
			t.Logf("done in round %d", round)
			return
		}
		if err != nil || p.Spends != old.Spends || round > 5000 {
			t.Fatalf("round %d: %+v, %v; want the old ledger or the new one", round, p, err)
		}
	}
}

// A ledger goes on from its head also if all of it is archived, and again before
// anybody has opened it; one that went back is not archived.
func TestArchiveHead(t *testing.T) {
	t.Parallel()
	path, c := fourDays(t)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	owned := os.Chown(path, 12345, 23456) == nil // as root alone
	for i := range 3 {
		c.add(24 * time.Hour)
		if _, err = ledger.Archive(t.Context(), path, archiving(c, filepath.Join(t.TempDir(), "archive"), 10+i)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := ledger.OpenFile(path, keyedOptions(c))
	if err != nil {
		t.Fatal(err)
	}
	if err = l.Close(); err != nil {
		t.Fatal(err)
	}
	if info, failed := os.Stat(path); failed != nil || owned && !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:12345") {
		t.Errorf("the ledger does not belong to its owner any more, %v", failed)
	}
	if err = os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "archive")
	if _, err = ledger.Archive(t.Context(), path, archiving(c, out, 2)); !errors.Is(err, ledger.ErrBehind) {
		t.Errorf("archiving an older copy: %v, want %v", err, ledger.ErrBehind)
	}
	if _, err = os.Stat(out); err == nil {
		t.Error("an older copy was archived")
	}
}

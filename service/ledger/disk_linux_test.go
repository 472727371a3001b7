package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"sotto/service/ledger"
)

// fill spends until the disk is full, sees that it stays so, and that all goes
// on when there is room again.
func fill(t *testing.T, path string, room func()) {
	t.Helper()
	budget := daily
	budget.Epsilon = 1e6
	l, err := ledger.OpenFile(path, ledger.Options{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var paid, failed []string
	for i := 0; len(failed) < 20; i++ {
		if i > 20000 {
			t.Fatal("the disk does not get full")
		}
		text := fmt.Sprint("text ", i)
		switch _, err = l.Spend(t.Context(), request("alice", text, 1)); {
		case err == nil && len(failed) == 0:
			paid = append(paid, text)
		case errors.Is(err, ledger.ErrUnavailable):
			failed = append(failed, text)
		default:
			t.Fatalf("after %d spends and %d failures: %v, want %v", len(paid), len(failed), err, ledger.ErrUnavailable)
		}
	}
	t.Logf("%d spends before the disk was full; then: %v", len(paid), err)
	if p := verify(t, l); p.Spends != uint64(len(paid)) {
		t.Errorf("%d spends are written, want the %d that were answered", p.Spends, len(paid))
	}
	if _, err = l.Spend(t.Context()); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a spend of nothing on a disk that is full: %v, want %v", err, ledger.ErrUnavailable)
	}
	room()
	if _, err = l.Spend(t.Context()); err != nil {
		t.Errorf("a spend of nothing with room again: %v", err)
	}
	for _, text := range failed {
		if r, err := l.Spend(t.Context(), request("alice", text, 1)); err != nil || r[0].Repeated {
			t.Errorf("with room again: %+v, %v; want a first spend", r, err)
		}
	}
	for _, text := range paid {
		if r, err := l.Spend(t.Context(), request("alice", text, 1)); err != nil || !r[0].Repeated {
			t.Errorf("what was paid before: %+v, %v; want a repetition", r, err)
		}
	}
	verify(t, l)
}

// TestFileLimit limits the size of files of a process of its own.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	if os.Getenv("SOTTO_LEDGER_LIMIT") == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestFileLimit$", "-test.v")
		child.Env = append(os.Environ(), "SOTTO_LEDGER_LIMIT=yes")
		out, err := child.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limited := old
	limited.Cur = 200_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(t.TempDir(), "ledger.db"), func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
	})
}

// TestDiskFull fills a file system of its own.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 300<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	fill(t, filepath.Join(dir, "ledger.db"), func() {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	})
}

// A ledger that cannot be written is refused when it is opened, and can be read.
func TestReadOnlyFile(t *testing.T) {
	path, whole := written(t)
	dir := filepath.Dir(path)
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555, filepath.Dir(dir): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) }) //nolint:errcheck // it is removed
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Getuid() == 0 {
			// Root may write anywhere: this thread, which ends with the
			// goroutine, gives that up.
			runtime.LockOSThread()
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		for _, p := range []string{path, filepath.Join(dir, "new.db")} {
			if _, err := ledger.OpenFile(p, ledger.Options{Budget: daily}); !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, os.ErrPermission) {
				t.Errorf("opening %s: %v, want %v with the reason", filepath.Base(p), err, ledger.ErrUnavailable)
			}
		}
		if p, err := examine(t, path); err != nil || p != whole {
			t.Errorf("reading it: %+v, %v; want %+v", p, err, whole)
		}
	}()
	<-done
}

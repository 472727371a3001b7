package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sotto/service/ledger"
	"sotto/service/ledger/disk/disktest"
)

// made makes a log of three frames and returns its path and its content.
func made(tb testing.TB) (string, []byte) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "log")
	if err := ledger.CreateLog(path, nil); err != nil {
		tb.Fatal(err)
	}
	if err := ledger.CreateLog(path, nil); !errors.Is(err, os.ErrExist) {
		tb.Fatalf("a log was made over another: %v", err)
	}
	l, err := ledger.OpenLog(path, ledger.LogOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err = l.Recover(func(*ledger.Frame) error { return errors.New("a frame in an empty log") }); err != nil {
		tb.Fatal(err)
	}
	for i, body := range []string{"first", "", "third"} {
		if _, err = l.Append('X', uint32(i), []byte(body), ledger.LogSeal{Head: [32]byte{byte(i)}}); err != nil {
			tb.Fatal(err)
		}
	}
	if err = l.Close(); err != nil {
		tb.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return path, content
}

// read returns the bodies of the frames of a log.
func read(path string) (bodies []string, dropped int64, err error) {
	l, err := ledger.OpenLog(path, ledger.LogOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer l.Close()
	dropped, err = l.Recover(func(f *ledger.Frame) error {
		if !f.Whole {
			return ledger.ErrLogDamaged
		}
		bodies = append(bodies, string(f.Body))
		return nil
	})
	return bodies, dropped, err
}

func TestFrames(t *testing.T) {
	path, content := made(t)
	if got, dropped, err := read(path); err != nil || dropped != 0 || len(got) != 3 || got[0] != "first" || got[1] != "" || got[2] != "third" {
		t.Errorf("read %q, %d bytes dropped, %v", got, dropped, err)
	}
	if err := os.WriteFile(path, append(content, "what was being written"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, dropped, err := read(path); err != nil || dropped != 22 || len(got) != 3 {
		t.Errorf("with an unfinished frame: read %q, %d bytes dropped, %v", got, dropped, err)
	}
	var copied bytes.Buffer
	l, err := ledger.OpenLog(path, ledger.LogOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err = l.CopyTo(&copied, l.End()); err != nil || copied.Len() != len(content) {
		t.Errorf("copied %d bytes, %v; want %d", copied.Len(), err, len(content))
	}
}

// Two cannot write at the same time, and whoever has the file notices that
// another writes all the same.
func TestIntact(t *testing.T) {
	path, content := made(t)
	l, err := ledger.OpenLog(path, ledger.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err = ledger.OpenLog(path, ledger.LogOptions{}); !errors.Is(err, ledger.ErrLogLocked) {
		t.Errorf("opening it twice: %v, want %v", err, ledger.ErrLogLocked)
	}
	if _, err = l.Recover(func(*ledger.Frame) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, at := range []int{len(content) - 30, len(content) - 1, 20, 4096 + 20} {
		if _, err = f.WriteAt([]byte{content[at] ^ 1}, int64(at)); err != nil {
			t.Fatal(err)
		}
		_, err = l.Append('X', 1, nil, ledger.LogSeal{})
		if inMark := at < 8192; !errors.Is(err, ledger.ErrLogDamaged) && !inMark { // one of the marks is of no use any more
			t.Errorf("byte %d was changed: %v, want %v", at, err, ledger.ErrLogDamaged)
		}
		if err == nil {
			break
		}
		if _, err = f.WriteAt(content[at:at+1], int64(at)); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzOpen: no content of a file makes reading it panic, or take more memory
// than it has.
func FuzzOpen(f *testing.F) {
	_, content := made(f)
	f.Add(content)
	f.Add(content[:8192])
	f.Add(content[:100])
	path := filepath.Join(f.TempDir(), "fuzzed")
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := os.WriteFile(path, in, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := read(path); err != nil && !errors.Is(err, ledger.ErrLogDamaged) && !errors.Is(err, ledger.ErrLogFormat) {
			t.Errorf("the error is %v, want %v or %v", err, ledger.ErrLogDamaged, ledger.ErrLogFormat)
		}
	})
}

// A writer is killed behind a sync that failed, which may leave what it wrote in the memory
// of the machine alone, and taken for written. What the next writer finds there it goes on
// from, so it must be on disk when that has opened the file.
func TestFailedSync(t *testing.T) {
	const rounds = 40
	open := func(d *disktest.Disk) (*ledger.LogFile, []string) {
		l, err := ledger.OpenLog("/log", ledger.LogOptions{Disk: d})
		var bodies []string
		if err == nil {
			_, err = l.Recover(func(f *ledger.Frame) error { bodies = append(bodies, string(f.Body)); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		return l, bodies
	}
	found := 0
	for seed := range uint64(rounds) {
		d := disktest.New(disktest.Source(seed))
		if err := ledger.CreateLog("/log", d); err != nil {
			t.Fatal(err)
		}
		l, _ := open(d)
		if _, err := l.Append('X', 1, bytes.Repeat([]byte("first"), 300), ledger.LogSeal{}); err != nil {
			t.Fatal(err)
		}
		var killed *disktest.Disk
		d.Fail = func(op disktest.Op) bool { return op.Kind == "sync" }
		d.Watch = func(op disktest.Op) {
			if op.Kind == "sync" && op.Done {
				killed = d.Copy()
			}
		}
		if _, err := l.Append('X', 1, bytes.Repeat([]byte("second"), 300), ledger.LogSeal{}); !errors.Is(err, disktest.ErrFailed) {
			t.Fatalf("a sync that fails: %v", err)
		}
		_, before := open(killed)
		found += len(before) - 1
		killed.PowerCut()
		if _, after := open(killed); !slices.Equal(after, before) {
			t.Errorf("seed %d: a writer has gone on from %d frames, and after a loss of power there are %d", seed, len(before), len(after))
		}
	}
	if found < rounds/2 {
		t.Errorf("%d of %d found what was in memory: nothing was tested", found, rounds)
	}
}

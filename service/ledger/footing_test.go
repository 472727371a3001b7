package ledger_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sotto/internal/fault"
	"sotto/service/ledger"
)

// opened is a file of which a page counts.
type opened struct{ *os.File }

func (opened) End() int64 { return 4096 }

func TestInPlace(t *testing.T) {
	for _, tt := range []struct {
		name string
		harm func(path string) error
		want string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"grown", func(path string) error { return os.Truncate(path, 9000) }, ""},
		{"deleted", os.Remove, "was deleted"},
		{"replaced", func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, make([]byte, 4096), 0o600))
		}, "was replaced"},
		{"cut off", func(path string) error { return os.Truncate(path, 100) }, "was cut off from 4096 to 100 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f := ledger.HoldFile(path, nil, opened{file})
		if err = f.InPlace(); err != nil {
			t.Fatal(err)
		}
		if err = tt.harm(path); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err = f.InPlace(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
		file.Close()
		if f.InPlace() == nil {
			t.Errorf("%s: a file that was closed is in place", tt.name)
		}
	}
}

// A connection on which nothing comes fails, though nobody has set a deadline;
// one on which something comes does not, however long it takes in all.
func TestImpatient(t *testing.T) { synctest.Test(t, testImpatient) }

func testImpatient(t *testing.T) {
	here, there := net.Pipe()
	c := ledger.Impatient(here, 1500*time.Millisecond)
	go func() {
		for range 4 {
			time.Sleep(400 * time.Millisecond)
			there.Write([]byte("x")) //nolint:errcheck // the other end shows it
		}
	}()
	for range 4 {
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatalf("a slow byte: %v", err)
		}
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silence: %v, want %v", err, os.ErrDeadlineExceeded)
	}
	// A deadline that was set is kept, also while somebody reads.
	c = ledger.Impatient(here, time.Hour)
	go func() {
		time.Sleep(50 * time.Millisecond)
		c.SetDeadline(time.Now().Add(-time.Second)) //nolint:errcheck // the reader shows it
	}()
	for range 2 {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after a deadline: %v, want %v", err, os.ErrDeadlineExceeded)
		}
	}
}

func TestWithin(t *testing.T) {
	want := errors.New("its own")
	if err := ledger.Within(time.Hour, func() error { return want }); !errors.Is(err, want) {
		t.Errorf("in time: %v, want %v", err, want)
	}
	if err := ledger.Within(time.Hour, func() error { panic("private") }); !errors.Is(err, fault.ErrFault) {
		t.Errorf("with a panic: %v, want %v", err, fault.ErrFault)
	}
	held := make(chan struct{})
	defer close(held)
	if err := ledger.Within(10*time.Millisecond, func() error { <-held; return nil }); err == nil {
		t.Error("what does not come back has come back")
	}
}

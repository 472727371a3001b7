//go:build unix

package regular_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sotto/internal/regular"
)

// TestGrowing: a file that has more than it said is not read in part. The size of
// what the kernel makes up is 0.
func TestGrowing(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no", path)
	}
	if content, err := regular.Read(path, 1<<20); err == nil || !strings.Contains(err.Error(), "changed its size") {
		t.Errorf("Read = %d bytes, %v, want that the size changed", len(content), err)
	}
}

// TestOthers: a pipe that nobody writes, a device that never ends and a link to
// one are refused, at once.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero"} {
		if _, err := regular.Read(path, 1<<20); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("Read(%s) error = %v, want that it is no regular file", path, err)
		}
		if _, err := regular.List(path, 10); err == nil {
			t.Errorf("List(%s) error = nil, want one", path)
		}
	}
}

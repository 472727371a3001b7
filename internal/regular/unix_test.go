//go:build unix

package regular_test

import (
	"errors"
	"os"
	"os/exec"
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

// TestLent: a secret of root's that a group may read is for that group, as a container
// is given it, and for nobody else.
func TestLent(t *testing.T) {
	if path := os.Getenv("SOTTO_LENT"); path != "" {
		if _, err := regular.OpenSecret(path, 1<<10); err != nil {
			t.Fatal(err)
		}
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir, err := os.MkdirTemp("", "sotto-lent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "program") // that another user reaches
	code, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), os.WriteFile(program, code, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	const user = 65532
	for _, tt := range []struct {
		name string
		mode os.FileMode
		uid  int
		gid  int
		want bool
	}{
		{"its own", 0o600, user, user, true},
		{"root's, for the group", 0o440, 0, user, true},
		{"root's, for the group, which root writes", 0o640, 0, user, true},
		{"root's, which the group writes", 0o660, 0, user, false},
		{"root's, for everybody", 0o444, 0, user, false},
		{"its own, for the group", 0o640, user, user, false},
		{"another's, for the group", 0o440, 1, user, false},
	} {
		path := filepath.Join(dir, "secret")
		err := errors.Join(os.WriteFile(path, []byte("hidden"), 0o600), os.Chown(path, tt.uid, tt.gid), os.Chmod(path, tt.mode))
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(program, "-test.run", "^TestLent$")
		c.Dir, c.Env = dir, append(os.Environ(), "SOTTO_LENT="+path)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		if out, err := c.CombinedOutput(); (err == nil) != tt.want {
			t.Errorf("%s: %v, want it read to be %v: %s", tt.name, err, tt.want, out)
		}
		os.Remove(path) // the next is another's
	}
}

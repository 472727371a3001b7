package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sotto/internal/atomicfile"
)

// names lists the files of dir, to find leftovers.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, e := range entries {
		s = append(s, e.Name())
	}
	return strings.Join(s, " ")
}

func write(t *testing.T, f *atomicfile.File, s string) {
	t.Helper()
	if _, err := io.WriteString(f, s); err != nil {
		t.Fatalf("Write: %v", err)
	}
}

func TestCommit(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  fs.FileMode // 0: there is no file yet
		want fs.FileMode

		shared bool
	}{
		{name: "new file", want: 0o600},
		{name: "new file for others", shared: true, want: 0o644},
		{name: "replaces a private file", old: 0o600, want: 0o600},
		{name: "replaces a group file", old: 0o660, want: 0o660},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			if tt.old != 0 {
				if err := os.WriteFile(path, []byte("old"), tt.old); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.old); err != nil {
					t.Fatal(err)
				}
			}
			f, err := atomicfile.Create(path)
			if err != nil {
				t.Fatalf("Create: %v", err)
			}
			defer f.Abort()
			if tt.shared {
				f.Shared()
			}
			write(t, f, "..new")
			if tt.old != 0 {
				if got, _ := os.ReadFile(path); string(got) != "old" {
					t.Errorf("before Commit the path holds %q, want the old content", got)
				}
			}
			if _, err = f.Seek(0, io.SeekStart); err != nil {
				t.Fatalf("Seek: %v", err)
			}
			write(t, f, "a")
			if _, err = f.WriteAt([]byte("b"), 1); err != nil {
				t.Fatalf("WriteAt: %v", err)
			}
			if err = f.Commit(); err != nil {
				t.Fatalf("Commit: %v", err)
			}
			f.Abort()
			if got, _ := os.ReadFile(path); string(got) != "abnew" {
				t.Errorf("after Commit the path holds %q, want %q", got, "abnew")
			}
			if got := names(t, dir); got != "out" {
				t.Errorf("the directory holds %q, want only out", got)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			got := info.Mode().Perm()
			if tt.shared { // the user's umask may take bits away from a new file
				got |= tt.want
			}
			if runtime.GOOS != "windows" && got != tt.want {
				t.Errorf("mode is %o, want %o", got, tt.want)
			}
			if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("second Commit error = %v, want ErrClosed", err)
			}
		})
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	write(t, f, "new")
	f.Abort()
	f.Abort()
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("after Abort the path holds %q, want the old content", got)
	}
	if got := names(t, dir); got != "out" {
		t.Errorf("the directory holds %q, want only out", got)
	}
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Abort error = %v, want ErrClosed", err)
	}
}

// TestPrivateUntilCommitted checks that nobody else can open unfinished work.
func TestPrivateUntilCommitted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	defer f.Abort()
	info, err := os.Stat(filepath.Join(dir, names(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode before Commit is %o, want 600", got)
	}
}

func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	f, err := atomicfile.Create(link)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	defer f.Abort()
	write(t, f, "new")
	if err := f.Commit(); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the target holds %q, want %q", got, "new")
	}
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced, want it kept")
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ name, path, want string }{
		{name: "directory", path: dir, want: "is a directory, must be a regular file"},
		{name: "missing directory", path: filepath.Join(dir, "no", "out"), want: "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := atomicfile.Create(tt.path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Create(%q) error = %v, want one with %q", tt.path, err, tt.want)
			}
		})
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "result")
	f, err := atomicfile.Create(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Abort()
	if _, err = io.WriteString(f, "complete"); err != nil {
		fmt.Println(err)
		return
	}
	_, err = os.Stat(path)
	fmt.Println("before:", errors.Is(err, fs.ErrNotExist))
	if err = f.Commit(); err != nil {
		fmt.Println(err)
		return
	}
	b, _ := os.ReadFile(path)
	fmt.Printf("after: %s\n", b)
	// Output:
	// before: true
	// after: complete
}

// TestOwner: a file that replaces another stays with its owner, and has its mode.
func TestOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	path := filepath.Join(t.TempDir(), "file")
	replace := func() fs.FileInfo {
		t.Helper()
		f, err := atomicfile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		write(t, f, "new")
		if err = errors.Join(f.KeepOwner(), f.Commit()); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if info := replace(); info.Mode().Perm() != 0o600 {
		t.Errorf("a new file has mode %v, want 0600", info.Mode())
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	owned := os.Chown(path, 12345, 23456) == nil // as root alone
	if info := replace(); info.Mode().Perm() != 0o640 {
		t.Errorf("the file has mode %v, want that of the old one", info.Mode())
	} else if got := fmt.Sprintf("%+v", info.Sys()); owned && (!strings.Contains(got, "Uid:12345") || !strings.Contains(got, "Gid:23456")) {
		t.Errorf("the file belongs to %s, want user 12345 and group 23456", got)
	}
	if !owned {
		t.Log("not root: no file was given to another")
	}
}

// What root writes into a folder of somebody else stays theirs.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if os.Chown(dir, 12345, 23456) != nil {
		t.Skip("only root gives files away")
	}
	for range 2 { // a new one, and one that is replaced
		f, err := atomicfile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		if err = errors.Join(f.Leave(), f.Commit()); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%+v", info.Sys()); !strings.Contains(got, "Uid:12345") || !strings.Contains(got, "Gid:23456") {
			t.Errorf("the file belongs to %s, want user 12345 and group 23456", got)
		}
		if err = os.Chown(dir, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

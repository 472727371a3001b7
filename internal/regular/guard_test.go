//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/regular"
)

// TestGuard lays out what may be and what must not be on the way to a file.
func TestGuard(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Chmod(base, 0o755)
	}
	at := func(path string) string { return filepath.Join(base, path) }
	folder := func(path string, mode os.FileMode) error {
		return errors.Join(os.MkdirAll(at(path), 0o755), os.Chmod(at(path), mode))
	}
	file := func(path string, mode os.FileMode) error {
		return errors.Join(os.WriteFile(at(path), []byte("x"), 0o600), os.Chmod(at(path), mode))
	}
	if err = errors.Join(err,
		folder("own", 0o755), file("own/file", 0o644), file("own/secret", 0o600), file("own/shown", 0o640), file("own/written", 0o664),
		folder("open", 0o777), folder("open/within", 0o755), file("open/within/file", 0o644),
		folder("group", 0o775), file("group/file", 0o600),
		folder("sticky", 0o777|os.ModeSticky), file("sticky/file", 0o600),
		// As Kubernetes puts a secret into place.
		folder("kube", 0o777|os.ModeSticky|os.ModeSetgid), folder("kube/..2026", 0o755), file("kube/..2026/keys", 0o440),
		os.Symlink("..2026", at("kube/..data")), os.Symlink("..data/keys", at("kube/keys")),
		os.Symlink(at("open/within/file"), at("own/away")), os.Symlink("../group/file", at("own/beside")), os.Symlink("round", at("own/round")),
	); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path   string
		secret bool
		want   string // of the error, "" for none
	}{
		{"own/file", false, ""},
		{"own/../own/./file", false, ""},
		{"own/secret", true, ""},
		{"own/file", true, "own/file has mode 0644, so that others can read it"},
		{"own/shown", true, "own/shown has mode 0640"},
		{"own/written", false, "own/written has mode 0664, so that others can write it"},
		{"open/within/file", false, "the folder " + at("open") + " has mode 0777"},
		{"group/file", true, "the folder " + at("group") + " has mode 0775"},
		{"sticky/file", true, ""},
		{"kube/keys", false, ""},
		{"own/away", false, "the folder " + at("open")},
		{"own/beside", false, "the folder " + at("group")},
		{"own/round", false, "more than 40 links"},
		{"own", false, ""},
	} {
		if err := regular.Guard(at(tt.path), tt.secret); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Guard(%s, %v): %v, want %q", tt.path, tt.secret, err, tt.want)
		}
	}
	if err := regular.Guard(at("own/none"), true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Guard of nothing: %v", err)
	}
	if err := regular.GuardAll(at("own"), "shown"); err == nil {
		t.Error("GuardAll takes a folder with a file that others can write")
	}
	if err := errors.Join(os.Remove(at("own/written")), os.Remove(at("own/away")), os.Remove(at("own/beside")), os.Remove(at("own/round"))); err != nil {
		t.Fatal(err)
	}
	if err := regular.GuardAll(at("own"), "secret"); err != nil {
		t.Errorf("GuardAll: %v", err)
	}
	if err := regular.GuardAll(at("own"), "shown"); err == nil || !strings.Contains(err.Error(), "others can read it") {
		t.Errorf("GuardAll of a secret that others can read: %v", err)
	}
}

// TestGuardOwners: what belongs to another user is refused, be it a file, a folder or a
// link. Root alone can lay that out.
func TestGuardOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	base := t.TempDir()
	at := func(path string) string { return filepath.Join(base, path) }
	const other = 12345
	if err := errors.Join(
		os.WriteFile(at("file"), nil, 0o600), os.Chown(at("file"), other, other),
		os.Mkdir(at("folder"), 0o755), os.WriteFile(at("folder/file"), nil, 0o600), os.Chown(at("folder"), other, other),
		os.WriteFile(at("mine"), nil, 0o600), os.Symlink("mine", at("link")), os.Lchown(at("link"), other, other),
	); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"file", "folder/file", "link"} {
		if err := regular.Guard(at(path), false); err == nil || !strings.Contains(err.Error(), "belongs to user 12345") {
			t.Errorf("Guard(%s): %v", path, err)
		}
	}
	if err := regular.Guard(at("mine"), true); err != nil {
		t.Errorf("Guard of one's own: %v", err)
	}
}

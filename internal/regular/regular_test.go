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

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		most int64
		want string // of the error; "" for none
	}{
		{path, 4, ""},
		{path, regular.Most, ""},
		{link, 4, ""},
		{path, 3, "must have at most 3"},
		{dir, 4, "no regular file"},
	} {
		content, err := regular.Read(tt.path, tt.most)
		if tt.want == "" && (err != nil || string(content) != "1234") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Read(%s, %d) = %q, %v, want %q", tt.path, tt.most, content, err, tt.want)
		}
	}
	if _, err := regular.Read(filepath.Join(dir, "absent"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing: %v, want one that wraps fs.ErrNotExist", err)
	}
}

// TestSparse: what counts is how long a file says it is, not what is on disk.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "giant")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if _, err := regular.Read(path, 1<<30); err == nil || !strings.Contains(err.Error(), "must have at most") {
		t.Errorf("Read error = %v, want that it is too large", err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := regular.List(dir, 2); err != nil || strings.Join(names, " ") != "a b" {
		t.Errorf("List = %v, %v, want a and b", names, err)
	}
	if _, err := regular.List(dir, 1); err == nil || !strings.Contains(err.Error(), "more than 1") {
		t.Errorf("List error = %v, want that there are too many", err)
	}
	if names, err := regular.List(t.TempDir(), 1); err != nil || len(names) != 0 {
		t.Errorf("List of an empty folder = %v, %v", names, err)
	}
}

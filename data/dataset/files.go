package dataset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// File is one file of a data set.
type File struct {
	Path   string `json:"path"`          // below the folder of data sets; a .gz beside it serves as well
	SHA256 string `json:"sha256"`        // of the content, not of its compressed form
	Size   int64  `json:"bytes"`         // of the content
	Rows   int    `json:"rows"`          // records that it must hold
	URL    string `json:"url,omitempty"` // where its bytes can be had; "" if nowhere directly
}

// State says how a file stands against its checksum.
type State string

// The states of a file.
const (
	Good   State = "good"
	Absent State = "absent"
	Wrong  State = "wrong"
)

// Check is the result of verifying one file.
type Check struct {
	File  File   `json:"file"`
	State State  `json:"state"`
	Found string `json:"found,omitempty"` // SHA-256 of what is there; "" if absent or unreadable
	Fault string `json:"fault,omitempty"` // why it is wrong
}

// maxContent bounds what is decompressed, far above any file known here.
const maxContent = 256 << 20

// Dir returns the folder of data sets: the environment variable SOTTO_DATA,
// else the folder sotto where the platform keeps the data of a user. That is
// XDG_DATA_HOME or ~/.local/share on Linux and other Unix systems, the folder
// Library/Application Support on macOS, and LocalAppData on Windows. For a user
// without a home it is the folder sotto in the working directory.
func Dir() string {
	if dir := os.Getenv("SOTTO_DATA"); dir != "" {
		return dir
	}
	return userData(runtime.GOOS, os.Getenv)
}

// userData returns the folder for a user of a platform without SOTTO_DATA.
func userData(system string, env func(string) string) string {
	base, home, below := env("XDG_DATA_HOME"), env("HOME"), ".local/share"
	switch system {
	case "darwin":
		base, below = "", "Library/Application Support"
	case "windows":
		base, home, below = env("LocalAppData"), env("USERPROFILE"), "AppData/Local"
	}
	switch {
	case filepath.IsAbs(base): // XDG asks to ignore a path that is not
		return filepath.Join(base, "sotto")
	case home != "":
		return filepath.Join(home, filepath.FromSlash(below), "sotto")
	}
	return "sotto"
}

// Verify compares the files of a set below dir with their checksums; dir ""
// means [Dir]. It returns an error only for an unknown name.
func Verify(name, dir string) ([]Check, error) {
	info, err := Find(name, dir)
	if err != nil {
		return nil, err
	}
	checks := []Check{}
	for _, f := range info.Files {
		checks = append(checks, f.verify(os.DirFS(orDir(dir))))
	}
	return checks, nil
}

// verify checks one file. Reading stops one byte after the known size, because
// what is longer is wrong already.
func (f File) verify(fsys fs.FS) Check {
	c := Check{File: f}
	h := sha256.New()
	n, err := read(fsys, f.Path, h, f.Size+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.State = Absent
		return c
	case err != nil:
		c.State, c.Fault = Wrong, err.Error()
		return c
	case n != f.Size:
		c.State, c.Fault = Wrong, fmt.Sprintf("it holds %d bytes, must hold %d", n, f.Size)
		if n > f.Size {
			c.Fault = fmt.Sprintf("it holds more than %d bytes, must hold as many", f.Size)
		}
		return c
	}
	c.Found = hex.EncodeToString(h.Sum(nil))
	c.State = Good
	if c.Found != f.SHA256 {
		c.State, c.Fault = Wrong, "its SHA-256 is "+c.Found+", must be "+f.SHA256
	}
	return c
}

// present reports whether the file or its compressed form is there.
func (f File) present(fsys fs.FS) bool {
	for _, path := range []string{f.Path, f.Path + ".gz"} {
		if info, err := fs.Stat(fsys, path); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// read copies at most limit bytes of the content of a file to w: the file
// itself, or what its compressed form holds. It returns how many.
func read(fsys fs.FS, path string, w io.Writer, limit int64) (int64, error) {
	plain, err := fsys.Open(path)
	if err == nil {
		defer plain.Close() //nolint:errcheck // it was only read
		return io.Copy(w, io.LimitReader(plain, limit))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	packed, err := fsys.Open(path + ".gz")
	if err != nil {
		return 0, err
	}
	defer packed.Close() //nolint:errcheck // it was only read
	z, err := gzip.NewReader(packed)
	if err != nil {
		return 0, fmt.Errorf("%s.gz: %w", path, err)
	}
	n, err := io.Copy(w, io.LimitReader(z, limit))
	if err != nil {
		return n, fmt.Errorf("%s.gz: %w", path, err)
	}
	return n, nil
}

// content returns the whole content of a file.
func content(fsys fs.FS, path string) ([]byte, error) {
	var b bytes.Buffer
	n, err := read(fsys, path, &b, maxContent+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("dataset: neither %s nor %s.gz is there: %w", path, path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if n > maxContent {
		return nil, fmt.Errorf("dataset: %s holds more than %d bytes, must hold fewer", path, maxContent)
	}
	return b.Bytes(), nil
}

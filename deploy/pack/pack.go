// Package pack writes the files that a release is handed out in: archives, Debian
// packages, lists of what a program was built from, and checksums.
//
// The same files at the same moment give the same bytes, whoever packs them and
// wherever: entries are sorted, belong to root, have one time and one of two modes.
// It is not for reading archives, and holds everything in memory.
//
//	archive, err := pack.TarGz([]pack.File{{Path: "sotto/README.md", Data: text}}, time.Unix(0, 0))
//
// It is apart from the program deploy/dist, so that tests can call it.
package pack

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// File is one file of a package.
type File struct {
	Path       string // without a leading slash
	Data       []byte
	Executable bool
	Conffile   bool // in a Debian package: settings, which an update must not overwrite
}

// mode returns the permissions of a file, which are one of two.
func (f File) mode() fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// sorted returns the files in order. Two of one path, a path that leads out of the
// package, and a file where another has a folder are refused.
func sorted(files []File) ([]File, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	taken := map[string]bool{}
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." || strings.ContainsAny(f.Path, "\\\n") {
			return nil, fmt.Errorf("pack: path is %q, must be relative, clean and on one line", f.Path)
		}
		if taken[f.Path] {
			return nil, fmt.Errorf("pack: %q stands for two files, must stand for one", f.Path)
		}
		taken[f.Path] = true
	}
	for _, f := range files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if taken[dir] {
				return nil, fmt.Errorf("pack: %q is a file and a folder, must be one of them", dir)
			}
		}
	}
	return files, nil
}

// Gzip compresses without a name or a time, as gzip -9n does.
func Gzip(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Sums returns what sha256sum --check reads, in the order of names.
func Sums(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return b.Bytes()
}

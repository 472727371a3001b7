package pack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"path"
	"slices"
	"time"
)

// TarGz returns a compressed tar archive of the files, all of one time.
func TarGz(files []File, at time.Time) ([]byte, error) {
	files, err := sorted(files)
	if err != nil {
		return nil, err
	}
	plain, err := tarOf(files, nil, at)
	if err != nil {
		return nil, err
	}
	return Gzip(plain)
}

// tarOf returns a tar archive of folders and files, in this order. Debian's paths
// begin with ./, and others do not, so callers spell them.
func tarOf(files []File, folders []string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	header := func(kind byte, name string, mode int64, size int) error {
		return w.WriteHeader(&tar.Header{
			Typeflag: kind, Name: name, Mode: mode, Size: int64(size), ModTime: at.UTC().Truncate(time.Second),
			Uname: "root", Gname: "root", Format: tar.FormatGNU,
		})
	}
	for _, dir := range folders {
		if err := header(tar.TypeDir, dir, 0o755, 0); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := header(tar.TypeReg, f.Path, int64(f.mode()), len(f.Data)); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Zip returns a zip archive of the files, all of one time.
func Zip(files []File, at time.Time) ([]byte, error) {
	files, err := sorted(files)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode())
		entry, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// foldersOf returns every folder above the files, from the outside in.
func foldersOf(files []File) []string {
	var dirs []string
	for _, f := range files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

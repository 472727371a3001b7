package shard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"sotto/internal/atomicfile"
)

// Files is a file system that is not this machine's, such as one that Beam knows.
type Files interface {
	List(ctx context.Context, glob string) ([]string, error)
	OpenRead(ctx context.Context, name string) (io.ReadCloser, error)
	OpenWrite(ctx context.Context, name string) (io.WriteCloser, error)
	Size(ctx context.Context, name string) (int64, error)
}

// Elsewhere opens the file system of a path such as s3://bucket/name.
type Elsewhere func(ctx context.Context, path string) (Files, error)

// remote reports whether a path is on another file system.
func remote(name string) bool { return strings.Contains(name, "://") }

// join returns the path of a name within a folder, wherever that is.
func join(dir, name string) string {
	if remote(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// base returns the last part of a path, wherever that is.
func base(name string) string {
	if remote(name) {
		return path.Base(name)
	}
	return filepath.Base(name)
}

// list returns the files that patterns stand for, in order, each once.
func list(ctx context.Context, globs []string, at Elsewhere) ([]string, error) {
	var all []string
	for _, glob := range globs {
		var names []string
		var err error
		if remote(glob) {
			var files Files
			if files, err = at(ctx, glob); err == nil {
				names, err = files.List(ctx, glob)
			}
		} else {
			names, err = filepath.Glob(glob)
		}
		if err != nil {
			return nil, fmt.Errorf("shard: %s: %w", glob, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("shard: %s matches no file, must match one", glob)
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// digests reads files and returns the digest of each under the secret, some at a time.
func (w *Worker) digests(ctx context.Context, names []string) ([]string, error) {
	all, errs := make([]string, len(names)), make([]error, len(names))
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, name := range names {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			all[i], errs[i] = w.read(ctx, name)
		})
	}
	group.Wait()
	return all, cmp.Or(errs...)
}

// read returns the digest of a file.
func (w *Worker) read(ctx context.Context, name string) (string, error) {
	in, err := openRead(ctx, name, w.at)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	if _, err = io.CopyBuffer(sum, in, make([]byte, 1<<18)); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return w.digest(sum), nil
}

// digest is that of a file, under the secret.
func (w *Worker) digest(sum hash.Hash) string { return w.key.seal("file", string(sum.Sum(nil))) }

// openRead opens a file here or elsewhere.
func openRead(ctx context.Context, name string, at Elsewhere) (io.ReadCloser, error) {
	if !remote(name) {
		info, err := os.Stat(name)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no regular file, must be one", name)
		}
		if err != nil {
			return nil, err
		}
		return os.Open(name)
	}
	files, err := at(ctx, name)
	if err != nil {
		return nil, err
	}
	return files.OpenRead(ctx, name)
}

// fetch returns a local copy of a file elsewhere, readable by its owner alone, and what
// removes it. It must be the file that the job was planned with.
func (w *Worker) fetch(ctx context.Context, c Chunk) (*os.File, func() error, error) {
	in, err := openRead(ctx, c.File, w.at)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	f, err := os.CreateTemp("", "sotto-batch-*")
	if err != nil {
		return nil, nil, err
	}
	end := func() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
	if _, err = io.Copy(io.MultiWriter(f, sum), in); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil && c.Digest != "" && c.Digest != w.digest(sum) {
		err = fmt.Errorf("shard: %s has changed since the job began, must not", c.File)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return f, end, nil
}

// sink is a file that appears at its place when it is whole.
type sink struct {
	io.ReadWriteSeeker
	commit func() error
	abort  func()
}

// create starts a file, here or elsewhere. What goes elsewhere is written here first:
// an upload then has nothing to wait for, and one that fails never began.
func create(ctx context.Context, name string, at Elsewhere) (*sink, error) {
	if !remote(name) {
		f, err := atomicfile.Create(name)
		if err != nil {
			return nil, err
		}
		return &sink{f, f.Commit, f.Abort}, nil
	}
	f, err := os.CreateTemp("", "sotto-batch-*")
	if err != nil {
		return nil, err
	}
	gone := false
	abort := func() {
		if !gone {
			gone = true
			f.Close()           //nolint:errcheck // it is thrown away
			os.Remove(f.Name()) //nolint:errcheck // what is left is in a temporary folder
		}
	}
	return &sink{f, func() error { defer abort(); return upload(ctx, f, name, at) }, abort}, nil
}

// upload copies a file elsewhere. A context that is done before the writer is closed
// keeps the file from appearing.
func upload(ctx context.Context, f *os.File, name string, at Elsewhere) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	files, err := at(ctx, name)
	if err != nil {
		return err
	}
	out, err := files.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, f); err != nil {
		cancel()
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

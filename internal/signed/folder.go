package signed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/regular"
)

// Folder is one that was verified.
type Folder struct {
	// Dir is where copies of its files lie that this process's user alone can change.
	Dir string

	root   string // where the list is
	copies string // of root
	below  string // path of what was asked for, below root
	list   list
	tmp    string
}

// Open verifies a folder by the list in it, or in one of its two parents, and copies what
// is asked for. Every file of it must be as it was signed, none may be missing or have
// come in addition, and there are no links. Nothing is parsed but the list, and that
// after its signature was found to hold.
func (k PublicKey) Open(dir string, want Want) (*Folder, error) {
	f, err := k.find(dir)
	if err != nil {
		return nil, err
	}
	// TempDir makes it for its user alone.
	if f.tmp, err = os.MkdirTemp("", "sotto-verified-"); err != nil {
		return nil, fmt.Errorf("signed: no room for verified copies, must be a temporary folder that can be written (TMPDIR): %w", err)
	}
	f.copies = filepath.Join(f.tmp, filepath.Base(f.root))
	f.Dir = filepath.Join(f.copies, f.below)
	if err = errors.Join(os.MkdirAll(f.Dir, 0o700), f.take(want, f.copies)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ReadIn verifies a whole folder, as [PublicKey.Open] does but without copies, and
// returns the content of one file in it, which is hashed as it was read.
func (k PublicKey) ReadIn(dir, name string, most int64, want Want) ([]byte, error) {
	f, err := k.find(dir)
	if err != nil {
		return nil, err
	}
	if err = f.take(want, ""); err != nil {
		return nil, err
	}
	path, listed := filepath.Join(dir, name), filepath.ToSlash(filepath.Join(f.below, name))
	at := slices.IndexFunc(f.list.files, func(e entry) bool { return e.name == listed })
	if at < 0 {
		return nil, fmt.Errorf("signed: %s: %w: the list of %s does not name it", path, ErrSignature, f.root)
	}
	content, err := regular.Read(path, most)
	if err != nil {
		return nil, fmt.Errorf("signed: %w", err)
	}
	if sha256.Sum256(content) != f.list.files[at].sum {
		return nil, changed(path)
	}
	return content, nil
}

// find reads the list of a folder.
func (k PublicKey) find(dir string) (*Folder, error) {
	whole, err := filepath.Abs(dir)
	if err == nil {
		whole, err = filepath.EvalSymlinks(whole)
	}
	if err != nil {
		return nil, fmt.Errorf("signed: %w", err)
	}
	for _, up := range []string{".", "..", filepath.Join("..", "..")} {
		root := filepath.Join(whole, up)
		if _, err = os.Lstat(filepath.Join(root, ListFile)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("signed: %w", err)
		}
		content, err := k.Read(filepath.Join(root, ListFile), maxList)
		if err != nil {
			return nil, err
		}
		f := &Folder{root: root}
		if f.list, err = parseList(content); err == nil {
			f.below, err = filepath.Rel(root, whole)
		}
		if err != nil {
			return nil, fmt.Errorf("signed: %s: %w", filepath.Join(root, ListFile), err)
		}
		return f, nil
	}
	return nil, fmt.Errorf("signed: %s: %w: no %s lies in it or in its two parents", dir, ErrSignature, ListFile+End)
}

// Mark tells whether the signature of a folder may have changed since: it is a hash of
// what lies where signatures are looked for, and believes none of it.
func Mark(dir string) [sha256.Size]byte {
	h := sha256.New()
	for _, up := range []string{".", "..", filepath.Join("..", "..")} {
		for _, name := range []string{ListFile, ListFile + End} {
			content, err := regular.Read(filepath.Join(dir, up, name), maxList)
			fmt.Fprintf(h, "%v %d\n%s", err == nil, len(content), content) //nolint:errcheck // a hash takes everything
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// take verifies what is asked for, and copies it, unless to is "".
func (f *Folder) take(want Want, to string) error {
	wanted, known := want.takes(filepath.ToSlash(f.below)), map[string]bool{}
	for _, e := range f.list.files {
		known[e.name] = true
	}
	err := walk(f.root, wanted, func(name string) error {
		if !known[name] {
			return fmt.Errorf("%s: %w: it came after the folder was signed", filepath.Join(f.root, name), ErrSignature)
		}
		return nil
	})
	if err != nil {
		return err
	}
	left := f.list.bytes
	for _, e := range f.list.files {
		if !wanted(e.name) {
			continue
		}
		path := filepath.Join(f.root, filepath.FromSlash(e.name))
		size, err := e.copy(path, to, left)
		switch {
		case err != nil && want.missing(e.name, err):
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("signed: %s: %w: it is missing", path, ErrSignature)
		case err != nil:
			return err
		}
		left -= size
	}
	return nil
}

// copy verifies a file of at most so many bytes, and puts them below a folder, unless
// that is "".
func (e entry) copy(path, to string, most int64) (size int64, err error) {
	f, _, err := regular.Open(path, most)
	if err != nil {
		return 0, fmt.Errorf("signed: %w", err)
	}
	out := io.Discard
	if to != "" {
		at := filepath.Join(to, filepath.FromSlash(e.name))
		if err = os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return 0, fmt.Errorf("signed: %w", errors.Join(err, f.Close()))
		}
		file, failed := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if failed != nil {
			return 0, fmt.Errorf("signed: %w", errors.Join(failed, f.Close()))
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	sum, size, err := digest(f, out, most)
	if err != nil {
		return 0, fmt.Errorf("signed: %w", err)
	}
	if sum != e.sum {
		return 0, changed(path)
	}
	return size, nil
}

func changed(path string) error {
	return fmt.Errorf("signed: %s: %w: it was changed after it was signed", path, ErrSignature)
}

// Close removes the copies. It may be called on nil, and when files are in memory or
// mapped.
func (f *Folder) Close() error {
	if f == nil || f.tmp == "" {
		return nil
	}
	return os.RemoveAll(f.tmp)
}

// Copies returns where the copies of all that was asked for lie, of which Dir is a part.
func (f *Folder) Copies() string { return f.copies }

// Name returns an error that speaks of the folder in place of its copies.
func (f *Folder) Name(err error) error {
	if f == nil || err == nil || !strings.Contains(err.Error(), f.copies) {
		return err
	}
	return named{strings.ReplaceAll(err.Error(), f.copies, f.root), err}
}

// named is an error in other words.
type named struct {
	text string
	error
}

// Error implements error.
func (n named) Error() string { return n.text }

// Unwrap returns the error as it was.
func (n named) Unwrap() error { return n.error }

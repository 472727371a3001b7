package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/atomicfile"
)

// Backup writes the ledger as it is now to a file, which is a ledger itself, and
// proves that one whole before it gets its name. Whoever writes the ledger goes
// on. What was at the path before is replaced.
func (l *Ledger) Backup(ctx context.Context, path string) (Proof, error) {
	if err := replaceable(path); err != nil {
		return Proof{}, err
	}
	beside, err := newBeside(path)
	if err != nil {
		return Proof{}, err
	}
	defer os.Remove(beside) //nolint:errcheck // it has its own name by then
	if f, ok := l.store.(*fileStore); ok {
		err = f.CopyTo(beside)
	} else {
		err = l.copyTo(ctx, beside)
	}
	if err != nil {
		return Proof{}, err
	}
	proof, err := verifyFile(ctx, beside, l.secret, l.key)
	if err != nil {
		return Proof{}, err
	}
	return proof, rename(beside, path)
}

// replaceable refuses a path at which something is that is no regular file: a name that is
// given to another would destroy a device or a pipe.
func replaceable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file, must be one or not be there", path)
	}
	return unavailable(err)
}

// rename gives a file that is whole and on disk its own name.
func rename(beside, path string) error {
	if err := replaceable(path); err != nil { // also if it came meanwhile
		return err
	}
	return unavailable(errors.Join(os.Rename(beside, path), atomicfile.SyncDir(filepath.Dir(path))))
}

// newBeside makes an empty log beside a path, under a name that nobody else uses.
func newBeside(path string) (string, error) {
	beside, err := freeBeside(path)
	if err != nil {
		return "", err
	}
	return beside, unavailable(CreateLog(beside, nil))
}

// freeBeside returns the name beside a path under which a log is made, and takes
// away what was left there by one that was stopped.
func freeBeside(path string) (string, error) {
	beside := path + ".sotto-new"
	left, err := OpenLog(beside, LogOptions{})
	switch {
	case errors.Is(err, ErrLogLocked):
		return "", fmt.Errorf("%w: %s: %w", ErrUnavailable, beside, ErrLocked)
	case err == nil:
		err = left.Close()
	case errors.Is(err, fs.ErrNotExist):
		return beside, nil
	default: // it was not finished
		err = nil
	}
	return beside, unavailable(errors.Join(err, os.Remove(beside)))
}

// copyTo writes the entries of a database to a file. They have the same hashes
// there, and so the same head and MAC.
func (l *Ledger) copyTo(ctx context.Context, path string) error {
	to, err := OpenFileStore(path, FileOptions{})
	if err != nil {
		return err
	}
	t := transfer{to: to}
	err = l.store.View(ctx, func(p Page) error {
		last, failed := p.Head()
		if failed != nil {
			return failed
		}
		if failed = p.Entries(0, func(e *Entry) error { return t.add(ctx, e) }); failed != nil {
			return failed
		}
		return t.write(ctx, func(out Page) error { out.Sign(last.MAC); return nil })
	})
	return errors.Join(err, to.Close())
}

func verifyFile(ctx context.Context, path, secretID string, key []byte) (Proof, error) {
	l, err := OpenFile(path, Options{ReadOnly: true, SecretID: secretID, ChainKey: key, Head: NoHead})
	if err != nil {
		return Proof{}, err
	}
	defer l.Close() //nolint:errcheck // it was only read
	return l.Verify(ctx)
}

package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// Archiving says how to archive old entries.
type Archiving struct {
	Before time.Time // what is older goes, as far as writes to disk go together
	Out    string    // the file that is made
	// SecretID and ChainKey are those of [Options], and must be given if the
	// ledger is signed.
	SecretID string
	ChainKey []byte
	Clock    func() time.Time // nil means the machine's
	Head     string           // where the head is noted, as in Options
}

// Archived says what Archive has done.
type Archived struct {
	Through uint64 `json:"through"` // the last entry that is in the archive
	Archive Digest `json:"archive"` // the SHA-256 of the file, which an entry of the ledger names
	Proof          // of the ledger
}

// Archive moves the old entries of a ledger in a file to a file of their own,
// which is sealed. The ledger keeps the sums, the names of what was paid for, so
// that it stays paid for, and the hash from which its chain goes on; an entry
// names all of that by its hash. Ledger and archive are proved whole together
// before the new ledger takes the place of the old one. If it is stopped, the old
// ledger is there or the new one, and the archive if it is the new one; it can be
// tried again. Nobody may have the ledger open.
func Archive(ctx context.Context, path string, a Archiving) (done Archived, err error) {
	if InDatabase(path) {
		return done, errors.New("ledger: the ledger is in a database, must be in a file to be archived")
	}
	if err = checkOptions(Options{SecretID: a.SecretID, ChainKey: a.ChainKey}); err != nil {
		return done, err
	}
	if _, err = os.Stat(path); err != nil {
		return done, unavailable(err)
	}
	if err = a.note(ctx, path); err != nil {
		return done, err
	}
	s, err := OpenFileStore(path, FileOptions{})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err = s.View(ctx, func(p Page) error { return a.allowed(p) }); err != nil {
		return done, err
	}
	archive, next, err := a.emptyPlaces(path)
	if err != nil {
		return done, err
	}
	defer os.Remove(archive) //nolint:errcheck // it has its own name by then
	defer os.Remove(next)    //nolint:errcheck // likewise
	cut, err := s.Archive(ctx, a.Before, archive, next)
	if err != nil {
		return done, err
	}
	done.Through = cut.Seq
	if done.Archive, err = hashFile(archive); err != nil {
		return done, err
	}
	if err = a.name(ctx, next, &Entry{Kind: KindArchive, Through: cut.Seq, Archive: done.Archive, Carried: cut.Carried}); err != nil {
		return done, err
	}
	if done.Proof, err = a.prove(ctx, archive, next); err != nil {
		return done, err
	}
	if err = rename(archive, a.Out); err != nil {
		return done, err
	}
	// Whoever archives as root must not take the ledger away from the gateway.
	if err = atomicfile.SameOwner(next, path); err != nil {
		return done, unavailable(err)
	}
	return done, rename(next, path)
}

// note opens the ledger once as a gateway does. A ledger that does not go on from
// its head is refused, and what was written after that is noted: what is archived
// cannot be held against a head that is older.
func (a *Archiving) note(ctx context.Context, path string) error {
	l, err := Open(ctx, path, Options{SecretID: a.SecretID, ChainKey: a.ChainKey, Clock: a.Clock, Head: a.Head})
	if err != nil {
		return err
	}
	return l.Close()
}

// allowed refuses a ledger that is not what was written with the key.
func (a *Archiving) allowed(p Page) error {
	last, err := p.Head()
	if err != nil {
		return err
	}
	_, secret, err := latest(p)
	switch {
	case err != nil:
		return err
	case len(a.ChainKey) == 0 && last.MAC != MAC{}:
		return fmt.Errorf("%w: the log is signed with a key of secret %s, which must be given to write", ErrSecret, secret)
	case len(a.ChainKey) == 0:
		return nil
	case secret != "" && secret != a.SecretID:
		return fmt.Errorf("%w: %s, not %s", ErrSecret, secret, a.SecretID)
	}
	return last.Check(a.ChainKey, secret)
}

// emptyPlaces names the two files under which archive and ledger are made, where
// those that were stopped may have left some. An archive that is there already is
// replaced by the same, which is what a stopped one has left, and by nothing else.
func (a *Archiving) emptyPlaces(path string) (archive, next string, err error) {
	if _, err = os.Lstat(a.Out); !errors.Is(err, fs.ErrNotExist) {
		s, failed := OpenFileStore(a.Out, FileOptions{ReadOnly: true})
		if failed != nil {
			return "", "", fmt.Errorf("%w: %s is there already, must not be: %w", ErrUnavailable, a.Out, failed)
		}
		failed = s.View(context.Background(), func(p Page) error { return begins(path, p) })
		if failed = errors.Join(failed, s.Close()); failed != nil {
			return "", "", fmt.Errorf("%w: %s is there already, must not be: %w", ErrUnavailable, a.Out, failed)
		}
	}
	for _, name := range []*string{&archive, &next} {
		to := a.Out
		if name == &next {
			to = path
		}
		if *name, err = freeBeside(to); err != nil {
			return "", "", err
		}
	}
	return archive, next, nil
}

// begins refuses an archive that is not the beginning of the ledger at a path,
// which has those entries still.
func begins(path string, archive Page) error {
	last, err := archive.Head()
	if err != nil {
		return err
	}
	s, err := OpenFileStore(path, FileOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // it was only read
	return s.View(context.Background(), func(p Page) error {
		kept, err := p.Carried()
		if err != nil {
			return err
		}
		hash, err := p.HashOf(last.Seq)
		if err == nil && (last.Seq == 0 || hash != last.Hash || kept != nil && kept.Seq >= last.Seq) {
			err = errors.New("it is no part of this ledger")
		}
		return err
	})
}

// name appends the entry of an archive to the new ledger.
func (a *Archiving) name(ctx context.Context, path string, e *Entry) error {
	s, err := openNewFileStore(path)
	if err != nil {
		return err
	}
	now := time.Now
	if a.Clock != nil {
		now = a.Clock
	}
	err = s.Update(ctx, func(p Page) error {
		last, failed := p.Head()
		if failed != nil {
			return failed
		}
		if e.At = now().UTC().Round(0); e.At.Before(last.At) {
			e.At = last.At
		}
		if failed = p.Append(e); failed != nil {
			return failed
		}
		if last, failed = p.Head(); failed == nil && len(a.ChainKey) > 0 {
			p.Sign(last.Sign(a.ChainKey))
		}
		return failed
	})
	return errors.Join(err, s.Close())
}

// prove proves the new ledger, alone and with the archive.
func (a *Archiving) prove(ctx context.Context, archive, path string) (proof Proof, err error) {
	l, err := OpenFile(path, Options{ReadOnly: true, SecretID: a.SecretID, ChainKey: a.ChainKey, Clock: a.Clock, Head: NoHead})
	if err != nil {
		return proof, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err = l.VerifyWith(ctx, []string{archive}); err != nil {
		return proof, err
	}
	return l.Verify(ctx)
}

func hashFile(path string) (d Digest, err error) {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return d, unavailable(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err = io.Copy(h, f); err != nil {
		return d, unavailable(err)
	}
	return Digest(h.Sum(nil)), nil
}

package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"sotto/internal/atomicfile"
	"sotto/service/ledger/book"
	"sotto/service/ledger/file"
	"sotto/service/ledger/format1"
	"sotto/service/ledger/postgres"
)

// Migration says how to make a ledger of this form of an older one.
type Migration struct {
	// Out is the file that is made; the old one stays where it is. Empty puts
	// the new ledger in the old one's place, and the old one beside it, with .v1
	// behind its name. A database is always changed in place, and its old tables
	// stay, with _v1 behind their names.
	Out string
	// SecretID and ChainKey are those of [Options]. A ledger that names a secret
	// is signed with its key, unless Unsigned says that it is lost: the next
	// gateway must take a new one then.
	SecretID string
	ChainKey []byte
	Unsigned bool
}

// Migrate makes a ledger of this form of the one at a place that an older
// version wrote. It proves that the old one is whole, and carries over every
// entry with the hash that it had: a head that was noted of the old ledger is one
// of the new. If it is stopped, there is the old one or the new one.
func Migrate(ctx context.Context, place string, m Migration) (Proof, error) {
	if err := checkOptions(Options{SecretID: m.SecretID, ChainKey: m.ChainKey}); err != nil {
		return Proof{}, err
	}
	if !InDatabase(place) {
		return migrateFile(ctx, place, m)
	}
	if m.Out != "" {
		return Proof{}, errors.New("ledger: a database is migrated in place, must be without another place to write")
	}
	o := newOld(m)
	if err := postgres.Migrate(ctx, place, defaultTimeout, o); err != nil {
		return Proof{}, err
	}
	o.proof.Subjects = len(o.who)
	return o.proof, nil
}

// old is an audit of a ledger whose entries are carried over.
type old struct {
	auditor
	m Migration
}

func newOld(m Migration) *old { return &old{*newAuditor(nil), m} }

// audit reads an entry from its line.
func (o *old) audit(seq uint64, line []byte) (*Entry, error) {
	e, err := ParseEntry(line)
	if err != nil {
		return nil, err
	}
	if e.Seq != seq {
		return nil, book.Damaged("entry %d stands in another's place", e.Seq)
	}
	return e, o.read(e)
}

// Carry implements [postgres.Carrier].
func (o *old) Carry(to book.Page, seq uint64, line []byte) (*Entry, error) {
	e, err := o.audit(seq, line)
	if err != nil {
		return nil, err
	}
	return e, same(to, e)
}

// Sums implements [postgres.Carrier].
func (o *old) Sums() map[book.Account]book.Sums { return o.sums }

// Sign implements [postgres.Carrier]. It refuses to if the key is another's.
func (o *old) Sign(to book.Page) error {
	o.proof.MAC = MACAbsent
	switch {
	case o.secret == "":
		return nil
	case len(o.m.ChainKey) == 0 && !o.m.Unsigned:
		return fmt.Errorf("%w: keys are made with secret %s, which must be given to sign the new ledger", ErrSecret, o.secret)
	case len(o.m.ChainKey) == 0:
		return nil
	case o.m.SecretID != o.secret:
		return fmt.Errorf("%w: %s, not %s", ErrSecret, o.secret, o.m.SecretID)
	}
	last, err := to.Head()
	if err == nil {
		to.Sign(last.Sign(o.m.ChainKey))
		o.proof.MAC = MACChecked
	}
	return err
}

// migrateFile makes the new file under another name, and gives it its own when
// it is whole and on disk.
func migrateFile(ctx context.Context, path string, m Migration) (Proof, error) {
	if !format1.Is(path) && migrated(path) {
		return Proof{}, fmt.Errorf("%w: %s", ErrMigrated, path)
	}
	from, err := format1.Open(path)
	switch {
	case errors.Is(err, format1.ErrLocked):
		return Proof{}, fmt.Errorf("%w: %s: %w", ErrUnavailable, path, ErrLocked)
	case errors.Is(err, format1.ErrDamaged):
		return Proof{}, book.Damaged("%s is no ledger of the older form: %w", path, err)
	case err != nil:
		return Proof{}, book.Unavailable(err)
	}
	defer from.Close() //nolint:errcheck // it was only read
	target := m.Out
	if target == "" {
		target = path
	} else if _, err = os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return Proof{}, fmt.Errorf("%w: %s is there already, must not be", ErrUnavailable, target)
	}
	beside, err := newBeside(target)
	if err != nil {
		return Proof{}, err
	}
	defer os.Remove(beside) //nolint:errcheck // it has its own name by then
	if err = carryFile(ctx, from, beside, m); err != nil {
		return Proof{}, err
	}
	proof, err := verifyFile(ctx, beside, m.SecretID, m.ChainKey)
	if err != nil {
		return Proof{}, err
	}
	if m.Out == "" {
		// Whoever migrates as root must not take the ledger away from the gateway.
		if err = atomicfile.SameOwner(beside, path); err == nil {
			err = keepAs(path, path+".v1")
		}
		if err != nil {
			return Proof{}, book.Unavailable(err)
		}
	}
	return proof, rename(beside, target)
}

// migrated reports whether a file is a ledger of this form.
func migrated(path string) bool {
	now, err := file.Open(path, file.Options{ReadOnly: true})
	return err == nil && now.Close() == nil
}

// keepAs gives a file another name beside its own, unless it has it already.
func keepAs(path, other string) error {
	err := os.Link(path, other)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	a, failed := os.Stat(path)
	b, alsoFailed := os.Stat(other)
	if errors.Join(failed, alsoFailed) == nil && os.SameFile(a, b) {
		return nil
	}
	return err
}

// carryFile carries everything over.
func carryFile(ctx context.Context, from *format1.File, path string, m Migration) error {
	to, err := file.Open(path, file.Options{})
	if err != nil {
		return err
	}
	o, t := newOld(m), transfer{to: to}
	err = from.Read(func(in *format1.Page) error {
		if failed := in.Lines(func(seq uint64, line []byte) error {
			e, wrong := o.audit(seq, line)
			if wrong != nil {
				return wrong
			}
			if e.Kind == KindSpend && in.Paid(e.Subject, e.Key) != seq {
				return book.Damaged("the key of entry %d does not lead to it", seq)
			}
			return t.add(ctx, e)
		}); failed != nil {
			return failed
		}
		if n := in.Keys(); n != o.proof.Spends {
			return book.Damaged("%d keys are paid for by %d entries", n, o.proof.Spends)
		}
		return o.compareSums(in)
	})
	if errors.Is(err, format1.ErrDamaged) {
		err = book.Damaged("%w", err)
	}
	if err == nil {
		err = t.write(ctx, o.Sign)
	}
	return errors.Join(err, to.Close())
}

// compareSums refuses sums that are not those of the log.
func (o *old) compareSums(in *format1.Page) error {
	n := 0
	if err := in.Sums(func(s format1.Sum) error {
		got := book.Sums{
			Granted: Cost{Epsilon: s.GrantedEpsilon, Delta: s.GrantedDelta},
			Spent:   Cost{Epsilon: s.SpentEpsilon, Delta: s.SpentDelta},
		}
		if want, ok := o.sums[book.Account{Subject: s.Subject, Window: s.Window}]; !ok || want != got {
			return book.Damaged("the sums of a subject are not those of the log")
		}
		n++
		return nil
	}); err != nil {
		return err
	}
	for _, s := range o.sums {
		if s != (book.Sums{}) {
			n--
		}
	}
	if n < 0 {
		return book.Damaged("the sums of %d subjects are missing", -n)
	}
	return nil
}

package ledger

import (
	"context"
	"fmt"
)

// Signing says with what the parts of a ledger are signed that is divided.
type Signing struct {
	// SecretID and ChainKey are those of [Options]. Parts of a ledger that names a secret
	// are signed with its key, unless Unsigned says that it is lost: the next gateway must
	// take a new one then.
	SecretID string
	ChainKey []byte
	Unsigned bool
}

// Divide makes so many parts of the undivided ledger in a database, which it proves
// whole. Entries keep what they say, and get new places and so new hashes; the old
// tables stay, with _undivided behind their names, and each part names the head that
// they have. All is one transaction. See [Divided].
func Divide(ctx context.Context, address string, parts int, s Signing) (Proof, error) {
	if err := checkOptions(Options{SecretID: s.SecretID, ChainKey: s.ChainKey}); err != nil {
		return Proof{}, err
	}
	d := &divider{*newAuditor(nil), s}
	if err := divideDatabase(ctx, address, parts, defaultTimeout, d); err != nil {
		return Proof{}, err
	}
	d.proof.Subjects = len(d.who)
	return d.proof, nil
}

// divider is an audit of a ledger that is dealt out to parts.
type divider struct {
	auditor
	with Signing
}

// Read implements [Divider].
func (d *divider) Read(e *Entry) error { return d.read(e) }

// Whole implements [Divider]. What is signed with another key than that
// of the parts would be vouched for by whoever did not check it.
func (d *divider) Whole(from Page) error {
	d.page = from
	if err := d.compare(); err != nil {
		return err
	}
	last, err := from.Head()
	if err != nil || len(d.with.ChainKey) == 0 || d.with.SecretID != d.secret {
		return err
	}
	return last.Check(d.with.ChainKey, d.secret)
}

// Close implements [Divider].
func (d *divider) Close(to Page, part part) error {
	if err := to.Append(&Entry{Kind: KindPart, At: d.proof.Last, Part: &part}); err != nil {
		return err
	}
	return d.sign(to)
}

// sign signs the last entry of a part. It refuses to if the key is another's.
func (d *divider) sign(to Page) error {
	d.proof.MAC = MACAbsent
	switch {
	case d.secret == "":
		return nil
	case len(d.with.ChainKey) == 0 && !d.with.Unsigned:
		return fmt.Errorf("%w: keys are made with secret %s, which must be given to sign the new ledger", ErrSecret, d.secret)
	case len(d.with.ChainKey) == 0:
		return nil
	case d.with.SecretID != d.secret:
		return fmt.Errorf("%w: %s, not %s", ErrSecret, d.secret, d.with.SecretID)
	}
	last, err := to.Head()
	if err == nil {
		to.Sign(last.Sign(d.with.ChainKey))
		d.proof.MAC = MACChecked
	}
	return err
}

// Sums implements [Divider].
func (d *divider) Sums() map[account]Sums { return d.sums }

package ledger

import (
	"context"

	"sotto/service/ledger/book"
	"sotto/service/ledger/postgres"
)

// Divide makes so many parts of the undivided ledger in a database, which it proves
// whole. Entries keep what they say, and get new places and so new hashes; the old
// tables stay, with _undivided behind their names, and each part names the head that
// they have. All is one transaction. See package part.
func Divide(ctx context.Context, address string, parts int, m Migration) (Proof, error) {
	if err := checkOptions(Options{SecretID: m.SecretID, ChainKey: m.ChainKey}); err != nil {
		return Proof{}, err
	}
	d := &divider{old{*newAuditor(nil), m}}
	if err := postgres.Divide(ctx, address, parts, defaultTimeout, d); err != nil {
		return Proof{}, err
	}
	d.proof.Subjects = len(d.who)
	return d.proof, nil
}

// divider is an audit of a ledger that is dealt out to parts.
type divider struct{ old }

// Read implements [postgres.Divider].
func (d *divider) Read(e *Entry) error { return d.read(e) }

// Whole implements [postgres.Divider]. What is signed with another key than that
// of the parts would be vouched for by whoever did not check it.
func (d *divider) Whole(from book.Page) error {
	d.page = from
	if err := d.compare(); err != nil {
		return err
	}
	last, err := from.Head()
	if err != nil || len(d.m.ChainKey) == 0 || d.m.SecretID != d.secret {
		return err
	}
	return last.Check(d.m.ChainKey, d.secret)
}

// Close implements [postgres.Divider].
func (d *divider) Close(to book.Page, part book.Part) error {
	if err := to.Append(&Entry{Kind: KindPart, At: d.proof.Last, Part: &part}); err != nil {
		return err
	}
	return d.Sign(to)
}

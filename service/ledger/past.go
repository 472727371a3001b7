package ledger

import (
	"context"
	"errors"
)

// past is what is known of entries that were archived.
type past struct {
	*auditor
	keep  *keep // what is kept of the entries of the archives
	files []sealed
}

// sealed is an archive that was read.
type sealed struct {
	through       uint64
	hash, carried Digest
}

// archive reads the next archive.
func (p *past) archive(ctx context.Context, path string) (err error) {
	s, err := OpenFileStore(path, FileOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if !s.Sealed() {
		return damaged("it is no archive, or is not whole")
	}
	if err = s.View(ctx, func(from Page) error {
		if _, failed := p.kept(from); failed != nil {
			return failed
		}
		if len(p.files) == 0 { // with what it keeps itself of older ones
			if failed := s.Into(ctx, p.keep); failed != nil {
				return failed
			}
			return p.all(ctx, from, nil)
		}
		return p.all(ctx, from, p.keep.Add)
	}); err != nil {
		return err
	}
	next := sealed{through: p.proof.Entries}
	if next.carried, err = p.keep.Digest(); err != nil {
		return err
	}
	if next.hash, err = hashFile(path); err == nil {
		p.files = append(p.files, next)
	}
	return err
}

// kept reads what a page keeps of archived entries, and holds it against those
// that were read, or takes it for granted if none were.
func (p *past) kept(from Page) (*carried, error) {
	kept, err := from.Carried()
	if err != nil {
		return nil, err
	}
	if len(p.files) == 0 {
		p.adopt(kept)
		return kept, nil
	}
	if last := p.files[len(p.files)-1]; kept == nil || kept.Seq != last.through || kept.Digest != last.carried || kept.Hash != p.proof.Head {
		return nil, damaged("what was kept of the entries up to %d is not what these archives hold", last.through)
	}
	return kept, nil
}

// adopt begins behind what was kept.
func (a *auditor) adopt(kept *carried) {
	if kept == nil {
		return
	}
	a.proof.Archived = kept.Seq
	a.proof.Entries, a.proof.Spends, a.proof.Head, a.proof.Last = kept.Seq, kept.Spends, kept.Hash, kept.At
	a.find(kept.Hash)
	a.sums, a.paid = kept.Sums, kept.Paid
	for at, s := range a.sums {
		a.who[at.Subject] = a.who[at.Subject].Plus(s.Spent)
	}
	if kept.Budget != nil && kept.Budget.Budget != nil {
		a.terms = kept.Budget.Terms()
	}
	if kept.Secret != nil {
		a.secret = kept.Secret.SecretID
	}
}

// named refuses archives, and what was kept, that the log does not name so.
func (p *past) named(kept *carried) error {
	for _, f := range p.files {
		e := p.archives[f.through]
		if e == nil || e.Archive != f.hash || e.Carried != f.carried {
			return damaged("the log names another archive of the entries up to %d", f.through)
		}
	}
	if kept != nil {
		if e := p.archives[kept.Seq]; e == nil || e.Carried != kept.Digest {
			return damaged("the log does not name what was kept of the entries up to %d", kept.Seq)
		}
	}
	return nil
}

package ledger

import (
	"crypto/sha256"
	"hash"
)

// replay reads the frames of a file one after the other.
type replay struct {
	Chain
	coder Coder
	known guarantees
	// unlinked leaves the hashes out before the entry with this number, where
	// nobody wants to see them: each frame says its last one.
	unlinked uint64
	// kept is called with what is kept of archived entries; nil for nothing.
	kept func(kept) error

	carried  hash.Hash // of what was kept; nil if nothing is
	lastPaid uint64
	cut      *cutRecord
	logged   bool // entries have come
	sealed   bool // the end of an archive has come
}

// linked is a record in its place.
type linked struct {
	*Record
	prev   Digest
	offset int64 // in the file
}

// kept is a record of what is kept.
type kept struct {
	carriedRecord
	part   []byte // as it is written
	offset int64
}

// frame reads a frame, and yields its entries while the replay is at them. The
// error names the first entry that is not what was written.
func (p *replay) frame(f *Frame, yield func(linked) error) error {
	switch {
	case p.sealed:
		return damaged("behind the end of an archive there is something else")
	case f.Kind == keptFrame && !p.logged && p.cut == nil:
		return p.keptFrame(f)
	case f.Kind == endFrame && f.Whole && len(f.Body) == 0:
		p.sealed = true
		return nil
	case f.Kind != logFrame || p.carried != nil && p.cut == nil:
		return damaged("behind entry %d there is something that is no entry", p.Seq)
	}
	p.logged = true
	first := p.Seq + 1
	var r Record
	last := first + uint64(f.Count) - 1
	for rest := f.Body; len(rest) > 0; {
		n, entry, err := p.coder.Next(rest, &r)
		if err != nil {
			return damaged("entry %d is not what was written", p.Seq+1)
		}
		if entry {
			at := linked{Record: &r, offset: f.Offset + int64(len(f.Body)-len(rest))}
			if last < p.unlinked {
				p.Pass(&r)
			} else {
				at.prev = p.Link(&r)
			}
			if err := yield(at); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	switch {
	case p.Seq != last:
		return damaged("entries from %d on are %d, and were %d", first, p.Seq+1-first, f.Count)
	case last < p.unlinked:
		p.Hash = f.Head
	case Digest(f.Head) != p.Hash:
		return damaged("entries %d to %d are not what was written", first, last)
	}
	if !f.Whole {
		return damaged("the seal of entries %d to %d is not what was written", first, last)
	}
	p.MAC = f.MAC
	return nil
}

// keptFrame reads what is kept of archived entries. The last of it sets the
// replay behind them.
func (p *replay) keptFrame(f *Frame) error {
	wrong := damaged("what was kept of archived entries is not what was written")
	if !f.Whole || f.LogSeal != (LogSeal{}) {
		return wrong
	}
	if p.carried == nil {
		p.carried = sha256.New()
	}
	p.carried.Write(f.Body)
	count := uint32(0)
	for rest := f.Body; len(rest) > 0; count++ {
		n, c, err := p.coder.NextCarried(rest, p.lastPaid)
		if err != nil || p.cut != nil {
			return wrong
		}
		switch {
		case c.Paid != nil:
			p.lastPaid = c.Paid.Seq
		case c.Cut != nil:
			p.cut = c.Cut
			p.Head = headOf(c.Cut)
		}
		if p.kept != nil {
			if err := p.kept(kept{c, rest[:n], f.Offset + int64(len(f.Body)-len(rest))}); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	if count != f.Count {
		return wrong
	}
	return nil
}

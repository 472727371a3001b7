package file

import (
	"sotto/ledger/book"
	"sotto/ledger/logfile"
	"sotto/ledger/record"
)

// The kinds of frames of a file.
const logFrame = 'L' // entries, with the names that they are the first to use

// replay reads the frames of a file one after the other.
type replay struct {
	book.Chain
	coder record.Coder
	known book.Guarantees
	// unlinked leaves the hashes out before the entry with this number, where
	// nobody wants to see them: each frame says its last one.
	unlinked uint64
}

// linked is a record in its place.
type linked struct {
	*record.Record
	prev   book.Digest
	offset int64 // in the file
}

// frame reads a frame, and yields its entries while the replay is at them. The
// error names the first entry that is not what was written.
func (p *replay) frame(f *logfile.Frame, yield func(linked) error) error {
	if f.Kind != logFrame {
		return book.Damaged("behind entry %d there is something that is no entry", p.Seq)
	}
	first := p.Seq + 1
	var r record.Record
	last := first + uint64(f.Count) - 1
	for rest := f.Body; len(rest) > 0; {
		n, entry, err := p.coder.Next(rest, &r)
		if err != nil {
			return book.Damaged("entry %d is not what was written", p.Seq+1)
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
		return book.Damaged("entries from %d on are %d, and were %d", first, p.Seq+1-first, f.Count)
	case last < p.unlinked:
		p.Hash = f.Head
	case book.Digest(f.Head) != p.Hash:
		return book.Damaged("entries %d to %d are not what was written", first, last)
	}
	if !f.Whole {
		return book.Damaged("the seal of entries %d to %d is not what was written", first, last)
	}
	p.MAC = f.MAC
	return nil
}

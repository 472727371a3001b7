package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The kinds of frames of a file.
const (
	keptFrame = 'C' // what is kept of archived entries; before all others
	logFrame  = 'L' // entries, with the names that they are the first to use
	endFrame  = 'A' // the end of an archive
)

const maxKept = 1 << 16 // bytes of a frame of what is kept

// fileCut says what Archive has written.
type fileCut struct {
	Head           // of the last entry in the archive
	Carried Digest // of what the ledger keeps of them
}

// Archive writes two new files: what is older than a moment, up to the end of a
// write, as it is and sealed; and a ledger with what is younger, and with what
// must be kept of the rest.
func (f *fileStore) Archive(ctx context.Context, before time.Time, archive, next string) (cut fileCut, err error) {
	frames, err := f.older(ctx, before)
	if err != nil {
		return cut, err
	}
	if err = buildLog(archive, func(add adder) error {
		if failed := f.frames(ctx, 0, frames, add); failed != nil {
			return failed
		}
		return add(endFrame, 0, nil, LogSeal{})
	}); err != nil {
		return cut, unavailable(err)
	}
	err = buildLog(next, func(add adder) error {
		k, failed := f.keep(ctx, frames, add)
		if failed != nil {
			return failed
		}
		cut.Head = k.head
		if cut.Carried, failed = k.Digest(); failed != nil {
			return failed
		}
		return f.frames(ctx, frames, -1, add)
	})
	return cut, medium(err)
}

// older counts the frames whose entries are all older than a moment.
func (f *fileStore) older(ctx context.Context, before time.Time) (frames int, err error) {
	in := replay{known: guarantees{}}
	n := 0
	err = f.log.Scan(f.log.End(), func(frame *Frame) error {
		if failed := in.frame(frame, func(linked) error { return nil }); failed != nil {
			return failed
		}
		n++
		if frame.Kind == logFrame {
			if !in.At.Before(before) {
				return errEnough
			}
			frames = n
		}
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, fileError(err)
	}
	if frames == 0 {
		return 0, fmt.Errorf("ledger: nothing in it is older than %s", before.Format(time.RFC3339))
	}
	return frames, nil
}

// frames copies frames, from one to before another; −1 for all.
func (f *fileStore) frames(ctx context.Context, from, to int, add adder) error {
	n := 0
	return f.log.Scan(f.log.End(), func(frame *Frame) error {
		defer func() { n++ }()
		if n < from || to >= 0 && n >= to {
			return ctx.Err()
		}
		return add(frame.Kind, frame.Count, frame.Body, frame.LogSeal)
	})
}

// keep writes what is kept of the first frames.
func (f *fileStore) keep(ctx context.Context, frames int, add adder) (*keep, error) {
	k := newKeep()
	var body []byte
	count := uint32(0)
	flush := func() error {
		err := add(keptFrame, count, body, LogSeal{})
		body, count = body[:0], 0
		return err
	}
	write := func(part []byte) error {
		if len(body)+len(part) > maxKept && len(body) > 0 {
			if err := flush(); err != nil {
				return err
			}
		}
		body, count = append(body, part...), count+1
		return nil
	}
	k.write = write
	if err := f.into(ctx, k, frames); err != nil {
		return nil, err
	}
	if err := k.rest(write); err != nil {
		return nil, err
	}
	return k, flush()
}

// into keeps what is kept of the first frames, −1 for all.
func (f *fileStore) into(ctx context.Context, k *keep, frames int) error {
	in := replay{known: guarantees{}, kept: func(c kept) error { return k.add(c.carriedRecord, c.part) }}
	n := 0
	return fileError(f.log.Scan(f.log.End(), func(frame *Frame) error {
		if n++; frames >= 0 && n > frames {
			return ctx.Err()
		}
		if frame.Kind == keptFrame {
			err := in.frame(frame, nil)
			k.coder = in.coder // which has the names, and is behind the cut at its end
			return err
		}
		return in.frame(frame, func(r linked) error {
			e, err := in.Entry(r.Record, r.prev, in.known)
			if err != nil {
				return err
			}
			return k.Add(e)
		})
	}))
}

// Sealed reports whether the file is an archive.
func (f *fileStore) Sealed() bool { return f.sealed }

// Into keeps what would be kept if all entries of the file were archived, beside
// what it keeps itself of others.
func (f *fileStore) Into(ctx context.Context, k *keep) error { return f.into(ctx, k, -1) }

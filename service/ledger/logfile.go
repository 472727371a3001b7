package ledger

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"sotto/service/ledger/disk"
)

// This part of the package keeps frames of bytes one behind the other in a file that only
// grows, each on disk when Append returns. One process writes; any number read at
// the same time, without a lock, and see whole frames alone.
//
// A file begins with two pages that say, in turn, how far it is known to be
// written. What is damaged before that place is damage. What is not whole behind it
// was being written when the machine stopped, unless somebody else knows better:
// it is dropped by the next Append, and not before. It knows nothing of what frames
// hold.

// Errors that callers branch on.
var (
	// ErrLocked is returned by Open when another process writes the file.
	ErrLogLocked = errors.New("the file is open in another process")
	// ErrFormat is returned by Open for a file that is no log.
	ErrLogFormat = errors.New("logfile: the file is no log of this format")
	// ErrDamaged is returned where the file is not what was written.
	ErrLogDamaged = errors.New("logfile: damaged")
)

const (
	magic      = "sotto-ledger-2\n\x00"
	pageSize   = 4096         // what a disk writes whole
	firstFrame = 2 * pageSize // a page for each of the two marks
	markSize   = 12           // the end, and a checksum, behind the magic
	headSize   = 13           // of a frame: kind, length, count, and a checksum
	tailSize   = 52           // of a frame: head, MAC, and a checksum of all
	largest    = 1 << 28      // body of a frame
	lockWait   = time.Second
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// LogSeal stands at the end of a frame: the hash of what the log holds up to here,
// and a MAC of it, zero if the writer had no key.
type LogSeal struct {
	Head [32]byte
	MAC  [16]byte
}

// Frame is what one Append wrote.
type Frame struct {
	LogSeal
	Kind   byte
	Count  uint32 // of what it holds, as the writer counts
	Body   []byte // until the next frame is read
	Offset int64  // of the body in the file
	Whole  bool   // whether its checksum is right
}

// LogOptions say how a log is opened.
type LogOptions struct {
	ReadOnly bool      // many may have it open so; one may write
	Disk     disk.Disk // nil means the machine's
}

// LogFile is an open log. One goroutine at a time may append; all may read.
type LogFile struct {
	LogOptions
	dir    string
	f      disk.File
	end    atomic.Int64 // of what is written
	marked atomic.Int64 // the end that the marks know of
	turn   int64        // which mark is next
	loose  bool         // what is behind the end does not count, and is cut off
	wrote  bool
	last   atomic.Pointer[known]
	whole  fingerprint
	buffer []byte
}

// known is what a writer has left in the file.
type known struct {
	mark []byte // that it wrote last
	at   int64  // where that is
	tail []byte // of the last frame
	end  int64
}

// CreateLog makes an empty log at a path where nothing is. It appears whole.
func CreateLog(path string, on disk.Disk) error {
	on = disk.Or(on)
	dir := filepath.Dir(path)
	f, err := on.Temp(dir, ".ledger-")
	if err != nil {
		return err
	}
	defer on.Remove(f.Name()) //nolint:errcheck // its other name stays
	_, err = f.WriteAt(head(firstFrame), 0)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = on.Link(f.Name(), path); err != nil { // fails if something is there
		return err
	}
	// The content is synced by itself, but a name that is lost takes it along.
	return on.SyncDir(dir)
}

// adder appends a frame to a log that is being built.
type adder func(kind byte, count uint32, body []byte, seal LogSeal) error

// buildLog makes a log at a path where nothing is, of the frames that a function
// adds. It is on disk when Build returns, and must not be opened before.
func buildLog(path string, fill func(adder) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = w.Write(make([]byte, firstFrame)) // which is no log
	end := int64(firstFrame)
	var buffer []byte
	if err == nil {
		err = fill(func(kind byte, count uint32, body []byte, seal LogSeal) error {
			buffer = appendFrame(buffer[:0], kind, count, body, seal)
			end += int64(len(buffer))
			_, failed := w.Write(buffer)
			return failed
		})
	}
	if err = errors.Join(err, w.Flush()); err == nil {
		if _, err = f.WriteAt(head(end), 0); err == nil {
			err = f.Sync()
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// head is the beginning of a log that is written up to an end.
func head(end int64) []byte {
	b := make([]byte, firstFrame)
	copy(b, mark(end))
	copy(b[pageSize:], mark(end))
	return b
}

func mark(end int64) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(magic), uint64(end))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// OpenLog opens a log. To write, it takes the file for this process alone.
func OpenLog(path string, o LogOptions) (*LogFile, error) {
	o.Disk = disk.Or(o.Disk)
	mode := os.O_RDWR
	if o.ReadOnly {
		mode = os.O_RDONLY
	}
	for deadline := time.Now().Add(lockWait); ; {
		f, err := o.Disk.OpenFile(path, mode, 0)
		if err != nil {
			return nil, err
		}
		free := o.ReadOnly
		if !free {
			free, err = lock(o.Disk, f, path)
		}
		if err == nil && free {
			l := &LogFile{LogOptions: o, dir: filepath.Dir(path), f: f}
			if err = l.readMarks(); err == nil {
				return l, nil
			}
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, ErrLogLocked
		}
		time.Sleep(lockWait / 20)
	}
}

// lock reports whether the file is ours, and still the one at its path: whoever
// had it may have put another in its place.
func lock(on disk.Disk, f disk.File, path string) (bool, error) {
	if free, err := f.Lock(); err != nil || !free {
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := on.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && on.Same(mine, now), err
}

// readMarks finds out how far the file is known to be written.
func (l *LogFile) readMarks() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no regular file", ErrLogFormat)
	}
	var begin [firstFrame]byte
	if n, err := l.f.ReadAt(begin[:], 0); n < len(begin) {
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !bytes.HasPrefix(begin[:n], []byte(magic)) {
			return fmt.Errorf("%w: it has %d bytes", ErrLogFormat, info.Size())
		}
		return fmt.Errorf("%w: it was cut off at %d bytes", ErrLogDamaged, info.Size())
	}
	named := false
	for i := range int64(2) {
		m := begin[i*pageSize:][:len(magic)+markSize]
		named = named || bytes.HasPrefix(m, []byte(magic))
		end := int64(binary.LittleEndian.Uint64(m[len(magic):]))
		if bytes.Equal(m, mark(end)) && end > l.marked.Load() {
			l.marked.Store(end)
			l.turn = 1 - i
		}
	}
	switch {
	case !named:
		return fmt.Errorf("%w: it begins otherwise", ErrLogFormat)
	case l.marked.Load() < firstFrame:
		return fmt.Errorf("%w: both marks of its end are unreadable", ErrLogDamaged)
	case info.Size() < l.marked.Load():
		return fmt.Errorf("%w: it has %d bytes, and had %d", ErrLogDamaged, info.Size(), l.marked.Load())
	}
	l.end.Store(l.marked.Load())
	return nil
}

// End returns where the next frame will begin: how many bytes count.
func (l *LogFile) End() int64 { return l.end.Load() }

// Recover reads all frames, also those that were written whole behind the last
// mark, and sets the end behind them. It returns how many bytes follow, which the
// next Append cuts off. Whatever a writer has read is on disk then: another that was
// killed may have left it in the memory of the machine alone.
func (l *LogFile) Recover(yield func(*Frame) error) (rest int64, err error) {
	info, err := l.f.Stat()
	if err != nil {
		return 0, err
	}
	end, err := l.scan(info.Size(), l.whole.add, yield)
	if err != nil {
		return 0, err
	}
	l.end.Store(end)
	rest = info.Size() - end
	if l.ReadOnly {
		return rest, nil
	}
	if err = l.again(end); err == nil {
		err = l.Disk.SyncDir(l.dir)
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) { // to the folder: then we made nothing in it
		return rest, err
	}
	tail := make([]byte, min(tailSize, end-firstFrame))
	if _, err = l.f.ReadAt(tail, end-int64(len(tail))); err != nil {
		return rest, err
	}
	l.loose = rest > 0
	l.know(tail)
	return rest, nil
}

// again writes the last mark and what is behind it once more, as it is, and syncs. Where a
// sync has failed before a writer was killed, it may be in the memory of the machine alone,
// and systems take that for written: to sync again would not write it.
func (l *LogFile) again(end int64) error {
	marked := l.marked.Load()
	if _, err := l.f.WriteAt(mark(marked), (1-l.turn)*pageSize); err != nil {
		return err
	}
	buffer := make([]byte, min(end-marked, 1<<20))
	for at := marked; at < end; at += int64(len(buffer)) {
		buffer = buffer[:min(end-at, int64(len(buffer)))]
		if _, err := l.f.ReadAt(buffer, at); err != nil {
			return err
		}
		if _, err := l.f.WriteAt(buffer, at); err != nil {
			return err
		}
	}
	return l.f.Sync()
}

// know remembers what the file ends with.
func (l *LogFile) know(tail []byte) {
	l.last.Store(&known{mark(l.marked.Load()), (1 - l.turn) * pageSize, tail, l.end.Load()})
}

// Intact refuses a file in which somebody else has written: another state of it,
// or another log, over this one.
func (l *LogFile) Intact() error {
	k := l.last.Load()
	if k == nil {
		return nil
	}
	var found [len(magic) + markSize + tailSize]byte
	m, tail := found[:len(k.mark)], found[len(k.mark):][:len(k.tail)]
	_, err := l.f.ReadAt(m, k.at)
	_, failed := l.f.ReadAt(tail, k.end-int64(len(tail)))
	if err = errors.Join(err, failed); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if l.last.Load() == k && (err != nil || !bytes.Equal(m, k.mark) || !bytes.Equal(tail, k.tail)) {
		return fmt.Errorf("%w: somebody else has written in the file", ErrLogDamaged)
	}
	return nil
}

// Scan reads the frames up to an end that End returned.
func (l *LogFile) Scan(end int64, yield func(*Frame) error) error {
	got, err := l.scan(end, nil, yield)
	if err == nil && got != end {
		return fmt.Errorf("%w: the frame at %d is not whole", ErrLogDamaged, got)
	}
	return err
}

// scan returns where the frames end that are whole, and gives their bytes to see
// before it yields them. A frame that is not whole with a whole one behind it was
// not being written when the machine stopped: one is on disk before the next.
func (l *LogFile) scan(size int64, see func([]byte), yield func(*Frame) error) (int64, error) {
	in := newReader(io.NewSectionReader(l.f, firstFrame, size-firstFrame), size-firstFrame)
	for at := int64(firstFrame); at < size; {
		frame, n, err := in.next(at, size)
		torn := err != nil || !frame.Whole
		if err != nil && !errors.Is(err, errShort) {
			return at, err
		}
		if torn && at >= l.marked.Load() {
			if err == nil { // its length is known
				if behind, _, failed := in.next(at+n, size); failed == nil && behind.Whole {
					return at, fmt.Errorf("%w: the frame at byte %d cannot be read, and one behind it can", ErrLogDamaged, at)
				}
			}
			return at, nil
		}
		if err != nil {
			return at, fmt.Errorf("%w: the frame at byte %d cannot be read", ErrLogDamaged, at)
		}
		if see != nil {
			in.raw(see)
		}
		if err := yield(frame); err != nil {
			return at, err
		}
		at += n
	}
	return size, nil
}

// Stat describes the open file.
func (l *LogFile) Stat() (os.FileInfo, error) { return l.f.Stat() }

// ReadAt reads bytes of frames.
func (l *LogFile) ReadAt(p []byte, at int64) (int, error) { return l.f.ReadAt(p, at) }

// Append writes a frame, and returns where its body begins when it is on disk.
// If it fails, the log is as before, or it is not known.
func (l *LogFile) Append(kind byte, count uint32, body []byte, seal LogSeal) (int64, error) {
	if len(body) > largest {
		return 0, fmt.Errorf("logfile: a frame has %d bytes, must have at most %d", len(body), largest)
	}
	end := l.end.Load()
	if err := l.clear(end); err != nil {
		return 0, err
	}
	l.buffer = appendFrame(l.buffer[:0], kind, count, body, seal)
	l.loose = true
	_, err := l.f.WriteAt(l.buffer, end)
	if err == nil {
		err = l.mark(end)
	}
	if err != nil {
		if l.f.Truncate(end) == nil {
			l.loose = false
		}
		return 0, err
	}
	l.loose, l.wrote = false, true
	l.end.Store(end + int64(len(l.buffer)))
	l.whole.add(l.buffer)
	l.know(bytes.Clone(l.buffer[len(l.buffer)-tailSize:]))
	if cap(l.buffer) > 1<<20 {
		l.buffer = nil
	}
	return end + headSize, nil
}

// Confirm puts a mark of the end on disk, so that whatever is missing before it is
// known to be damage. The log is as it was if it fails.
func (l *LogFile) Confirm() error {
	end := l.end.Load()
	if end == l.marked.Load() {
		return nil
	}
	if err := l.mark(end); err != nil {
		return err
	}
	l.know(l.last.Load().tail)
	return nil
}

// clear makes sure that the file is as it was left, and that nothing follows its
// end.
func (l *LogFile) clear(end int64) error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < end || info.Size() > end && !l.loose {
		return fmt.Errorf("%w: the file has %d bytes, and was left with %d", ErrLogDamaged, info.Size(), end)
	}
	if err = l.Intact(); err != nil || info.Size() == end {
		return err
	}
	return l.f.Truncate(end)
}

// Room writes bytes behind the end and takes them away again, to find out
// whether there is room for them.
func (l *LogFile) Room(bytes int) error {
	end := l.end.Load()
	l.loose = true
	_, err := l.f.WriteAt(make([]byte, bytes), end)
	if err == nil {
		err = l.f.Sync()
	}
	if failed := l.f.Truncate(end); failed != nil {
		return errors.Join(err, failed)
	}
	l.loose = false
	return err
}

// mark syncs the file together with a mark of an end up to which everything is on
// disk. The other mark stays until this one is there: one that is not known to be is
// written again.
func (l *LogFile) mark(end int64) error {
	if end != l.marked.Load() {
		if _, err := l.f.WriteAt(mark(end), l.turn*pageSize); err != nil {
			return err
		}
	}
	if err := l.f.Sync(); err != nil || end == l.marked.Load() {
		return err
	}
	l.marked.Store(end)
	l.turn = 1 - l.turn
	return nil
}

// Close notes the end of what was written and closes the file.
func (l *LogFile) Close() error {
	var err error
	if l.wrote {
		err = l.Confirm()
	}
	return errors.Join(err, l.f.Close())
}

// CopyTo writes the log, up to an end that End returned, as a log of its own.
func (l *LogFile) CopyTo(w io.Writer, end int64) error {
	if _, err := w.Write(head(end)); err != nil {
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(l.f, firstFrame, end-firstFrame))
	return err
}

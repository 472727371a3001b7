package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"sotto/internal/regular"
	"sotto/service/ledger/disk"
)

// A head in a file stands in one of two slots, a page of the disk each, which are
// written in turn where they are: to write one takes a single wait for the disk, and
// a machine that stops meanwhile leaves the other. Before them is a page for whoever
// looks, or the line of an older version, which counts until a slot is written.
//
// A slot holds a line of JSON, and a line with its turn and the SHA-256 of both, which has
// no key: see docs/adr/0017-the-form-of-the-ledger.md.
const (
	slotFormat = "sotto-head-2"
	slotSize   = 4096
	fileSize   = 3 * slotSize
	readTries  = 4 // of a slot that somebody may be writing
	readAgain  = 5 * time.Millisecond
)

const about = "# The head of a ledger of sotto, in two slots that are written in turn:\n# \"sotto budget head\" shows it.\n"

// slots is a place in a file, and what was said of the clock in one beside it.
type slots struct {
	path string
	on   disk.Disk

	mu    sync.Mutex // guards the rest
	known bool       // what follows was read or written
	next  int64      // slot to write
	turn  uint64     // of the other one, 0 if nothing is in it
	was   []byte     // what that holds
	firm  bool       // the name is on disk
}

// String implements [Place].
func (f *slots) String() string { return f.path }

func (f *slots) clock() string { return f.path + ".clock" }

// Clock implements [Place].
func (f *slots) Clock(context.Context) (*NotedClock, error) { return load(f.clock(), parseClock) }

// SetClock implements [Place].
func (f *slots) SetClock(_ context.Context, c NotedClock) error { return store(f.clock(), c.line()) }

// Close implements [Place].
func (f *slots) Close() error { return nil }

// contents is what a file of a head holds.
type contents struct {
	head *NotedHead
	slot int64  // that it stands in, -1 if in none
	turn uint64 // of the slot
}

// Head implements [Place]. A slot that somebody is writing is waited for.
func (f *slots) Head(ctx context.Context) (*NotedHead, error) {
	for tries := 1; ; tries++ {
		file, err := f.open(os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		c, err := f.read(file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		if !c.head.Doubtful || tries == readTries {
			return c.head, nil
		}
		select {
		case <-time.After(readAgain):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// open opens the file, which must be a regular one.
func (f *slots) open(flag int) (disk.File, error) {
	file, err := f.on.OpenFile(f.path, flag|regular.Unblocked, 0)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("witness: %s is no regular file, must be one", f.path)
	}
	if err == nil && info.Size() > most {
		err = fmt.Errorf("witness: %s has %d bytes, must have at most %d", f.path, info.Size(), most)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// read reads the head that was written last.
func (f *slots) read(file disk.File) (contents, error) {
	c := contents{slot: -1}
	all := make([]byte, most)
	n, err := file.ReadAt(all, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("witness: %w", err)
	}
	all = all[:n]
	page := func(i int) []byte { return all[min(i*slotSize, n):min((i+1)*slotSize, n)] }
	unreadable, blank := false, [2]bool{}
	for i := range blank {
		content := page(i + 1)
		blank[i] = len(bytes.Trim(content, "\x00")) == 0
		h, turn := parseSlot(content)
		unreadable = unreadable || h == nil && !blank[i]
		if h != nil && turn > c.turn {
			c = contents{h, int64(i), turn}
		}
	}
	if c.head == nil && blank[1] { // the first slot was being written, if any
		line := bytes.TrimRight(page(0), "\x00")
		if blank[0] {
			line = bytes.TrimRight(all, "\x00")
		}
		c.head, _ = parseHead(line)
	}
	if c.slot >= 0 && c.turn > 1 && blank[1-c.slot] {
		unreadable = true // it was written once
	}
	if c.head == nil || n > fileSize || n < fileSize && bytes.HasPrefix(all, []byte(about)) {
		return c, fmt.Errorf("%w: %s", errFormat, f.path)
	}
	c.head.Doubtful = unreadable
	return c, nil
}

// parseSlot reads a slot, nil if nothing is in it, or not what was written.
func parseSlot(content []byte) (*NotedHead, uint64) {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	seal, padding, ended := bytes.Cut(rest, []byte("\n"))
	if !ended || len(bytes.Trim(padding, "\x00")) > 0 {
		return nil, 0
	}
	text, sum, _ := strings.Cut(string(seal), " ")
	turn, err := strconv.ParseUint(text, 10, 64)
	if err != nil || turn == 0 || sum != sealOf(line, turn) {
		return nil, 0
	}
	h, err := parseHeadOf(line, slotFormat)
	if err != nil {
		return nil, 0
	}
	return h, turn
}

func sealOf(line []byte, turn uint64) string {
	sum := sha256.Sum256(fmt.Appendf(bytes.Clone(line), "\n%d", turn))
	return hex.EncodeToString(sum[:])
}

// slotOf writes a slot.
func slotOf(h NotedHead, turn uint64) ([]byte, error) {
	line := bytes.TrimRight(h.line(slotFormat), "\n")
	content := fmt.Appendf(bytes.Clone(line), "\n%d %s\n", turn, sealOf(line, turn))
	if len(content) > slotSize {
		return nil, fmt.Errorf("witness: the head has %d bytes, must have at most %d: give a shorter reason", len(content), slotSize)
	}
	return append(content, make([]byte, slotSize-len(content))...), nil
}

// SetHead implements [Place]. It is on disk when SetHead returns. A slot of which that
// is not known is written again, and never the other.
func (f *slots) SetHead(_ context.Context, h NotedHead) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.open(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return f.create(h)
	} else if err != nil {
		return err
	}
	return errors.Join(f.write(file, h), file.Close())
}

func (f *slots) write(file disk.File, h NotedHead) error {
	if err := f.follow(file); err != nil {
		return err
	}
	if err := f.hold(); err != nil {
		return err
	}
	content, err := slotOf(h, f.turn+1)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(content, (f.next+1)*slotSize); err == nil {
		err = file.Sync()
	}
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	f.turn, f.next, f.was = f.turn+1, 1-f.next, content
	return nil
}

// hold puts the name on disk, which whoever made the file may not have come to.
func (f *slots) hold() error {
	if f.firm {
		return nil
	}
	if err := f.on.SyncDir(filepath.Dir(f.path)); err != nil && !errors.Is(err, fs.ErrPermission) { // then we made nothing in it
		return fmt.Errorf("witness: %w", err)
	}
	f.firm = true
	return nil
}

// follow finds out which slot is to be written next, if the file is not as it was
// left: another process may have written it, or put another in its place.
func (f *slots) follow(file disk.File) error {
	if f.known {
		found := make([]byte, len(f.was))
		n, err := file.ReadAt(found, (2-f.next)*slotSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("witness: %w", err)
		}
		if bytes.Equal(found[:n], f.was) {
			return nil
		}
	}
	c, err := f.read(file)
	if err != nil {
		return err
	}
	f.known, f.firm, f.turn, f.next, f.was = true, false, c.turn, 0, nil
	if c.slot == 0 {
		f.next = 1
	}
	if c.slot >= 0 {
		f.was, err = slotOf(*c.head, c.turn)
	}
	return err
}

// create makes the file, which appears whole.
func (f *slots) create(h NotedHead) error {
	first, err := slotOf(h, 1)
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	temp, err := f.on.Temp(dir, ".sotto-*.tmp")
	if err != nil {
		return fmt.Errorf("witness: %w", err)
	}
	content := make([]byte, fileSize)
	copy(content, about)
	copy(content[slotSize:], first)
	_, err = temp.WriteAt(content, 0)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = f.on.Rename(temp.Name(), f.path)
	}
	if err != nil {
		f.on.Remove(temp.Name()) //nolint:errcheck // what led here is said
		return fmt.Errorf("witness: %w", err)
	}
	f.known, f.firm, f.turn, f.next, f.was = true, false, 1, 1, first
	return f.hold()
}

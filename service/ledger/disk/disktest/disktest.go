// Package disktest is a disk that forgets: what was not synced when its machine
// stops may be there, or not, or in parts, and later before earlier. Writes and syncs
// can be made to fail, it fills up, and bits of it flip.
//
//	d := disktest.New(disktest.Source(seed))
//	d.Watch = func(op disktest.Op) { states = append(states, d.Copy()) }
//	…
//	after := states[i].Copy()
//	after.PowerCut()
package disktest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sotto/service/ledger/disk"
)

const (
	sector = 512  // what is written whole, or not at all
	page   = 4096 // what is written back together
)

// Errors of a disk.
var (
	ErrFailed = errors.New("disktest: input/output error")
	ErrFull   = errors.New("disktest: no space left on device")
	// ErrOff is returned by everything when the disk was switched off.
	ErrOff = errors.New("disktest: the machine is off")
)

// Op is something that changes a disk, or waits for it.
type Op struct {
	Name string // of the file or folder
	Kind string // write, truncate, sync, create, link, rename, remove or sync folder
	Done bool   // whether its effect is there; it has not returned yet
}

// Disk implements [disk.Disk]. It is safe for concurrent use; Watch and Fail may use
// it.
type Disk struct {
	// Watch is told of each Op, before and after its effect; nil for nobody.
	Watch func(Op)
	// Fail says whether an Op fails, of which a part may have its effect; nil for never.
	Fail func(Op) bool

	mu    sync.Mutex // guards the rest
	draw  *rand.Rand
	names map[string]*node
	kept  []map[string]*node // states of names that may be on disk; the first is, the last is names
	most  int64              // bytes that there is room for
	off   bool
	made  int
}

// node is a file without a name.
type node struct {
	number int
	now    []byte   // what processes see
	kept   [][]byte // states that may be on disk: the first is, the last is what was written since
	locked *file
}

// Source is what a disk draws its faults from.
func Source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 34)) }

// New returns an empty disk.
func New(draw *rand.Rand) *Disk {
	return &Disk{draw: draw, names: map[string]*node{}, kept: []map[string]*node{{}}, most: 1 << 40}
}

// Copy returns the disk as it is now, with all that is not synced, and locked by
// nobody.
func (d *Disk) Copy() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := New(Source(d.draw.Uint64()))
	c.most, c.made = d.most, d.made
	nodes := map[*node]*node{}
	all := func(names map[string]*node) map[string]*node {
		out := make(map[string]*node, len(names))
		for name, n := range names {
			if nodes[n] == nil { // states of content never change
				nodes[n] = &node{number: n.number, now: slices.Clone(n.now), kept: slices.Clone(n.kept)}
			}
			out[name] = nodes[n]
		}
		return out
	}
	c.kept = nil
	for _, names := range d.kept {
		c.kept = append(c.kept, all(names))
	}
	c.names = all(d.names)
	return c
}

// Off switches the disk off: nothing changes it any more.
func (d *Disk) Off() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}

// Room sets how many bytes all files may have together.
func (d *Disk) Room(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.most = bytes
}

// Used returns how many bytes all files have together.
func (d *Disk) Used() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used()
}

func (d *Disk) used() (sum int64) {
	for _, n := range d.names {
		sum += int64(len(n.now))
	}
	return sum
}

// PowerCut loses what was not synced: of each name, and of each sector of each file,
// any state since the last sync is what is there afterwards.
func (d *Disk) PowerCut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := map[string]*node{}
	possible := map[string]bool{}
	for _, state := range d.kept {
		for name := range state {
			possible[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(possible)) { // in order, so that a seed says it all
		if n := d.kept[d.draw.IntN(len(d.kept))][name]; n != nil {
			names[name] = n
		}
	}
	done := map[*node]bool{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if n := names[name]; !done[n] {
			done[n] = true
			n.now = d.mixed(n.kept)
			n.kept, n.locked = [][]byte{slices.Clone(n.now)}, nil
		}
	}
	d.names, d.kept = names, []map[string]*node{maps.Clone(names)}
}

// mixed returns content of which each sector is that of any state.
func (d *Disk) mixed(states [][]byte) []byte {
	if len(states) == 1 {
		return slices.Clone(states[0])
	}
	out := make([]byte, len(states[d.draw.IntN(len(states))]))
	all := d.draw.IntN(4) // often everything or nothing was written
	for at := 0; at < len(out); at += sector {
		from := states[d.draw.IntN(len(states))]
		switch all {
		case 0:
			from = states[0]
		case 1:
			from = states[len(states)-1]
		}
		if at < len(from) {
			copy(out[at:min(at+sector, len(out))], from[at:])
		}
	}
	return out
}

// Edit changes the content of a file behind everybody's back, and what is on disk.
func (d *Disk) Edit(name string, change func([]byte) []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.names[name]
	if n == nil {
		return
	}
	n.now = change(n.now)
	n.kept = [][]byte{slices.Clone(n.now)}
}

// do does something to the disk, unless it fails or is off.
func (d *Disk) do(op Op, effect func() error, part func()) error {
	if d.Watch != nil {
		d.Watch(op)
	}
	d.mu.Lock()
	err := error(nil)
	switch {
	case d.off:
		err = ErrOff
	case d.Fail != nil && d.Fail(op):
		if part != nil {
			part()
		}
		err = ErrFailed
	default:
		err = effect()
	}
	d.mu.Unlock()
	if op.Done = true; d.Watch != nil && !errors.Is(err, ErrOff) {
		d.Watch(op)
	}
	if err != nil {
		return &fs.PathError{Op: op.Kind, Path: op.Name, Err: err}
	}
	return nil
}

// named remembers a state of names.
func (d *Disk) named() { d.kept = append(d.kept, maps.Clone(d.names)) }

// OpenFile implements [disk.Disk].
func (d *Disk) OpenFile(name string, _ int, _ fs.FileMode) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrOff}
	}
	n := d.names[filepath.Clean(name)]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{d, n, name}, nil
}

// Temp implements [disk.Disk].
func (d *Disk) Temp(dir, pattern string) (disk.File, error) {
	var f *file
	err := d.do(Op{Name: filepath.Join(dir, pattern), Kind: "create"}, func() error {
		d.made++
		f = &file{d, &node{number: d.made, kept: [][]byte{nil}}, filepath.Join(dir, fmt.Sprint(pattern, d.made))}
		d.names[f.name] = f.n
		d.named()
		return nil
	}, nil)
	return f, err
}

// Stat implements [disk.Disk].
func (d *Disk) Stat(name string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := d.names[filepath.Clean(name)]; n != nil && !d.off {
		return info{filepath.Base(name), int64(len(n.now)), n}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// Same implements [disk.Disk].
func (d *Disk) Same(a, b fs.FileInfo) bool { return a.Sys() == b.Sys() }

// Link implements [disk.Disk].
func (d *Disk) Link(from, to string) error {
	return d.do(Op{Name: to, Kind: "link"}, func() error {
		if d.names[to] != nil {
			return fs.ErrExist
		}
		d.names[to] = d.names[from]
		d.named()
		return nil
	}, nil)
}

// Rename implements [disk.Disk].
func (d *Disk) Rename(from, to string) error {
	return d.do(Op{Name: to, Kind: "rename"}, func() error {
		d.names[to] = d.names[from]
		delete(d.names, from)
		d.named()
		return nil
	}, nil)
}

// Remove implements [disk.Disk].
func (d *Disk) Remove(name string) error {
	return d.do(Op{Name: name, Kind: "remove"}, func() error {
		delete(d.names, name)
		d.named()
		return nil
	}, nil)
}

// SyncDir implements [disk.Disk]. There is one folder.
func (d *Disk) SyncDir(dir string) error {
	return d.do(Op{Name: dir, Kind: "sync folder"}, func() error {
		d.kept = []map[string]*node{maps.Clone(d.names)}
		return nil
	}, nil)
}

// file is an open file.
type file struct {
	d    *Disk
	n    *node
	name string
}

func (f *file) Name() string { return f.name }

func (f *file) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.n.locked == f {
		f.n.locked = nil
	}
	return nil
}

func (f *file) Lock() (bool, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.n.locked != nil && f.n.locked != f {
		return false, nil
	}
	f.n.locked = f
	return true, nil
}

func (f *file) Stat() (fs.FileInfo, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return info{filepath.Base(f.name), int64(len(f.n.now)), f.n}, nil
}

func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.off {
		return 0, ErrOff
	}
	if len(p) == 0 {
		return 0, nil
	}
	if at >= int64(len(f.n.now)) {
		return 0, io.EOF
	}
	n := copy(p, f.n.now[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(p []byte, at int64) (written int, err error) {
	op := Op{Name: f.name, Kind: "write"}
	err = f.d.do(op, func() error {
		more := max(at+int64(len(p))-int64(len(f.n.now)), 0)
		if room := f.d.most - f.d.used(); more > max(room, 0) {
			written = max(len(p)-int(more)+int(max(room, 0)), 0)
			f.n.write(p[:written], at)
			return ErrFull
		}
		written = len(p)
		f.n.write(p, at)
		return nil
	}, func() {
		written = f.d.draw.IntN(len(p) + 1)
		f.n.write(p[:written], at)
	})
	return written, err
}

func (f *file) Truncate(size int64) error {
	return f.d.do(Op{Name: f.name, Kind: "truncate"}, func() error {
		f.n.now = resized(f.n.now, size)
		f.n.kept = append(f.n.kept, resized(f.n.kept[len(f.n.kept)-1], size))
		return nil
	}, nil)
}

// Sync puts on disk what was written. One that fails may have done some of it, and
// what it has not done no later one does: systems take a page for clean whose write
// has failed.
func (f *file) Sync() error {
	return f.d.do(Op{Name: f.name, Kind: "sync"}, func() error {
		f.n.kept = f.n.kept[len(f.n.kept)-1:]
		return nil
	}, func() {
		f.n.kept = [][]byte{f.d.mixed(f.n.kept)}
	})
}

// write writes what processes see, and together with it the rest of its pages.
func (n *node) write(p []byte, at int64) {
	if len(p) == 0 {
		return
	}
	end := at + int64(len(p))
	n.now = resized(n.now, max(end, int64(len(n.now))))
	copy(n.now[at:], p)
	back := resized(n.kept[len(n.kept)-1], max(end, int64(len(n.kept[len(n.kept)-1]))))
	from, to := at/page*page, min((end+page-1)/page*page, int64(len(back)), int64(len(n.now)))
	copy(back[from:to], n.now[from:to])
	n.kept = append(n.kept, back)
}

// resized returns a copy of another size.
func resized(content []byte, size int64) []byte {
	out := make([]byte, size)
	copy(out, content)
	return out
}

type info struct {
	name string
	size int64
	n    *node
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o600 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return i.n }

package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/internal/atomicfile"
)

// Names of files, beside the parts, in which chunks note the names of their ids until
// all are counted. [Worker.Begin] removes those of a job that died.
const (
	hiddenHead = ".sotto-" // of files that [atomicfile] has not finished, too
	spillHead  = hiddenHead + "ids-"
	hiddenTail = ".tmp"
)

// Spills reports whether names of ids are counted through files in the folder of the
// output, which every worker sees. An engine that keeps in memory what it moves, as
// Prism does, then keeps none of them. Elsewhere than in folders they go through the
// engine, and those that run there have disks of their own to sort on.
func (s *Spec) Spills() bool { return s.ID != "" && !remote(s.Out) }

// Spill notes the names of a chunk's ids, partition by partition, for [Worker.Spilled].
// A chunk that is noted twice is the same bytes twice.
func (w *Worker) Spill(c Chunk, s *Scanned) error {
	f, err := atomicfile.Create(w.spill(c.Part))
	if err != nil {
		return err
	}
	defer f.Abort()
	if err = f.Private(); err != nil {
		return err
	}
	all := make([]byte, 0, Partitions*8)
	for _, names := range s.IDs {
		all = binary.LittleEndian.AppendUint64(all, uint64(len(names)))
	}
	for _, names := range s.IDs {
		all = append(all, names...)
	}
	if _, err = f.Write(all); err != nil {
		return err
	}
	return f.Commit()
}

// Spilled returns the names of ids of one partition that so many chunks have noted.
func (w *Worker) Spilled(at, chunks int) ([][]byte, error) {
	files, err := hidden(w.spec.Out, spillHead)
	if err != nil {
		return nil, err
	}
	if len(files) != chunks {
		return nil, fmt.Errorf("shard: %d of %d chunks have noted their ids in %s, must be all: does another job write there?", len(files), chunks, w.spec.Out)
	}
	packed := make([][]byte, len(files))
	for i, name := range files {
		if packed[i], err = readSpill(name, at); err != nil {
			return nil, fmt.Errorf("shard: %s: %w", name, err)
		}
	}
	return packed, nil
}

// readSpill reads one partition of what a chunk has noted.
func readSpill(name string, at int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var head [Partitions * 8]byte
	if _, err = io.ReadFull(f, head[:]); err != nil {
		return nil, err
	}
	end, size := int64(len(head)), info.Size()
	var from, to int64
	for p := range Partitions {
		n := binary.LittleEndian.Uint64(head[p*8:])
		if n%uint64(len(idName{})) != 0 || n > uint64(size-end) {
			return nil, errors.New("the note of ids is damaged")
		}
		if p == at {
			from, to = end, end+int64(n)
		}
		end += int64(n)
	}
	if end != size {
		return nil, errors.New("the note of ids is damaged")
	}
	names := make([]byte, to-from)
	_, err = f.ReadAt(names, from)
	return names, err
}

// Sweep removes what chunks have noted of their ids, and what writers that died have left.
func (w *Worker) Sweep() error {
	var err error
	for _, dir := range []string{w.spec.Out, w.spec.Pairs} {
		if dir != "" && !remote(dir) {
			err = errors.Join(err, sweep(dir))
		}
	}
	return err
}

// sweep is Sweep of one folder.
func sweep(dir string) error {
	files, err := hidden(dir, hiddenHead)
	for _, name := range files {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// spill is where the chunk of a part notes its ids.
func (w *Worker) spill(part string) string { return join(w.spec.Out, spillHead+part+hiddenTail) }

// hidden lists files of a folder that nobody needs when a job has ended.
func hidden(dir, head string) ([]string, error) {
	held, err := os.ReadDir(dir)
	var all []string
	for _, e := range held {
		if strings.HasPrefix(e.Name(), head) && strings.HasSuffix(e.Name(), hiddenTail) {
			all = append(all, join(dir, e.Name()))
		}
	}
	return all, err
}

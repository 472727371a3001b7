package forest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// magic begins a file, with the version of its format.
const magic = "sotto-forest-1\n"

// maxFile bounds a file, in bytes.
const maxFile = 1 << 30

// ErrFile is wrapped by errors of what is no forest, or a changed one.
var ErrFile = errors.New("forest: not a file of a forest")

// header stands behind the magic.
type header struct {
	Trees, Features, MinLeaf, Depth int64
	Seed                            uint64
	Columns                         int64
}

// Write writes the forest, without the rows it was grown on: out-of-bag answers are
// lost. The last 32 bytes are the SHA-256 of all before.
func (f *Forest) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString(magic)
	o := f.options
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err) // a buffer takes all that has a fixed size
		}
	}
	put(header{int64(o.Trees), int64(o.Features), int64(o.MinLeaf), int64(o.Depth), o.Seed, int64(f.columns)})
	put(f.decrease)
	for _, t := range f.trees {
		put(int64(len(t)))
		for _, n := range t {
			put(n.feature)
			put(n.left)
			put(n.right)
			put(n.threshold)
			put(n.value)
		}
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	_, err := w.Write(b.Bytes())
	return err
}

// Read reads what Write wrote, and refuses everything else.
func Read(r io.Reader) (*Forest, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("forest: %w", err)
	}
	body, rest := len(content)-sha256.Size, content
	if body < len(magic) || len(content) > maxFile || string(content[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it must begin with %q", ErrFile, magic)
	}
	if sum := sha256.Sum256(content[:body]); !bytes.Equal(sum[:], content[body:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong, it was changed or cut off", ErrFile)
	}
	d := decoder{rest: rest[len(magic):body]}
	f := d.forest()
	if d.bad || len(d.rest) > 0 {
		return nil, fmt.Errorf("%w: its parts do not fit together", ErrFile)
	}
	return f, nil
}

// decoder reads numbers; bad stays true once there was none, or one that cannot be.
type decoder struct {
	rest []byte
	bad  bool
}

// take returns the next bytes, zeros if there are not so many.
func (d *decoder) take(n int) []byte {
	if len(d.rest) < n {
		d.bad, d.rest = true, make([]byte, n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }

// whole reads a number from low to high.
func (d *decoder) whole(low, high int64) int {
	v := int64(d.uint64())
	d.bad = d.bad || v < low || v > high
	return int(min(max(v, low), high))
}

// float reads a finite number.
func (d *decoder) float() float64 {
	v := math.Float64frombits(d.uint64())
	d.bad = d.bad || math.IsNaN(v) || math.IsInf(v, 0)
	return v
}

// share reads a number from 0 to 1.
func (d *decoder) share() float64 {
	v := d.float()
	d.bad = d.bad || !(v >= 0 && v <= 1)
	return v
}

func (d *decoder) forest() *Forest {
	f := &Forest{}
	o := &f.options
	o.Trees, o.Features, o.MinLeaf, o.Depth = d.whole(1, 100_000), d.whole(1, maxSize), d.whole(1, maxSize), d.whole(0, maxSize)
	o.Seed = d.uint64()
	f.columns = d.whole(0, int64(len(d.rest)/8)) // each has a number that follows
	for range f.columns {
		f.decrease = append(f.decrease, d.share())
	}
	for range o.Trees {
		t := make(tree, d.whole(1, int64(len(d.rest)/28)))
		for i := range t {
			t[i] = d.node(i, len(t), f.columns)
		}
		f.trees = append(f.trees, t)
		if d.bad {
			return nil
		}
	}
	return f
}

// node reads the node at a place, whose children stand behind it, so that every way
// ends.
func (d *decoder) node(at, nodes, columns int) node {
	n := node{feature: int32(d.uint32()), left: int32(d.uint32()), right: int32(d.uint32()), threshold: d.float(), value: d.share()}
	if n.feature == leaf {
		d.bad = d.bad || n.left != 0 || n.right != 0 || n.threshold != 0
		return n
	}
	inside := func(child int32) bool { return int(child) > at && int(child) < nodes }
	d.bad = d.bad || n.feature < 0 || int(n.feature) >= columns || !inside(n.left) || !inside(n.right)
	return n
}

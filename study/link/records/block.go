package records

import (
	"context"
	"fmt"
	"math"
)

// BlockOptions bound what is compared. The zero value serves.
type BlockOptions struct {
	Pairs int // most pairs that are compared; 0 means 20 a row, and at least 100,000
	Chunk int // rows of a tile; 0 means 65,536
	// Never, if it is not nil, says of which pairs it is known that they are not the
	// same, so that they are not compared.
	Never func(i, j uint32) bool
}

func (o BlockOptions) pairs(rows int) int {
	if o.Pairs > 0 {
		return o.Pairs
	}
	return max(100_000, 20*rows)
}

// perPair is how many times a pair may be found, through different keys, on average,
// so that what is written to disk is bounded, too.
const perPair = 3

// keyParts is into how many parts keys are divided.
const keyParts = 256

// A Finder finds pairs.
type finder struct {
	rows int
	o    BlockOptions
	keys *spool
}

// NewFinder returns a finder for so many rows.
func NewFinder(rows int, o BlockOptions) *finder {
	if o.Chunk == 0 {
		o.Chunk = 1 << 16
	}
	return &finder{rows: rows, o: o, keys: newSpool(keyParts)}
}

// Add says that a row has a key. A key may be added twice.
func (f *finder) Add(row int, key uint64) error {
	return f.keys.Add(int(key>>56), entry{key, uint32(row)})
}

// Close gives the room on disk back.
func (f *finder) Close() { f.keys.Close() }

// Found is the pairs to compare.
type Found struct {
	Pairs   *spool // a part is a tile: rows of one chunk with rows of another; Key is a pair, see [Pair]
	Tiles   []Tile // of each part
	Count   int    // pairs that are compared
	Left    int    // pairs that share a key and are left out, because the others share more
	Largest int    // rows of the largest block that was followed
	Bound   int    // most rows that a block may have
	Skipped int    // blocks that have more, and were not followed
	Widest  int    // rows of the largest of those
	least   uint32 // evidence that a pair must have
}

// A Tile is two ranges of rows, which may be the same.
type Tile struct{ I, J, Rows int } // first rows, and how many there are in each at most

// Pair returns the rows of a key of Found.Pairs, the lower one first.
func Pair(key uint64) (i, j uint32) { return uint32(key >> 32), uint32(key) }

// key is the key of a pair of rows.
func key(i, j uint32) uint64 { return uint64(min(i, j))<<32 | uint64(max(i, j)) }

// Close gives the room on disk back.
func (f *Found) Close() { f.Pairs.Close() }

// Read returns the pairs of a tile, in order, in the place of into.
func (f *Found) Read(tile int, into []entry) ([]entry, error) {
	all, err := f.Pairs.Read(tile, into)
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, e := range all {
		if e.Value >= f.least {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// Pairs finds the pairs that share a key that few rows have. It chooses how many rows
// may share one so that not many more pairs are found than are wanted, and of these
// takes those that share the most: each key counts by how rare it is.
func (f *finder) Pairs(ctx context.Context) (*Found, error) {
	if f.rows > math.MaxUint32 {
		return nil, fmt.Errorf("block: rows are %d, must be at most %d", f.rows, uint32(math.MaxUint32))
	}
	found := &Found{}
	want := f.o.pairs(f.rows)
	sizes := map[int]int{}
	err := f.blocks(ctx, func(rows []entry) error {
		sizes[len(rows)]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	found.bound(sizes, want*perPair)
	raw := f.tiles(found)
	defer raw.Close()
	chunks := f.chunks()
	err = f.blocks(ctx, func(rows []entry) error {
		if len(rows) > found.Bound {
			return nil
		}
		evidence := 1 + uint32(16*math.Log2(float64(max(f.rows, 2))/float64(len(rows))))
		for x, a := range rows {
			for _, b := range rows[:x] {
				i, j := b.Value, a.Value
				if f.o.Never != nil && f.o.Never(i, j) {
					continue
				}
				at := tile(int(i)/f.o.Chunk, int(j)/f.o.Chunk, chunks)
				if failed := raw.Add(at, entry{key(i, j), evidence}); failed != nil {
					return failed
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, found.unite(ctx, raw, want)
}

// bound chooses how many rows a block may have.
func (f *Found) bound(sizes map[int]int, most int) {
	largest := 0
	for n := range sizes {
		largest = max(largest, n)
	}
	sum := 0
	for n := 2; n <= largest; n++ {
		if sizes[n] == 0 {
			continue
		}
		sum += sizes[n] * n * (n - 1) / 2
		if sum > most && n > leastBound {
			f.Widest = largest
			break
		}
		f.Bound, f.Largest = n, n
	}
	for n, count := range sizes {
		if n > f.Bound {
			f.Skipped += count
		}
	}
}

// leastBound is how many rows a block may have however many there are.
const leastBound = 5

// blocks calls visit with the rows of every key that two rows and more share, in order.
func (f *finder) blocks(ctx context.Context, visit func(rows []entry) error) error {
	var buf []entry
	for p := range keyParts {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := f.keys.Read(p, buf)
		if err != nil {
			return err
		}
		buf = entries
		sort(entries)
		for len(entries) > 0 {
			n, rows := 1, entries[:1]
			for ; n < len(entries) && entries[n].Key == entries[0].Key; n++ {
				if entries[n].Value != rows[len(rows)-1].Value {
					rows = append(rows, entries[n]) // over what was read already
				}
			}
			if len(rows) > 1 {
				if err := visit(rows); err != nil {
					return err
				}
			}
			entries = entries[n:]
		}
	}
	return nil
}

func (f *finder) chunks() int { return (f.rows + f.o.Chunk - 1) / f.o.Chunk }

// tiles lists the tiles, and returns a spool with a part for each.
func (f *finder) tiles(found *Found) *spool {
	n := f.chunks()
	for a := range n {
		for b := a; b < n; b++ {
			found.Tiles = append(found.Tiles, Tile{a * f.o.Chunk, b * f.o.Chunk, f.o.Chunk})
		}
	}
	found.Pairs = newSpool(max(1, len(found.Tiles)))
	return newSpool(max(1, len(found.Tiles)))
}

// tile is the number of the tile of two chunks, the first not above the second.
func tile(a, b, chunks int) int { return a*chunks - a*(a-1)/2 + b - a }

// unite makes one entry of those of the same pair, and keeps what has the most
// evidence.
func (f *Found) unite(ctx context.Context, raw *spool, want int) error {
	var buf []entry
	histogram := map[uint32]int{}
	total := 0
	for p := range raw.Parts() {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := raw.Read(p, buf)
		if err != nil {
			return err
		}
		buf = entries
		sort(entries)
		for len(entries) > 0 {
			e, n := entries[0], 1
			for ; n < len(entries) && entries[n].Key == e.Key; n++ {
				e.Value += entries[n].Value
			}
			entries = entries[n:]
			histogram[e.Value]++
			total++
			if err := f.Pairs.Add(p, e); err != nil {
				return err
			}
		}
	}
	f.Count = total
	if total <= want {
		return nil
	}
	largest := uint32(0)
	for v := range histogram {
		largest = max(largest, v)
	}
	f.Count = 0
	for v := largest; v > 0 && f.Count+histogram[v] <= want; v-- {
		f.Count += histogram[v]
		f.least = v
	}
	f.Left = total - f.Count
	if f.least == 0 { // more have the same evidence than are wanted
		f.least, f.Count, f.Left = largest, histogram[largest], total-histogram[largest]
	}
	return nil
}

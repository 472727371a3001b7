package records_test

import (
	"context"
	"fmt"
	weakrand "math/rand/v2"
	"reflect"
	"testing"

	"sotto/study/link/records"
)

// pairs finds the pairs of rows that have keys, each row a list of them.
func pairs(t *testing.T, rows [][]uint64, o records.BlockOptions) (*records.Found, map[[2]uint32]bool) {
	t.Helper()
	f := records.NewFinder(len(rows), o)
	defer f.Close()
	for i, keys := range rows {
		for _, k := range keys {
			if err := f.Add(i, k); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := f.Pairs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(found.Close)
	out := make(map[[2]uint32]bool)
	for p, tile := range found.Tiles {
		entries, err := found.Read(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			i, j := records.Pair(e.Key)
			if i >= j || out[[2]uint32{i, j}] || int(i) < tile.I || int(i) >= tile.I+tile.Rows || int(j) < tile.J || int(j) >= tile.J+tile.Rows {
				t.Errorf("pair %d, %d in tile %+v: not in order, twice, or in another's tile", i, j, tile)
			}
			out[[2]uint32{i, j}] = true
		}
	}
	if len(out) != found.Count {
		t.Errorf("%d pairs are read, %d were counted", len(out), found.Count)
	}
	return found, out
}

// Whatever tiles there are and whether they fit into memory, the pairs are those that
// share a key, and no others.
func TestPairs(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	rows := make([][]uint64, 120)
	want := make(map[[2]uint32]bool)
	for i := range rows {
		for range 5 {
			rows[i] = append(rows[i], rng.Uint64N(150)<<50)
		}
		for j := range rows[:i] {
			for _, a := range rows[i] {
				for _, b := range rows[j] {
					if a == b {
						want[[2]uint32{uint32(j), uint32(i)}] = true
					}
				}
			}
		}
	}
	for _, chunk := range []int{0, 7, 50, 120} {
		for _, held := range []int{0, 50} {
			undo := records.Hold(held)
			_, got := pairs(t, rows, records.BlockOptions{Chunk: chunk})
			undo()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("chunk %d, %d in memory: %d pairs, want %d", chunk, held, len(got), len(want))
			}
		}
	}
}

// Huge blocks are left out, and of the others those pairs that share the most stay.
func TestBounds(t *testing.T) {
	rows := make([][]uint64, 2000)
	for i := range rows {
		rows[i] = []uint64{1 << 60, uint64(i/2) << 44} // all share one key, two share another
	}
	found, got := pairs(t, rows, records.BlockOptions{Pairs: 1500})
	if len(got) != 1000 || found.Skipped != 1 || found.Widest != 2000 || found.Bound != 2 {
		t.Errorf("%d pairs, %+v", len(got), *found)
	}
	for i := range rows { // ten share a third key
		rows[i] = append(rows[i], uint64(i/10)<<40|1<<63)
	}
	found, got = pairs(t, rows, records.BlockOptions{Pairs: 4000})
	if len(got) != 1000 || found.Left != 8000 {
		t.Errorf("%d pairs, %d left out, want the 1000 that share two keys, and 8000", len(got), found.Left)
	}
	_, got = pairs(t, rows, records.BlockOptions{Pairs: 1500, Never: func(i, _ uint32) bool { return i%2 == 0 }})
	for p := range got {
		if p[0]%2 == 0 {
			t.Errorf("pair %v is compared, must not be", p)
		}
	}
}

func TestRows(t *testing.T) {
	r, err := records.NewRows()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := [][]string{{"a", "", "ü\n"}, {"", "", ""}, {"x", "y", "z"}}
	for _, row := range want {
		if err := r.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Read(0, 3, nil); err == nil {
		t.Error("rows that were not flushed were read")
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	for lo := range want {
		var got [][]string
		err := r.Read(lo, 3, func(_ int, fields []string) error {
			got = append(got, fields)
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want[lo:]) {
			t.Errorf("rows from %d are %q, %v", lo, got, err)
		}
	}
}

// Vectors that are near share a key in some table, and those that are opposite in none.
func TestPlanes(t *testing.T) {
	p := records.NewPlanes(32, 1000, 1)
	rng := weakrand.New(weakrand.NewPCG(2, 2))
	keys := func(v []int8) map[uint64]bool {
		out := make(map[uint64]bool)
		p.Keys(v, func(k uint64) { out[k] = true })
		return out
	}
	near := 0
	for range 50 {
		a, b, c := make([]int8, 32), make([]int8, 32), make([]int8, 32)
		for k := range a {
			a[k] = int8(rng.IntN(201) - 100)
			b[k], c[k] = a[k]/10*9, -a[k]
		}
		of := keys(a)
		hit := false
		for k := range keys(b) {
			hit = hit || of[k]
		}
		if hit {
			near++
		}
		for k := range keys(c) {
			if of[k] {
				t.Error("opposite vectors share a key")
			}
		}
	}
	if near < 50 { // the angle is below 4°, so that a table of 8 planes is shared with probability above .83, one of 12 but for 1e-9
		t.Errorf("%d of 50 near vectors share a key", near)
	}
	if len(keys(make([]int8, 32))) != 0 {
		t.Error("a zero vector has keys")
	}
}

func Examplefinder() {
	f := records.NewFinder(3, records.BlockOptions{})
	defer f.Close()
	for row, key := range []uint64{7, 8, 7} {
		_ = f.Add(row, key)
	}
	found, _ := f.Pairs(context.Background())
	defer found.Close()
	entries, _ := found.Read(0, nil)
	fmt.Println(records.Pair(entries[0].Key))
	// Output: 0 2
}

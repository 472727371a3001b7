package svec

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
)

// group is how many words are looked at side by side. The words of a text lie all
// over the file, and waiting for the memory takes longer than any computing; so
// each part of the file is asked for all words of a group before the next part is
// asked for any.
const group = 32

// FindAll puts the row of each word into rows, and −1 for a word without one. It
// is [File.Find] for many words, and faster. It panics if rows and words differ
// in length.
func (f *File) FindAll(rows []int, words []string) {
	if len(rows) != len(words) {
		panic(fmt.Sprintf("svec: %d rows for %d words, want as many", len(rows), len(words)))
	}
	for len(words) > 0 {
		n := min(group, len(words))
		f.findGroup(rows[:n], words[:n])
		rows, words = rows[n:], words[n:]
	}
	runtime.KeepAlive(f) // until here its bytes are read
}

// findGroup finds the rows of at most group words.
func (f *File) findGroup(rows []int, words []string) {
	var hashes, slots [group]uint64
	for i, word := range words {
		hashes[i] = hash(word)
		slots[i] = binary.LittleEndian.Uint64(f.table[8*(hashes[i]&f.mask):])
	}
	var spans [group]uint64 // where the word of a row begins and ends
	for i := range words {
		row := f.likely(hashes[i], slots[i])
		if rows[i] = row; row >= 0 {
			spans[i] = binary.LittleEndian.Uint64(f.offsets[4*row:])
		}
	}
	for i, word := range words {
		if rows[i] < 0 {
			continue
		}
		first, last := uint64(uint32(spans[i])), spans[i]>>32
		if first > last || last > uint64(len(f.letter)) || string(f.letter[first:last]) != word {
			rows[i] = -1 // another word with half of the same hash, or damage
			if row, ok := f.Find(word); ok {
				rows[i] = row
			}
		}
	}
}

// likely returns the row of the first word that has half of the same hash, or −1
// if there is none. The first slot has been read.
func (f *File) likely(hash, slot uint64) int {
	i := hash & f.mask
	for range f.head.probes {
		if uint32(slot) == 0 {
			break
		}
		if slot>>32 == hash>>32 && uint64(uint32(slot)) <= uint64(f.head.Words) {
			return int(uint32(slot) - 1)
		}
		i = (i + 1) & f.mask
		slot = binary.LittleEndian.Uint64(f.table[8*i:])
	}
	return -1
}

// AddTo adds weight times the vector of a row to dst. What a damaged file holds
// there may be no finite number. It panics if there is no such row, or if dst
// does not have length Dim.
func (f *File) AddTo(dst []float32, row int, weight float32) {
	f.AddAll(dst, []int{row}, []float32{weight})
}

// AddAll is [File.AddTo] for many rows in turn, and faster. It panics if rows and
// weights differ in length, too.
func (f *File) AddAll(dst []float32, rows []int, weights []float32) {
	if len(dst) != f.head.Dim || len(rows) != len(weights) {
		panic(fmt.Sprintf("svec: vector has length %d, want %d, for %d rows and %d weights, want as many", len(dst), f.head.Dim, len(rows), len(weights)))
	}
	for len(rows) > 0 {
		n := min(group, len(rows))
		if f.head.Numbers == Int8 {
			f.addGroup(dst, rows[:n], weights[:n])
		} else {
			for i, row := range rows[:n] {
				addFloat32(dst, f.row(row), weights[i])
			}
		}
		rows, weights = rows[n:], weights[n:]
	}
	runtime.KeepAlive(f)
}

// row returns the bytes of a row.
func (f *File) row(row int) []byte {
	f.check(row)
	return f.rows[row*f.width : row*f.width+f.width]
}

// addGroup adds at most group rows of int8, four at a time.
func (f *File) addGroup(dst []float32, rows []int, weights []float32) {
	var scales [group]float32
	for i, row := range rows {
		scales[i] = weights[i] * float(f.row(row))
	}
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		add4(dst, f.row(rows[i])[4:], f.row(rows[i+1])[4:], f.row(rows[i+2])[4:], f.row(rows[i+3])[4:], (*[4]float32)(scales[i:]))
	}
	for ; i < len(rows); i++ {
		addInt8(dst, f.row(rows[i])[4:], scales[i])
	}
}

// float reads a float32.
func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// signed is the number that a byte stands for. Looking it up is faster than
// converting it.
var signed = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(int8(i))
	}
	return t
}()

// addInt8 adds scale times the signed bytes of q to dst, which is not longer.
func addInt8(dst []float32, q []byte, scale float32) {
	for len(dst) >= 4 && len(q) >= 4 { // without a check of bounds for each
		d, b := (*[4]float32)(dst), (*[4]byte)(q)
		d[0] += float32(scale * signed[b[0]])
		d[1] += float32(scale * signed[b[1]])
		d[2] += float32(scale * signed[b[2]])
		d[3] += float32(scale * signed[b[3]])
		dst, q = dst[4:], q[4:]
	}
	for i := range dst {
		dst[i] += float32(scale * signed[q[i]])
	}
}

// add4 is [addInt8] for four rows, one after the other for each number, so that
// the sums are the same. The rows are padded to whole fours.
func add4(dst []float32, p, q, r, s []byte, scale *[4]float32) {
	a, b, c, d := scale[0], scale[1], scale[2], scale[3]
	for len(dst) >= 4 && len(p) >= 4 && len(q) >= 4 && len(r) >= 4 && len(s) >= 4 {
		x, p4, q4, r4, s4 := (*[4]float32)(dst), (*[4]byte)(p), (*[4]byte)(q), (*[4]byte)(r), (*[4]byte)(s)
		x[0] = x[0] + float32(a*signed[p4[0]]) + float32(b*signed[q4[0]]) + float32(c*signed[r4[0]]) + float32(d*signed[s4[0]])
		x[1] = x[1] + float32(a*signed[p4[1]]) + float32(b*signed[q4[1]]) + float32(c*signed[r4[1]]) + float32(d*signed[s4[1]])
		x[2] = x[2] + float32(a*signed[p4[2]]) + float32(b*signed[q4[2]]) + float32(c*signed[r4[2]]) + float32(d*signed[s4[2]])
		x[3] = x[3] + float32(a*signed[p4[3]]) + float32(b*signed[q4[3]]) + float32(c*signed[r4[3]]) + float32(d*signed[s4[3]])
		dst, p, q, r, s = dst[4:], p[4:], q[4:], r[4:], s[4:]
	}
	for i := range dst {
		dst[i] = dst[i] + float32(a*signed[p[i]]) + float32(b*signed[q[i]]) + float32(c*signed[r[i]]) + float32(d*signed[s[i]])
	}
}

// addFloat32 adds weight times the numbers of b to dst.
func addFloat32(dst []float32, b []byte, weight float32) {
	for i := range dst {
		dst[i] += float32(weight * float(b[4*i:]))
	}
}

package vecfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"sotto/data/vecfile"
)

// benchWidth and benchRows make a file of 12 MiB in 32 bits: larger than the
// blocks, smaller than what would measure the disk.
const (
	benchWidth = 768
	benchRows  = 4096
)

func BenchmarkRead(b *testing.B) {
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.CSV, vecfile.Parquet} {
		for _, single := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/%s", f, bits(single)), func(b *testing.B) { benchmarkRead(b, f, single) })
		}
	}
}

func BenchmarkNPYRead(b *testing.B)  { benchmarkRead(b, vecfile.NPY, true) }
func BenchmarkNPYWrite(b *testing.B) { benchmarkWrite(b, vecfile.NPY, true) }

func BenchmarkWrite(b *testing.B) {
	for _, f := range []vecfile.Format{vecfile.JSONL, vecfile.CSV, vecfile.Parquet} {
		for _, single := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/%s", f, bits(single)), func(b *testing.B) { benchmarkWrite(b, f, single) })
		}
	}
}

func bits(single bool) string {
	if single {
		return "32"
	}
	return "64"
}

// benchmarkRead reads a file in the page cache.
func benchmarkRead(b *testing.B, f vecfile.Format, single bool) {
	content := encode(b, f, vecfile.WriterOptions{Width: benchWidth, Float32: single}, numbers(benchRows*benchWidth))
	path := write(b, "in."+string(f), content)
	block := make([]float64, 256*benchWidth)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := vecfile.Open(path, vecfile.Options{})
		if err != nil {
			b.Fatal(err)
		}
		total := 0
		for {
			n, err := r.ReadRows(block)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			total += n
		}
		if total != benchRows {
			b.Fatalf("read %d rows, want %d", total, benchRows)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkWrite writes to a file in the page cache, which it overwrites.
func benchmarkWrite(b *testing.B, f vecfile.Format, single bool) {
	out, err := os.Create(filepath.Join(b.TempDir(), "out"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	block := numbers(256 * benchWidth)
	var size int64
	b.ReportAllocs()
	for b.Loop() {
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		w, err := vecfile.NewWriter(out, f, vecfile.WriterOptions{Width: benchWidth, Float32: single})
		if err != nil {
			b.Fatal(err)
		}
		for range benchRows / 256 {
			if err := w.WriteRows(block); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		size, _ = out.Seek(0, io.SeekCurrent)
		b.SetBytes(size)
	}
}

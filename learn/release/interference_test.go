package release_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sotto/data/vecfile"
	"sotto/learn/release"
	"sotto/promise/dp"
)

// plain is a mechanism that gives what it is given.
type plain struct{}

func (plain) Shape() (in, out int)    { return 3, 3 }
func (plain) Guarantee() dp.Guarantee { return dp.None(dp.Text) }
func (plain) Privatize(x []float64, _ rand.Source) ([]float64, error) {
	return slices.Clone(x), nil
}
func (plain) PrivatizeTo(dst, x []float64, _ rand.Source) error { copy(dst, x); return nil }

// given returns what a mechanism is given of the rows of a file, in order.
func given(t *testing.T, content []byte, o vecfile.Options, workers int) []string {
	t.Helper()
	o.Declared, o.SkipBad, o.Width = true, true, 3
	r, err := vecfile.NewReader(bytes.NewReader(content), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := vecfile.NewWriter(io.Discard, vecfile.JSONL, vecfile.WriterOptions{Width: 3})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	_, err = release.Run(t.Context(), r, w, plain{}, release.Options{Workers: workers, SkipBad: true, Written: func(rows []float64) {
		for row := range slices.Chunk(rows, 3) {
			all = append(all, fmt.Sprint(row))
		}
	}})
	if err != nil {
		t.Fatalf("%s: %v", o.Format, err)
	}
	return all
}

// TestNonInterference: whatever stands in the place of one row, the mechanism is given the
// same of every other.
func TestNonInterference(t *testing.T) {
	const rows = 40
	line := func(i int) string { return fmt.Sprintf("%d,%d.5,-%d", i, i, i) }
	others := []string{"a,b,c", "", "1", "1,2,3,4", "NaN,1,2", `"1`, "\x00", "caf\xe9", "\xff\xfe", "1;2;3", "\xef\xbb\xbf1,2,3", strings.Repeat("9,", 200_000), strings.Repeat("x", 1<<20), "{}", "]"}
	for _, f := range []struct {
		o          vecfile.Options
		head       string
		left, stop string
	}{
		{vecfile.Options{Format: vecfile.CSV}, "", "", ""},
		{vecfile.Options{Format: vecfile.CSV, Header: true}, "a,b,c\n", "", ""},
		{vecfile.Options{Format: vecfile.JSONL}, "", "[", "]"},
		{vecfile.Options{Format: vecfile.JSONL}, "", `{"id":1,"x":[`, `]}`},
	} {
		for i, other := range others {
			for _, at := range []int{0, 17} {
				content, want := f.head, []string(nil)
				for k := range rows {
					if k == at {
						content += f.left + other + f.stop + "\n"
						continue
					}
					content += f.left + line(k) + f.stop + "\n"
					want = append(want, fmt.Sprint([]float64{float64(k), float64(k) + .5, -float64(k)}))
				}
				got := given(t, []byte(content), f.o, 1+i%3)
				if len(got) == rows { // the other row is one, too
					got = slices.Delete(got, at, at+1)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s %q: with the row %.12q %d others are given, want %d as before", f.o.Format, f.left, other, len(got), len(want))
				}
			}
		}
	}
	for _, other := range []float64{math.NaN(), math.Inf(1), 0, 1e300} {
		content, want := npy(rows, 17, other)
		got := given(t, content, vecfile.Options{Format: vecfile.NPY}, 2)
		if len(got) == rows {
			got = slices.Delete(got, 17, 18)
		}
		if !slices.Equal(got, want) {
			t.Errorf("npy: with %v %d others are given, want %d as before", other, len(got), len(want))
		}
	}
}

// TestNonInterferenceOfParquet is the same of vectors in Parquet, whose rows may be missing, or
// hold numbers that are missing.
func TestNonInterferenceOfParquet(t *testing.T) {
	type row struct {
		ID string     `parquet:"id,dict"`
		X  []*float64 `parquet:"x,list,optional"`
	}
	of := func(x ...float64) (all []*float64) {
		for _, v := range x {
			all = append(all, &v)
		}
		return all
	}
	const rows, at = 40, 17
	var all []row
	var want []string
	for k := range rows {
		x := []float64{float64(k), float64(k) + .5, -float64(k)}
		all = append(all, row{fmt.Sprint(k), of(x...)})
		if k != at {
			want = append(want, fmt.Sprint(x))
		}
	}
	for i, other := range [][]*float64{
		nil, {}, of(1), of(1, 2, 3, 4), of(math.NaN(), 1, 2), of(math.Inf(1), 0, 0), {nil, nil, nil}, {nil, of(1)[0], nil}, of(0, 0, 0), of(make([]float64, 100_000)...),
	} {
		for _, place := range []int{0, at, rows - 1} {
			changed := slices.Clone(all)
			changed[at].ID, changed[at].X = strings.Repeat("\xff\x00", i*i*i*500), other
			changed[at], changed[place] = changed[place], changed[at]
			var b bytes.Buffer
			w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(int64(7+i)))
			if _, err := w.Write(changed); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got := given(t, b.Bytes(), vecfile.Options{Format: vecfile.Parquet}, 1+i%3)
			if len(got) == rows {
				got = slices.Delete(got, place, place+1)
			}
			moved := slices.Clone(want)
			if place == 0 { // the row that stood there stands where the other one did
				moved = slices.Insert(slices.Clone(want[1:at]), at-1, want[0])
				moved = append(moved, want[at:]...)
			} else if place > at {
				moved = slices.Insert(slices.Clone(want[:rows-2]), at, want[rows-2])
			}
			if !slices.Equal(got, moved) {
				t.Errorf("with the row %d, at %d, %d others are given, want %d as before", i, place, len(got), len(moved))
			}
		}
	}
}

// npy is an array of which one row is another, and what the others are.
func npy(rows, at int, other float64) (content []byte, want []string) {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", rows)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	content = append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	content = append(content, head...)
	for k := range rows {
		row := []float64{float64(k), float64(k) + .5, -float64(k)}
		if k == at {
			row = []float64{other, other, other}
		} else {
			want = append(want, fmt.Sprint(row))
		}
		for _, v := range row {
			for i := range 8 {
				content = append(content, byte(math.Float64bits(v)>>(8*i)))
			}
		}
	}
	return content, want
}

package cells_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
)

// TestShipped: the cells of each encoder are whole, serve four ε, and can be read.
func TestShipped(t *testing.T) {
	if len(cells.ShippedEncoders()) != 2 {
		t.Errorf("Encoders() = %q, want default and minilm", cells.ShippedEncoders())
	}
	for _, name := range cells.ShippedEncoders() {
		f, err := cells.FindShipped(name, "")
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		for set, epsilon := range []float64{1, 2, 4, 8} {
			n := len(f.Cells[f.For(epsilon)])
			if n < last || f.Sets[set].Epsilon != epsilon {
				t.Errorf("%s: %d cells at ε = %v, want no fewer than at less ε", name, n, epsilon)
			}
			last = n
			m, failed := mech.NewCells(mech.Params{Dim: f.Dim, Epsilon: epsilon, Own: f.Own(f.For(epsilon))})
			if failed != nil {
				t.Fatal(failed)
			}
			p := m.Params()
			p.Own = mech.CellsParams{SHA256: f.Sets[f.For(epsilon)].SHA256} // as a record has it
			if _, err = mech.New(cells.CompleteShipped(p)); err != nil {
				t.Errorf("%s: cells are not found by their digest: %v", name, err)
			}
		}
		for _, c := range f.Cells[3] {
			if c.Example == "" || c.About == "" {
				t.Errorf("%s: cell %d is about %q with example %q, want both", name, c.Cell, c.About, c.Example)
			}
		}
		i, err := catalogue.Find(name)
		if err != nil || i.Dim != f.Dim {
			t.Errorf("%s: vectors have %d numbers, cells %d; error %v", name, i.Dim, f.Dim, err)
		}
		if !i.Present {
			continue
		}
		if _, err = cells.FindShipped("", name); err != nil {
			t.Errorf("Find of the encoder's own cells: %v", err)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	if _, err := cells.FindShipped("", "hash:128"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Find of cells that are not there: error = %v", err)
	}
	if _, err := cells.FindShipped("default", "hash:128"); err == nil {
		t.Error("Find takes cells of another encoder")
	}
	if _, _, ok := cells.KnownShipped("00"); ok {
		t.Error("Known knows a digest of nothing")
	}
}

func ExampleFindShipped() {
	f, err := cells.FindShipped("", "default")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Encoder, f.Dim, len(f.Sets))
	// Output: default 128 4
}

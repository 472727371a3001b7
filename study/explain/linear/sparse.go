package linear

import "fmt"

// Rows are rows of numbers of which most may be zero.
type Rows struct {
	Width int       // numbers in a row
	Start []int     // where each row begins, and the end of the last
	Index []int32   // columns of what is not zero, in order within a row
	Value []float64 // what stands there
}

// NewRows returns no rows of a width.
func NewRows(width int) *Rows { return &Rows{Width: width, Start: []int{0}} }

// Len returns how many rows there are.
func (r *Rows) Len() int { return len(r.Start) - 1 }

// Row returns the columns and numbers of a row, which the caller must not change.
func (r *Rows) Row(i int) ([]int32, []float64) {
	from, to := r.Start[i], r.Start[i+1]
	return r.Index[from:to:to], r.Value[from:to:to]
}

// Add adds a row. It panics if there is not one number a column.
func (r *Rows) Add(index []int32, value []float64) {
	if len(index) != len(value) {
		panic("linear: a row has not one number a column")
	}
	r.Index = append(r.Index, index...)
	r.Value = append(r.Value, value...)
	r.Start = append(r.Start, len(r.Index))
}

// Gather returns some of the rows, in the order given.
func (r *Rows) Gather(rows []int) *Rows {
	some := NewRows(r.Width)
	for _, i := range rows {
		some.Add(r.Row(i))
	}
	return some
}

// dot is the product of row i and a vector.
func (r *Rows) dot(i int, v []float64) float64 {
	sum := 0.0
	index, value := r.Row(i)
	for k, j := range index {
		sum += float64(value[k] * v[j])
	}
	return sum
}

// add adds a multiple of row i to a vector.
func (r *Rows) add(i int, by float64, to []float64) {
	index, value := r.Row(i)
	for k, j := range index {
		to[j] += float64(by * value[k])
	}
}

// squared is the squared length of row i.
func (r *Rows) squared(i int) float64 {
	sum := 0.0
	_, value := r.Row(i)
	for _, v := range value {
		sum += float64(v * v)
	}
	return sum
}

// check refuses columns out of range.
func (r *Rows) check() error {
	for _, j := range r.Index {
		if j < 0 || int(j) >= r.Width {
			return fmt.Errorf("linear: a row has column %d, must be below %d", j, r.Width)
		}
	}
	return nil
}

// minus returns, for each row, what it has above the row of the same place in other.
func (r *Rows) minus(other *Rows) *Rows {
	out := NewRows(r.Width)
	for i := range r.Len() {
		a, av := r.Row(i)
		b, bv := other.Row(i)
		var index []int32
		var value []float64
		put := func(j int32, v float64) {
			if v != 0 {
				index, value = append(index, j), append(value, v)
			}
		}
		for len(a) > 0 || len(b) > 0 {
			switch {
			case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
				put(a[0], av[0])
				a, av = a[1:], av[1:]
			case len(a) == 0 || b[0] < a[0]:
				put(b[0], -bv[0])
				b, bv = b[1:], bv[1:]
			default:
				put(a[0], av[0]-bv[0])
				a, av, b, bv = a[1:], av[1:], b[1:], bv[1:]
			}
		}
		out.Add(index, value)
	}
	return out
}

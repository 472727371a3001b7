package records

import (
	"context"
	"fmt"
)

// A Comparer compares single rows of a table, for whoever wants to know what speaks for
// a pair that was linked before.
type Comparer struct{ e *engine }

// NewComparer returns a comparer of the rows of a table. Of the options the encoder
// alone counts, which must be that of the models.
func NewComparer(ctx context.Context, t Table, o Options) (*Comparer, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	c := &Comparer{newEngine(t, o)}
	if err := c.e.count(ctx, nil); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Explain says what a model finds for and against two rows.
func (c *Comparer) Explain(m *Model, i, j int) (Explanation, error) {
	if i < 0 || i >= c.e.n || j < 0 || j >= c.e.n || i == j {
		return Explanation{}, fmt.Errorf("records: rows are %d and %d, must be two of 0 to %d", i, j, c.e.n-1)
	}
	if len(m.Columns) != len(c.e.t.Columns) {
		return Explanation{}, fmt.Errorf("records: the model compares %d columns and the table has %d, must be as many", len(m.Columns), len(c.e.t.Columns))
	}
	x, err := c.e.pair(i, j)
	if err != nil {
		return Explanation{}, err
	}
	return m.Explain(x), nil
}

// Close gives the room on disk back.
func (c *Comparer) Close() { c.e.close() }

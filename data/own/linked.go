package own

import (
	"context"
	"fmt"
	"slices"

	"sotto/data/table"
)

// link reads the columns that rows are linked by, before anything else is read, and
// finds whose each row is. The rows come in the same order again.
func (b *builder) link(ctx context.Context, path string, reading table.Options) error {
	o := b.options
	if len(o.LinkBy) == 0 {
		return nil
	}
	names, n := slices.Clone(o.LinkBy), len(o.LinkBy)
	if o.Person != "" {
		names = append(names, o.Person)
	}
	all, err := table.Fields(ctx, path, reading, names...)
	if err != nil {
		return err
	}
	t := Persons{Columns: o.LinkBy}
	for _, row := range all {
		t.Rows = append(t.Rows, row[:n])
		if o.Person != "" {
			t.Known = append(t.Known, b.called.Of(row[n]))
		}
	}
	found, err := LinkPersons(ctx, t, []byte(o.LinkModel))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	b.linked, b.rowsOf = found.Labels, make([]int, found.Clusters)
	b.set.Linked = string(found.How)
	return nil
}

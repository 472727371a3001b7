package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fields reads some columns of all rows of a file, as texts; a missing value is "". A
// list or an object is an error. All of it is in memory.
func Fields(ctx context.Context, path string, o Options, columns ...string) (all [][]string, err error) {
	r, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err = r.Select(columns...); err != nil {
		return nil, err
	}
	for {
		row, next := r.Next()
		if errors.Is(next, io.EOF) {
			return all, nil
		}
		if next != nil {
			return nil, next
		}
		if len(all)%4096 == 4095 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fields := make([]string, len(row))
		for c, v := range row {
			if v.Kind == Nested {
				return nil, r.Bad(fmt.Sprintf("column %q holds a list or an object, must hold one value", columns[c]))
			}
			fields[c] = strings.Clone(v.Text)
		}
		all = append(all, fields)
	}
}

package feature

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"sotto/study/errors"
)

var _ errors.Maker = (*Reader)(nil)

// Make implements [errors.Maker].
func (r *Reader) Make(ctx context.Context, texts []string, w errors.Work) (*errors.Features, error) {
	all, err := r.All(ctx, texts, w)
	if err != nil {
		return nil, err
	}
	return Table(all), nil
}

// All finds the features of texts, in their order. It stops when ctx is done.
func (r *Reader) All(ctx context.Context, texts []string, w errors.Work) ([]Text, error) {
	all := make([]Text, len(texts))
	var next, done atomic.Int64
	g, within := errgroup.WithContext(ctx)
	for range max(1, w.Workers) {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(texts) {
					return nil
				}
				if err := within.Err(); err != nil {
					return err
				}
				var err error
				if all[i], err = r.Read(texts[i]); err != nil {
					return fmt.Errorf("feature: text %d: %w", i+1, err)
				}
				w.Tell(int(done.Add(1)), len(texts))
			}
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return all, nil
}

// Table makes a table of the features of texts: a column for each that any of them
// has, those of a group beside each other and in the order of their names.
func Table(texts []Text) *errors.Features {
	groups := map[string]string{}
	for _, t := range texts {
		for _, f := range t.Found {
			groups[f.Name] = f.Group
		}
	}
	t := &errors.Features{Rows: make([]errors.Row, len(texts))}
	for name := range groups {
		t.Names = append(t.Names, name)
	}
	order := Groups()
	slices.SortFunc(t.Names, func(a, b string) int {
		if d := slices.Index(order, groups[a]) - slices.Index(order, groups[b]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	place := make(map[string]int, len(t.Names))
	for k, name := range t.Names {
		place[name] = k
		t.Groups = append(t.Groups, groups[name])
	}
	for i, text := range texts {
		for _, f := range text.Found {
			if f.Value != 0 { // an empty text has the length 0
				t.Rows[i] = append(t.Rows[i], errors.Cell{Column: place[f.Name], Value: f.Value})
			}
		}
		slices.SortFunc(t.Rows[i], func(a, b errors.Cell) int { return a.Column - b.Column })
	}
	return t
}

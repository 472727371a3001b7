package studio

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"sotto/dataset/table"
	"sotto/link"
	"sotto/link/graphfile"
	"sotto/link/records"
	"sotto/link/review"
)

// mostLinked is how many rows of records are looked over on a page, all of which are
// held in memory.
const mostLinked = 200_000

// subject reads what is to be divided.
func (q linkQuestion) subject(ctx context.Context, path string) (review.Subject, error) {
	if q.Unknown == "" {
		q.Unknown = link.Forbidden
	}
	if q.Unknown != link.Forbidden && q.Unknown != link.Neutral {
		return review.Subject{}, &Problem{http.StatusBadRequest, "pairs without a score must be forbidden or neutral"}
	}
	if len(q.Columns) == 0 {
		f, err := graphfile.Edges(path)
		if err != nil {
			return review.Subject{}, err
		}
		g := f.Graph()
		g.Unknown = q.Unknown
		return review.Subject{Graph: g, Names: f.Names}, nil
	}
	return q.records(ctx, path)
}

// records reads records and scores their pairs.
func (q linkQuestion) records(ctx context.Context, path string) (review.Subject, error) {
	if slices.Contains(q.Columns, q.Truth) {
		return review.Subject{}, &Problem{http.StatusBadRequest, "the column that says who is the same must not be compared: it would be the answer"}
	}
	columns, n := slices.Clone(q.Columns), len(q.Columns)
	if q.Truth != "" {
		columns = append(columns, q.Truth)
	}
	all, err := table.Fields(ctx, path, table.Options{}, columns...)
	if err != nil {
		return review.Subject{}, err
	}
	if len(all) > mostLinked {
		return review.Subject{}, &Problem{http.StatusRequestEntityTooLarge, fmt.Sprintf("the file has more than %d rows, which is too many to look over here: sotto link records takes any number", mostLinked)}
	}
	t := records.Table{Columns: q.Columns, Entity: make([]string, len(all))}
	s := review.Subject{Columns: q.Columns}
	for i, row := range all {
		t.Rows = append(t.Rows, row[:n])
		if q.Truth != "" {
			t.Entity[i] = row[n]
		}
		s.Names = append(s.Names, strconv.Itoa(i))
	}
	found, err := records.Link(ctx, t, records.Options{Unknown: q.Unknown})
	if err != nil {
		return review.Subject{}, err
	}
	s.Graph, s.Fields = found.Graph, t.Rows
	return s, nil
}

package link

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"sotto/command/studio"
	"sotto/data/table"
	"sotto/study/link"
	"sotto/study/link/records"
)

// mostLinked is how many rows of records are looked over on a page, all of which are
// held in memory.
const mostLinked = 200_000

// subject reads what is to be divided.
func (q question) subject(ctx context.Context, path string, workers int, tell studio.Tell) (Subject, error) {
	if q.Unknown == "" {
		q.Unknown = link.Forbidden
	}
	if q.Unknown != link.Forbidden && q.Unknown != link.Neutral {
		return Subject{}, &studio.Problem{Status: http.StatusBadRequest, Message: "pairs without a score must be forbidden or neutral"}
	}
	if len(q.Columns) == 0 {
		f, err := link.ReadEdges(path)
		if err != nil {
			return Subject{}, err
		}
		g := f.Graph()
		g.Unknown = q.Unknown
		return Subject{Graph: g, Names: f.Names}, nil
	}
	return q.records(ctx, path, workers, tell)
}

// records reads records and scores their pairs.
func (q question) records(ctx context.Context, path string, workers int, tell studio.Tell) (Subject, error) {
	if slices.Contains(q.Columns, q.Truth) {
		return Subject{}, &studio.Problem{Status: http.StatusBadRequest, Message: "the column that says who is the same must not be compared: it would be the answer"}
	}
	columns, n := slices.Clone(q.Columns), len(q.Columns)
	if q.Truth != "" {
		columns = append(columns, q.Truth)
	}
	all, err := table.Fields(ctx, path, table.Options{}, columns...)
	if err != nil {
		return Subject{}, err
	}
	if len(all) > mostLinked {
		return Subject{}, &studio.Problem{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the file has more than %d rows, which is too many to look over here: sotto link records takes any number", mostLinked)}
	}
	t := records.Table{Columns: q.Columns}
	s := Subject{Columns: q.Columns}
	for i, row := range all {
		t.Rows = append(t.Rows, row[:n])
		if q.Truth != "" {
			t.Entity = append(t.Entity, row[n])
		}
		s.Names = append(s.Names, strconv.Itoa(i))
	}
	found, err := records.Link(ctx, t, records.Options{
		Unknown: q.Unknown, Options: link.Options{Workers: workers},
		Stage: func(what string, done, total int64) {
			tell(float64(done)/float64(max(1, total)), studio.Sentence(what))
		},
	})
	if err != nil {
		return Subject{}, err
	}
	why, err := records.NewExplainer(t, found.Model)
	if err != nil {
		return Subject{}, err
	}
	s.Graph, s.Fields = found.Graph, t.Rows
	s.Reasons = func(i, j int) []Reason {
		e, err := why.Pair(i, j)
		if err != nil {
			return nil // rows in memory can be read
		}
		reasons := []Reason{{Name: "every pair", Weight: e.Constant}}
		for _, t := range e.Terms {
			reasons = append(reasons, Reason{Name: t.Name, Weight: t.Contribution})
		}
		return reasons
	}
	return s, nil
}

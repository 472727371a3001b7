package link

import (
	"bytes"
	"context"
	_ "embed" // of the tab
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sotto/command/studio"
	"sotto/service/httpserve"
	"sotto/study/link"
)

var (
	//go:embed tab.html
	tabHTML string
	//go:embed tab.js
	tabScript string
)

// tab makes the tab of a studio that divides records or a graph into who is the same, and
// lets a person look over what is in doubt.
func tab() studio.Tab {
	var t reviews
	return studio.Tab{Name: "link", Title: "Link", Before: "errors", HTML: tabHTML, Script: tabScript, Routes: map[string]func(*studio.Studio, http.ResponseWriter, *http.Request) error{
		"POST start":   t.start,
		"POST show":    t.about(func(context.Context, answer, *Desk) error { return nil }),
		"POST decide":  t.about(decide),
		"POST named":   t.about(decideNamed),
		"POST export":  t.export,
		"POST command": tabCommand,
	}}
}

// reviews is the division under review.
type reviews struct{ studio.Last[*Desk] }

// question is what is to be divided.
type question struct {
	Source    string       `json:"source"`
	Columns   []string     `json:"columns"` // of records that are compared; none for a graph
	Truth     string       `json:"truth"`   // column that says who is the same; "" for none
	Unknown   link.Unknown `json:"unknown"`
	Decisions int          `json:"decisions"` // how many there are, for the command
}

// reviewed is a division as the page gets it.
type reviewed struct {
	Review string `json:"review"` // its name, for decisions
	View
}

// start handles "POST start".
func (t *reviews) start(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q question
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	src, err := s.File(q.Source)
	if err != nil {
		return err
	}
	return s.Begin(w, "link", func(ctx context.Context, tell studio.Tell) (any, error) {
		tell(0, "Comparing")
		subject, err := q.subject(ctx, src.Path, s.Workers, tell)
		if err != nil {
			return nil, err
		}
		d, err := NewDesk(ctx, subject, link.Options{Workers: s.Workers, Progress: func(done, total int) {
			tell(float64(done)/float64(max(1, total)), "Dividing")
		}})
		if err != nil {
			return nil, err
		}
		return reviewed{t.Keep(d), d.View(Page{})}, nil
	})
}

// answer is a decision or a question about a division.
type answer struct {
	Review    string     `json:"review"`
	Page      Page       `json:"page"`
	Decisions []Decision `json:"decisions"`
	First     string     `json:"first"` // names of two nodes
	Second    string     `json:"second"`
	Say       Say        `json:"say"`
	What      string     `json:"what"` // to export
}

// asked reads a question about a division.
func (t *reviews) asked(w http.ResponseWriter, r *http.Request) (q answer, d *Desk, err error) {
	if err = studio.Read(w, r, &q); err != nil {
		return q, nil, err
	}
	if q.Page.Clusters < 0 || q.Page.Misses < 0 {
		return q, nil, &studio.Problem{Status: http.StatusBadRequest, Message: "what is shown must not be less than nothing"}
	}
	d, known := t.Find(q.Review)
	if !known {
		return q, nil, &studio.Problem{Status: http.StatusNotFound, Message: "this division is not known any more: find who is the same again"}
	}
	return q, d, nil
}

// about does something about a division, and answers with what it is then.
func (t *reviews) about(act func(ctx context.Context, q answer, d *Desk) error) func(*studio.Studio, http.ResponseWriter, *http.Request) error {
	return func(_ *studio.Studio, w http.ResponseWriter, r *http.Request) error {
		q, d, err := t.asked(w, r)
		if err != nil {
			return err
		}
		if err := act(r.Context(), q, d); err != nil {
			return err
		}
		return httpserve.WriteJSON(w, http.StatusOK, reviewed{q.Review, d.View(q.Page)})
	}
}

// decide handles "POST decide": all is divided again with what was decided.
func decide(ctx context.Context, q answer, d *Desk) error {
	return d.Decide(ctx, q.Decisions...)
}

// decideNamed handles "POST named": a decision of two nodes by their names.
func decideNamed(ctx context.Context, q answer, d *Desk) error {
	names := d.Subject().Names
	one := Decision{I: slices.Index(names, strings.TrimSpace(q.First)), J: slices.Index(names, strings.TrimSpace(q.Second)), Say: q.Say}
	if one.I < 0 || one.J < 0 || one.I == one.J {
		return &studio.Problem{Status: http.StatusBadRequest, Message: "name two different rows, as they are named in the lists above"}
	}
	return d.Decide(ctx, one)
}

// export handles "POST export": the clusters, or what was decided, as CSV.
func (t *reviews) export(_ *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	q, d, err := t.asked(w, r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	subject := d.Subject()
	switch q.What {
	case "clusters":
		node := "node"
		if len(subject.Columns) > 0 {
			node = "row"
		}
		err = out.Write(append([]string{node, "cluster"}, subject.Columns...))
		for i, l := range d.Labels() {
			line := []string{subject.Names[i], strconv.Itoa(l)}
			if len(subject.Columns) > 0 {
				line = append(line, subject.Fields[i]...)
			}
			if err == nil {
				err = out.Write(line)
			}
		}
	case "decisions":
		err = out.Write([]string{"i", "j", "decision"})
		for _, one := range d.Decisions() {
			if err == nil {
				err = out.Write([]string{subject.Names[one.I], subject.Names[one.J], string(one.Say)})
			}
		}
	default:
		return &studio.Problem{Status: http.StatusBadRequest, Message: "what is exported must be clusters or decisions"}
	}
	if err != nil {
		return err
	}
	if out.Flush(); out.Error() != nil {
		return out.Error()
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"name": q.What + ".csv", "text": b.String()})
}

// tabCommand handles "POST command": the commands that do the same.
func tabCommand(s *studio.Studio, w http.ResponseWriter, r *http.Request) error {
	var q question
	if err := studio.Read(w, r, &q); err != nil {
		return err
	}
	src, err := s.File(q.Source)
	if err != nil {
		return err
	}
	args := []string{"link", "graph", "--edges", src.Name}
	if len(q.Columns) > 0 {
		args = []string{"link", "records", "--in", src.Name, "--columns", strings.Join(q.Columns, ",")}
		if q.Truth != "" {
			args = append(args, "--truth", q.Truth)
		}
	}
	if q.Unknown != "" && q.Unknown != link.Forbidden {
		args = append(args, "--unknown", string(q.Unknown))
	}
	if q.Decisions > 0 {
		args = append(args, "--decisions", "decisions.csv")
	}
	args = append(args, "--out", "clusters.csv")
	return httpserve.WriteJSON(w, http.StatusOK, map[string][][]string{"commands": {args}})
}

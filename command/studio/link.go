package studio

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed" // of the tab
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sotto/service/httpserve"
	"sotto/study/link"
	"sotto/study/link/review"
)

var (
	//go:embed assets/link.html
	linkHTML string
	//go:embed assets/link.js
	linkScript string
)

// linkTab divides records or a graph into who is the same, and lets a person look over
// what is in doubt.
func linkTab() Tab {
	return Tab{Name: "link", Title: "Link", HTML: linkHTML, Script: linkScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST start":   (*Studio).startLink,
		"POST show":    aboutLink(func(context.Context, linkAnswer, *review.Desk) error { return nil }),
		"POST decide":  aboutLink(decideLink),
		"POST named":   aboutLink(nameLink),
		"POST export":  (*Studio).exportLink,
		"POST command": (*Studio).linkCommand,
	}}
}

// reviewer is the last division under review.
type reviewer struct {
	mu   sync.Mutex // guards the rest
	id   string
	last *review.Desk
}

// linkQuestion is what is to be divided.
type linkQuestion struct {
	Source    string       `json:"source"`
	Columns   []string     `json:"columns"` // of records that are compared; none for a graph
	Truth     string       `json:"truth"`   // column that says who is the same; "" for none
	Unknown   link.Unknown `json:"unknown"`
	Decisions int          `json:"decisions"` // how many there are, for the command
}

// reviewed is a division as the page gets it.
type reviewed struct {
	Review string `json:"review"` // its name, for decisions
	review.View
}

// startLink handles "POST start".
func (s *Studio) startLink(w http.ResponseWriter, r *http.Request) error {
	var q linkQuestion
	if err := read(w, r, &q); err != nil {
		return err
	}
	src, err := s.desk.find(q.Source)
	if err != nil {
		return err
	}
	return s.begin(w, "link", func(ctx context.Context, tell Tell) (any, error) {
		tell(0, "Comparing")
		subject, err := q.subject(ctx, src.path, s.Workers, tell)
		if err != nil {
			return nil, err
		}
		d, err := review.New(ctx, subject, link.Options{Workers: s.Workers, Progress: func(done, total int) {
			tell(float64(done)/float64(max(1, total)), "Dividing")
		}})
		if err != nil {
			return nil, err
		}
		name := rand.Text()
		s.reviewer.mu.Lock()
		defer s.reviewer.mu.Unlock()
		s.reviewer.id, s.reviewer.last = name, d
		return reviewed{name, d.View(review.Page{})}, nil
	})
}

// review returns the division of a name.
func (s *Studio) review(name string) (*review.Desk, error) {
	s.reviewer.mu.Lock()
	defer s.reviewer.mu.Unlock()
	if s.reviewer.last == nil || s.reviewer.id != name {
		return nil, &Problem{http.StatusNotFound, "this division is not known any more: find who is the same again"}
	}
	return s.reviewer.last, nil
}

// linkAnswer is a decision or a question about a division.
type linkAnswer struct {
	Review    string            `json:"review"`
	Page      review.Page       `json:"page"`
	Decisions []review.Decision `json:"decisions"`
	First     string            `json:"first"` // names of two nodes
	Second    string            `json:"second"`
	Say       review.Say        `json:"say"`
	What      string            `json:"what"` // to export
}

// asked reads a question about a division.
func (s *Studio) asked(w http.ResponseWriter, r *http.Request) (q linkAnswer, d *review.Desk, err error) {
	if err = read(w, r, &q); err != nil {
		return q, nil, err
	}
	if q.Page.Clusters < 0 || q.Page.Misses < 0 {
		return q, nil, &Problem{http.StatusBadRequest, "what is shown must not be less than nothing"}
	}
	d, err = s.review(q.Review)
	return q, d, err
}

// aboutLink does something about a division, and answers with what it is then.
func aboutLink(act func(ctx context.Context, q linkAnswer, d *review.Desk) error) func(*Studio, http.ResponseWriter, *http.Request) error {
	return func(s *Studio, w http.ResponseWriter, r *http.Request) error {
		q, d, err := s.asked(w, r)
		if err != nil {
			return err
		}
		if err := act(r.Context(), q, d); err != nil {
			return err
		}
		return httpserve.WriteJSON(w, http.StatusOK, reviewed{q.Review, d.View(q.Page)})
	}
}

// decideLink handles "POST decide": all is divided again with what was decided.
func decideLink(ctx context.Context, q linkAnswer, d *review.Desk) error {
	return d.Decide(ctx, q.Decisions...)
}

// nameLink handles "POST named": a decision of two nodes by their names.
func nameLink(ctx context.Context, q linkAnswer, d *review.Desk) error {
	names := d.Subject().Names
	one := review.Decision{I: slices.Index(names, strings.TrimSpace(q.First)), J: slices.Index(names, strings.TrimSpace(q.Second)), Say: q.Say}
	if one.I < 0 || one.J < 0 || one.I == one.J {
		return &Problem{http.StatusBadRequest, "name two different rows, as they are named in the lists above"}
	}
	return d.Decide(ctx, one)
}

// exportLink handles "POST export": the clusters, or what was decided, as CSV.
func (s *Studio) exportLink(w http.ResponseWriter, r *http.Request) error {
	q, d, err := s.asked(w, r)
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
		return &Problem{http.StatusBadRequest, "what is exported must be clusters or decisions"}
	}
	if err != nil {
		return err
	}
	if out.Flush(); out.Error() != nil {
		return out.Error()
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"name": q.What + ".csv", "text": b.String()})
}

// linkCommand handles "POST command": the commands that do the same.
func (s *Studio) linkCommand(w http.ResponseWriter, r *http.Request) error {
	var q linkQuestion
	if err := read(w, r, &q); err != nil {
		return err
	}
	src, err := s.desk.find(q.Source)
	if err != nil {
		return err
	}
	args := []string{"link", "graph", "--edges", src.name}
	if len(q.Columns) > 0 {
		args = []string{"link", "records", "--in", src.name, "--columns", strings.Join(q.Columns, ",")}
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

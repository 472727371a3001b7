package studio

import (
	_ "embed" // of the tab
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"sotto/data/dataset"
	"sotto/data/inspect"
	"sotto/data/table"
	"sotto/service/httpserve"
)

var (
	//go:embed assets/data.html
	dataHTML string
	//go:embed assets/data.js
	dataScript string
)

// dataTab takes a file and shows it as it is understood.
func dataTab() Tab {
	return Tab{Name: "data", Title: "Data", HTML: dataHTML, Script: dataScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST upload": (*Studio).upload,
		"POST sample": (*Studio).takeSample,
		"GET first":   (*Studio).showFirst,
		"GET again":   (*Studio).showAgain,
	}}
}

// understood is a file as it is understood.
type understood struct {
	Source   string     `json:"source"`
	Name     string     `json:"name"`
	Choice   Choice     `json:"choice"` // that is proposed
	Commands [][]string `json:"commands"`
	*inspect.Report
}

// preview is how many rows are shown.
const preview = 5

// inspect answers with a file as it is understood.
func (s *Studio) inspect(w http.ResponseWriter, r *http.Request, src source) (err error) {
	in, err := table.Open(src.path, table.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	split, person := r.URL.Query().Get("split"), r.URL.Query().Get("person")
	found, err := inspect.Run(r.Context(), in, inspect.Options{Show: preview, Split: split, Person: person})
	if err != nil {
		return err
	}
	roles := found.Roles
	u := understood{Source: src.id, Name: src.name, Report: found, Choice: Choice{Source: src.id, Text: roles.Text, Label: roles.Label, Split: roles.Split, Person: roles.Person}}
	if len(roles.Attributes) > 0 {
		u.Choice.Attribute = roles.Attributes[0]
	}
	if src.sample {
		u.Commands = append(u.Commands, []string{"data", "sample"})
	}
	u.Commands = append(u.Commands, []string{"data", "inspect", src.name})
	return httpserve.WriteJSON(w, http.StatusOK, u)
}

// takeSample handles "POST sample": the file that everybody has, as if it had
// been dropped.
func (s *Studio) takeSample(w http.ResponseWriter, r *http.Request) error {
	dir, err := s.folder("files")
	if err != nil {
		return err
	}
	src := source{name: dataset.SampleName, path: filepath.Join(dir, dataset.SampleName), sample: true}
	if err := os.WriteFile(src.path, []byte(dataset.SampleMessages()), 0o600); err != nil {
		return err
	}
	return s.inspect(w, r, s.desk.add(src))
}

// showFirst handles "GET first": the file that was given at the start, or null.
func (s *Studio) showFirst(w http.ResponseWriter, r *http.Request) error {
	if s.desk.first == "" {
		return httpserve.WriteJSON(w, http.StatusOK, nil)
	}
	return s.showFile(w, r, s.desk.first)
}

// showAgain handles "GET again": a file that was given before, with parts and
// persons as the person has chosen them.
func (s *Studio) showAgain(w http.ResponseWriter, r *http.Request) error {
	return s.showFile(w, r, r.URL.Query().Get("source"))
}

func (s *Studio) showFile(w http.ResponseWriter, r *http.Request, id string) error {
	src, err := s.desk.find(id)
	if err != nil {
		return err
	}
	return s.inspect(w, r, src)
}

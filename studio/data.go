package studio

import (
	_ "embed" // of the tab
	"net/http"

	"sotto/dataset"
	"sotto/internal/httpserve"
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
		"GET sample": (*Studio).showSample,
	}}
}

// understood is data as it is understood.
type understood struct {
	Source  string     `json:"source"`
	Name    string     `json:"name"`
	Rows    int        `json:"rows"`
	Columns []column   `json:"columns"`
	First   [][]string `json:"first"` // rows, as they begin
	Notes   []string   `json:"notes"`
	Fixed   bool       `json:"fixed"`  // what the columns are for is not for the person to say
	Choice  Choice     `json:"choice"` // that is proposed
	Command []string   `json:"command"`
}

// column is one column of the data.
type column struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Distinct int     `json:"distinct"`
	Empty    int     `json:"empty"`
	Classes  []class `json:"classes,omitempty"`
}

// class is one value of a column of few.
type class struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// preview is how many rows are shown.
const preview = 5

// showSample handles "GET sample".
func (s *Studio) showSample(w http.ResponseWriter, _ *http.Request) error {
	set, err := dataset.Load(sample, dataset.Options{})
	if err != nil {
		return err
	}
	u := understood{
		Source: sample, Name: sample, Rows: set.Rows, Fixed: true, Notes: append([]string{"These reviews are made up, so that the best attack on them is known."}, set.Notes...),
		Columns: []column{{Name: "text", Kind: "text", Distinct: distinct(set.Text)}, classes(set.Label, set.Rows)},
		Choice:  Choice{Source: sample, Text: "text", Label: set.Label.Name},
		Command: []string{"data", "list"},
	}
	for _, a := range set.Attributes {
		u.Columns = append(u.Columns, classes(a, set.Rows))
	}
	if len(set.Attributes) > 0 {
		u.Choice.Attribute = set.Attributes[0].Name
	}
	for i := range min(preview, set.Rows) {
		row := []string{set.Text[i], set.Label.Classes[set.Label.IDs[i]]}
		for _, a := range set.Attributes {
			row = append(row, a.Classes[a.IDs[i]])
		}
		u.First = append(u.First, row)
	}
	return httpserve.WriteJSON(w, http.StatusOK, u)
}

// classes describes a column of classes.
func classes(c dataset.Column, rows int) column {
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	to := column{Name: c.Name, Kind: "classes", Distinct: len(c.Classes)}
	for i, n := range c.Counts(all) {
		to.Classes = append(to.Classes, class{c.Classes[i], n})
		rows -= n
	}
	to.Empty = rows
	return to
}

// distinct counts different texts.
func distinct(all []string) int {
	seen := make(map[string]bool, len(all))
	for _, t := range all {
		seen[t] = true
	}
	return len(seen)
}

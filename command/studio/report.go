package studio

import (
	"bytes"
	_ "embed" // of the tab
	"net/http"

	"sotto/report"
	"sotto/service/httpserve"
)

var (
	//go:embed assets/report.html
	reportHTML string
	//go:embed assets/report.js
	reportScript string
)

// reportTab opens the report of a training.
func reportTab() Tab {
	return Tab{Name: "report", Title: "Report", HTML: reportHTML, Script: reportScript, Routes: map[string]func(*Studio, http.ResponseWriter, *http.Request) error{
		"POST open": (*Studio).openReport,
	}}
}

// openReport handles "POST open".
func (s *Studio) openReport(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Run string `json:"run"`
	}
	if err := Read(w, r, &q); err != nil {
		return err
	}
	run, err := s.Run(q.Run)
	if err != nil {
		return err
	}
	found, err := s.Kinds.Load(run.Dir)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.HTML(&b, found); err != nil {
		return err
	}
	return httpserve.WriteJSON(w, http.StatusOK, map[string]string{"address": s.Show(file("text/html", b.String()))})
}

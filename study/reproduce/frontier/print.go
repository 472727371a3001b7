package frontier

import (
	"fmt"
	"io"
	"strings"

	"sotto/internal/layout"
)

// Print writes the result for a person.
func (r *Result) Print(w io.Writer) error {
	b := layout.NewBuffer(w)
	part := Part("")
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.Classes == nil {
			continue // nothing of it is in the store
		}
		if t.Part != part {
			part = t.Part
			fmt.Fprintf(b, "%s\n\n", strings.ToUpper(part.About()))
		}
		fmt.Fprintf(b, "%s: %s\n", t.Name, t.About())
		for _, table := range r.Tables(t) {
			table.write(b)
		}
		b.WriteByte('\n')
	}
	verdictTable(r.Verdicts).write(b)
	b.WriteByte('\n')
	for _, n := range r.Remarks() {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	return b.Flush()
}

// About says what a task is.
func (t *TaskResult) About() string {
	text := strings.Join(t.Labels, ", ")
	if len(t.Labels) == 1 && len(t.Classes) > 0 {
		text += fmt.Sprintf(" (%d classes)", t.Classes[0])
	}
	if len(t.Unknown) > 0 {
		text += "; unknown in training: " + strings.Join(t.Unknown, ", ")
	}
	text += fmt.Sprintf("; %d rows to train, %d to validate, %d to test", t.Rows.Train, t.Rows.Validation, t.Rows.Test)
	if t.Attribute != "" {
		text += "; protected: " + t.Attribute
	}
	return text
}

// Remarks are the notes of a result with what is absent of it.
func (r *Result) Remarks() []string {
	all := append([]string{}, r.Notes...)
	if len(r.Absent) > 0 {
		all = append(all, "left out, because the data is absent (sotto data list): "+strings.Join(r.Absent, ", "))
	}
	if n := len(r.Missing); n > 0 {
		all = append(all, fmt.Sprintf("not computed yet, or come to nothing: %d experiments, such as %s", n, r.Missing[0]))
	}
	return all
}

// verdictTable shows for each aim and task what is nearest to missing it.
func verdictTable(all []Verdict) Table {
	t := Table{Title: "AIMS (at each task what is nearest to missing it)", Head: []string{"aim", "task", "found", "outcome"}}
	for _, v := range all {
		t.Rows = append(t.Rows, []string{v.Aim, "", "", strings.ToUpper(string(v.Outcome))})
		for _, c := range v.Worst() {
			t.Rows = append(t.Rows, []string{"", c.Task, c.String(), string(c.Outcome)})
		}
	}
	return t
}

func (t Table) write(w io.Writer) {
	fmt.Fprintf(w, "  %s\n", t.Title) //nolint:errcheck // w is a buffer
	table := layout.NewTable(w).Headed()
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		table.Cells(append([]string{"  " + row[0]}, row[1:]...)...)
	}
	table.Flush() //nolint:errcheck // see above
}

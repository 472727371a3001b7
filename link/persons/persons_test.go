package persons_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/link/persons"
)

func table(rows ...string) persons.Table {
	t := persons.Table{Columns: []string{"name", "email"}}
	for _, r := range rows {
		name, email, _ := strings.Cut(r, "|")
		t.Rows = append(t.Rows, []string{name, email})
	}
	return t
}

// Known rows join clusters, whatever their columns say.
func TestKnown(t *testing.T) {
	all := table("Anna Quill|anna@example.org", "anna  QUILL|Anna@example.org", "Bo Marsh|bo@example.org", "A. Quill|", "|bo@example.org", "|")
	all.Known = []string{"", "1", "2", "1", "", "3"}
	f, err := persons.Find(t.Context(), all, persons.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Labels[0] != f.Labels[1] || f.Labels[1] != f.Labels[3] || f.Labels[0] == f.Labels[2] || f.Labels[5] == f.Labels[4] || f.How == "" {
		t.Errorf("found is %+v", f)
	}
	if f.Clusters != slices.Max(f.Labels)+1 {
		t.Errorf("%d clusters with the labels %v", f.Clusters, f.Labels)
	}
}

func TestFindRefuses(t *testing.T) {
	for want, change := range map[string]func(*persons.Table){
		"1 of 3 rows have nothing": func(t *persons.Table) { t.Rows[1] = []string{" - ", ""} },
		"at least one column":      func(t *persons.Table) { t.Columns = nil },
		"must have 2":              func(t *persons.Table) { t.Rows[2] = []string{"x"} },
		"for every row":            func(t *persons.Table) { t.Known = []string{"x"} },
	} {
		all := table("a|b", "c|d", "e|f")
		change(&all)
		if _, err := persons.Find(t.Context(), all, persons.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

package records_test

import (
	"encoding/json"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sotto/data/own"
	"sotto/data/table"
	"sotto/data/testenv"
	"sotto/study/link"
	"sotto/study/link/records"
)

// crowd is rows of persons whose truth is known: each has three, of which one has
// another spelling and one another address.
func personsCrowd(people int) (t records.PersonsTable, truth []int) {
	rng := weakrand.New(weakrand.NewPCG(6, 1))
	word := func() string {
		w := ""
		for range 3 {
			w += string("bdfgklmnprstvz"[rng.IntN(14)]) + string("aeiou"[rng.IntN(5)])
		}
		return w
	}
	t.Columns = []string{"name", "email", "phone"}
	for who := range people {
		f, l := strings.Fields("anna boris carla dmitri elena farid greta hugo irina jonas katrin luis")[rng.IntN(12)], word()
		email := fmt.Sprintf("%s.%s%d@example.org", f, l, rng.IntN(90))
		phone := fmt.Sprintf("+49 %d", 100000+rng.IntN(900000))
		for _, row := range [][]string{{f + " " + l, email, phone}, {strings.ToUpper(f[:1]) + f[1:] + " " + l[:3] + l[4:], email, phone}, {f + " " + l, fmt.Sprintf("%s%d@example.com", f[:2], 100+who), phone}} {
			t.Rows = append(t.Rows, row)
			truth = append(truth, who)
		}
	}
	return t, truth
}

// Rows are linked by what they themselves tell, and by a model that was trained.
func TestFind(t *testing.T) {
	all, truth := personsCrowd(120)
	f, err := records.FindPersons(t.Context(), all, records.PersonsOptions{Workers: 1})
	if err != nil || f.How != own.Estimate {
		t.Fatalf("%+v, %v", f, err)
	}
	if s := link.Compare(truth, f.Labels); s.F1 < .9 {
		t.Errorf("an estimate has %+v", s)
	}
	again, err := records.FindPersons(t.Context(), all, records.PersonsOptions{Workers: 2})
	if err != nil || !slices.Equal(f.Labels, again.Labels) {
		t.Error("a second time something else is found")
	}
	known := records.Table{Columns: []string{"email", "phone", "name"}}
	for i, row := range all.Rows {
		known.Rows = append(known.Rows, []string{row[1], row[2], row[0]})
		known.Entity = append(known.Entity, fmt.Sprint(truth[i]))
	}
	trained, err := records.Link(t.Context(), known, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(trained.Model)
	if err != nil || strings.Contains(string(content), "quill") {
		t.Fatalf("the model holds a name, or %v", err)
	}
	f, err = records.FindPersons(t.Context(), all, records.PersonsOptions{Model: content, Workers: 1}) // in another order of columns
	if err != nil || f.How != own.Model {
		t.Fatalf("%+v, %v", f, err)
	}
	if s := link.Compare(truth, f.Labels); s.F1 < .95 {
		t.Errorf("with a model there is %+v", s)
	}
	for want, model := range map[string]string{"must be those of the model: email, phone, name": string(content), "not a model": "{\"x\": 1}", "a model that": "{}"} {
		one := records.PersonsTable{Columns: []string{"name"}, Rows: [][]string{{"a"}}}
		if _, err := records.FindPersons(t.Context(), one, records.PersonsOptions{Model: []byte(model)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

// The real records of csv_example, without a label.
func TestReal(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("SOTTO_LONG is not set")
	}
	columns := []string{"Site name", "Address", "Zip", "Phone"}
	rows, err := table.Fields(t.Context(), testenv.Data(t, "dedupe", "csv_example_input_with_true_ids.csv"), table.Options{}, append(columns, "True Id")...)
	if err != nil {
		t.Fatal(err)
	}
	all, number, truth := records.PersonsTable{Columns: columns}, map[string]int{}, []int(nil)
	for _, row := range rows {
		if strings.TrimSpace(strings.Join(row[:4], "")) == "" {
			continue
		}
		if _, ok := number[row[4]]; !ok {
			number[row[4]] = len(number)
		}
		all.Rows, truth = append(all.Rows, row[:4]), append(truth, number[row[4]])
	}
	f, err := records.FindPersons(t.Context(), all, records.PersonsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := link.Compare(truth, f.Labels)
	t.Logf("%d clusters of %d rows, %+v", f.Clusters, len(truth), s)
	if s.F1 < .9 {
		t.Errorf("F1 is %v, want at least .9", s.F1)
	}
}

func small(rows ...string) records.PersonsTable {
	t := records.PersonsTable{Columns: []string{"name", "email"}}
	for _, r := range rows {
		name, email, _ := strings.Cut(r, "|")
		t.Rows = append(t.Rows, []string{name, email})
	}
	return t
}

// Known rows join clusters, whatever their columns say.
func TestKnown(t *testing.T) {
	all := small("Anna Quill|anna@example.org", "anna  QUILL|Anna@example.org", "Bo Marsh|bo@example.org", "A. Quill|", "|bo@example.org", "|")
	all.Known = []string{"", "1", "2", "1", "", "3"}
	f, err := records.FindPersons(t.Context(), all, records.PersonsOptions{})
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
	for want, change := range map[string]func(*records.PersonsTable){
		"1 of 3 rows have nothing": func(t *records.PersonsTable) { t.Rows[1] = []string{" - ", ""} },
		"at least one column":      func(t *records.PersonsTable) { t.Columns = nil },
		"must have 2":              func(t *records.PersonsTable) { t.Rows[2] = []string{"x"} },
		"for every row":            func(t *records.PersonsTable) { t.Known = []string{"x"} },
	} {
		all := small("a|b", "c|d", "e|f")
		change(&all)
		if _, err := records.FindPersons(t.Context(), all, records.PersonsOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

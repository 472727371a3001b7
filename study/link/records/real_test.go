package records_test

import (
	"encoding/csv"
	"os"
	"testing"

	"sotto/data/testenv"
	"sotto/study/link/records"
)

// read adds the fields at some places of a file of dedupe to a table, and the entity of
// each row, which stands first.
func read(t *testing.T, table *records.Table, file string, places ...int) {
	t.Helper()
	f, err := os.Open(testenv.Data(t, "dedupe", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		fields := make([]string, len(places))
		for k, p := range places {
			fields[k] = row[p]
		}
		table.Rows = append(table.Rows, fields)
		table.Entity = append(table.Entity, row[0])
		table.Source = append(table.Source, file)
	}
}

// From raw records, with half of the entities for training, the others are found; and
// without any label most of them.
func TestSites(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("compares 170,000 pairs; set SOTTO_LONG=1")
	}
	table := records.Table{Columns: []string{"Site name", "Address", "Zip", "Phone"}}
	read(t, &table, "csv_example_input_with_true_ids.csv", 3, 4, 5, 6)
	table.Source = nil
	for _, tt := range []struct {
		o     records.Options
		least float64
	}{{records.Options{}, .96}, {records.Options{Unsupervised: true}, .9}} {
		r, err := records.Link(t.Context(), table, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d pairs, %+v, held %+v, %+v", r.Pairs, r.Blocks, *r.Held, r.Calibration)
		if r.Held.F1 < tt.least || r.Calibration.Error > .02 {
			t.Errorf("F1 is %.4f and the calibration error %.4f, want at least %v and at most .02", r.Held.F1, r.Calibration.Error, tt.least)
		}
	}
}

// Ten answers do most of what half of the labels do.
func TestAnswers(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("compares 90,000 pairs; set SOTTO_LONG=1")
	}
	table := records.Table{Columns: []string{"Site name", "Address", "Zip", "Phone"}}
	read(t, &table, "csv_example_input_with_true_ids.csv", 3, 4, 5, 6)
	table.Source = nil
	asked := 0
	r, err := records.Link(t.Context(), table, records.Options{Ask: func(q records.Question) (records.Answer, error) {
		asked++
		switch {
		case asked > 10:
			return records.Quit, nil
		case table.Entity[q.I] == table.Entity[q.J]:
			return records.Same, nil
		}
		return records.Other, nil
	}})
	if err != nil || r.Held.F1 < .95 {
		t.Errorf("after 10 answers F1 is %.4f, %v; want at least .95", r.Held.F1, err)
	}
}

// Products of two shops, of which neither has one twice.
func TestProducts(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("compares 40,000 pairs of long texts; set SOTTO_LONG=1")
	}
	table := records.Table{Columns: []string{"title", "description", "price"}}
	read(t, &table, "AbtBuy_Abt.csv", 1, 2, 3)
	read(t, &table, "AbtBuy_Buy.csv", 1, 2, 3)
	r, err := records.Link(t.Context(), table, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pairs, held %+v", r.Pairs, *r.Held)
	if r.Held.F1 < .87 {
		t.Errorf("F1 is %.4f, want at least .87", r.Held.F1)
	}
}

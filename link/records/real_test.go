package records_test

import (
	"encoding/csv"
	"os"
	"testing"

	"sotto/internal/testenv"
	"sotto/link/records"
)

// From raw records, with half of the entities for training, the others are found.
func TestSites(t *testing.T) {
	f, err := os.Open(testenv.Data(t, "dedupe", "csv_example_input_with_true_ids.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := records.Table{Columns: []string{"Site name", "Address", "Zip", "Phone"}}
	for _, row := range rows[1:] {
		table.Rows = append(table.Rows, []string{row[3], row[4], row[5], row[6]})
		table.Entity = append(table.Entity, row[0])
	}
	r, err := records.Link(t.Context(), table, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pairs, %+v, held %+v, all %+v, %+v, %+v, optimal %v gap %v", r.Pairs, r.Blocks, *r.Held, *r.All, r.Calibration, r.Model.Calibration, r.Optimal, r.Gap)
	if r.Held.F1 < .94 {
		t.Errorf("F1 is %.4f, want at least .94", r.Held.F1)
	}
}

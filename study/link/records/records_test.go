package records_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/study/link"
	"sotto/study/link/records"
)

// people is a table of made-up persons, each written in several ways.
func people() records.Table {
	t := records.Table{Columns: []string{"name", "street"}}
	first := []string{"anna", "bertram", "cecilia", "dorothy", "edgar", "frida", "gustav", "helena"}
	last := []string{"quill", "marsh", "thornton", "vexley", "ashdown", "pemberley"}
	for k := range 48 {
		f, l := first[k%8], last[k%6]
		street := fmt.Sprintf("%d %s lane", 10+k, last[(k*5+1)%6])
		for _, row := range [][]string{{f + " " + l, street}, {strings.ToUpper(f[:1]) + ". " + l, street}, {l + ", " + f, street + " "}} {
			t.Rows = append(t.Rows, row)
			t.Entity = append(t.Entity, fmt.Sprint(k))
		}
	}
	return t
}

func TestLink(t *testing.T) {
	table := people()
	r, err := records.Link(t.Context(), table, records.Options{})
	if err != nil || !r.Optimal || r.Held == nil || r.Held.F1 < .9 || len(r.Features) != records.Width(2) {
		t.Fatalf("%+v, %v", r.Held, err)
	}
	again, err := records.Link(t.Context(), table, records.Options{})
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Error("a second run found something else")
	}
	for i := range table.Entity[:6] {
		table.Entity[i] = "" // nobody knows them, and they are linked all the same
	}
	r, err = records.Link(t.Context(), table, records.Options{})
	if err != nil || r.Labels[0] != r.Labels[2] || r.Labels[0] == r.Labels[3] || r.All.Items != len(table.Rows)-6 {
		t.Errorf("labels begin %v, %+v, %v", r.Labels[:6], r.All, err)
	}
}

func TestLinkRefuses(t *testing.T) {
	table := people()
	for want, change := range map[string]func(*records.Table, *records.Options){
		"share is 2":          func(_ *records.Table, o *records.Options) { o.Share = 2 },
		"share is NaN":        func(_ *records.Table, o *records.Options) { o.Share = math.NaN() },
		"at least one column": func(t *records.Table, _ *records.Options) { t.Columns = nil },
		"must have both":      func(t *records.Table, _ *records.Options) { t.Entity = slices.Repeat([]string{"one"}, len(t.Rows)) },
		`unknown is "maybe"`:  func(_ *records.Table, o *records.Options) { o.Unknown = link.Unknown("maybe") },
	} {
		tt, o := table, records.Options{}
		change(&tt, &o)
		if _, err := records.Link(t.Context(), tt, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

func ExampleLink() {
	t := records.Table{Columns: []string{"name", "born", "town"}, Rows: [][]string{
		{"Robert Quill", "1984-03-12", "Ashdown"},
		{"Bob Quill", "12 March 1984", "Ashdown"},
		{"Anna Marsh", "1951-11-30", "Vexley"},
		{"Edgar Thornton", "1977-05-01", "Ashdown"},
		{"E. Thornton", "5/1/1977", ""},
		{"Frida Quill", "1990-08-24", "Vexley"},
	}}
	r, err := records.Link(context.Background(), t, records.Options{}) // no label: an estimate
	fmt.Println(r.Labels, r.Model.Estimated, err)
	// Output: [0 0 1 2 2 3] true <nil>
}

func ExampleGolden() {
	rows := [][]string{{"A. Quill", "10 Elm"}, {"Anna Quill", "10 Elm"}, {"Bo Marsh", ""}}
	fmt.Println(records.Golden(rows, []int{0, 0, 1}))
	// Output: [[Anna Quill 10 Elm] [Bo Marsh ]]
}

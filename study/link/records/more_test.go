package records_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/study/link"
	"sotto/study/link/records"
)

// Wherever rows lie and on however many cores they are compared, the same is found.
func TestStored(t *testing.T) {
	table := people()
	want, err := records.Link(t.Context(), table, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := records.NewRows()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for _, row := range table.Rows { // in another order, and with a column that is not compared
		if err = rows.Add([]string{row[1], "x", row[0]}); err != nil {
			t.Fatal(err)
		}
	}
	if err = rows.Flush(); err != nil {
		t.Fatal(err)
	}
	stored := records.Table{Columns: table.Columns, Entity: table.Entity, Stored: rows, Places: []int{2, 0}}
	for _, workers := range []int{1, 3} {
		got, err := records.Link(t.Context(), stored, records.Options{Options: link.Options{Workers: workers}})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("on %d workers from disk something else is found, %v", workers, err)
		}
	}
}

// Without a label, persons are found all the same, and nobody is trained on.
func TestEstimated(t *testing.T) {
	table := people()
	table.Columns = append(table.Columns, "born")
	for i, row := range table.Rows {
		k := i / 3
		table.Rows[i] = append(row, fmt.Sprintf("%d-%02d-%02d", 1950+k, 1+k*5%12, 1+k*7%28))
	}
	r, err := records.Link(t.Context(), table, records.Options{Unsupervised: true})
	if err != nil || !r.Model.Estimated || r.Trained != 0 || r.Held.Items != len(table.Rows) || r.Held.F1 < .9 {
		t.Errorf("%+v, %v", r.Held, err)
	}
	table.Entity = nil
	without, err := records.Link(t.Context(), table, records.Options{})
	if err != nil || without.Held != nil || !reflect.DeepEqual(without.Labels, r.Labels) {
		t.Errorf("without a truth something else is found, %v", err)
	}
}

// Answers are asked for until there are enough, about pairs that were not asked about.
func TestAsk(t *testing.T) {
	table := people()
	asked := make(map[[2]int]bool)
	o := records.Options{Labelled: []records.Labelled{{I: 0, J: 1, Unsure: true}}}
	o.Ask = func(q records.Question) (records.Answer, error) {
		if asked[[2]int{q.I, q.J}] || q.I == 0 && q.J == 1 || len(q.A) != 2 || q.A[0] != table.Rows[q.I][0] {
			t.Errorf("question %+v", q)
		}
		asked[[2]int{q.I, q.J}] = true
		switch {
		case len(asked) > 12:
			return records.Quit, nil
		case table.Entity[q.I] == table.Entity[q.J]:
			return records.Same, nil
		}
		return records.Other, nil
	}
	r, err := records.Link(t.Context(), table, o)
	if err != nil || r.Trained != 12 || r.Held.F1 < .95 || r.Held.Items != len(table.Rows) {
		t.Errorf("%d answers, %+v, %v", r.Trained, r.Held, err)
	}
	o.Ask = func(records.Question) (records.Answer, error) { return "perhaps", nil }
	if _, err := records.Link(t.Context(), table, o); err == nil {
		t.Error("an answer that is none was taken")
	}
}

// Rows of one source are not joined, nor are those that a person keeps apart.
func TestSource(t *testing.T) {
	table := people()
	for i := range table.Rows {
		table.Source = append(table.Source, fmt.Sprint(i%3))
	}
	r, err := records.Link(t.Context(), table, records.Options{Cannot: []link.Pair{{0, 1}}, Must: []link.Pair{{3, 7}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, nodes := range link.Clusters(r.Labels) {
		seen := make(map[string]bool)
		for _, i := range nodes {
			if seen[table.Source[i]] && i != 7 {
				t.Errorf("cluster %v has two rows of one source", nodes)
			}
			seen[table.Source[i]] = true
		}
	}
	if r.Labels[0] == r.Labels[1] || r.Labels[3] != r.Labels[7] {
		t.Error("decisions were not kept to")
	}
}

// A comparer says of a pair what the division was made from.
func TestComparer(t *testing.T) {
	table := people()
	r, err := records.Link(t.Context(), table, records.Options{Explained: [][2]int{{0, 1}, {0, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := records.NewComparer(t.Context(), table, records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, want := range r.Explained {
		got, err := c.Explain(r.Model, want.I, want.J)
		if err != nil || !reflect.DeepEqual(got, want.Explanation) {
			t.Errorf("rows %d and %d: %+v, %v; want %+v", want.I, want.J, got, err, want.Explanation)
		}
	}
	for _, d := range r.Graph.Edges {
		e, err := c.Explain(r.Model, d.I, d.J)
		if err != nil || math.Abs(1-2*e.Probability-d.Weight) > 1e-6 {
			t.Fatalf("rows %d and %d: probability is %v, weight %v, %v", d.I, d.J, e.Probability, d.Weight, err)
		}
	}
	if _, err := c.Explain(r.Model, 0, 0); err == nil {
		t.Error("a row was compared with itself")
	}
}

// meaning is an encoder that knows two things, whatever they are called.
type meaning struct{}

func (meaning) Name() string { return "meaning" }
func (meaning) Dim() int     { return 8 }

func (meaning) Encode(dst []float32, text string) {
	clear(dst)
	for k, words := range []string{"car automobile", "house cottage", "tree oak", "cloud fog"} {
		if strings.Contains(words, text) {
			dst[k], dst[k+4] = 1, 1
		}
	}
}

// Rows that share no letter are compared if an encoder takes them for neighbours, and
// what it says of them is a feature.
func TestEncoder(t *testing.T) {
	table := records.Table{Columns: []string{"thing"}, Rows: [][]string{{"car"}, {"automobile"}, {"house"}, {"cottage"}, {"tree"}, {"oak"}, {"cloud"}, {"fog"}}}
	without, err := records.Link(t.Context(), table, records.Options{})
	if err != nil || without.Pairs != 0 {
		t.Errorf("%d pairs are compared without an encoder, %v", without.Pairs, err)
	}
	r, err := records.Link(t.Context(), table, records.Options{Encoder: meaning{}, EncoderName: "meaning", Explained: [][2]int{{0, 1}, {0, 2}}})
	if err != nil || r.Pairs < 4 || r.Model.Encoder != "meaning" {
		t.Fatalf("%d pairs are compared with one, %v", r.Pairs, err)
	}
	m := *r.Model
	m.Weights = [][]float64{slices.Clone(m.Weights[0])}
	m.Weights[0][records.Meaning] = 10
	r, err = records.Link(t.Context(), table, records.Options{Encoder: meaning{}, With: &m})
	if err != nil || !slices.Equal(r.Labels, []int{0, 0, 1, 1, 2, 2, 3, 3}) {
		t.Errorf("labels are %v, %v", r.Labels, err)
	}
}

// Package records finds the rows of a table that are one and the same person or
// thing. Rows that share a word, a number, a sound or a neighbourhood are compared
// column by column; a model makes a probability of each comparison, learnt from rows or
// pairs that are known, from answers of a person, or estimated where nothing is known;
// and package link divides.
//
//	r, err := records.Link(ctx, records.Table{Columns: names, Rows: rows}, records.Options{})
//	golden := records.Golden(rows, r.Labels)
//
// What it finds is an estimate, however exactly the division is solved: the weights are
// learnt.
//
// Rows, keys and pairs lie on disk where they are many. What is in memory grows with the
// number of rows by some dozens of bytes each, and with the pairs inside of what is
// probably one: everything else is taken a chunk of rows at a time.
package records

import (
	"context"
	"errors"
	"fmt"

	"sotto/study/link"
	"sotto/text/encode"
)

// A Table is rows of fields, and whose some of them are.
type Table struct {
	Columns []string   // names of the columns that are compared
	Rows    [][]string // the fields of each row, those to compare first; nil if they are on disk
	Entity  []string   // whose each row is, empty if it is not known; nil if nobody knows
	Source  []string   // where each row comes from, if no source has anybody twice; nil otherwise

	Stored *rows // rows on disk
	Places []int // where the columns are that are compared, in a row on disk
}

// Len returns how many rows there are.
func (t Table) Len() int {
	if t.Stored != nil {
		return t.Stored.Len()
	}
	return len(t.Rows)
}

// Validate reports what is wrong with a table, if anything is.
func (t Table) Validate() error {
	n := t.Len()
	if len(t.Columns) == 0 || t.Entity != nil && len(t.Entity) != n || t.Source != nil && len(t.Source) != n {
		return errors.New("records: want at least one column, and an entity and a source for every row, or for none")
	}
	if t.Stored != nil && len(t.Places) != len(t.Columns) {
		return fmt.Errorf("records: places are %d, must be one for each of %d columns", len(t.Places), len(t.Columns))
	}
	for i, row := range t.Rows {
		if len(row) < len(t.Columns) {
			return fmt.Errorf("records: row %d has %d fields, must have one for each of %d columns", i, len(row), len(t.Columns))
		}
	}
	return nil
}

// A Labelled is a pair of rows of which it is known whether they are the same.
type Labelled struct {
	I, J   int
	Same   bool
	Unsure bool // nobody could tell: the pair is not learnt from, and not asked about again
}

// Options of [Link]. The zero value serves.
type Options struct {
	link.Options
	Share   float64      // part of the known entities that the model is trained on; 0 means ½
	Seed    uint64       // of the choice of those
	Unknown link.Unknown // what a pair costs that was not compared; empty means forbidden
	Must    []link.Pair  // rows that are one, whatever the model says
	Cannot  []link.Pair  // rows that are not

	With         *Model     // that is used; nil: one is made
	Labelled     []Labelled // pairs to learn from, beside the entities of rows
	Unsupervised bool       // what is known is not learnt from, and measures alone
	// Ask, if it is not nil, is asked about one pair after the other until it returns
	// [Quit], and what it says is learnt from.
	Ask func(Question) (Answer, error)

	Encoder     encode.Source // by which rows are compared as a whole, and neighbours found; nil for none
	EncoderName string        // for the model

	Pairs     int      // most pairs that are compared; 0 means 20 a row, and at least 100,000
	Explain   int      // pairs to explain: those that were joined with the least conviction, and as many that were not
	Explained [][2]int // pairs to explain, whatever they are

	Stage func(what string, done, total int64) // hears how far the work is; may be nil
}

// A Result is a division of rows.
type Result struct {
	link.Solution
	Model    *Model
	Blocks   Blocks
	Pairs    int             // that were compared
	Trained  int             // pairs that the model was trained on
	Features []Feature       // what speaks for and against, by name
	Held     *link.Agreement // of rows whose entity is known and was not trained on; nil if there are none
	All      *link.Agreement // of all rows whose entity is known; nil if there are none
	// Calibration is that of compared pairs of which the truth is known and that the
	// model was not trained on; nil if there are none.
	Calibration *Calibration
	Explained   []Explained
	// Graph is what was divided: pairs inside of what is probably one, and others with a
	// probability of 5 % and more, or all if they are at most half a million.
	Graph link.Graph
}

// Blocks says how pairs were found.
type Blocks struct {
	Bound     int `json:"most_rows"`                  // most rows that may share a key
	Skipped   int `json:"keys_not_followed"`          // keys that more rows share
	Widest    int `json:"widest_key"`                 // rows of the widest of those
	Left      int `json:"pairs_left_out"`             // pairs that share a key and were not compared, since others share more
	Completed int `json:"pairs_completed"`            // pairs that share none, and were compared because both are like a third row
	Open      int `json:"components_left_incomplete"` // groups of alike rows that are too large for that
}

// Explained is a pair and what speaks for and against it.
type Explained struct {
	I      int  `json:"i"`
	J      int  `json:"j"`
	Joined bool `json:"joined"`
	Explanation
}

// Link divides the rows of a table.
func Link(ctx context.Context, t Table, o Options) (Result, error) {
	if o.Share == 0 {
		o.Share = 0.5
	}
	if !(o.Share > 0 && o.Share <= 1) {
		return Result{}, fmt.Errorf("records: share is %v, must be above 0 and at most 1", o.Share)
	}
	if o.Pairs < 0 || o.Explain < 0 {
		return Result{}, fmt.Errorf("records: pairs is %d and explain %d, must not be below 0", o.Pairs, o.Explain)
	}
	if err := t.Validate(); err != nil {
		return Result{}, err
	}
	g := link.Graph{Nodes: t.Len(), Unknown: o.Unknown, Must: o.Must, Cannot: o.Cannot}
	if err := g.Validate(); err != nil {
		return Result{}, err
	}
	e := newEngine(t, o)
	defer e.close()
	if err := e.index(ctx); err != nil {
		return Result{}, err
	}
	r := Result{}
	if err := e.learn(ctx, &r); err != nil {
		return Result{}, err
	}
	r.Features = r.Model.Flat()
	if err := e.score(ctx, &r); err != nil {
		return Result{}, err
	}
	if err := e.divide(ctx, &r); err != nil {
		return Result{}, err
	}
	r.Held = e.judge(r.Labels, func(i int) bool { return e.entity[i] >= 0 && !e.trained[i] })
	r.All = e.judge(r.Labels, func(i int) bool { return e.entity[i] >= 0 })
	return r, e.explain(&r)
}

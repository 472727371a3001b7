// Package inspect looks at a file of rows as a whole and says what it is: which
// columns are texts, classes, numbers, keys or dates, how they are spread, what
// is suspicious about them, and how to train on them.
//
// It reads in one pass and in constant memory. What it reports of a column are
// counts, and the names of classes, if these are few; a text is reported only if
// [Options.Show] asks for rows. It decides nothing: kinds are what columns look
// like. The smallest use is
//
//	r, err := table.Open("reviews.csv", table.Options{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	report, err := inspect.Run(ctx, r, inspect.Options{})
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sotto/data/table"
)

// Options say what to look at. The zero value looks at columns alone.
type Options struct {
	Split    string           // column of the parts, so that texts and persons are looked for across them; "" for one whose name and values look so
	Person   string           // column that says whose row it is; "" for one that looks so
	Show     int              // rows to report as they are, from the first; at most 1,000
	Progress func(rows int64) // called now and then; nil for none
}

// MaxShow is how many rows are reported at most.
const MaxShow = 1000

// Kind says what a column looks like.
type Kind string

// The kinds of columns.
const (
	Text     Kind = "text"     // several words, hardly the same twice
	Class    Kind = "class"    // few values, each in several rows
	Number   Kind = "number"   // a number in every row, of many values
	ID       Kind = "id"       // another value in every row
	Person   Kind = "person"   // many values, several rows each, as those who wrote texts have
	Date     Kind = "date"     // a date or a time in every row
	Constant Kind = "constant" // the same in every row
	Empty    Kind = "empty"    // nothing in any row
	Nested   Kind = "nested"   // lists or objects, which cannot be used
)

// Report is what was found.
type Report struct {
	Rows       int64        `json:"rows"`
	Format     table.Format `json:"format"`
	SHA256     string       `json:"sha256"`
	Columns    []Column     `json:"columns"`
	Duplicates []Duplicates `json:"duplicates,omitempty"` // of each column of texts that has some
	Parts      []Share      `json:"parts,omitempty"`      // of the split, in order of size
	Persons    *Persons     `json:"persons,omitempty"`
	Notes      []string     `json:"notes,omitempty"`    // how the file was read
	Warnings   []string     `json:"warnings,omitempty"` // what is suspicious
	Roles      Roles        `json:"roles"`              // what columns are probably for
	Headless   bool         `json:"headless,omitempty"` // the first line looks like a row and not like names
	Examples   [][]string   `json:"examples,omitempty"` // the rows that were asked for; private
}

// Column is what was found in one column.
type Column struct {
	Name     string  `json:"name"`
	Kind     Kind    `json:"kind"`
	Distinct int64   `json:"distinct"`          // different values that are not empty
	Estimate bool    `json:"estimate"`          // there are so many that Distinct is known within two percent
	Empty    int64   `json:"empty"`             // rows without a value: blank, null or absent
	Words    float64 `json:"words,omitempty"`   // a row, in the mean, of texts
	Numbers  *Range  `json:"numbers,omitempty"` // of numbers
	Classes  []Share `json:"classes,omitempty"` // of classes, in order of size
}

// Range is where numbers lie.
type Range struct {
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// Share is how many rows have a class or belong to a part.
type Share struct {
	Name  string  `json:"name"`
	Rows  int64   `json:"rows"`
	Share float64 `json:"share"` // of the rows that have any
}

// Duplicates counts texts that stand in several rows.
type Duplicates struct {
	Column   string `json:"column"`
	Texts    int64  `json:"texts"`    // different ones that stand more than once
	Rows     int64  `json:"rows"`     // rows that would go if each text stood once
	Across   int64  `json:"across"`   // different ones that stand in several parts
	Estimate bool   `json:"estimate"` // the counts are known within a few percent
}

// Persons says how the rows are spread over persons.
type Persons struct {
	Column  string `json:"column"`
	Persons int64  `json:"persons"`
	Most    int64  `json:"most"`   // rows of the one with the most
	Median  int64  `json:"median"` // rows of the one in the middle
	Across  int64  `json:"across"` // persons with rows in several parts
	Nobody  int64  `json:"nobody"` // rows of nobody
	// Joined is how many names differ from another in capitals, spaces or the form of
	// letters alone, and are the same person's; 0 where that is not known.
	Joined   int64 `json:"joined,omitempty"`
	Estimate bool  `json:"estimate"`
}

// Run reads r to its end. Its errors are those of the reader, and that of ctx.
func Run(ctx context.Context, r *table.Reader, o Options) (*Report, error) {
	if o.Show < 0 || o.Show > MaxShow {
		return nil, fmt.Errorf("inspect: rows to show are %d, must be from 0 to %d", o.Show, MaxShow)
	}
	s, err := newScan(r, o)
	if err != nil {
		return nil, err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.row(row)
		if s.rows%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if o.Progress != nil {
				o.Progress(s.rows)
			}
		}
	}
	return s.report()
}

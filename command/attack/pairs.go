package attack

import (
	"fmt"
	"slices"
	"strings"

	"sotto/command/term"
	"sotto/data/table"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/internal/layout"
)

// paired reads the parts of a folder of pairs, one after the other: the releases, or
// with --raw the vectors before them, of which nothing is promised.
func (o *released) paired() (*given, error) {
	said, parts, err := evidence.OpenPairs(o.pairs)
	if err != nil {
		return nil, err
	}
	if err = o.choose(said.Attributes); err != nil {
		return nil, err
	}
	g := &given{source: o.pairs, promised: o.stated, columns: make(term.Columns, len(o.columns))}
	column := evidence.RawColumn
	if !o.raw {
		column = evidence.ReleasedColumn
		if g.promised == nil {
			g.promised = &said.Release.Guarantee
		}
	}
	for _, path := range parts {
		x, err := readMatrix(path, vecfile.Options{Column: column})
		if err != nil {
			return nil, err
		}
		c, err := term.TableColumns(path, table.Options{}, o.columns...)
		if err != nil {
			return nil, err
		}
		if len(c[0]) != x.Rows || g.vectors.Rows > 0 && x.Cols != g.vectors.Cols {
			return nil, fmt.Errorf("%s has rows of another width or number than its record, must be a part of these pairs", path)
		}
		g.vectors.Rows, g.vectors.Cols, g.vectors.Data = g.vectors.Rows+x.Rows, x.Cols, append(g.vectors.Data, x.Data...)
		for k := range c {
			g.columns[k] = append(g.columns[k], c[k]...)
		}
	}
	if g.vectors.Rows == 0 {
		return nil, fmt.Errorf("%s: no pair was found, must hold at least one", o.pairs)
	}
	return g, nil
}

// choose finds the columns that are meant among those that there are.
func (o *released) choose(there []string) error {
	if len(there) == 0 {
		return fmt.Errorf("%s has no attributes, must have been written with some: sotto-batch --pairs … --attributes", o.pairs)
	}
	for k, name := range o.columns {
		switch {
		case name == "" && len(there) == 1:
			o.columns[k] = there[0]
		case name == "":
			return fmt.Errorf("%s has %d attributes, must be told which by --column: one of %s", o.pairs, len(there), strings.Join(there, ", "))
		case !slices.Contains(there, name):
			return fmt.Errorf("%s: column is %q, must be one of %s%s", o.pairs, name, strings.Join(there, ", "), layout.Hint(name, there))
		}
	}
	return nil
}

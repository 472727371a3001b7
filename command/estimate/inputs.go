package estimate

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"sotto/command/term"
	"sotto/data/table"
	"sotto/learn/estimate"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// example is the column of a file of cells that holds a public text of each.
const example = "example"

// eachAnswer stands for a file of inputs of which each is one answer for certain.
const eachAnswer = "answers"

// withCells completes the parameters of a record with the public cells in a file, or
// with those that come with sotto, and returns what they are called: their examples,
// where there are some.
func withCells(p mech.Params, path string) (mech.Params, []string, error) {
	digest, _ := p.Value("cells_sha256").(string)
	if digest == "" && path == "" {
		return p, nil, nil
	}
	if !mech.Uses(p.Mechanism, "cells") {
		return p, nil, fmt.Errorf("--cells has no meaning for releases by %s, must be absent", p.Mechanism)
	}
	if path != "" && !slices.Contains(cells.ShippedEncoders(), path) && !cells.Is(path) { // nothing but vectors
		centres, err := term.ReadVectors(path)
		if err != nil {
			return p, nil, err
		}
		names, err := columnOf(path, example)
		return p.With(mech.Given{"cells": centres}), names, err
	}
	f, set, err := cells.ShippedOf(digest, path)
	if err != nil {
		return p, nil, err
	}
	names := make([]string, len(f.Cells[set]))
	for i, c := range f.Cells[set] {
		names[i] = c.Example
	}
	if slices.Contains(names, "") { // made in private, which tells no text
		names = nil
	}
	return p.With(f.Own(set).Given()), names, nil
}

// columnOf returns a column of a file of JSON lines, nil if it has none of that name.
func columnOf(path, name string) ([]string, error) {
	in, err := table.Open(path, table.Options{})
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	if !slices.Contains(in.Columns(), name) {
		return nil, nil
	}
	if err = in.Select(name); err != nil {
		return nil, err
	}
	var all []string
	for {
		row, err := in.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, row[0].Text)
	}
}

// newTally begins to count releases of m: by answer, or by the inputs in a file.
func newTally(m mech.Mechanism, inputs string) (*estimate.Tally, error) {
	switch inputs {
	case "":
		return estimate.NewTally(m)
	case eachAnswer:
		return estimate.NewMixture(m, certain(m))
	}
	rows, err := term.ReadVectors(inputs)
	if err != nil {
		return nil, err
	}
	return estimate.NewMixture(m, rows)
}

// certain returns the inputs that give one answer all of their score.
func certain(m mech.Mechanism) [][]float64 {
	width, _ := m.Shape()
	all := make([][]float64, width)
	for i := range all {
		all[i] = make([]float64, width)
		all[i][i] = 1
	}
	return all
}

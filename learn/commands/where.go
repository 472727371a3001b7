package files

import (
	"fmt"
	"slices"
	"strings"
)

// where names fields that are alike. A name that not all runs have could be made of
// the input, and is not shown.
func (t *table) where(fields []int, changed int) string {
	n := t.names[fields[0]]
	file := n.file
	switch {
	case file == "":
		return n.path
	case !t.always[name{file: file}]:
		file = "a file that not all runs write"
	}
	path := n.path
	if len(fields) > 1 {
		path = n.group().path
	}
	if !t.always[n.group()] && !made(n) {
		path = "a field that not all runs have"
	}
	var rows []int
	other := false
	for _, f := range fields {
		rows = append(rows, t.names[f].row)
		other = other || t.names[f].group() != n.group()
	}
	var parts []string
	if n.row > 0 {
		parts = append(parts, rowsText(rows, changed))
	}
	if path != "" {
		parts = append(parts, path)
	}
	if other {
		parts = append(parts, "and other fields")
	}
	return file + ": " + strings.Join(parts, ", ")
}

// made reports whether a path was made here, with no word of what a run wrote.
func made(n name) bool {
	return n.path == "" || strings.HasPrefix(n.path, "[") || strings.HasPrefix(n.path, "piece ") || strings.HasPrefix(n.path, "bytes ") ||
		strings.HasPrefix(n.path, "column ") || strings.HasPrefix(n.path, "line ") || n.path == pathMode || n.path == pathContent || strings.HasPrefix(n.path, pathForm)
}

// rowsText lists rows as ranges.
func rowsText(rows []int, changed int) string {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	var parts []string
	for i := 0; i < len(rows); {
		j := i
		for j+1 < len(rows) && rows[j+1] == rows[j]+1 {
			j++
		}
		if parts = append(parts, fmt.Sprint(rows[i])); j > i {
			parts[len(parts)-1] = fmt.Sprintf("%d to %d", rows[i], rows[j])
		}
		i = j + 1
	}
	const most = 6
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	text := "row "
	if len(rows) > 1 {
		text = fmt.Sprintf("%d rows: ", len(rows))
	}
	text += strings.Join(parts, ", ")
	switch has := slices.Contains(rows, changed); {
	case has && len(rows) == 1:
		text += " (the one that differs)"
	case changed > 0 && !has:
		text += " (not the one that differs)"
	}
	return text
}

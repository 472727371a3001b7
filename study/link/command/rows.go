package link

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"

	"sotto/command/term"
	"sotto/data/table"
	"sotto/study/link"
	"sotto/study/link/records"
)

// recordsFile is a file of rows, kept on disk in a form that can be read anywhere.
type recordsFile struct {
	header []string
	table  records.Table
	known  int // rows whose entity is known
}

func (f *recordsFile) close() { f.table.Stored.Close() }

// read copies the file of rows.
func (o *recordsOptions) read(ctx context.Context) (f *recordsFile, err error) {
	r, err := table.Open(o.in, table.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f = &recordsFile{header: slices.Clone(r.Columns()), table: records.Table{Columns: o.columns, Places: make([]int, len(o.columns))}}
	for k, name := range o.columns {
		if f.table.Places[k], err = r.Column(name); err != nil {
			return nil, err
		}
	}
	entity, source := -1, -1
	if o.truth != "" {
		if entity, err = r.Column(o.truth); err != nil {
			return nil, err
		}
	}
	if o.source != "" {
		if source, err = r.Column(o.source); err != nil {
			return nil, err
		}
	}
	stored, err := records.NewRows()
	if err != nil {
		return nil, err
	}
	f.table.Stored = stored
	if err = f.copy(ctx, r, entity, source); err == nil {
		err = stored.Flush()
	}
	if err != nil {
		stored.Close()
		return nil, err
	}
	return f, nil
}

// copy copies rows, with the entity and the source of each unless their places are
// below 0.
func (f *recordsFile) copy(ctx context.Context, r *table.Reader, entity, source int) error {
	sources := make(map[string]string) // so that each is in memory once
	fields := make([]string, len(f.header))
	for n := 0; ; n++ {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for k, v := range row {
			fields[k] = v.Text
		}
		if err := f.table.Stored.Add(fields); err != nil {
			return err
		}
		if entity >= 0 {
			f.table.Entity = append(f.table.Entity, strings.Clone(fields[entity]))
			if fields[entity] != "" {
				f.known++
			}
		}
		if source >= 0 {
			name, ok := sources[fields[source]]
			if !ok {
				name = strings.Clone(fields[source])
				sources[name] = name
			}
			f.table.Source = append(f.table.Source, name)
		}
	}
}

// check is a number of two rows, by which answers about rows that have changed since
// are told.
func (f *recordsFile) check(i, j int) (string, error) {
	h := crc32.NewIEEE()
	for _, k := range []int{min(i, j), max(i, j)} {
		err := f.table.Stored.Read(k, k+1, func(_ int, fields []string) error {
			for _, p := range f.table.Places {
				_, _ = io.WriteString(h, fields[p]+"\x00")
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%08x", h.Sum32()), nil
}

// write writes the files that were asked for.
func (o *recordsOptions) write(stdout io.Writer, f *recordsFile, r records.Result) error {
	if o.save != "" {
		if err := r.Model.Save(o.save); err != nil {
			return err
		}
	}
	if o.out != "" {
		err := writeCSV(o.out, stdout, slices.Concat([]string{"row", "cluster"}, f.header), func(w *csv.Writer) error {
			return f.table.Stored.Read(0, f.table.Len(), func(i int, fields []string) error {
				return w.Write(slices.Concat([]string{strconv.Itoa(i), strconv.Itoa(r.Labels[i])}, fields))
			})
		})
		if err != nil {
			return err
		}
	}
	if o.golden == "" {
		return nil
	}
	return writeCSV(o.golden, stdout, slices.Concat([]string{"cluster", "rows"}, f.header), func(w *csv.Writer) error {
		c := -1
		return records.EachGolden(f.table.Stored, r.Labels, func(size int, fields []string) error {
			c++
			return w.Write(slices.Concat([]string{strconv.Itoa(c), strconv.Itoa(size)}, fields))
		})
	})
}

// writeCSV writes a file of rows, whole or not at all.
func writeCSV(path string, stdout io.Writer, header []string, rows func(w *csv.Writer) error) error {
	return term.WriteWhole(path, stdout, func(w io.Writer) error {
		c := csv.NewWriter(w)
		if err := c.Write(header); err != nil {
			return err
		}
		if err := rows(c); err != nil {
			return err
		}
		c.Flush()
		return c.Error()
	})
}

// eachPair calls visit with every row of a file of pairs of rows, and what stands in
// the other columns.
func eachPair(path string, rows int, others []string, visit func(r *table.Reader, i, j int, others []string) error) (err error) {
	r, err := table.Open(path, table.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Select(append([]string{"i", "j"}, others...)...); err != nil {
		return err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		i, err := strconv.Atoi(strings.TrimSpace(row[0].Text))
		j, err2 := strconv.Atoi(strings.TrimSpace(row[1].Text))
		if err != nil || err2 != nil || i < 0 || j < 0 || i >= rows || j >= rows || i == j {
			return r.Bad(fmt.Sprintf("i and j must be the numbers of two rows, from 0 to %d", rows-1))
		}
		text := make([]string, len(others))
		for k := range others {
			text[k] = strings.TrimSpace(row[2+k].Text)
		}
		if err := visit(r, i, j, text); err != nil {
			return err
		}
	}
}

// readPairs reads pairs of rows.
func readPairs(path string, rows int) (out []link.Pair, err error) {
	err = eachPair(path, rows, nil, func(_ *table.Reader, i, j int, _ []string) error {
		out = append(out, link.Pair{i, j})
		return nil
	})
	return out, err
}

// readLabels reads pairs of which it is known whether they are the same.
func readLabels(path string, f *recordsFile) (out []records.Labelled, err error) {
	err = eachPair(path, f.table.Len(), []string{"same"}, func(r *table.Reader, i, j int, text []string) error {
		switch strings.ToLower(text[0]) {
		case "1", "true", "yes", "y":
			out = append(out, records.Labelled{I: i, J: j, Same: true})
		case "0", "false", "no", "n":
			out = append(out, records.Labelled{I: i, J: j})
		case "", unsure:
		default:
			return r.Bad("same must be 1 or 0, or empty where nobody is sure")
		}
		return nil
	})
	return out, err
}

package erase

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"sotto/compute/nn"
	"sotto/data/vecfile"
	"sotto/internal/regular"
	"sotto/study/bias"
)

// Limits of files of rows: what INLP is fitted to at most, since it holds them
// all; how many rows of a class are clustered; and how many rows are read at a
// time.
const (
	fitRows       = 100_000
	clusteredRows = 500
	readRows      = 1024
)

// Rows is a file of vectors without words.
type Rows struct {
	Path   string // NPY, Parquet, JSON lines or CSV, by its ending
	Column string // the list column of a Parquet file that has several
	Labels string // file of classes, one a line for each row, an empty line for unknown
	// ProbeRows is how many rows are kept for fitting probes, and for scoring them.
	ProbeRows int
}

// Width implements [Source].
func (r Rows) Width() (int, error) {
	in, err := r.open()
	if err != nil {
		return 0, err
	}
	return in.Width(), in.Close()
}

// open opens the file of rows, from its beginning.
func (r Rows) open() (*vecfile.Reader, error) {
	in, err := vecfile.Open(r.Path, vecfile.Options{Column: r.Column})
	if err != nil {
		return nil, err
	}
	if in.Width() == 0 {
		return nil, errors.Join(fmt.Errorf("%s: no vector was found, must hold at least one", r.Path), in.Close())
	}
	return in, nil
}

// Fit implements [Source].
func (r Rows) Fit(ctx context.Context, s Study) (*Eraser, *Report, error) {
	names, err := classNames(r.Labels)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Labels, err)
	}
	before, unknown, err := r.gather(ctx, s, names)
	if err != nil {
		return nil, nil, err
	}
	e, report, err := s.fit(ctx, before, r.Labels, nil)
	if err != nil {
		return nil, nil, err
	}
	report.Concept.Unknown, report.Rows = unknown, unknown
	for _, n := range before.counts {
		report.Rows += n
	}
	after := *before
	after.sample = before.sample.Erase(before.pool, e)
	before.showScored()
	after.showScored()
	return e, report, s.judge(ctx, before, &after, report)
}

// gather reads rows and classes side by side, and returns a trial and how many
// rows have no class.
func (r Rows) gather(ctx context.Context, s Study, names []string) (t *trial, unknown int, err error) {
	in, err := r.open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	f, _, err := regular.Open(r.Labels, regular.Most)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	limit := [3]int{r.ProbeRows, r.ProbeRows, r.ProbeRows}
	if s.Method == MethodINLP {
		limit[ForEraser] = fitRows
	}
	if t, err = s.newTrial(in.Width(), names, limit, s.Method == MethodLEACE); err != nil {
		return nil, 0, err
	}
	number := make(map[string]int, len(names))
	for i, n := range names {
		number[n] = i
	}
	lines, rows := bufio.NewScanner(f), 0
	err = eachBlock(ctx, in, func(block []float64) error {
		for ; len(block) > 0; block = block[in.Width():] {
			if !lines.Scan() {
				return errors.Join(lines.Err(), fmt.Errorf("%s has %d lines, fewer than %s has rows, must have one for each", r.Labels, rows, r.Path))
			}
			rows++
			name := strings.TrimSpace(lines.Text())
			if name == "" {
				unknown++
				continue
			}
			class, ok := number[name]
			if !ok {
				return fmt.Errorf("%s changed while it was read", r.Labels)
			}
			if failed := t.add(s.Seed, rows, block[:in.Width()], class); failed != nil {
				return failed
			}
		}
		s.Progress.Tell("reading", int64(rows), in.Rows())
		return nil
	})
	if err == nil && lines.Scan() {
		err = fmt.Errorf("%s has more lines than %s has rows, %d, must have one for each", r.Labels, r.Path, rows)
	}
	return t, unknown, err
}

// eachBlock calls f with some rows after others, until there are none.
func eachBlock(ctx context.Context, r *vecfile.Reader, f func(block []float64) error) error {
	block := make([]float64, readRows*r.Width())
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.ReadRows(block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(block[:n*r.Width()]); err != nil {
			return err
		}
	}
}

// classNames returns the classes of a file of labels, in the order in which they
// first occur.
func classNames(path string) ([]string, error) {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var names []string
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name := strings.TrimSpace(lines.Text())
		if name == "" || seen[name] {
			continue
		}
		if len(names) == maxClasses {
			return nil, fmt.Errorf("there are more than %d classes, must be fewer", maxClasses)
		}
		seen[name] = true
		names = append(names, name)
	}
	if lines.Err() == nil && len(names) < 2 {
		return nil, fmt.Errorf("there are %d classes, must be at least 2", len(names))
	}
	return names, lines.Err()
}

// showScored takes some of the rows that probes are scored on for clustering.
func (t *trial) showScored() {
	rows, taken := t.sample.Rows(ForScore), make([]int, len(t.classes))
	for i, z := range rows.Z {
		if taken[z]++; taken[z] > clusteredRows {
			continue
		}
		t.shownZ = append(t.shownZ, z)
		for _, v := range rows.X.Row(i) {
			t.shown = append(t.shown, float64(v))
		}
	}
}

// Erase implements [Source]. If the name is -, rows are written as they were read.
func (r Rows) Erase(ctx context.Context, e *Eraser, w io.WriteSeeker, name, note string, report *Report, tell bias.Progress) error {
	in, err := r.open()
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	if in.Width() != e.dim {
		return fmt.Errorf("%s: vectors have %d numbers, must have those of the eraser, %d", r.Path, in.Width(), e.dim)
	}
	format := in.Format()
	if name != "-" {
		if format, err = vecfile.ByName(name); err != nil {
			return err
		}
	}
	out, err := vecfile.NewWriter(w, format, vecfile.WriterOptions{
		Width: e.dim, Float32: in.Float32(), Header: in.Header(), Metadata: map[string]string{"sotto.warning": note},
	})
	if err != nil {
		return err
	}
	pool, rows := nn.NewPool(runtime.GOMAXPROCS(0)), 0
	err = eachBlock(ctx, in, func(block []float64) error {
		e.Apply(pool, block)
		rows += len(block) / e.dim
		tell.Tell("erasing", int64(rows), in.Rows())
		return out.WriteRows(block)
	})
	if err == nil && report.Rows > 0 && rows != report.Rows {
		err = fmt.Errorf("%s changed while it was read", r.Path)
	}
	report.Rows = rows
	if err != nil {
		return err
	}
	return out.Close()
}

package bias

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"sotto/bias/erase"
	"sotto/internal/cli/term"
	"sotto/internal/vecfile"
	"sotto/nn"
)

// Limits of files of rows: what INLP is fitted to at most, since it holds them
// all; how many classes there may be; how many rows of a class are clustered; and
// how many rows are read at a time.
const (
	eraseFitRows   = 100_000
	eraseClasses   = 1000
	eraseClustered = 500
	eraseBlock     = 1024
)

func (o *eraseOptions) eraseRows(ctx context.Context, files *eraseFiles, std term.Streams) error {
	names, err := term.ReadFile(o.labels, classNames)
	if err != nil {
		return err
	}
	before, unknown, err := o.gather(ctx, names, std.Err)
	if err != nil {
		return err
	}
	if err = before.enough(true); err != nil {
		return err
	}
	e, iterations, err := o.fit(ctx, before, std.Err)
	if err != nil {
		return err
	}
	report := o.about(e, o.vectors[0])
	report.Concept, report.Iterations = before.concept(o.labels), iterations
	report.Concept.Unknown, report.Rows = unknown, unknown
	for _, n := range before.counts {
		report.Rows += n
	}
	after := *before
	after.sample = before.sample.Erase(before.pool, e)
	before.showScored()
	after.showScored()
	if err = o.judge(ctx, before, &after, &report, std.Err); err != nil {
		return err
	}
	if err = files.save.Fill(e.Write); err != nil {
		return err
	}
	return o.writeRows(ctx, e, report, files, std)
}

// applyRows applies a stored eraser to a file of rows.
func (o *eraseOptions) applyRows(ctx context.Context, files *eraseFiles, std term.Streams) error {
	r, err := o.open()
	if err != nil {
		return err
	}
	width := r.Width()
	if err = r.Close(); err != nil {
		return err
	}
	e, err := o.stored(width)
	if err != nil {
		return err
	}
	return o.writeRows(ctx, e, o.about(e, o.vectors[0]), files, std)
}

// open opens the file of rows, from its beginning.
func (o *eraseOptions) open() (*vecfile.Reader, error) {
	r, err := vecfile.Open(o.vectors[0], vecfile.Options{Column: o.column})
	if err != nil {
		return nil, err
	}
	if r.Width() == 0 {
		return nil, errors.Join(fmt.Errorf("%s: no vector was found, must hold at least one", o.vectors[0]), r.Close())
	}
	return r, nil
}

// gather reads rows and classes side by side, and returns a trial and how many
// rows have no class.
func (o *eraseOptions) gather(ctx context.Context, names []string, stderr io.Writer) (trial *eraseTrial, unknown int, err error) {
	r, err := o.open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	f, err := os.Open(o.labels)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	limit := [3]int{o.probeRows, o.probeRows, o.probeRows}
	if o.method == string(erase.MethodINLP) {
		limit[erase.ForEraser] = eraseFitRows
	}
	trial = o.newTrial(r.Width(), names, limit)
	if o.method == string(erase.MethodLEACE) {
		if err = trial.count(r.Width()); err != nil {
			return nil, 0, err
		}
	}
	number := make(map[string]int, len(names))
	for i, n := range names {
		number[n] = i
	}
	bar := term.NewProgress(stderr, "reading")
	defer bar.Finish()
	lines, rows := bufio.NewScanner(f), 0
	err = eachBlock(ctx, r, func(block []float64) error {
		for ; len(block) > 0; block = block[r.Width():] {
			if !lines.Scan() {
				return errors.Join(lines.Err(), fmt.Errorf("%s has %d lines, fewer than %s has rows, must have one for each", o.labels, rows, o.vectors[0]))
			}
			rows++
			name := strings.TrimSpace(lines.Text())
			if name == "" {
				unknown++
				continue
			}
			class, ok := number[name]
			if !ok {
				return fmt.Errorf("%s changed while it was read", o.labels)
			}
			if failed := trial.add(o.Seed, rows, block[:r.Width()], class); failed != nil {
				return failed
			}
		}
		bar.Set(int64(rows), r.Rows())
		return nil
	})
	if err == nil && lines.Scan() {
		err = fmt.Errorf("%s has more lines than %s has rows, %d, must have one for each", o.labels, o.vectors[0], rows)
	}
	return trial, unknown, err
}

// eachBlock calls f with some rows after others, until there are none.
func eachBlock(ctx context.Context, r *vecfile.Reader, f func(block []float64) error) error {
	block := make([]float64, eraseBlock*r.Width())
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
func classNames(r io.Reader) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name := strings.TrimSpace(lines.Text())
		if name == "" || seen[name] {
			continue
		}
		if len(names) == eraseClasses {
			return nil, fmt.Errorf("there are more than %d classes, must be fewer", eraseClasses)
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
func (t *eraseTrial) showScored() {
	rows, taken := t.sample.Rows(erase.ForScore), make([]int, len(t.classes))
	for i, z := range rows.Z {
		if taken[z]++; taken[z] > eraseClustered {
			continue
		}
		t.shownZ = append(t.shownZ, z)
		for _, v := range rows.X.Row(i) {
			t.shown = append(t.shown, float64(v))
		}
	}
}

// eraseNote is what stands beside erased rows: they are as raw as before.
type eraseNote struct {
	Warning     string       `json:"warning"`
	Private     bool         `json:"private"` // false
	Privacy     string       `json:"privacy"`
	Method      erase.Method `json:"method"`
	Dim         int          `json:"dim"`
	RankRemoved int          `json:"rank_removed"`
}

// writeRows writes the rows through the eraser, with the note that they are not
// private, and then the report.
func (o *eraseOptions) writeRows(ctx context.Context, e *erase.Eraser, report eraseReport, files *eraseFiles, std term.Streams) error {
	r, err := o.open()
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	if r.Width() != e.Dim() {
		return fmt.Errorf("%s changed while it was read", o.vectors[0])
	}
	note, err := json.MarshalIndent(eraseNote{term.RawWarning, false, erase.Privacy, e.Method(), e.Dim(), e.Rank()}, "", "  ")
	if err != nil {
		return err
	}
	format := r.Format()
	if o.out != "-" {
		if format, err = vecfile.ByName(o.out); err != nil {
			return err
		}
	}
	w, err := vecfile.NewWriter(files.out.File, format, vecfile.WriterOptions{
		Width: e.Dim(), Float32: r.Float32(), Header: r.Header(), Metadata: map[string]string{"sotto.warning": string(note)},
	})
	if err != nil {
		return err
	}
	bar := term.NewProgress(std.Err, "erasing")
	defer bar.Finish()
	pool, rows := nn.NewPool(runtime.GOMAXPROCS(0)), 0
	err = eachBlock(ctx, r, func(block []float64) error {
		e.Apply(pool, block)
		rows += len(block) / e.Dim()
		bar.Set(int64(rows), r.Rows())
		return w.WriteRows(block)
	})
	if err != nil {
		return err
	}
	if report.Rows > 0 && rows != report.Rows {
		return fmt.Errorf("%s changed while it was read", o.vectors[0])
	}
	report.Rows = rows
	if err := w.Close(); err != nil {
		return err
	}
	if err := files.finish(append(note, '\n'), std.Out); err != nil {
		return err
	}
	return o.show(report, std)
}

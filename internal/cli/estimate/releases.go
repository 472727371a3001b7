package estimate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"sotto/dataset/table"
	"sotto/estimate"
	"sotto/internal/cli/term"
	"sotto/internal/vecfile"
	"sotto/mech"
	"sotto/report/evidence"
)

// maxGroups bounds the values of a group column, so that memory does not grow
// with the file.
const maxGroups = 1000

// releases is a file or stream of releases and what was counted of it.
type releases struct {
	source
	name      string
	said      *evidence.Stated
	mechanism mech.Mechanism
	examples  []string // of cells; nil where none are known
	all       *estimate.Tally
	groups    map[string]*estimate.Tally
	order     []string // of the groups, as they were met

	binding mech.Binding
}

// source is where releases are read from.
type source struct {
	path, metadata, format string
	stream                 io.Reader // if it is one
	cells                  string    // file of public centres, for releases by cells
}

// openReleases reads the record of releases.
func openReleases(from source) (r *releases, err error) {
	r = &releases{source: from, name: from.path}
	if from.stream != nil {
		r.name, r.path = "stdin", ""
		r.said, r.binding, err = evidence.ReadRecord(from.metadata)
	} else {
		r.said, err = evidence.ReadStated(from.path, from.metadata)
	}
	if err != nil {
		return nil, err
	}
	if r.said == nil {
		return nil, fmt.Errorf("%s has no record beside it, must have %s: it says how answers were released", from.path, from.path+term.PrivacyEnd)
	}
	params, examples, err := withCells(r.said.Mechanism, from.cells)
	if err != nil {
		return nil, err
	}
	r.examples = examples
	if r.mechanism, err = mech.New(params); err != nil {
		return nil, fmt.Errorf("the record of %s: %w", r.name, err)
	}
	return r, nil
}

// reader opens the rows. For a stream their bytes are hashed as they pass.
func (r *releases) reader() (*vecfile.Reader, hash.Hash, error) {
	if r.stream == nil {
		v, err := vecfile.Open(r.path, vecfile.Options{})
		return v, nil, err
	}
	f, err := vecfile.ParseFormat(r.format)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	v, err := vecfile.NewReader(bufio.NewReaderSize(io.TeeReader(r.stream, sum), 1<<16), vecfile.Options{Name: r.name, Format: f})
	return v, sum, err
}

// count reads all releases, each with its group if there is a column of groups.
func (r *releases) count(ctx context.Context, bar *term.Progress, column, groups string) error {
	v, sum, err := r.reader()
	if err != nil {
		return err
	}
	defer v.Close() //nolint:errcheck // it was only read
	if v.Width() == 0 {
		return fmt.Errorf("%s: no release was found, must hold at least one", r.name)
	}
	next, done, err := r.openGroups(column, groups)
	if err != nil {
		return err
	}
	defer done()
	width := v.Width()
	block := make([]float64, max(1, (1<<14)/width)*width)
	for rows := int64(0); ; bar.Set(rows, v.Rows()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := v.ReadRows(block)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		for i := range n {
			rows++
			t, err := next()
			if err != nil {
				return err
			}
			if err = t.Add(block[i*width : (i+1)*width]); err != nil {
				return fmt.Errorf("%s: release %d is none of this mechanism's: %w", r.name, rows, err)
			}
		}
	}
	return r.finish(next, column, sum)
}

// finish adds groups up, and refuses rows of groups without a release.
func (r *releases) finish(next func() (*estimate.Tally, error), column string, sum hash.Hash) error {
	if column != "" {
		if _, err := next(); !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s has fewer releases than its column of groups has rows, must have as many", r.name)
		}
		for _, name := range r.order {
			r.all.Merge(r.groups[name])
		}
	}
	return r.bound(sum)
}

// bound refuses a stream whose bytes are not those of the record.
func (r *releases) bound(sum hash.Hash) error {
	if sum != nil && hex.EncodeToString(sum.Sum(nil)) != r.binding.SHA256 {
		return fmt.Errorf("%w: %s is not what was released with this record", evidence.ErrUnbound, r.name)
	}
	return nil
}

// openGroups returns what says to which tally the next row belongs, and what
// closes it.
func (r *releases) openGroups(column, path string) (next func() (*estimate.Tally, error), done func(), err error) {
	if column == "" {
		return func() (*estimate.Tally, error) { return r.all, nil }, func() {}, nil
	}
	if path == "" {
		path = r.path
	}
	in, err := table.Open(path, table.Options{})
	if err != nil {
		return nil, nil, err
	}
	done = func() { in.Close() } //nolint:errcheck // it was only read
	if err = in.Select(column); err != nil {
		done()
		return nil, nil, err
	}
	r.groups = map[string]*estimate.Tally{}
	return func() (*estimate.Tally, error) {
		row, err := in.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%s has fewer rows than there are releases, must have as many: %w", path, err)
			}
			return nil, err
		}
		if row[0].Kind == table.Missing || row[0].Kind == table.Nested {
			return nil, fmt.Errorf("%s: a row has no value or a list as its group, must have a value", path)
		}
		t := r.groups[row[0].Text]
		if t == nil {
			if len(r.order) == maxGroups {
				return nil, fmt.Errorf("--group has more than %d values, must be a public column of few", maxGroups)
			}
			t = r.all.Another()
			r.groups[row[0].Text] = t
			r.order = append(r.order, row[0].Text)
		}
		return t, nil
	}, done, nil
}

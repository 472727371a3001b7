package estimate

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"sotto/command/term"
	"sotto/data/table"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/promise/mech"
)

// maxGroups bounds the values of a group column, so that memory does not grow
// with the file.
const maxGroups = 1000

// releases is a file or stream of releases and its record.
type releases struct {
	source
	name      string
	said      *evidence.Stated
	mechanism mech.Mechanism
	examples  []string // of cells; nil where none are known
	binding   mech.Binding
	parts     []string // files of a set; nil for one file
	beside    []string // what stands beside the vectors, known once they were read
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
	if from.stream == nil && filepath.Base(from.path) == evidence.SetFile {
		r.said, r.parts, err = openSet(from.path, from.metadata)
	} else if from.stream != nil {
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
	return r, r.settle(from.cells)
}

// settle finds out what released them, and what answers are called.
func (r *releases) settle(cells string) error {
	params, examples, err := withCells(r.said.Mechanism, cells)
	if err != nil {
		return err
	}
	r.examples = examples
	if r.mechanism, err = mech.New(params); err != nil {
		return fmt.Errorf("the record of %s: %w", r.name, err)
	}
	return nil
}

// reader opens the rows. For a stream their bytes are hashed as they pass.
func (r *releases) reader() (rows, hash.Hash, error) {
	if r.parts != nil {
		return &chain{left: r.parts}, nil, nil
	}
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

// counter is what releases are added to.
type counter[T any] interface {
	Add(y []float64) error
	Another() T
	N() int
}

// counted is what was counted of releases, and of each group.
type counted[T counter[T]] struct {
	all    T
	groups map[string]T
	order  []string // of the groups, as they were met
}

// count reads all releases, each with its group if there is a column of groups.
func count[T counter[T]](ctx context.Context, bar *term.Progress, r *releases, all T, column, groups string) (*counted[T], error) {
	v, sum, err := r.reader()
	if err != nil {
		return nil, err
	}
	defer v.Close() //nolint:errcheck // it was only read
	if v.Width() == 0 {
		return nil, fmt.Errorf("%s: no release was found, must hold at least one", r.name)
	}
	next, done, err := r.openGroups(column, groups)
	if err != nil {
		return nil, err
	}
	defer done()
	c := &counted[T]{all: all, groups: map[string]T{}}
	width := v.Width()
	block := make([]float64, max(1, (1<<14)/width)*width)
	for rows := int64(0); ; bar.Set(rows, v.Rows()) {
		if err = ctx.Err(); err != nil {
			return nil, err
		}
		var n int
		n, err = v.ReadRows(block)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		for i := range n {
			rows++
			if err = c.add(block[i*width:(i+1)*width], next); err != nil {
				return nil, fmt.Errorf("%s: release %d: %w", r.name, rows, err)
			}
		}
	}
	if next != nil {
		if _, err = next(); !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s has fewer releases than its column of groups has rows, must have as many", r.name)
		}
	}
	r.beside = v.Dropped()
	return c, r.bound(sum)
}

// add counts a release, also in its group.
func (c *counted[T]) add(y []float64, next func() (string, error)) error {
	if err := c.all.Add(y); err != nil {
		return fmt.Errorf("none of this mechanism's: %w", err)
	}
	if next == nil {
		return nil
	}
	name, err := next()
	if err != nil {
		return err
	}
	t, ok := c.groups[name]
	if !ok {
		if len(c.order) == maxGroups {
			return fmt.Errorf("--group has more than %d values, must be a public column of few", maxGroups)
		}
		t = c.all.Another()
		c.groups[name], c.order = t, append(c.order, name)
	}
	return t.Add(y)
}

// bound refuses a stream whose bytes are not those of the record.
func (r *releases) bound(sum hash.Hash) error {
	if sum != nil && hex.EncodeToString(sum.Sum(nil)) != r.binding.SHA256 {
		return fmt.Errorf("%w: %s is not what was released with this record", evidence.ErrUnbound, r.name)
	}
	return nil
}

// declared opens a file in the form of its name.
func declared(path string, o table.Options) (*table.Reader, error) {
	d, err := table.Declare(path, o)
	if err != nil {
		return nil, err
	}
	return d.Open()
}

// openGroups returns what says to which group the next row belongs, nil if there
// are none, and what closes it.
func (r *releases) openGroups(column, path string) (next func() (string, error), done func(), err error) {
	if column == "" {
		return nil, func() {}, nil
	}
	if path == "" && r.parts != nil {
		return nil, nil, errors.New("--in is a set of several files, must have the column of --group in one other: --groups")
	}
	path = cmp.Or(path, r.path)
	in, err := declared(path, table.Options{}) // so that no row decides how another is read
	if err != nil {
		return nil, nil, err
	}
	done = func() { in.Close() } //nolint:errcheck // it was only read
	if err = in.Select(column); err != nil {
		done()
		return nil, nil, fmt.Errorf("--group: %w (the file is read as UTF-8 in the format that its name ends in, with commas between the fields of CSV, whatever its rows look like)", err)
	}
	return func() (string, error) {
		row, err := in.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%s has fewer rows than there are releases, must have as many: %w", path, err)
			}
			return "", err
		}
		if row[0].Kind == table.Missing || row[0].Kind == table.Nested {
			return "", fmt.Errorf("%s: a row has no value or a list as its group, must have a value", path)
		}
		return row[0].Text, nil
	}, done, nil
}

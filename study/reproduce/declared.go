package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/internal/layout"
	"sotto/internal/regular"
	"sotto/learn/experiment"
	"sotto/report"
	"sotto/text/encode/catalogue"
)

// This part of the package reproduces published tables that are declared by files
// instead of code: a [Spec] says which experiments belong to a table and which
// published number stands beside which of ours.
//
// A [report.PublishedTable] has, for each published number, ours for what was published, with
// the ε that is true of it, and ours for the honest variant with the same
// claim. Every run is stored under the hash of what decides it, so that it is
// trained once; package experiment trains it. The noise comes from seeds and
// protects nobody. The smallest use is
//
//	s, err := FindSpec(ctx, "dialect")
//	if err != nil {
//		return err
//	}
//	t, err := MakeTable(ctx, s, Options{Quick: true})

// Options say how a table is made. The zero value makes all of it with its own
// seeds, and keeps what it trains in [CacheDir].
type Options struct {
	Quick   bool   // what the spec says for those in a hurry: minutes become seconds
	Seeds   int    // of every run; 0 means the spec's own number
	Workers int    // cores; 0 means all. Results do not depend on it.
	Store   string // folder of finished runs; "" means [CacheDir]
	Again   bool   // trains also what the store has
	// Encoders, as package catalogue names them, and the folder of data sets, ""
	// for dataset.Dir, are for the tables of package reproduce that no spec
	// declares; Make refuses others than the spec's own.
	Encoders []string
	Dir      string
	// Progress, if not nil, is called now and then, never from two goroutines at
	// a time.
	Progress func(Event)
}

// Event tells where the work stands.
type Event struct {
	Job         string // what is being done, or was
	Done, Total int    // of the current run, in parts of a hundred, or pieces of the current stage
}

// FindSpec returns the spec of that name, or the one in a file whose name ends in
// .json. The files of one's own that such a spec names lie beside it, unless
// their paths are absolute. For a name that is not known the error wraps [ErrUnknown].
func FindSpec(ctx context.Context, name string) (Spec, error) {
	if strings.HasSuffix(name, ".json") {
		content, err := regular.Read(name, 1<<30)
		if err != nil {
			return Spec{}, fmt.Errorf("declared: %w", err)
		}
		s, err := ParseSpec(ctx, content)
		if err != nil {
			return Spec{}, fmt.Errorf("%s: %w", name, err)
		}
		s.dir = filepath.Dir(name)
		for _, r := range s.Runs {
			if e := r.Experiment; e != nil && e.In != "" && !filepath.IsAbs(string(e.In)) {
				e.In = experiment.Path(filepath.Join(filepath.Dir(name), string(e.In)))
			}
		}
		return s, nil
	}
	all, err := ListSpecs()
	if err != nil {
		return Spec{}, err
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, s.Validate(ctx)
		}
		names = append(names, s.Name)
	}
	return Spec{}, fmt.Errorf("%w: name is %.40q, must be one of %s, or a file that ends in .json%s", ErrUnknown, name, strings.Join(names, ", "), layout.Hint(name, names))
}

// ErrUnknown is wrapped by the error of [Find] for a table that there is not.
var ErrUnknown = errors.New("declared: no such table")

// MakeTable makes the table that a spec declares. When ctx is done, it returns an
// error that wraps experiment.ErrInterrupted; what was trained so far is kept,
// and the next call goes on from there.
func MakeTable(ctx context.Context, s Spec, o Options) (*report.PublishedTable, error) {
	if err := s.Validate(ctx); err != nil {
		return nil, err
	}
	if o.Seeds < 0 || o.Workers < 0 {
		return nil, fmt.Errorf("declared: seeds is %d and workers %d, must be at least 1, or 0 for the default", o.Seeds, o.Workers)
	}
	if o.Encoders != nil {
		return nil, fmt.Errorf("declared: the spec of %s names its encoders, must not be given others", s.Name)
	}
	if o.Dir != "" && o.Dir != dataset.Dir() {
		return nil, fmt.Errorf("declared: %s reads the data sets of SOTTO_DATA, must not be given another folder", s.Name)
	}
	roots := catalogue.Roots{From: "the spec of " + s.Name, Dirs: []string{s.dir}, Data: dataset.Dir()}
	for _, name := range s.Encoders() { // which a file may have chosen
		if err := roots.Allow(ctx, catalogue.Name(name)); err != nil {
			return nil, err
		}
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if o.Store == "" {
		var err error
		if o.Store, err = CacheDir(); err != nil {
			return nil, err
		}
	}
	t := &report.PublishedTable{Format: report.PublishedFormat, Name: s.Name, About: s.About, Paper: s.Paper, Quick: o.Quick, Spec: s.Hash(), Notes: slices.Clone(s.Notes), Rows: []report.PublishedRow{}}
	done := map[string]*outcome{}
	for i, r := range s.Runs {
		if o.Quick && r.FullOnly {
			continue
		}
		w := worker{Options: o, table: s.Hash()[:16], run: r, label: fmt.Sprintf("run %d of %d, %s", i+1, len(s.Runs), r.Name)}
		out, err := w.do(ctx)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Name, err)
		}
		done[r.Name] = out
		note(t, out.notes...)
	}
	if err := os.RemoveAll(encoders(o.Store, s.Hash()[:16])); err != nil { // all is computed that needs them
		return nil, fmt.Errorf("declared: %w", err)
	}
	for _, row := range s.Rows {
		if out := done[row.Run]; out != nil {
			add(t, row, out)
		}
	}
	if left := len(s.Rows) - len(t.Rows); left > 0 {
		note(t, fmt.Sprintf("rows left out, because --quick trains less: %d of %d", left, len(s.Rows)))
	}
	return t, nil
}

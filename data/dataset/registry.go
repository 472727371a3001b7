package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sotto/internal/layout"
)

// Info describes a data set.
type Info struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Rows       int      `json:"rows"` // of the first variant
	Label      string   `json:"label"`
	Labels     []string `json:"labels"`  // what Options.Labels may name; the first is Label
	Classes    int      `json:"classes"` // of Label; 0 if the target is a number
	Attributes []string `json:"attributes"`
	Variants   []string `json:"variants"` // the first is the default
	Licence    string   `json:"licence"`
	Home       string   `json:"home"`    // where it is described, and to be asked for
	Files      []File   `json:"files"`   // none if it is generated
	Present    bool     `json:"present"` // whether all its files are there

	AnyAttribute bool `json:"-"` // Options.Attributes may name any column
	Bios         bool `json:"-"` // networks on it have the shape that was published for Bias in Bios
}

// Options say how a set is loaded. The zero value is the default of every set.
type Options struct {
	Dir     string // folder of data sets; "" means [Dir]
	Variant string // one of Info.Variants; "" means the first
	Seed    uint64 // of splits that are drawn, and of generated rows

	// Labels are what is to be predicted, from Info.Labels, the main one first;
	// nil means Info.Label alone. A label is neither a feature nor an attribute.
	// In adult, what tells it almost by definition is no feature either, which
	// Set.Notes says. Where Info.Label is not named, it is left out; in celeba it
	// is a feature then.
	Labels []string
	Label  string // short for Labels of that one name; "" if Labels are given

	Attributes []string // celeba: the attributes to protect, none of them a label; nil means Male
	Rows       int      // reviews: how many to generate; 0 means 5,000
}

// entry is a set that can be loaded.
type entry struct {
	Info
	load func(*loader) (*Set, error)
}

// List describes every data set in order of name, and says which are present
// below dir; dir "" means [Dir].
func List(dir string) []Info {
	var infos []Info
	for _, e := range catalogue() {
		infos = append(infos, e.at(dir))
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return infos
}

// Find describes the set of that name. An unknown name is an error that lists
// the known ones.
func Find(name, dir string) (Info, error) {
	e, err := find(name)
	if err != nil {
		return Info{}, err
	}
	return e.at(dir), nil
}

func (e entry) at(dir string) Info {
	fsys := os.DirFS(orDir(dir))
	e.Present = !slices.ContainsFunc(e.Files, func(f File) bool { return !f.present(fsys) })
	e.Attributes = append([]string{}, e.Attributes...) // JSON readers want [], not null
	e.Variants = append([]string{}, e.Variants...)
	e.Labels = slices.Clone(e.Labels)
	e.Files = append([]File{}, e.Files...)
	return e.Info
}

func find(name string) (entry, error) {
	var names []string
	for _, e := range catalogue() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return entry{}, fmt.Errorf("dataset: name is %q, must be one of %s%s", name, strings.Join(names, ", "), layout.Hint(name, names))
}

// Load reads the set of that name and checks its counts: a file with fewer or
// more records than it should have is an error that names both numbers. Use
// [Verify] for its checksums. If a file is absent, the error wraps
// [fs.ErrNotExist] and says where the set can be had.
func Load(name string, o Options) (*Set, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	s, l, err := e.parse(os.DirFS(orDir(o.Dir)), o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (in %s; get %s from %s, or set SOTTO_DATA)", err, orDir(o.Dir), e.Name, e.Home)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range e.Files {
		if found := l.rows[f.Path]; found != f.Rows {
			return nil, fmt.Errorf("dataset: %s holds %d rows, must hold %d", f.Path, found, f.Rows)
		}
	}
	if first := len(e.Variants) == 0 || s.Variant == e.Variants[0]; first && len(e.Files) > 0 && s.Rows != e.Rows {
		return nil, fmt.Errorf("dataset: %s has %d rows, must have %d", e.Name, s.Rows, e.Rows)
	}
	return s, nil
}

// parse checks the options and runs the parser, without checking counts.
func (e entry) parse(fsys fs.FS, o Options) (*Set, *loader, error) {
	if err := e.check(&o); err != nil {
		return nil, nil, err
	}
	l := &loader{fsys: fsys, options: o, info: e.Info, rows: map[string]int{}}
	s, err := e.load(l)
	if err != nil {
		return nil, nil, err
	}
	s.choose(o.Labels)
	return s, l, s.Validate()
}

// check refuses options that the set does not have and fills in its default
// variant.
func (e entry) check(o *Options) error {
	switch {
	case o.Variant == "" && len(e.Variants) > 0:
		o.Variant = e.Variants[0]
	case o.Variant != "" && len(e.Variants) == 0:
		return fmt.Errorf("dataset: variant is %q, must be empty: %s has no variants", o.Variant, e.Name)
	case o.Variant != "" && !slices.Contains(e.Variants, o.Variant):
		return fmt.Errorf("dataset: variant of %s is %q, must be one of %q%s", e.Name, o.Variant, e.Variants, layout.Hint(o.Variant, e.Variants))
	}
	if o.Attributes != nil && !e.AnyAttribute {
		return fmt.Errorf("dataset: attributes are %q, must be empty: %s has fixed attributes", o.Attributes, e.Name)
	}
	if o.Rows != 0 && len(e.Files) > 0 {
		return fmt.Errorf("dataset: rows is %d, must be 0: the size of %s is fixed", o.Rows, e.Name)
	}
	return e.checkLabels(o)
}

func orDir(dir string) string {
	if dir == "" {
		return Dir()
	}
	return dir
}

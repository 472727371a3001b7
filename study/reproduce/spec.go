package reproduce

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/layout"
	"sotto/learn/experiment"
	"sotto/report"
)

// Spec declares a published table: what is trained for it, and which published
// number stands beside which of ours.
type Spec struct {
	Name  string    `json:"name"`  // small letters, digits and hyphens
	About string    `json:"about"` // in a line
	Paper string    `json:"paper"`
	Notes []string  `json:"notes,omitempty"` // why our numbers can differ
	Runs  []specRun `json:"runs"`
	Rows  []specRow `json:"rows"`

	dir string // in which the file lies; "" for one that comes with this package
}

// specRun is something that is trained, or drawn, for a table. It has either
// Experiment or Draw.
type specRun struct {
	Name       string           `json:"name"`
	Experiment *experiment.Spec `json:"experiment,omitempty"`
	Draw       *SpecDraw        `json:"draw,omitempty"`
	// Quick holds the fields of Experiment or Draw that are replaced in a hurry.
	Quick json.RawMessage `json:"quick,omitempty"`
	// FullOnly leaves the run and its rows out in a hurry.
	FullOnly bool          `json:"full_only,omitempty"`
	Measures []SpecMeasure `json:"measures,omitempty"` // beyond those of every experiment
}

// specRow is a published row.
type specRow struct {
	Name    string    `json:"name"`              // as it was published
	Setting string    `json:"setting,omitempty"` // of it
	Run     string    `json:"run"`               // what it is compared with
	Match   SpecMatch `json:"match,omitzero"`    // which configuration of it
	// Published holds what was published, by the name of the metric.
	Published map[string]report.PublishedNumber `json:"published"`
	Note      string                            `json:"note,omitempty"` // how far it can be compared
}

// SpecMatch says which configuration of a run a row means. What is empty matches
// all; of several configurations the selected one is taken.
type SpecMatch struct {
	Method  string  `json:"method"`
	Epsilon float64 `json:"epsilon,omitempty"` // as it is claimed
	Lambda  float64 `json:"lambda,omitempty"`
	Dim     int     `json:"dim,omitempty"`
}

// SpecMeasure names something that is measured on the releases of a run's models.
type SpecMeasure string

// The measures.
const (
	mdl      SpecMeasure = "mdl"      // description length of the attribute, by the prefix code; not where rows are limited
	entities SpecMeasure = "entities" // attacks on all attributes with two values, after DPNR
	groups   SpecMeasure = "groups"   // accuracy of the label by the groups of each attribute
)

//go:embed specs/*.json
var specFiles embed.FS

// ListSpecs returns the specs that come with this package, in order of name. They
// are not validated, which takes a while; [Find] does so.
func ListSpecs() ([]Spec, error) {
	entries, err := specFiles.ReadDir("specs")
	if err != nil {
		return nil, err
	}
	var all []Spec
	for _, e := range entries {
		content, err := specFiles.ReadFile(path.Join("specs", e.Name()))
		if err != nil {
			return nil, err
		}
		var s Spec
		if err := atomicfile.ParseJSON(content, &s); err != nil {
			return nil, fmt.Errorf("declared: %s: %w", e.Name(), err)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// ParseSpec reads a spec from JSON. It refuses fields that are not known and
// whatever Validate refuses.
func ParseSpec(ctx context.Context, content []byte) (Spec, error) {
	var s Spec
	if err := atomicfile.ParseJSON(content, &s); err != nil {
		return Spec{}, fmt.Errorf("declared: spec: %w", err)
	}
	return s, s.Validate(ctx)
}

// Hash identifies the spec: the SHA-256 of its JSON.
func (s Spec) Hash() string {
	b, err := json.Marshal(s)
	if err != nil { // numbers that JSON has no name for; Validate refuses them
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

var named = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate reports every fault that can be told without data.
func (s Spec) Validate(ctx context.Context) error {
	var errs []error
	if !named.MatchString(s.Name) {
		errs = append(errs, fmt.Errorf("declared: name is %.40q, must be small letters and digits with hyphens between them", s.Name))
	}
	if s.About == "" || s.Paper == "" || len(s.Runs) == 0 || len(s.Rows) == 0 {
		errs = append(errs, errors.New("declared: about, paper, runs and rows must not be empty"))
	}
	used, seen := map[string]bool{}, map[string]bool{}
	for _, row := range s.Rows {
		used[row.Run] = true
	}
	for _, r := range s.Runs {
		if r.Name == "" || seen[r.Name] || !used[r.Name] {
			errs = append(errs, fmt.Errorf("declared: run is called %.40q, must have a name of its own that a row refers to", r.Name))
		}
		seen[r.Name] = true
		if err := r.validate(ctx); err != nil {
			errs = append(errs, fmt.Errorf("run %.40q: %w", r.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err // rows are judged by their runs
	}
	grids := map[string][]experiment.Point{}
	for _, r := range s.Runs {
		if r.Experiment != nil {
			grid, err := r.Experiment.Grid(ctx)
			if err != nil {
				return err
			}
			grids[r.Name] = grid
		}
	}
	for _, row := range s.Rows {
		if err := s.validateRow(row, grids[row.Run]); err != nil {
			errs = append(errs, fmt.Errorf("row %.40q: %w", row.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (r specRun) validate(ctx context.Context) error {
	if (r.Experiment == nil) == (r.Draw == nil) {
		return errors.New("declared: there must be either an experiment or a draw")
	}
	if r.Draw != nil && len(r.Measures) > 0 {
		return errors.New("declared: measures have no meaning for a draw")
	}
	if r.FullOnly && r.Quick != nil {
		return errors.New("declared: quick has no meaning with full_only")
	}
	for _, m := range r.Measures {
		if m != mdl && m != entities && m != groups {
			return fmt.Errorf("declared: measure is %.40q, must be %s, %s or %s", m, mdl, entities, groups)
		}
	}
	for _, quick := range []bool{false, true} {
		if r.Draw != nil {
			d, err := r.draw(quick)
			if err == nil {
				err = d.Validate()
			}
			if err != nil {
				return err
			}
		} else if e, err := r.experiment(quick); err != nil {
			return err
		} else if _, err = e.Filled(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) validateRow(row specRow, grid []experiment.Point) error {
	at := slices.IndexFunc(s.Runs, func(r specRun) bool { return r.Name == row.Run })
	if at < 0 || row.Name == "" {
		return fmt.Errorf("declared: its run is %.40q, must be one of the runs, and it must have a name", row.Run)
	}
	r := s.Runs[at]
	if len(row.Published) == 0 {
		return errors.New("declared: published must not be empty")
	}
	for name, p := range row.Published {
		i := findMetric(name)
		if i < 0 {
			var known []string
			for _, m := range metrics() {
				known = append(known, m.name)
			}
			return fmt.Errorf("declared: metric is %.40q, must be one of %s%s", name, strings.Join(known, ", "), layout.Hint(name, known))
		}
		m := metrics()[i]
		if r.Draw != nil && m.measure != mdl || r.Draw == nil && m.measure != "" && !slices.Contains(r.Measures, m.measure) {
			return fmt.Errorf("declared: %s is not measured in run %.40q", name, r.Name)
		}
		if !(math.Abs(float64(p.Mean)) <= 1e6) || float64(p.Deviation) < 0 {
			return fmt.Errorf("declared: %s is %v ± %v, must be a number with a deviation of at least 0", name, p.Mean, p.Deviation)
		}
	}
	if r.Draw != nil {
		if row.Match != (SpecMatch{}) {
			return errors.New("declared: match has no meaning for a draw")
		}
		return nil
	}
	matched, all := 0, 0
	for _, p := range grid {
		if !p.Companion && p.Method == row.Match.Method {
			all++
			if row.Match.meets(p) {
				matched++
			}
		}
	}
	if matched != 1 && (matched == 0 || matched != all) {
		return fmt.Errorf("declared: match meets %d of %d configurations of %.40q, must meet one, or all to take the selected one", matched, all, row.Match.Method)
	}
	return nil
}

// meets reports whether a configuration is what is meant. λ of a companion is
// that of another mechanism, or none.
func (m SpecMatch) meets(p experiment.Point) bool {
	return p.Method == m.Method && (m.Epsilon == 0 || p.Epsilon == m.Epsilon) &&
		(m.Lambda == 0 || p.Lambda == m.Lambda || p.Companion && p.Lambda == 0) && (m.Dim == 0 || p.Dim == m.Dim)
}

// experiment returns what is trained, all of it or in a hurry.
func (r specRun) experiment(quick bool) (experiment.Spec, error) {
	s, err := overlay(*r.Experiment, r.Quick, quick)
	s.In = r.Experiment.In // which JSON does not give back
	return s, err
}

// draw returns what is drawn, all of it or in a hurry.
func (r specRun) draw(quick bool) (SpecDraw, error) { return overlay(*r.Draw, r.Quick, quick) }

// overlay returns a copy of base, with some fields replaced if that is wanted.
func overlay[T any](base T, patch json.RawMessage, wanted bool) (T, error) {
	var out T
	b, err := json.Marshal(base) // so that the copy shares no list with base
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err == nil && wanted && patch != nil {
		err = atomicfile.ParseJSON(patch, &out)
	}
	if err != nil {
		return out, fmt.Errorf("declared: quick: %w", err)
	}
	return out, nil
}

// Data lists the data sets that the runs need.
func (s Spec) Data() []string {
	names := map[string]bool{}
	for _, r := range s.Runs {
		switch {
		case r.Experiment != nil && r.Experiment.In == "" && r.Experiment.Data != "reviews":
			names[r.Experiment.Data] = true
		case r.Draw != nil && r.Draw.Data != "":
			names[r.Draw.Data] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Encoders lists the encoders that the runs name, in a hurry or not.
func (s Spec) Encoders() []string {
	names := map[string]bool{}
	for _, r := range s.Runs {
		for _, quick := range []bool{false, true} {
			if r.Experiment == nil {
				continue
			}
			if e, err := r.experiment(quick); err == nil && e.Encoder != "" { // what cannot be read is not trained
				names[string(e.Encoder)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// metric is a number of a table.
type metric struct {
	name, unit string
	measure    SpecMeasure // that gives it; "" for what every experiment measures
}

// metrics are in the order in which a row shows them. Those that end in a
// colon are followed by the name of an attribute, or of one of its groups.
func metrics() []metric {
	return []metric{
		{"accuracy", "%", ""},
		{"gap", "%", ""},
		{"grms", "%", ""},
		{"leakage", "%", ""},
		{"mdl", "kbit", mdl},
		{"privacy_f1", "%", entities},
		{"privacy_accuracy", "%", entities},
		{"attack_absent:", "%", entities},
		{"attack_present:", "%", entities},
		{"accuracy:", "%", groups},
		{"difference:", "points", groups},
	}
}

// findMetric returns the place of a metric among all, negative for none.
func findMetric(name string) int {
	return slices.IndexFunc(metrics(), func(m metric) bool {
		if strings.HasSuffix(m.name, ":") {
			return strings.HasPrefix(name, m.name) && name != m.name
		}
		return name == m.name
	})
}

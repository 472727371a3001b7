package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/internal/layout"
)

// The files of sets of relations.
const (
	semevalFile   = "relations/semeval2010_task8.jsonl"
	conllFile     = "relations/conll04.jsonl"
	biographyFile = "relations/wikipedia_culotta.jsonl"
	fewrelFile    = "relations/fewrel_val.jsonl"
)

// RelationSets lists the sets of [Relations].
func RelationSets() []string { return []string{"biographies", "conll04", "fewrel", "semeval2010"} }

// Relations reads a set of relations below dir as it was published, a text a row; dir ""
// means [Dir]. [Load] gives the same sets with a relation a row. If a file is absent, the
// error wraps fs.ErrNotExist.
func Relations(name, dir string) ([]Related, error) {
	if relationReaders[name] == nil {
		return nil, fmt.Errorf("dataset: set of relations is %.40q, must be one of %s%s", name, strings.Join(RelationSets(), ", "), layout.Hint(name, RelationSets()))
	}
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	l := &loader{fsys: os.DirFS(orDir(dir)), info: e.Info, rows: map[string]int{}}
	all, err := l.related()
	if err != nil {
		return nil, err
	}
	for _, f := range e.Files {
		if found := l.rows[f.Path]; found != f.Rows {
			return nil, fmt.Errorf("dataset: %s holds %d rows, must hold %d", f.Path, found, f.Rows)
		}
	}
	return all, nil
}

// OwnRelations reads a file of one's own as JSON lines of the shape of conll04, which may be
// compressed: tokens, entities as lists of a type, the first token and the one behind the
// last, and relations as lists of a name and the places of two entities. Each line has a
// split, train, dev or test, or none has. Errors name the line and quote nothing of it.
func OwnRelations(path string) ([]Related, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	data, err := content(os.DirFS(filepath.Dir(path)), name)
	if err != nil {
		return nil, err
	}
	return ParseOwnRelations(name, data)
}

// ParseOwnRelations is [OwnRelations] of a file whose content is known; errors call it by its
// name.
func ParseOwnRelations(name string, data []byte) ([]Related, error) {
	l := &loader{info: Info{Name: "conll04"}, rows: map[string]int{}}
	all, err := l.relatedIn(name, data)
	if err != nil {
		return nil, err
	}
	parts := map[string]int{}
	for _, r := range all {
		parts[r.Part]++
	}
	for _, part := range []Part{Train, Validation, Test} {
		if parts[""] < len(all) && parts[string(part)] == 0 || parts[""]%max(len(all), 1) > 0 || len(all) == 0 {
			return nil, fmt.Errorf("dataset: %s: %d of %d lines have a split, must be all, with train, dev and test among them, or none", name, len(all)-parts[""], len(all))
		}
	}
	return all, nil
}

// related reads the texts of a set of relations, and checks their places.
func (l *loader) related() ([]Related, error) {
	path := l.info.Files[0].Path
	data, err := content(l.fsys, path)
	if err != nil {
		return nil, err
	}
	return l.relatedIn(path, data)
}

// relatedIn is related for the content of a file.
func (l *loader) relatedIn(path string, data []byte) ([]Related, error) {
	var all []Related
	err := l.lines(path, data, func(line string) error {
		r, err := relationReaders[l.info.Name]([]byte(line))
		if err = errors.Join(err, r.Check()); err != nil {
			return err
		}
		part, ok := fileParts[r.Part]
		if !ok && r.Part != "" {
			return errors.New("its part is unknown, must be train, dev, val or test")
		}
		r.Part = string(part)
		all = append(all, r)
		return nil
	})
	return all, err
}

// loadRelations makes a row of each relation: the text, with the subject between <e1> and
// </e1> and the object between <e2> and </e2>, and the relation as the label.
func loadRelations(l *loader) (*Set, error) {
	texts, err := l.related()
	if err != nil {
		return nil, err
	}
	s := &Set{}
	var labels []string
	for _, r := range texts {
		if len(l.info.Variants) > 0 && r.Group != l.options.Variant {
			continue
		}
		for _, q := range r.Relations {
			labels, s.Text = append(labels, q.Type), append(s.Text, r.Marked(q))
			s.Split = append(s.Split, Part(r.Part))
		}
	}
	if slices.Contains(s.Split, "") {
		s.Split = eighty.split(len(s.Text), l.options.Seed)
	}
	s.Label = columnOf("relation", labels)
	return l.finish(s, nil)
}

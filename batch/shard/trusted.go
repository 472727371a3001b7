package shard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/evidence"
	"sotto/promise/mech"
)

// Trusted is what a job tells the trusted side alone, from true labels and raw vectors.
// None of it is private: none of it is in a part or in the record of a set, nor lies
// below their folder.
type Trusted struct {
	Evaluate   string   `json:"evaluate,omitempty"`   // folder of a model that answers each release, on every worker
	Labels     []string `json:"labels,omitempty"`     // columns of the right answers
	Evaluation string   `json:"evaluation,omitempty"` // file for how often it is right; "" means OUT.evaluation.json
	Pairs      string   `json:"pairs,omitempty"`      // folder for vectors beside their releases
	Attributes []string `json:"attributes,omitempty"` // columns that are written beside those
}

// asks reports whether anything is asked for.
func (t *Trusted) asks() bool { return t.Evaluate != "" || t.Pairs != "" }

// EvaluationFile returns the file for how often the model of a job is right.
func (s *Spec) EvaluationFile() string {
	return cmp.Or(s.Evaluation, strings.TrimRight(s.Out, "/\\")+".evaluation.json")
}

// checkTrusted reports what of it cannot be done.
func (s *Spec) checkTrusted() error {
	switch {
	case (s.Evaluate != "") != (len(s.Labels) > 0):
		return errors.New("shard: there is a model to evaluate without a column of right answers, or the other way round; must be both: --evaluate and --label")
	case s.Evaluation != "" && s.Evaluate == "":
		return errors.New("shard: there is a file for an evaluation but no model, must be one: --evaluate")
	case len(s.Attributes) > 0 && s.Pairs == "":
		return errors.New("shard: there are attributes but no folder for pairs, must be one: --pairs")
	case s.Vectors && s.asks():
		return errors.New("shard: files of vectors have no labels or attributes, must be texts to evaluate a model or to write pairs")
	case s.Text != "" && slices.Contains(slices.Concat(s.Labels, s.Attributes), s.Text):
		return fmt.Errorf("shard: the column of the texts, %s, is also a label or an attribute, must not be", s.Text)
	case s.Pairs != "" && remote(s.Pairs):
		return errors.New("shard: pairs go to another file system, must stay in a folder of this machine: they hold raw vectors")
	}
	if s.Evaluate != "" && within(s.Out, s.EvaluationFile()) {
		return fmt.Errorf("shard: the evaluation would lie below %s, which leaves, must lie elsewhere: it is counted from true labels", s.Out)
	}
	if s.Pairs != "" && (within(s.Out, s.Pairs) || within(s.Pairs, s.Out)) {
		return fmt.Errorf("shard: pairs and releases would lie in one folder, %s must be apart from %s, which leaves: pairs hold raw vectors", s.Pairs, s.Out)
	}
	return nil
}

// within reports whether a path is a folder or lies below it, links followed as far as
// there are any.
func within(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	if remote(dir) || remote(path) {
		d, p := strings.TrimRight(dir, "/")+"/", strings.TrimRight(path, "/")+"/"
		return strings.HasPrefix(p, d)
	}
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && filepath.IsLocal(rel)
}

// resolved returns a path without links: of what is not there yet, those of the folder
// that it will be in.
func resolved(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for at, rest := abs, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
	}
}

// Learnt is what the rows of some chunks told the trusted side. Engines carry it, and
// it holds neither a row nor a name of one.
type Learnt struct {
	Answers []Answered     `json:"answers,omitempty"` // of each label
	Pairs   []mech.Binding `json:"pairs,omitempty"`   // parts that were written
}

// Answered counts how a model answered releases.
type Answered struct {
	Counts  []int64 `json:"counts"`            // as [measure.Confusion] has them
	Before  []int64 `json:"before,omitempty"`  // the same of releases without noise, where there is such a thing
	Missing int64   `json:"missing,omitempty"` // releases of rows without a label
	Other   int64   `json:"other,omitempty"`   // of rows whose label the model does not know
}

// Merge adds what others told.
func (l *Learnt) Merge(other Learnt) error {
	l.Pairs = append(l.Pairs, other.Pairs...)
	if len(l.Answers) == 0 {
		l.Answers = other.Answers
		return nil
	}
	if len(other.Answers) != len(l.Answers) {
		return fmt.Errorf("shard: %d labels were counted and then %d, must be as many", len(l.Answers), len(other.Answers))
	}
	for i, a := range other.Answers {
		mine := &l.Answers[i]
		if len(a.Counts) != len(mine.Counts) || len(a.Before) != len(mine.Before) {
			return errors.New("shard: counts of answers are of different classes, must be of the same")
		}
		for k, n := range a.Counts {
			mine.Counts[k] += n
		}
		for k, n := range a.Before {
			mine.Before[k] += n
		}
		mine.Missing += a.Missing
		mine.Other += a.Other
	}
	return nil
}

// tellTrusted writes what a job told the trusted side, before the record of its set: a
// set that is whole has all of it.
func (w *Worker) tellTrusted(ctx context.Context, s *Set, learnt Learnt) error {
	if w.spec.Pairs != "" {
		if err := w.finishPairs(s, learnt.Pairs); err != nil {
			return err
		}
	}
	if w.judge == nil {
		return nil
	}
	e, err := w.judge.evaluation(s, learnt.Answers)
	if err != nil {
		return err
	}
	out, err := createPrivate(ctx, w.spec.EvaluationFile(), w.at)
	if err != nil {
		return err
	}
	defer out.abort()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err = enc.Encode(e); err != nil {
		return err
	}
	return out.commit()
}

// finishPairs writes the record of pairs of which all parts are whole.
func (w *Worker) finishPairs(s *Set, parts []mech.Binding) error {
	slices.SortFunc(parts, func(a, b mech.Binding) int { return strings.Compare(a.File, b.File) })
	p := evidence.Pairs{
		Format: evidence.PairsFormat, Warning: pairsWarning, Job: w.pairsJob(), Encoder: s.Encoder, Attributes: w.spec.Attributes,
		Release: s.Release, Parts: parts,
	}
	for _, b := range parts {
		p.Rows += b.Rows
	}
	if p.Rows != s.Released || len(parts) != len(s.Parts) {
		return fmt.Errorf("shard: pairs have %d rows in %d parts, must be those of the releases, %d in %d", p.Rows, len(parts), s.Released, len(s.Parts))
	}
	if err := p.Check(); err != nil {
		return err
	}
	out, err := createPrivate(context.Background(), join(w.spec.Pairs, evidence.PairsFile), w.at)
	if err != nil {
		return err
	}
	defer out.abort()
	content, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		_, err = out.Write(append(content, '\n'))
	}
	if err == nil {
		err = out.commit()
	}
	if err == nil {
		err = w.own(w.spec.Pairs)
	}
	return err
}

// pairsWarning stands in the record of pairs.
const pairsWarning = "raw vectors and attributes as they are: not private, covered by no ε; keep them where the texts are, and hand them to nobody"

// pairsJob names the job of pairs: whichever columns stand beside them is a part of it,
// and whatever else the job is.
func (w *Worker) pairsJob() string {
	k := w.spec.Known
	return strings.Join(append([]string{w.spec.Name, w.key.seal("pairs", k.Scheme, k.Numerics, k.Does, k.Layout, k.Files)}, w.spec.Attributes...), " ")
}

// createPrivate starts a file that its owner alone can read, also if one that others
// could read was there before.
func createPrivate(ctx context.Context, name string, at Elsewhere) (*sink, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !remote(name) {
		if err = os.Chmod(name, info.Mode().Perm()&0o600); err != nil {
			return nil, err
		}
	}
	out, err := create(ctx, name, at)
	if err != nil {
		return nil, err
	}
	if f, ok := out.ReadWriteSeeker.(interface{ Private() error }); ok {
		if err = f.Private(); err != nil {
			out.abort()
			return nil, err
		}
	}
	return out, nil
}

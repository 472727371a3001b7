package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sotto/internal/atomicfile"
	"sotto/internal/vecfile"
	"sotto/internal/version"
	"sotto/mech"
	"sotto/report/evidence"
)

// SetFile is the name of the record of a set, beside its parts.
const SetFile = evidence.SetFile

// EstimateFile is the name of what the releases of a set tell together, beside them.
const EstimateFile = "estimate.json"

// jobFile says, until the record is there, whose the parts in a folder are.
const jobFile = "set.unfinished.json"

// What a job leaves is described where it is read, too.
type (
	// Set is the record of all parts of a job.
	Set = evidence.Set
	// Part is one file of a set, and what was done to make it.
	Part = evidence.Part
	// Paid says what was paid for before anything was released.
	Paid = evidence.Paid
)

func tool() string { return "sotto-batch " + version.Short() }

// assumed says what the guarantee does not cover.
func (w *Worker) assumed() []string {
	var all []string
	if kept := w.spec.written(); len(kept) > 0 {
		all = append(all, "kept columns are released as they are, and ε does not cover them: "+strings.Join(kept, ", "))
	}
	if w.spec.ID == "" {
		all = append(all, "a record is its file's name and its place in it; one that moves is released again, at its price")
	} else {
		all = append(all, "ids are unique within the job; a record whose text changed is released again, at its price, and that it changed is visible")
	}
	return append(all, "the secret is known to nobody who sees releases")
}

// Begin makes the folders of a job ready, or refuses one that holds something else: what
// another job left there would be taken for a part of this one.
func (w *Worker) Begin(job string, chunks []Chunk) error {
	if w.spec.Pairs != "" {
		mine := map[string]bool{evidence.PairsFile: true, jobFile: true}
		for _, c := range chunks {
			mine[c.Part+"."+string(vecfile.Parquet)] = true
		}
		if err := begin(w.spec.Pairs, 0o700, w.pairsJob(job), mine, evidence.PairsFile); err != nil {
			return err
		}
	}
	if remote(w.spec.Out) {
		return nil // whoever has a store of objects gives each set a name of its own
	}
	mine := map[string]bool{SetFile: true, jobFile: true, EstimateFile: true}
	for _, c := range chunks {
		mine[c.Part+"."+string(w.spec.OutFormat)] = true
	}
	return begin(w.spec.Out, 0o755, job, mine, SetFile)
}

// begin makes one folder ready, which may hold these files of that job; its record says
// whose they are when it is whole.
func begin(dir string, mode fs.FileMode, job string, mine map[string]bool, record string) error {
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	held, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var old struct {
		Job string `json:"job"`
	}
	dead := 0
	for _, e := range held {
		if strings.HasPrefix(e.Name(), hiddenHead) && strings.HasSuffix(e.Name(), hiddenTail) {
			dead++ // of a job that died
			continue
		}
		if !mine[e.Name()] {
			return fmt.Errorf("shard: %s holds %s, must be empty or hold what this job wrote", dir, e.Name())
		}
		if e.Name() == record || e.Name() == jobFile {
			content, failed := os.ReadFile(join(dir, e.Name()))
			if failed == nil {
				failed = json.Unmarshal(content, &old)
			}
			if failed != nil || old.Job != job {
				return fmt.Errorf("shard: %s holds the set of another job, must be another folder", dir)
			}
		}
	}
	if len(held) > dead && old.Job == "" {
		return fmt.Errorf("shard: %s holds parts, but not whose they are; must be another folder", dir)
	}
	if err = sweep(dir); err != nil {
		return err
	}
	old.Job = job
	return atomicfile.WriteJSON(join(dir, jobFile), old)
}

// Finish writes what the trusted side is told, and then the record of a set of which all
// parts are whole.
func (w *Worker) Finish(ctx context.Context, job string, parts []Part, paid *Paid, learnt Learnt) (*Set, error) {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.File, b.File) })
	for i := 1; i < len(parts); i++ {
		if parts[i].File == parts[i-1].File {
			return nil, fmt.Errorf("shard: part %s was made twice, must be once", parts[i].File)
		}
	}
	s := &Set{
		Format: evidence.SetFormat, Job: job, Secret: w.secret.ID(), Dropout: w.spec.Dropout, Masks: w.Rules(),
		Release: w.Record(), Paid: paid, Parts: parts,
	}
	if w.encoder != nil {
		s.Encoder = w.encoder.Name()
	}
	if w.spec.Dropout > 0 {
		word, err := mech.WordLevel(s.Release.Guarantee, w.spec.Dropout)
		if err != nil {
			return nil, err
		}
		s.Word = &word
	}
	var skipped int64
	for _, p := range parts {
		s.Rows += p.Read
		s.Released += p.Rows
		s.LeftOut += p.LeftOut + p.Skipped
		skipped += p.Skipped
	}
	if skipped > 0 {
		s.Release.Guarantee.Assumptions = append(s.Release.Guarantee.Assumptions,
			fmt.Sprintf("%d rows were left out for their content; that a row is missing is visible, and not covered by ε", skipped))
	}
	if s.LeftOut > skipped {
		s.Release.Guarantee.Assumptions = append(s.Release.Guarantee.Assumptions,
			fmt.Sprintf("%d rows were left out because their users' budgets were exhausted; that they are missing is visible, and not covered by ε", s.LeftOut-skipped))
	}
	s.Release.Rows = s.Released
	if err := errors.Join(w.sum(s), w.Sweep()); err != nil {
		return nil, err
	}
	if err := w.tellTrusted(ctx, s, learnt); err != nil {
		return nil, err
	}
	return s, w.write(ctx, s)
}

func (w *Worker) write(ctx context.Context, s *Set) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	out, err := create(ctx, join(w.spec.Out, SetFile), w.at)
	if err != nil {
		return err
	}
	defer out.abort()
	if _, err = out.Write(append(content, '\n')); err == nil {
		err = out.commit()
	}
	if err != nil || remote(w.spec.Out) {
		return err
	}
	return w.own(w.spec.Out)
}

// own takes away what said whose the parts of a folder are: its record does.
func (*Worker) own(dir string) error {
	if err := os.Remove(join(dir, jobFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

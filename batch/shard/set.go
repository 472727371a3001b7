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

	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/internal/atomicfile"
	"sotto/internal/signed"
	"sotto/internal/version"
	"sotto/promise/mech"
	"sotto/text/encode/catalogue"
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
		all = append(all, "a row is of this job, of its file as it is, and of its place in it: in another job, and in a file that changed, it is released again, at its price")
	} else {
		whose := "of a user"
		if w.spec.User == "" {
			whose = "of everybody, since no column says whose a row is"
		}
		all = append(all,
			"ids name rows "+whose+" for ever: two rows that share one, in this or in another job under this secret, are released alike where their vectors are, and who knows one text then knows the other",
			"a row whose text changed is released again, at its price, and that it changed is visible")
	}
	if w.encoder != nil {
		if covers := catalogue.Covers(w.encoder); covers != "" {
			all = append(all, covers)
		}
	}
	return append(all, "the secret is known to nobody who sees releases",
		"where a file is cut into parts, it is cut by bytes: how many rows a part has tells how long texts are, and ε does not cover it")
}

// Begin makes the folders of a job ready, or refuses one that holds something else: what
// another job left there would be taken for a part of this one.
func (w *Worker) Begin(ctx context.Context, chunks []Chunk) error {
	job, err := w.identity()
	if err != nil {
		return err
	}
	mine := func(ending vecfile.Format, more ...string) map[string]bool {
		all := map[string]bool{jobFile: true}
		for _, c := range chunks {
			all[c.Part+"."+string(ending)] = true
		}
		for _, name := range more {
			all[name] = true
		}
		return all
	}
	if remote(w.spec.Out) {
		err = w.beginElsewhere(ctx, job)
	} else {
		err = begin(w.spec.Out, 0o755, job, mine(w.spec.OutFormat, SetFile, SetFile+signed.End, EstimateFile), SetFile)
	}
	if err != nil || w.spec.Pairs == "" {
		return err
	}
	return begin(w.spec.Pairs, 0o700, identity{Job: w.pairsJob()}, mine(vecfile.Parquet, evidence.PairsFile), evidence.PairsFile)
}

// beginElsewhere refuses a place in a store of objects at which the set of another job is
// whole. What has begun there is not seen: give each set a name of its own.
func (w *Worker) beginElsewhere(ctx context.Context, job identity) error {
	files, err := w.at(ctx, w.spec.Out)
	if err != nil {
		return err
	}
	names, err := files.List(ctx, join(w.spec.Out, SetFile))
	if err != nil || len(names) == 0 {
		return err
	}
	in, err := files.OpenRead(ctx, names[0])
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	var old identity
	if err = json.NewDecoder(in).Decode(&old); err != nil {
		return fmt.Errorf("shard: %s holds a record of a job that cannot be read, must be another folder", w.spec.Out)
	}
	return job.same(old, w.spec.Out)
}

// identity is what of a job its folder says, while it is not finished and when it is. In
// the folder of pairs it is the name alone, which holds all of it.
type identity struct {
	Job    string `json:"job"`
	Secret string `json:"secret,omitempty"`
	evidence.Identity
}

// identity returns that of the job.
func (w *Worker) identity() (identity, error) {
	k := w.spec.Known
	if k == nil {
		return identity{}, errors.New("shard: nobody has said what the job is, must be settled first")
	}
	return identity{w.spec.Name, w.secret.ID(), evidence.Identity{
		Scheme: k.Scheme, Numerics: k.Numerics, Settings: w.key.seal("settings", k.Does, k.Layout), Files: k.Files,
	}}, nil
}

// same refuses a folder in which another job has begun, and says which.
func (i identity) same(old identity, dir string) error {
	const elsewhere = "must be another folder, where the same rows are released, and paid for, once more"
	switch {
	case old == i:
		return nil
	case i.Scheme != "" && old.Scheme == "":
		return fmt.Errorf("shard: %s holds the set of job %s, whose noise an earlier version drew by the scheme %q, and this one draws by %q; finish that job with the version that began it, or give --out: %s", dir, old.Job, legacyScheme, Scheme, elsewhere)
	case i.Scheme != old.Scheme:
		return fmt.Errorf("shard: %s holds the set of job %s, whose noise was drawn by the scheme %q, and this version draws by %q; %s", dir, old.Job, old.Scheme, i.Scheme, elsewhere)
	case i.Secret != old.Secret:
		return fmt.Errorf("shard: %s holds the set of job %s, released under the secret %s, and here is the secret %s; %s", dir, old.Job, old.Secret, i.Secret, elsewhere)
	case i.Files == old.Files && i.Settings == old.Settings && i.Numerics != old.Numerics:
		return fmt.Errorf("shard: %s holds the set of job %s, and this machine %s; run the job on machines of the kind that began it, or give --out: %s", dir, old.Job, unlike(old.Numerics, i.Numerics), elsewhere)
	case i.Job == old.Job && i.Files != old.Files:
		return fmt.Errorf("shard: %s holds the set of job %s over other files than are given now, must have another name (--job) and another folder (--out)", dir, old.Job)
	case i.Job == old.Job:
		return fmt.Errorf("shard: %s holds the set of job %s with other settings than are given now, must have another name (--job) and another folder (--out)", dir, old.Job)
	}
	return fmt.Errorf("shard: %s holds the set of another job, %s, must be another folder", dir, old.Job)
}

// begin makes one folder ready, which may hold these files of that job; its record says
// whose they are when it is whole.
func begin(dir string, mode fs.FileMode, job identity, mine map[string]bool, record string) error {
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	held, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var known bool
	dead := 0
	for _, e := range held {
		if strings.HasPrefix(e.Name(), hiddenHead) && strings.HasSuffix(e.Name(), hiddenTail) {
			dead++ // of a job that died
			continue
		}
		if e.Name() == record || e.Name() == jobFile {
			var old identity
			content, failed := os.ReadFile(join(dir, e.Name()))
			if failed == nil {
				failed = json.Unmarshal(content, &old)
			}
			if failed != nil {
				return fmt.Errorf("shard: %s holds a record of a job that cannot be read, must be another folder", dir)
			}
			if err = job.same(old, dir); err != nil {
				return err
			}
			known = true
		}
	}
	for _, e := range held { // when it is clear whose they are
		hidden := strings.HasPrefix(e.Name(), hiddenHead) && strings.HasSuffix(e.Name(), hiddenTail)
		if !hidden && !mine[e.Name()] {
			return fmt.Errorf("shard: %s holds %s, must be empty or hold what this job wrote", dir, e.Name())
		}
	}
	if len(held) > dead && !known {
		return fmt.Errorf("shard: %s holds parts, but not whose they are; must be another folder", dir)
	}
	if err = sweep(dir); err != nil {
		return err
	}
	return atomicfile.WriteJSON(join(dir, jobFile), job)
}

// Finish writes what the trusted side is told, and then the record of a set of which all
// parts are whole.
func (w *Worker) Finish(ctx context.Context, parts []Part, paid *Paid, learnt Learnt) (*Set, error) {
	job, err := w.identity()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.File, b.File) })
	for i := 1; i < len(parts); i++ {
		if parts[i].File == parts[i-1].File {
			return nil, fmt.Errorf("shard: part %s was made twice, must be once", parts[i].File)
		}
	}
	s := &Set{
		Format: evidence.SetFormat, Job: job.Job, Secret: job.Secret, Identity: job.Identity, Dropout: w.spec.Dropout, Masks: w.Rules(),
		Release: w.Record(), Kept: w.spec.written(), Paid: paid, Parts: parts,
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
	s.Encoder = catalogue.Told(s.Encoder) // which the trusted side knows by its digest
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

// WriteSignature writes the signature of the record of a set beside it, wherever that is.
func (w *Worker) WriteSignature(ctx context.Context, signature []byte) error {
	out, err := create(ctx, join(w.spec.Out, SetFile+signed.End), w.at)
	if err != nil {
		return err
	}
	defer out.abort()
	if _, err = out.Write(signature); err != nil {
		return err
	}
	return out.commit()
}

// own takes away what said whose the parts of a folder are: its record does.
func (*Worker) own(dir string) error {
	if err := os.Remove(join(dir, jobFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

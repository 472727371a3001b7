package shard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/release"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
)

// Release reads, masks, encodes and releases the rows of a chunk, and writes them as
// one file, which appears when it is whole. Rows of users for whom broke is true are
// left out; nil means nobody. What the rows told the trusted side is returned beside it.
func (w *Worker) Release(ctx context.Context, c Chunk, broke func(user string) bool) (Part, Learnt, error) {
	pairs, err := w.pair(ctx, c)
	if err != nil {
		return Part{}, Learnt{}, err
	}
	defer pairs.abort()
	heard := w.hear()
	p, err := w.part(ctx, c, broke, aside{heard, pairs})
	if err != nil {
		return Part{}, Learnt{}, err
	}
	var learnt Learnt
	return p, learnt, cmp.Or(heard.into(&learnt), pairs.into(&learnt))
}

// aside is who listens to what is released of a chunk, on the trusted side.
type aside struct {
	*hearing
	*pairing
}

// part writes the part of a chunk.
func (w *Worker) part(ctx context.Context, c Chunk, broke func(user string) bool, a aside) (Part, error) {
	out, err := create(ctx, join(w.spec.Out, c.Part+"."+string(w.spec.OutFormat)), w.at)
	if err != nil {
		return Part{}, err
	}
	defer out.abort()
	sum := sha256.New()
	var to io.Writer = &seeking{out, io.MultiWriter(out, sum)}
	if w.spec.OutFormat == vecfile.NPY {
		to = out // its head is written last
	}
	said, err := json.Marshal(w.Record())
	if err != nil {
		return Part{}, err
	}
	_, width := w.mech.Shape()
	vectors, err := vecfile.NewWriter(to, w.spec.OutFormat, vecfile.WriterOptions{
		Width: width, Beside: w.spec.written(), Metadata: map[string]string{"sotto.privacy": string(said)},
	})
	if err != nil {
		return Part{}, err
	}
	var p Part
	if w.spec.Vectors {
		p, err = w.releaseVectors(ctx, c, vectors)
	} else {
		p, err = w.releaseTexts(ctx, c, vectors, broke, a)
	}
	if err != nil {
		return Part{}, err
	}
	if err = vectors.Close(); err != nil {
		return Part{}, err
	}
	if to == out {
		if _, err = out.Seek(0, io.SeekStart); err == nil {
			_, err = io.Copy(sum, out)
		}
	}
	if err == nil {
		err = out.commit()
	}
	p.File, p.SHA256 = c.Part+"."+string(w.spec.OutFormat), hex.EncodeToString(sum.Sum(nil))
	return p, err
}

// seeking writes to several writers, of which the first alone can seek, and says so of
// neither: what is hashed while it is written must be written in order.
type seeking struct {
	io.Seeker
	io.Writer
}

// Seek implements [io.Seeker] for who asks where the file stands, and nothing else.
func (*seeking) Seek(int64, int) (int64, error) {
	return 0, errors.New("shard: what is hashed while it is written cannot seek")
}

// Record says what each row of a part promises.
func (w *Worker) Record() mech.Record {
	r := mech.NewRecord(w.mech, tool())
	r.Noise = "keyed by the secret, the row's user and id, the mechanism with its ε, and the row's vector: the same row is the same release in every job"
	if w.spec.ID == "" {
		r.Noise = "keyed by the secret, the job, the file and the row's place in it, the mechanism with its ε, and the row's vector: the same row of the same job is the same release"
	}
	r.Scope = "each row is one release, however often the job runs; for a person with k rows, ε and δ are k times as large"
	if family, _, _ := strings.Cut(w.known.Numerics, ":"); family != "" && family != anyKernel {
		r.Scope += "; on machines with " + family + " kernels, which round alike: the job refuses others"
	}
	r.Guarantee.Assumptions = append(append([]string{}, r.Guarantee.Assumptions...), w.assumed()...)
	return r
}

// rows are the records of the block that is being released.
type rows struct {
	rows  []Row
	first int64 // place of the first
	row   Row   // the last
	text  string

	classes [][]int           // of the labels of each record, where answers are counted
	fields  [][]vecfile.Field // attributes of each, where pairs are written
}

// next forgets the records, for those of the next block.
func (r *rows) next(int64) {
	r.first += int64(len(r.rows))
	r.rows, r.classes, r.fields = r.rows[:0], r.classes[:0], r.fields[:0]
}

// releaseTexts sends the texts of a chunk through what "sotto encode" does.
func (w *Worker) releaseTexts(ctx context.Context, c Chunk, out *vecfile.Writer, broke func(string) bool, a aside) (Part, error) {
	in, end, err := w.openTexts(ctx, c)
	if err != nil {
		return Part{}, err
	}
	defer end() //nolint:errcheck // it was only read
	return w.releaseFrom(ctx, c, in, out, broke, a)
}

// releaseFrom is releaseTexts for texts that are opened.
func (w *Worker) releaseFrom(ctx context.Context, c Chunk, in *textfile.Reader, out *vecfile.Writer, broke func(string) bool, a aside) (Part, error) {
	var now rows
	draw := w.key.Drawer()
	job := vectorise.Job{
		In: in, Encoder: w.encoder, Out: out, Maskers: w.maskers, Mechanism: w.mech, SkipBad: w.spec.SkipBad, Workers: 1,
		Row: func(_ string, beside []table.Value) ([]vecfile.Field, bool, error) {
			return w.row(c, in, beside, &now, broke)
		},
		Noise: func(place int64, vector []float32) rand.Source {
			return draw.Noise(now.rows[place-now.first], vector)
		},
	}
	if w.spec.Dropout > 0 {
		job.Seen = func(s string) { now.text = s }
		job.Drop = func(masked []bool) {
			mech.DrawMasks(masked, w.spec.Dropout, w.spec.Masks, draw.Masks(now.row, w.spec.Dropout, w.spec.Masks, now.text))
		}
	}
	job.Progress = now.next
	counts := w.count()
	if counts != nil || a.hearing != nil || a.pairing != nil {
		job.Written = func(place int64, raw []float32, y []float64) {
			if counts != nil {
				counts.add(y)
			}
			if a.hearing != nil {
				a.hearing.add(raw, y, now.classes[place-now.first])
			}
			if a.pairing != nil {
				a.pairing.add(raw, y, now.fields[place-now.first])
			}
		}
	}
	s, err := vectorise.Run(ctx, job)
	p := Part{LeftOut: s.Declined, Skipped: s.Skipped} // what texts hold is not counted: the record leaves
	p.Rows, p.Read = s.Rows, s.Rows+s.Declined+s.Skipped
	return p, cmp.Or(err, counts.into(&p))
}

// row notes which row it is and returns what is written beside its release.
func (w *Worker) row(c Chunk, in *textfile.Reader, beside []table.Value, now *rows, broke func(string) bool) ([]vecfile.Field, bool, error) {
	r, err := w.fit(c, in.Line(), beside)
	if err != nil {
		return nil, false, err
	}
	if broke != nil && broke(r.User) {
		return nil, false, nil
	}
	now.row = r
	now.rows = append(now.rows, r)
	w.note(beside, now)
	if w.beside == 0 {
		return nil, true, nil
	}
	fields := make([]vecfile.Field, w.beside)
	for i, v := range beside[:w.beside] {
		fields[i] = field(v)
	}
	return fields, true, nil
}

// note keeps what the trusted side is told of a row, until its release is there.
func (w *Worker) note(beside []table.Value, now *rows) {
	if w.judge != nil {
		classes := make([]int, len(w.labels))
		for l, at := range w.labels {
			classes[l] = w.judge.class(l, beside[at])
		}
		now.classes = append(now.classes, classes)
	}
	if w.spec.Pairs == "" {
		return
	}
	fields := make([]vecfile.Field, len(w.aside))
	for i, at := range w.aside {
		fields[i] = field(beside[at])
	}
	now.fields = append(now.fields, fields)
}

// releaseVectors sends the vectors of a chunk through what "sotto privatize" does.
func (w *Worker) releaseVectors(ctx context.Context, c Chunk, out *vecfile.Writer) (Part, error) {
	in, end, err := w.openVectors(ctx, c)
	if err != nil {
		return Part{}, err
	}
	defer end() //nolint:errcheck // it was only read
	if width, _ := w.mech.Shape(); in.Width() != width {
		return Part{}, fmt.Errorf("shard: %s has rows of %d numbers, must have %d", c.File, in.Width(), width)
	}
	if _, err = w.placed(Row{}, c, 0); err != nil {
		return Part{}, err
	}
	counts, draw := w.count(), w.key.Drawer()
	s, err := release.Run(ctx, in, out, w.mech, release.Options{
		Workers: 1, SkipBad: w.spec.SkipBad, Written: counts.all(),
		Noise: func(place int64, vector []float64) rand.Source {
			r, _ := w.placed(Row{}, c, place+1) // which it can do, as was seen above
			return draw.NoiseOf(r, vector)
		},
	})
	p := Part{Skipped: s.Skipped}
	p.Rows, p.Read = s.Rows, s.Rows+s.Skipped
	return p, cmp.Or(err, counts.into(&p))
}

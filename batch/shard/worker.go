package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/estimate"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
)

// Worker does the work of one process: what it loads is loaded once. It is safe for
// concurrent use.
type Worker struct {
	spec    *Spec
	at      Elsewhere
	maskers []text.Masker
	encoder encode.Source // nil for vectors
	mech    mech.Mechanism
	key     Key
	secret  gateway.Secret
	known   Known           // of the job, as far as this process knows it
	tally   *estimate.Tally // empty; nil if releases are not counted
	beside  int             // columns that are written beside a release
	user    int             // place of the users' column among those that are read
	judge   *judge          // answers releases; nil if no model is evaluated
	labels  []int           // places of the columns of right answers
	aside   []int           // and of the attributes that pairs have
}

// Open loads the secret, the encoder and the mechanism of a spec. Encoders that answer
// from elsewhere are refused: whether equal texts give equal bits is up to them, and a
// chunk that runs again must draw the same noise for the same vector. So is a machine that
// rounds otherwise than that on which the job was planned.
func Open(ctx context.Context, s *Spec, maskers []text.Masker, at Elsewhere) (*Worker, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	w := &Worker{spec: s, at: at, maskers: maskers, beside: len(s.written()), user: slices.Index(s.read(), s.User)}
	for _, c := range s.Labels {
		w.labels = append(w.labels, slices.Index(s.read(), c))
	}
	for _, c := range s.Attributes {
		w.aside = append(w.aside, slices.Index(s.read(), c))
	}
	var err error
	if w.secret, _, err = gateway.LoadSecret(s.Secret, false); err != nil {
		return nil, err
	}
	var name string
	var width int
	if s.Vectors {
		if width, err = w.width(ctx); err != nil {
			return nil, err
		}
	} else {
		for _, foreign := range []string{"command:", "endpoint:"} {
			if strings.HasPrefix(s.Encoder, foreign) {
				return nil, fmt.Errorf("shard: encoder begins with %s, must be one that this program computes itself: a chunk that runs twice must give the same bits", foreign)
			}
		}
		// Wherever it lies: whoever started the job said so, on another machine maybe.
		if w.encoder, err = catalogue.OpenNamed(ctx, catalogue.Name(s.Encoder), catalogue.Anywhere("the job", dataset.Dir())); err != nil {
			return nil, err
		}
		name, width = w.encoder.Name(), w.encoder.Dim()
	}
	params := s.Mechanism
	if len(s.Public) > 0 {
		if params, err = params.WithPublic(s.Public); err != nil {
			return nil, err
		}
	}
	if w.mech, err = mech.New(params.Fit(width)); err != nil {
		return nil, err
	}
	if in, _ := w.mech.Shape(); in != width {
		return nil, fmt.Errorf("shard: %s takes rows of %d numbers, but they have %d", s.Mechanism.Mechanism, in, width)
	}
	if w.mech.Guarantee().Epsilon == dp.Infinite {
		return nil, fmt.Errorf("shard: %s %s promises nothing: %s", s.Mechanism.Mechanism, w.mech.Profile().Variant, w.mech.Profile().Reason)
	}
	if s.Count {
		if w.tally, err = estimate.NewTally(w.mech); err != nil {
			return nil, err
		}
	}
	if w.key, err = NewKey(w.secret, w.mech, name); err != nil {
		return nil, err
	}
	if err = w.identify(); err != nil {
		return nil, err
	}
	w.judge, err = w.openJudge(ctx)
	return w, err
}

// Mechanism returns what releases each row.
func (w *Worker) Mechanism() mech.Mechanism { return w.mech }

// Secret returns what keys the noise.
func (w *Worker) Secret() gateway.Secret { return w.secret }

// Key returns what decides the noise of each record.
func (w *Worker) Key() Key { return w.key }

// Rules are what the maskers go by.
func (w *Worker) Rules() []string {
	var all []string
	for _, m := range w.maskers {
		all = append(all, m.Rule())
	}
	return all
}

// width returns how many numbers the vectors of the first file have.
func (w *Worker) width(ctx context.Context) (int, error) {
	names, err := list(ctx, w.spec.In, w.at)
	if err != nil {
		return 0, err
	}
	r, end, err := w.openVectors(ctx, Chunk{File: names[0]})
	if err != nil {
		return 0, err
	}
	return r.Width(), end()
}

// openTexts opens the texts of a chunk. What it returns second closes everything.
func (w *Worker) openTexts(ctx context.Context, c Chunk) (*textfile.Reader, func() error, error) {
	f, end, err := w.open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	var in io.Reader = f
	if c.To > 0 {
		in = io.NewSectionReader(f, c.From, c.To-c.From)
	}
	d, err := w.spec.texts(c)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	r, err := d.Read(in)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return r, func() error { return errors.Join(r.Close(), end()) }, nil
}

// openVectors opens the vectors of a chunk. What it returns second closes everything.
func (w *Worker) openVectors(ctx context.Context, c Chunk) (*vecfile.Reader, func() error, error) {
	f, end, err := w.open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	o := w.spec.vectors(c.File)
	if o.Format == "" {
		o.Format, err = vecfile.ByName(c.File)
	}
	o.From, o.Count = c.From, max(c.To-c.From, 0)
	var r *vecfile.Reader
	if err == nil {
		r, err = vecfile.NewReader(f, o)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return r, func() error { return errors.Join(r.Close(), end()) }, nil
}

// open opens the file of a chunk, which must have the size that it was cut by.
func (w *Worker) open(ctx context.Context, c Chunk) (*os.File, func() error, error) {
	if remote(c.File) {
		return w.fetch(ctx, c)
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, nil, err
	}
	if info, err := f.Stat(); c.Part != "" && (err != nil || info.Size() != c.Size) {
		return nil, nil, errors.Join(fmt.Errorf("shard: %s has changed its size since the job began, must not", c.File), err, f.Close())
	}
	return f, f.Close, nil
}

// who says which row it is, and whose: by its columns beside the text, and by its place
// for those that have no id.
func (w *Worker) who(c Chunk, line int64, beside []table.Value) (r Row, err error) {
	if w.spec.User != "" {
		if r.User, err = plainValue("user", beside[w.user]); err != nil {
			return r, err
		}
	}
	if w.spec.ID != "" {
		r.ID, err = plainValue("id", beside[0])
		return r, err
	}
	return w.placed(r, c, line)
}

// fit is who, for a row whose columns that are written beside releases hold values. What is
// wrong with a row's own columns is [vectorise.Unfit].
func (w *Worker) fit(c Chunk, line int64, beside []table.Value) (Row, error) {
	r, err := w.who(c, line, beside)
	if err != nil {
		return r, err
	}
	if slices.ContainsFunc(beside[:w.beside], nested) {
		return r, vectorise.Unfit("a kept column holds a list or an object, must hold a value")
	}
	for _, at := range w.aside {
		if nested(beside[at]) {
			return r, vectorise.Unfit("an attribute is a list or an object, must be a value")
		}
	}
	return r, nil
}

func nested(v table.Value) bool { return v.Kind == table.Nested }

// placed names a row by its job, its file and its place in it.
func (w *Worker) placed(r Row, c Chunk, line int64) (Row, error) {
	if w.spec.Name == "" || c.Digest == "" {
		return r, errors.New("shard: rows have no ids, and the job has no name or its file no digest, must have both")
	}
	r.Job, r.File = w.spec.Name, c.Digest
	r.Place = base(c.File) + ":" + strconv.Itoa(c.Twin) + ":" + strconv.FormatInt(c.Line+line, 10)
	return r, nil
}

// plainValue returns a value that names something. No error quotes it.
func plainValue(what string, v table.Value) (string, error) {
	switch {
	case v.Kind == table.Missing || v.Kind == table.Nested:
		return "", vectorise.Unfit("the " + what + " is missing or a list, must be a string or a number")
	case v.Text == "":
		return "", vectorise.Unfit("the " + what + " is empty, must not be")
	}
	return v.Text, nil
}

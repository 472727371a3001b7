package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/distill"
	"sotto/text/encode/static"
)

// This part of the package teaches what a tuned encoder knows of its task to a table that
// answers in microseconds, and measures how much of the gain is kept: it takes the
// folder of a training with --tune, asks its encoder about the texts that it was
// trained on and about more, and hands that to package text/encode/distill.
//
// It runs on the trusted side, and what it makes protects nobody by itself: a table
// remembers the texts that it was made from. The smallest use is
//
//	report, student, err := Distill(ctx, "news", "", DistillOptions{})
//	if err != nil {
//		return err
//	}
//	return student.Save("news.static")

// DistillOptions say what is taught to whom, and how.
type DistillOptions struct {
	distill.TaskSettings
	// Parent is the encoder that was tuned, for what it tells untouched; "" means the
	// one that the tuned encoder's manifest names.
	Parent string
	// Texts are more texts to ask the tuned encoder about, without labels.
	Texts []string
	// Variants is how many parts of each text it is asked about besides, at most
	// 20,000 in all; 0 means 8, and a negative number none.
	Variants int
	Workers  int
	Progress func(distill.Report) // nil tells nobody
}

// DistillScore is what a linear classifier on an encoder's vectors tells of the test part.
type DistillScore struct {
	Accuracy float64 `json:"accuracy"` // the mean over labels
	// Low and High bound it with 95 % confidence, after Clopper and Pearson; of several
	// labels as if each answer were drawn by itself.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// DistillRows says how many texts were used for what.
type DistillRows struct {
	Train      int `json:"train"`
	Validation int `json:"validation"`
	Test       int `json:"test"`
	Unlabelled int `json:"unlabelled"`
	Variants   int `json:"variants"` // parts of texts
}

// DistillSpeed is how many texts a second one core encodes, of the test part and in this
// run.
type DistillSpeed struct {
	Tuned     float64 `json:"tuned"`
	Distilled float64 `json:"distilled"`
}

// DistillReport is how much of what tuning gained a small encoder keeps.
type DistillReport struct {
	Data     string               `json:"data"`
	Encoder  string               `json:"encoder"` // the tuned one
	Settings distill.TaskSettings `json:"settings"`
	Rows     DistillRows          `json:"rows"`
	Epoch    int                  `json:"epoch"` // of the student that is kept
	Bytes    int                  `json:"bytes"` // of the student's table

	Frozen    *DistillScore `json:"frozen"` // of the encoder before it was tuned; null if it is not here
	Tuned     DistillScore  `json:"tuned"`
	Before    DistillScore  `json:"before"` // of the built-in table, which the student begins with
	Distilled DistillScore  `json:"distilled"`

	GainLarge measure.Number `json:"gain_large"` // tuned over frozen
	GainSmall float64        `json:"gain_small"` // distilled over before
	Kept      measure.Number `json:"kept"`       // the gain of the small one over that of the large one
	Closed    measure.Number `json:"closed"`     // the gain of the small one over what parted it from the tuned one
	Speed     DistillSpeed   `json:"speed"`
}

// Distill distils the encoder of the training in a folder, whose rows are in file if they
// are of one. It keeps nothing: the student is for the caller to save.
func Distill(ctx context.Context, dir string, file Path, o DistillOptions) (*DistillReport, *distill.Taught, error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	m, err := gather(ctx, dir, file, o)
	if err != nil {
		return nil, nil, err
	}
	return m.teach(ctx, o)
}

// material is what the tuned encoder says, and what students are judged by.
type material struct {
	record  model.DataRecord
	dir     string // of the tuned encoder
	texts   []string
	set     *TrainingSet
	tuned   *bert.Model
	start   *static.Encoder
	pool    *nn.Pool
	rows    []int // all that are used of texts
	lessons distill.Lessons
	exam    distill.Exam
	report  DistillReport
}

// gather asks the tuned encoder, and measures those that are there already.
func gather(ctx context.Context, dir string, file Path, o DistillOptions) (*material, error) {
	_, info, folder, err := FirstModel(dir)
	if err != nil {
		return nil, err
	}
	m := &material{record: info.Data, pool: nn.NewPool(max(1, o.Workers))}
	if err = m.open(ctx, folder, file); err != nil {
		return nil, err
	}
	m.report = DistillReport{Data: m.record.Name, Encoder: string(m.record.Encoder)}
	d := m.set
	m.rows = append(append(append([]int{}, d.Train...), d.Validation...), d.Test...)
	tell := o.Progress
	if tell == nil {
		tell = func(distill.Report) {}
	}
	x, err := m.encode(ctx, m.tuned, "texts by the tuned encoder", tell)
	if err != nil {
		return nil, err
	}
	head, err := m.head()
	if err != nil {
		return nil, err
	}
	teacher, err := m.fit(ctx, x, head)
	if err != nil {
		return nil, err
	}
	if m.report.Tuned, err = m.score(teacher, x); err != nil {
		return nil, err
	}
	if err = m.others(ctx, o, tell); err != nil {
		return nil, err
	}
	return m, m.ask(ctx, teacher, x, o, tell)
}

// open loads data and encoders, and refuses what cannot be distilled.
func (m *material) open(ctx context.Context, folder string, file Path) error {
	near, err := catalogue.Near(m.record.Encoder, folder)
	if err != nil {
		return err
	}
	m.dir = string(near)
	e, err := catalogue.OpenNamed(ctx, near, catalogue.Beside(folder, ""))
	if err != nil {
		return err
	}
	tuned, ok := e.(*bert.Model)
	if !ok || near == m.record.Encoder {
		return fmt.Errorf("distilled: the encoder of %s is %.40q, must be one that was tuned: sotto train --tune --out DIR", folder, m.record.Encoder)
	}
	m.tuned = tuned
	var set *dataset.Set
	if m.set, set, err = outlineSet(ctx, wanted(m.record), file); err != nil {
		return err
	}
	switch {
	case m.set.Record.Hash != m.record.Hash:
		return fmt.Errorf("distilled: the data has SHA-256 %.12s…, must have %.12s…, which the model in %s was trained on", m.set.Record.Hash, m.record.Hash, folder)
	case set.Second != nil || set.Width > 0 || m.record.Dropout > 0 || m.record.Mask != "":
		return errors.New("distilled: the model was trained on pairs, on numbers beside texts, or with masks, must be trained on single whole texts")
	}
	m.texts = set.Text
	m.start, err = static.Default()
	return err
}

// encode returns the vectors of the texts that are used, one a row of all texts.
func (m *material) encode(ctx context.Context, s encode.Source, stage string, tell func(distill.Report)) (nn.Matrix, error) {
	x := nn.NewMatrix(len(m.texts), s.Dim())
	some := make([]string, len(m.rows))
	for i, row := range m.rows {
		some[i] = m.texts[row]
	}
	y, err := inParts(ctx, s, some, m.pool.Workers(), stage, tell)
	if err != nil {
		return x, err
	}
	for i, row := range m.rows {
		copy(x.Row(row), y.Row(i))
	}
	return x, nil
}

// inParts encodes some texts at a time, so that one sees how far it is.
func inParts(ctx context.Context, s encode.Source, texts []string, workers int, stage string, tell func(distill.Report)) (nn.Matrix, error) {
	const size = 512
	all := nn.NewMatrix(len(texts), s.Dim())
	for lo := 0; lo < len(texts); lo += size {
		hi := min(len(texts), lo+size)
		x, err := encode.Texts(ctx, s, texts[lo:hi], workers)
		if err != nil {
			return all, err
		}
		copy(all.Slice(lo, hi).Data, x.Data)
		tell(distill.Report{Stage: stage, Done: hi, Total: len(texts)})
	}
	return all, nil
}

// fit fits a linear classifier to vectors, or takes the one that they were trained
// with where the validation part says that it is better.
func (m *material) fit(ctx context.Context, x nn.Matrix, head *model.Linear) (*model.Model, error) {
	d := m.set.Data
	d.X, d.Head, d.Z, d.Groups = x, head, nil, 0
	return train.Fit(ctx, train.TrustedSide{Training: train.Training{Shape: train.Shape{Encoder: []int{}}, Standardise: true}}, d, train.Options{Seed: 1, Pool: m.pool})
}

// score tells the test part by a classifier.
func (m *material) score(c *model.Model, x nn.Matrix) (DistillScore, error) {
	released, err := c.Release(m.pool, x, m.set.Test, nil)
	if err != nil {
		return DistillScore{}, err
	}
	var s DistillScore
	hits, rows := 0, 0
	said := c.Predict(m.pool, released, 1)
	for l, got := range said {
		y := m.set.Y
		if l > 0 {
			y = m.set.More[l-1].Y
		}
		right, known := measure.Hits(nn.Pick(y, m.set.Test), got)
		hits, rows = hits+right, rows+known
		s.Accuracy += float64(right) / float64(max(known, 1)) / float64(len(said))
	}
	s.Low, s.High = measure.ClopperPearson(hits, rows, 0.95)
	return s, nil
}

// others measures the encoder before it was tuned, and the table that the student
// begins with.
func (m *material) others(ctx context.Context, o DistillOptions, tell func(distill.Report)) error {
	x, err := m.encode(ctx, m.start, "texts by the built-in table", tell)
	if err != nil {
		return err
	}
	c, err := m.fit(ctx, x, nil)
	if err != nil {
		return err
	}
	if m.report.Before, err = m.score(c, x); err != nil {
		return err
	}
	parent, roots := o.Parent, catalogue.Anywhere("whoever distils", "")
	if parent == "" {
		info, failed := bert.ReadManifest(m.dir)
		if failed != nil {
			return failed
		}
		roots = catalogue.Beside(m.dir, "")
		if parent = info.Parent; parent == "" {
			return nil // it was a folder, of which nobody knows where it lies
		}
	}
	e, err := catalogue.OpenNamed(ctx, catalogue.Name(parent), roots)
	if errors.Is(err, fs.ErrNotExist) && o.Parent == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if x, err = m.encode(ctx, e, "texts by the encoder before", tell); err != nil {
		return err
	}
	if c, err = m.fit(ctx, x, nil); err != nil {
		return err
	}
	s, err := m.score(c, x)
	m.report.Frozen = &s
	return err
}

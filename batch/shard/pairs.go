package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"sotto/data/table"
	"sotto/data/vecfile"
	"sotto/promise/mech"
)

// pairing writes the vectors of a chunk beside their releases. Nil writes nothing.
type pairing struct {
	file   *sink
	sum    hash.Hash
	out    *vecfile.Writer
	name   string
	rows   int64
	raw    []float32
	y      []float64
	fields [][]vecfile.Field
	err    error // the first
}

// pairRows is how many pairs wait until they are written.
const pairRows = 512

// pair begins the pairs of a chunk, if they are wanted.
func (w *Worker) pair(ctx context.Context, c Chunk) (*pairing, error) {
	if w.spec.Pairs == "" {
		return nil, nil //nolint:nilnil // no pairs are no error
	}
	p := &pairing{name: c.Part + "." + string(vecfile.Parquet), sum: sha256.New()}
	var err error
	if p.file, err = createPrivate(ctx, join(w.spec.Pairs, p.name), w.at); err != nil {
		return nil, err
	}
	in, out := w.mech.Shape()
	p.out, err = vecfile.NewWriter(&seeking{p.file, io.MultiWriter(p.file, p.sum)}, vecfile.Parquet, vecfile.WriterOptions{
		Width: out, Raw: in, Beside: w.spec.Attributes, Metadata: map[string]string{"sotto.warning": pairsWarning},
	})
	if err != nil {
		p.file.abort()
		return nil, err
	}
	return p, nil
}

// add takes one row.
func (p *pairing) add(raw []float32, y []float64, fields []vecfile.Field) {
	p.raw, p.y, p.fields = append(p.raw, raw...), append(p.y, y...), append(p.fields, fields)
	if len(p.fields) == pairRows {
		p.flush()
	}
}

func (p *pairing) flush() {
	if p.err == nil && len(p.fields) > 0 {
		p.err = p.out.WritePairs(p.raw, p.y, p.fields)
	}
	p.rows += int64(len(p.fields))
	p.raw, p.y, p.fields = p.raw[:0], p.y[:0], p.fields[:0]
}

// into lets the file appear, and notes it.
func (p *pairing) into(l *Learnt) error {
	if p == nil {
		return nil
	}
	defer p.file.abort()
	p.flush()
	if p.err == nil {
		p.err = p.out.Close()
	}
	if p.err == nil {
		p.err = p.file.commit()
	}
	l.Pairs = append(l.Pairs, mech.Binding{File: p.name, SHA256: hex.EncodeToString(p.sum.Sum(nil)), Rows: p.rows})
	return p.err
}

// abort throws the file away, unless it has appeared.
func (p *pairing) abort() {
	if p != nil {
		p.file.abort()
	}
}

// field is a value as it stands beside vectors.
func field(v table.Value) vecfile.Field {
	return vecfile.Field{Text: v.Text, Bare: v.Kind == table.Number || v.Kind == table.Bool, Missing: v.Kind == table.Missing}
}

package vectors_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"sotto/compute/nn"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/learn/train"
	"sotto/learn/vectorise"
	"sotto/promise/mech"
	"sotto/text/encode/static"
)

// BenchmarkEncodeModel releases texts of 20 words through a model of codes, and
// says how long that takes beside encoding the texts alone and then releasing
// their vectors alone, in one run: ratio, which is to be at most 1.2.
func BenchmarkEncodeModel(b *testing.B) {
	const texts = 20_000
	var lines strings.Builder
	for i := range texts {
		for w := range 20 {
			fmt.Fprintf(&lines, "word%d ", (i*31+w*17)%977)
		}
		lines.WriteByte('\n')
	}
	e, err := static.Default()
	if err != nil {
		b.Fatal(err)
	}
	d := train.Data{X: nn.NewMatrix(200, e.Dim()), Classes: 2}
	for i := range 200 {
		d.Y = append(d.Y, i%2)
		d.X.Row(i)[0] = float32(i % 2)
		if i < 150 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	h := train.Codes{Training: train.Training{Shape: train.Twitter(), Epochs: 1}, Release: mech.Params{Epsilon: 4}}
	m, err := train.Fit(b.Context(), h, d, train.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	batch, err := m.Batch(2)
	if err != nil {
		b.Fatal(err)
	}
	run := func(width int, model vectorise.Releaser) time.Duration {
		in, err := textfile.ReadDeclared(strings.NewReader(lines.String()), textfile.Options{Format: textfile.Text})
		if err != nil {
			b.Fatal(err)
		}
		out, err := vecfile.NewWriter(io.Discard, vecfile.Parquet, vecfile.WriterOptions{Width: width, Float32: true})
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		if _, err := vectorise.Run(b.Context(), vectorise.Job{In: in, Encoder: e, Out: out, Model: model, Workers: 2}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	x := nn.NewMatrix(2048, e.Dim())
	var whole, parts time.Duration
	for b.Loop() {
		whole += run(1, batch)
		parts += run(e.Dim(), nil)
		began := time.Now()
		for done := 0; done < texts; done += x.Rows {
			if _, _, err := batch.Release(x); err != nil {
				b.Fatal(err)
			}
		}
		parts += time.Since(began)
	}
	b.ReportMetric(float64(whole)/float64(parts), "ratio")
	b.ReportMetric(float64(texts*b.N)/whole.Seconds(), "texts/s")
}

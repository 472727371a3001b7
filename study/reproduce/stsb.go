package reproduce

import (
	"context"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/text/encode"
)

// STSB is the table "stsb". The fields of the first encoder are its own.
type STSB struct {
	Header
	Similarity
	Encoders []Similarity `json:"encoders"`
}

// Similarity is how well one encoder tells similar sentences.
type Similarity struct {
	Encoder    string         `json:"encoder"`
	Dim        int            `json:"dim"`
	Spearman   measure.Number `json:"spearman"` // on the test part
	Validation Correlation    `json:"validation"`
	Test       Correlation    `json:"test"`
	Published  []Figure       `json:"published"` // of the test part
}

// Correlation is a rank correlation with its 95 % interval.
type Correlation struct {
	Rows     int            `json:"rows"`
	Spearman measure.Number `json:"spearman"`
	Low      measure.Number `json:"low"`
	High     measure.Number `json:"high"`
}

// quickPairs is how many pairs of a part are enough in a hurry.
const quickPairs = 500

func runSTSB(ctx context.Context, w *work) (Result, error) {
	set, err := dataset.Load("stsb", dataset.Options{Dir: w.Dir})
	if err != nil {
		return nil, err
	}
	if w.Quick {
		w.note("quick: %d pairs of each part, drawn by a fixed seed", quickPairs)
	}
	r := &STSB{}
	for i, s := range w.sources {
		one := Similarity{Encoder: s.spec, Dim: s.from.Dim(), Published: similarityFigures(s.spec)}
		if one.Validation, err = correlate(ctx, w, s.from, set, dataset.Validation); err != nil {
			return nil, err
		}
		w.tell(s.spec+" on the validation part", 2*i+1, 2*len(w.sources))
		if one.Test, err = correlate(ctx, w, s.from, set, dataset.Test); err != nil {
			return nil, err
		}
		w.tell(s.spec+" on the test part", 2*i+2, 2*len(w.sources))
		one.Spearman = one.Test.Spearman
		r.Encoders = append(r.Encoders, one)
	}
	r.Header, r.Similarity = w.header, r.Encoders[0]
	return r, nil
}

// correlate encodes the pairs of a part and ranks them.
func correlate(ctx context.Context, w *work, s encode.Source, set *dataset.Set, part dataset.Part) (Correlation, error) {
	rows := set.Indices(part)
	if w.Quick {
		rows = some(rows, quickPairs, weakrand.New(weakrand.NewPCG(0, 0)))
	}
	texts := slices.Concat(dataset.Select(set.Text, rows), dataset.Select(set.Second, rows))
	x, err := encode.Texts(ctx, s, texts, w.Workers)
	if err != nil {
		return Correlation{}, err
	}
	got, want := make([]float64, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		got[i], want[i] = cosine(x.Row(i), x.Row(len(rows)+i)), set.Target[row]
	}
	r := Spearman(got, want)
	low, high := SpearmanInterval(r, len(rows))
	return Correlation{len(rows), measure.Number(r), measure.Number(low), measure.Number(high)}, nil
}

// some returns at most n of the rows, drawn by rng, in order.
func some(rows []int, n int, rng *weakrand.Rand) []int {
	if len(rows) <= n {
		return rows
	}
	drawn := slices.Clone(rows)
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:n]
	slices.Sort(drawn)
	return drawn
}

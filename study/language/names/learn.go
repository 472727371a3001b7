package names

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sotto/study/language"
)

// Defaults returns the options of the shipped model.
func Defaults() Options {
	return Options{Epochs: 5, Settle: 3, Rate: 0.07, Rare: 2, Keep: 200_000, Hide: 0.3, Blind: 0.3, Lean: 0.5, Words: 80_000}
}

// Train trains a model on the corpora of a folder of data, which is laid out as
// the public data sets are. The same folder and options give the same model.
//
// Places, organisations and names of other things are learnt from WNUT17, the
// Broad Twitter Corpus, Wikigold and the free genres of GUM; addresses from those
// templates of presidio-research that are not held out. What the corpora keep for
// tests is not read.
func Train(folder string, opts Options) (*Model, error) {
	m := &Model{
		types: []language.Type{language.Person, language.Organisation, language.Place, language.Miscellaneous, language.Address},
		slope: 1, lean: opts.Lean,
		trained: []string{"WNUT17", "Broad Twitter Corpus", "Wikigold", "GUM (free genres)", "presidio-research (training templates)", "GloVe 6B (clusters)", "first names of stdlib"},
	}
	corpora, err := ReadCorpora(folder)
	if err != nil {
		return nil, err
	}
	if m.lists, err = readLists(folder); err != nil {
		return nil, err
	}
	if m.clusters, err = readClusters(folder, opts.Words); err != nil {
		return nil, err
	}
	sentences, err := m.sentences(folder, corpora)
	if err != nil {
		return nil, err
	}
	if err := train(m, sentences, opts); err != nil {
		return nil, err
	}
	m.fit(corpora)
	return m, nil
}

// sentences returns what a model is trained on.
func (m *Model) sentences(folder string, corpora []*Corpus) ([]Sentence, error) {
	first, err := firstNames(folder)
	if err != nil {
		return nil, err
	}
	gum, err := readGUM(folder, m.lists)
	if err != nil {
		return nil, err
	}
	corpora = append(slices.Clone(corpora), &Corpus{Name: "gum", Train: gum})
	var known []Sentence // whose people have names of many countries
	for _, c := range corpora {
		if c.Name == synthetic {
			known = c.Train
		}
	}
	if len(known) == 0 {
		return nil, errors.New("names: no synthetic texts to take names from")
	}
	all := newPeople(known, first)
	var out []Sentence
	for k, c := range corpora {
		part := c.Train
		if c.Name == "wnut17" {
			part = withoutHandles(part)
		}
		if c.Name != synthetic && c.Name != "wikigold" {
			part = harmonise(part, m.lists)
		}
		out = append(out, part...)
		out = append(out, all.rename(part, weakrand.New(weakrand.NewPCG(18, uint64(k)+3)))...)
	}
	return out, nil
}

// readClusters reads word vectors and puts the first so many words into clusters.
func readClusters(folder string, most int) (*lookup, error) {
	files, err := filepath.Glob(filepath.Join(folder, "glove", "*.txt.gz"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("names: no file of word vectors in %s, must be glove/*.txt.gz", folder)
	}
	var words []string
	var vectors [][]float32
	err = Lines(files[0], func(line []byte) error {
		if len(words) == most {
			return nil
		}
		fields := strings.Fields(string(line))
		if len(fields) < 2 || len(vectors) > 0 && len(fields)-1 != len(vectors[0]) {
			return errors.New("a line must have a word and as many numbers as the others")
		}
		v := make([]float32, len(fields)-1)
		for i, f := range fields[1:] {
			x, e := strconv.ParseFloat(f, 32)
			if e != nil {
				return errors.New("a number of a vector is none")
			}
			v[i] = float32(x)
		}
		words, vectors = append(words, fields[0]), append(vectors, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := newLookup(len(words))
	for i, c := range cluster(vectors) {
		if h := hashed(words[i]); t.find(h) == 0 {
			t.put(h, c)
		}
	}
	return t, nil
}

// fit finds the calibration on what corpora keep to tune by: of the confidences
// σ(slope·logit p + shift), the one under which what was right and what was wrong
// is likeliest, by Newton's method.
func (m *Model) fit(corpora []*Corpus) {
	m.slope, m.shift = 1, 0
	var logits []float64
	var right []bool
	var l lattice
	for _, c := range corpora {
		marked := marks(c.Dev)
		for _, s := range c.Dev {
			for _, got := range m.find(&l, s) {
				if !marked[got.Type] {
					continue // the corpus does not say
				}
				p := max(1e-6, min(1-1e-6, got.Confidence))
				logits = append(logits, math.Log(p/(1-p)))
				right = append(right, slices.ContainsFunc(s.Spans, got.same))
			}
		}
	}
	a, b := 1.0, 0.0
	for range 50 {
		// Gradient and Hessian of the log likelihood, with a little ridge.
		ga, gb, haa, hab, hbb := 0.0, 0.0, 1e-3, 0.0, 1e-3
		for i, x := range logits {
			q := 1 / (1 + math.Exp(-(float64(a*x) + b)))
			y := 0.0
			if right[i] {
				y = 1
			}
			ga += float64((y - q) * x)
			gb += y - q
			w := float64(q * (1 - q))
			haa += float64(w * x * x)
			hab += float64(w * x)
			hbb += w
		}
		det := float64(haa*hbb) - float64(hab*hab)
		a += (float64(hbb*ga) - float64(hab*gb)) / det
		b += (float64(haa*gb) - float64(hab*ga)) / det
	}
	const digits = 1e4 // more would be of no use, and differ between machines
	a, b = math.Round(a*digits)/digits, math.Round(b*digits)/digits
	if a > 0 && !math.IsInf(a, 0) && !math.IsNaN(b) && !math.IsInf(b, 0) {
		m.slope, m.shift = a, b
	}
}

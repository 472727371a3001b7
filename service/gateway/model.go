package gateway

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text"
	"sotto/text/encode"
)

// served is the trusted half of a trained model: the layers before the noise,
// and the mechanism.
type served struct {
	params    mech.Params
	guarantee dp.Guarantee
	in, out   int
	digest    string              // of all that it computes with, for this side
	id        string              // by which others know it; "" for none
	covers    string              // whose texts the guarantee covers
	tells     string              // of what it was trained on, to whoever sees its releases
	numerics  encode.Numerics     // of the layers before the noise
	labels    []model.LabelRecord // that codes answer
	answers   [][]int             // for each code a class of each label
	masks     model.Masks         // with which it was trained
	numbers   []string            // that it takes behind a text's vector
	scales    []model.Scale       // of those
	spare     sync.Pool           // of *worker: a model is used by one goroutine at a time
}

type worker struct {
	model *model.Model
	pool  *nn.Pool
}

// FromModel makes a Mechanism of a trained model, as model.Load returns it: a
// vector passes the layers before the noise, and then the model's mechanism. It
// refuses a model that protects or releases nothing.
func FromModel(m *model.Model, info model.Manifest) (Mechanism, error) {
	s, ok := m.Statement()
	if !ok {
		return nil, errors.New("gateway: the model has no mechanism, must have one")
	}
	if info.Weights == "" {
		return nil, errors.New("gateway: the model's manifest names no weights, must be that of a saved model")
	}
	f := &served{params: s.Parameters, guarantee: m.Guarantee(), in: m.Architecture().Inputs, out: m.Dim(), masks: info.Masked(), id: info.ID, covers: m.Coverage()}
	if len(m.Architecture().Answers) > 0 {
		f.tells = m.Tells()
	}
	var err error
	if f.numbers, f.scales, err = info.Data.Numbers(); err != nil {
		return nil, err
	}
	if f.digest, err = info.Digest(); err != nil {
		return nil, err
	}
	if a := m.Architecture(); len(a.Answers) > 0 {
		f.answers, info.Architecture = a.Answers, a
		if f.labels, err = info.Labels(); err != nil {
			return nil, err
		}
	}
	own := m.Clone() // which nobody uses but to clone it, so that the caller may go on using m
	if f.numerics, err = own.Numerics(); err != nil {
		return nil, err
	}
	f.spare.New = func() any { return &worker{own.Clone(), nn.NewPool(1)} }
	return f, nil
}

// maskedAlike refuses maskers among which one is missing that the model was
// trained with. Dropout needs none: the gateway draws it.
func (f *served) maskedAlike(maskers []text.Masker) error {
	if lacking := f.masks.LackingOf(maskers); len(lacking) > 0 {
		return fmt.Errorf("gateway: the model was trained with texts masked by %q, must be served with the same masks: they are not given", lacking)
	}
	return nil
}

// Shape implements dp.Vector.
func (f *served) Shape() (in, out int) { return f.in, f.out }

// Guarantee implements dp.Mechanism.
func (f *served) Guarantee() dp.Guarantee { return f.guarantee }

// Params implements Mechanism.
func (f *served) Params() mech.Params { return f.params }

// Privatize implements dp.Mechanism.
func (f *served) Privatize(x []float64, src rand.Source) ([]float64, error) {
	if len(x) != f.in {
		return nil, fmt.Errorf("gateway: the vector has %d numbers, must have %d: %w", len(x), f.in, dp.ErrDomain)
	}
	y := make([]float64, f.out)
	return y, f.PrivatizeTo(y, x, src)
}

// PrivatizeTo implements dp.Vector. The model derives its noise from a key of
// 256 bits, which src gives.
func (f *served) PrivatizeTo(dst, x []float64, src rand.Source) error {
	if len(x) != f.in || len(dst) != f.out {
		panic(fmt.Sprintf("gateway: %d numbers into %d, want %d into %d", len(x), len(dst), f.in, f.out))
	}
	clear(dst)
	row := nn.NewMatrix(1, f.in)
	for i, v := range x {
		row.Data[i] = float32(v)
	}
	var key []byte
	for range 4 {
		key = binary.BigEndian.AppendUint64(key, src.Uint64())
	}
	w := f.spare.Get().(*worker) // nothing else is put there
	y, err := w.model.Release(w.pool, row, []int{0}, key)
	f.spare.Put(w)
	if err != nil {
		return err
	}
	for i, v := range y.Data {
		dst[i] = float64(v)
	}
	return nil
}

// identity tells apart mechanisms of equal parameters: the digest of a model,
// "" for a mechanism that is nothing but its parameters. Noise is memoised under
// it, so two models that compute differently must not share one.
func identity(m Mechanism) string {
	if f, ok := m.(*served); ok {
		return f.digest
	}
	return ""
}

// named is how a client knows a model, and what the parameters of its releases tell of
// what it was trained on. The digest would let whoever knows all training texts but one
// try candidates for the last.
func named(m Mechanism) (id, tells string) {
	if f, ok := m.(*served); ok {
		return f.id, f.tells
	}
	return "", ""
}

// rounds says how the layers of a mechanism round on this machine; exact where it has
// none. The vector that names a release is what they are given, so that on another machine
// the same name would stand for another vector: they are a part of the name.
func rounds(m Mechanism) encode.Numerics {
	if f, ok := m.(*served); ok {
		return f.numerics
	}
	return encode.Numerics{}
}

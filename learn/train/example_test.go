package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// table has 64 rows of two numbers: the class decides the first, the group the
// second.
func table() train.Data {
	d := train.Data{X: nn.NewMatrix(64, 2), Classes: 2, Groups: 2}
	for i := range 64 {
		y, z := i%2, i/2%2
		copy(d.X.Row(i), []float32{float32(2*y - 1), float32(2*z - 1)})
		d.Y, d.Z = append(d.Y, y), append(d.Z, z)
		if i < 48 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	return d
}

func ExampleFederate() {
	m, err := train.Fit(context.Background(), train.Federate{
		Training: train.Training{Shape: train.Shape{Encoder: []int{8, 4}, Adversary: []int{8}}},
		Release:  mech.Params{Mechanism: "laplace-l1", Epsilon: 8},
	}, table(), train.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Guarantee())
	fmt.Println(m.Coverage())
	// Output:
	// ε = 8 (text-level)
	// the guarantee covers a text whose vector is released; the texts that the encoder was trained on are not covered
}

func ExampleModel_Save() {
	d := table()
	m, err := train.Fit(context.Background(), train.Unprotected{
		Training: train.Training{Shape: train.Shape{Encoder: []int{8, 4}}, Rate: 0.01},
	}, d, train.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	parent, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "model")
	if err = m.Save(dir, model.Manifest{Method: "unconstrained", Seed: 1}); err != nil {
		fmt.Println(err)
		return
	}
	loaded, info, err := model.Load(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := nn.NewPool(1)
	y, err := loaded.Release(p, d.X, []int{60, 61, 62, 63}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Method, loaded.Predict(p, y, 0)[0])
	fmt.Println(loaded.Guarantee())
	// Output:
	// unconstrained [0 1 0 1]
	// ε = infinite (text-level)
}

// A real release takes a key that nobody knows and that is never used again.
func ExampleModel_Release() {
	d := table()
	m, err := train.Fit(context.Background(), train.Noise{
		Training: train.Training{Shape: train.Shape{Encoder: []int{4}}, Epochs: 5},
		Release:  mech.Params{Mechanism: "laplace-l1", Epsilon: 2},
	}, d, train.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	key := make([]byte, 0, 32)
	for s := noise.Crypto(); len(key) < 32; {
		key = append(key, byte(s.Uint64()))
	}
	y, err := m.Release(nn.NewPool(1), d.X, []int{0, 1, 2}, key)
	fmt.Println(y.Rows, "rows of", y.Cols, "numbers,", m.Guarantee(), err)
	// Output:
	// 3 rows of 4 numbers, ε = 2 (text-level) <nil>
}

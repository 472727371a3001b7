package train_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"sotto/learn/model"
	"sotto/learn/train"
)

// Methods that would train the same model of the trusted side train it once, and make of
// it what each would have made alone.
func TestTeachers(t *testing.T) {
	d := plant(1000, 0.8, 0.6, 1)
	other := plant(1000, 0.8, 0.6, 1)
	wide := codes(2, 0, 0)
	wide.Encoder = []int{9}
	fair := codes(2, 0, 0)
	fair.Fair = true
	var all train.Teachers
	for _, tt := range []struct {
		name     string
		method   train.Method
		data     planted
		seed     uint64
		borrowed bool
	}{
		{"the first", codes(2, 0, 0), d, 1, false},
		{"more ε", codes(5, 0, 0), d, 1, true},
		{"the label", train.Label{Training: codes(2, 0, 0).Training, Release: codes(2, 0, 0).Release}, d, 1, true},
		{"the reference", train.TrustedSide{Training: codes(2, 0, 0).Training}, d, 1, true},
		{"another seed", codes(2, 0, 0), d, 2, false},
		{"that seed again", codes(3, 0, 0), d, 2, true},
		{"another shape", wide, d, 1, false},
		{"other rows", codes(2, 0, 0), other, 1, false},
		{"with groups", fair, d, 1, false},
		{"with groups again", fair, d, 1, false},
	} {
		var told []model.Progress
		var took time.Duration
		got, err := train.Fit(t.Context(), tt.method, tt.data.Data, train.Options{
			Seed: tt.seed, Teachers: &all,
			Progress: func(p model.Progress) { told = append(told, p) },
			Borrowed: &took,
		})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		borrowed := took > 0
		if borrowed != tt.borrowed || borrowed && len(told) != 1 {
			t.Errorf("%s: borrowed %v with %d epochs told of, want %v and the last alone", tt.name, borrowed, len(told), tt.borrowed)
		}
		if want := fit(t, tt.method, tt.data, tt.seed); !bytes.Equal(weights(t, got), weights(t, want)) || got.Kept != want.Kept {
			t.Errorf("%s: another model than that of a training of its own", tt.name)
		}
	}
}

// What was stopped is no teacher of others.
func TestTeachersStopped(t *testing.T) {
	d := plant(1000, 0.8, 0.6, 1)
	var all train.Teachers
	ctx, cancel := context.WithCancel(t.Context())
	_, err := train.Fit(ctx, codes(2, 0, 0), d.Data, train.Options{Seed: 1, Teachers: &all, Progress: func(model.Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that is stopped has the error %v", err)
	}
	got, err := train.Fit(t.Context(), codes(2, 0, 0), d.Data, train.Options{Seed: 1, Teachers: &all})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights(t, got), weights(t, fit(t, codes(2, 0, 0), d, 1))) {
		t.Error("another model than that of a training of its own")
	}
}

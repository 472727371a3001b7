package train_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"sotto/learn/train"
)

func TestMemo(t *testing.T) {
	var all train.Memo[string, int]
	made := 0
	ask := func(key string, value int, fault error) (int, bool, error) {
		return all.Do(t.Context(), key, func() (int, error) { made++; return value, fault })
	}
	fault := errors.New("a fault")
	for _, tt := range []struct {
		key   string
		value int
		fault error
		want  int
		had   bool
	}{
		{"a", 1, nil, 1, false},
		{"a", 2, nil, 1, true},
		{"b", 3, nil, 3, false},
		{"c", 4, fault, 4, false},
		{"c", 5, nil, 5, false},
		{"c", 6, nil, 5, true},
	} {
		if got, had, err := ask(tt.key, tt.value, tt.fault); got != tt.want || had != tt.had || !errors.Is(err, tt.fault) {
			t.Errorf("Do(%q) that makes %d = %d, %v, %v; want %d, %v, %v", tt.key, tt.value, got, had, err, tt.want, tt.had, tt.fault)
		}
	}
	if made != 4 {
		t.Errorf("%d values were made, want 4", made)
	}
}

// Whoever asks while something is being made waits for it, and makes it if nothing came
// of it; who is stopped does not wait.
func TestMemoWaits(t *testing.T) {
	for name, fault := range map[string]error{"made": nil, "not made": errors.New("a fault")} {
		t.Run(name, func(t *testing.T) {
			var all train.Memo[int, int]
			begun, end := make(chan struct{}), make(chan struct{})
			var group sync.WaitGroup
			group.Go(func() {
				if _, _, err := all.Do(t.Context(), 1, func() (int, error) { close(begun); <-end; return 1, fault }); !errors.Is(err, fault) {
					t.Errorf("the first has the error %v, want %v", err, fault)
				}
			})
			<-begun
			stopped, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := all.Do(stopped, 1, func() (int, error) { t.Error("made by who was stopped"); return 0, nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("who was stopped has the error %v", err)
			}
			group.Go(func() {
				got, had, err := all.Do(t.Context(), 1, func() (int, error) { return 2, nil })
				if want := map[bool]int{true: 1, false: 2}[fault == nil]; got != want || had != (fault == nil) || err != nil {
					t.Errorf("the second has %d, %v, %v; want %d", got, had, err, want)
				}
			})
			close(end)
			group.Wait()
		})
	}
}

// A panic leaves nothing behind that would pass for what was to be made.
func TestMemoPanics(t *testing.T) {
	var all train.Memo[int, int]
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		all.Do(t.Context(), 1, func() (int, error) { panic("a fault") }) //nolint:errcheck // it panics
	}()
	if got, had, err := all.Do(t.Context(), 1, func() (int, error) { return 2, nil }); got != 2 || had || err != nil {
		t.Errorf("after it there is %d, %v, %v; want it made anew", got, had, err)
	}
}

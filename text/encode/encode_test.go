package encode_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/text/encode"
)

func vector(e encode.Encoder, text string) []float32 {
	v := make([]float32, e.Dim())
	e.Encode(v, text)
	return v
}

func open(tb testing.TB, spec string) encode.Encoder {
	tb.Helper()
	s, err := encode.Open(spec, "testdata")
	if err != nil {
		tb.Fatal(err)
	}
	e, ok := s.(encode.Encoder)
	if !ok {
		tb.Fatalf("Open(%q) gives a %T, want an Encoder", spec, s)
	}
	return e
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "encode: ") {
		t.Errorf("error = %v, want one of encode with %q", err, want)
	}
}

func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		spec, name string
		dim        int
	}{
		{"hash", "hash:512", 512},
		{"hash:1", "hash:1", 1},
		{"hash:1048576", "hash:1048576", 1 << 20},
		{"testdata/tiny.txt", "testdata/tiny.txt", 3},
		{"testdata/tiny.txt.gz", "testdata/tiny.txt.gz", 3},
		{"testdata/word2vec.txt", "testdata/word2vec.txt", 3},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			e := open(t, tt.spec)
			if e.Name() != tt.name || e.Dim() != tt.dim {
				t.Errorf("Open gives %s of %d, want %s of %d", e.Name(), e.Dim(), tt.name, tt.dim)
			}
			const s = "The cat and the dog"
			if again := open(t, e.Name()); !slices.Equal(vector(again, s), vector(e, s)) {
				t.Error("the encoder that Open makes from Name gives another vector")
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		spec, want string
		absent     bool
	}{
		{"", "must be hash, hash:N, glove, endpoint:URL, command:PROGRAM or the path", true},
		{"brt", `encoder is "brt", must be hash, hash:N, glove, endpoint:URL, command:PROGRAM or the path`, true},
		{"hash:0", "hash has size 0, must have 1 to 1048576", false},
		{"hash:1048577", "hash has size 1048577", false},
		{"hash:-1", "hash has size -1", false},
		{"hash:", "must have a whole number", false},
		{"hash:0512", "must have a whole number", false},
		{"hash:5e2", "must have a whole number", false},
		{"testdata", "testdata is no regular file", false},
		{"glove", filepath.Join("testdata", "glove", "glove.6B.100d.102858.txt"), true},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			_, err := encode.Open(tt.spec, "testdata")
			wantError(t, err, tt.want)
			if got := errors.Is(err, fs.ErrNotExist); got != tt.absent {
				t.Errorf("error is ErrNotExist: %v, want %v", got, tt.absent)
			}
		})
	}
}

// TestOpenGloveCounts checks that another file under the name of GloVe is
// refused with both counts.
func TestOpenGloveCounts(t *testing.T) {
	dir := t.TempDir()
	content, err := os.ReadFile("testdata/tiny.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err = os.Mkdir(filepath.Join(dir, "glove"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(dir, "glove", "glove.6B.100d.102858.txt.gz"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = encode.Open("glove", dir)
	wantError(t, err, "holds 4 words of 3 dimensions, must hold 102858 of 100")
}

func texts(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.Repeat("the cat ", i%3) + fmt.Sprint("and dog ", i)
	}
	return all
}

// TestWorkers checks that the number of workers changes no bit.
func TestWorkers(t *testing.T) {
	e := open(t, "hash:37")
	for _, n := range []int{0, 1, 64, 65, 1000} {
		first, second := texts(n), texts(n)
		slices.Reverse(second)
		wantTexts, err := encode.Texts(t.Context(), e, first, 1)
		if err != nil {
			t.Fatal(err)
		}
		wantPairs, err := encode.Pairs(t.Context(), e, first, second, 1)
		if err != nil {
			t.Fatal(err)
		}
		if wantTexts.Rows != n || wantTexts.Cols != 37 || wantPairs.Rows != n || wantPairs.Cols != 74 {
			t.Fatalf("sizes are %d×%d and %d×%d, want %d×37 and %d×74", wantTexts.Rows, wantTexts.Cols, wantPairs.Rows, wantPairs.Cols, n, n)
		}
		for i, s := range first {
			if !slices.Equal(wantTexts.Row(i), vector(e, s)) {
				t.Errorf("row %d is not what Encode gives", i)
			}
		}
		for _, workers := range []int{2, 3, 16} {
			got, err := encode.Texts(t.Context(), e, first, workers)
			if err != nil || !slices.Equal(got.Data, wantTexts.Data) {
				t.Errorf("Texts of %d by %d workers differs from one worker (error %v)", n, workers, err)
			}
			got, err = encode.Pairs(t.Context(), e, first, second, workers)
			if err != nil || !slices.Equal(got.Data, wantPairs.Data) {
				t.Errorf("Pairs of %d by %d workers differs from one worker (error %v)", n, workers, err)
			}
		}
	}
}

func TestPairs(t *testing.T) {
	e := open(t, "testdata/tiny.txt")
	m, err := encode.Pairs(t.Context(), e, []string{"cat", "the dog"}, []string{"the cat", "unknown"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{0.5, 1, 0, 0, 2, 0, 0.5, 0, 2, 0, 0, 0}
	for i := range want { // −0 and 0 are equal here
		if m.Data[i] != want[i] {
			t.Fatalf("Pairs = %v, want %v", m.Data, want)
		}
	}
	back, err := encode.Pairs(t.Context(), e, []string{"the cat", "unknown"}, []string{"cat", "the dog"}, 2)
	if err != nil || !slices.Equal(back.Data, m.Data) {
		t.Errorf("exchanged pairs give %v (error %v), want %v", back.Data, err, m.Data)
	}
}

// cancelling is an encoder that ends its own context on the first text.
type cancelling struct {
	encode.Hash
	cancel context.CancelFunc
}

func (c cancelling) Encode(dst []float32, s string) {
	c.cancel()
	c.Hash.Encode(dst, s)
}

func TestRowsRefuses(t *testing.T) {
	e := open(t, "hash:4")
	_, err := encode.Texts(t.Context(), e, texts(3), 0)
	wantError(t, err, "workers is 0, must be at least 1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err = encode.Texts(ctx, cancelling{cancel: cancel}, texts(1000), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
	if _, err = encode.Pairs(ctx, e, texts(3), texts(3), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want Canceled", err)
	}
}

func TestPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"hash of another length", func() { encode.Hash{}.Encode(make([]float32, 511), "a") }},
		{"mean of another length", func() { open(t, "testdata/tiny.txt").Encode(make([]float32, 4), "a") }},
		{"pairs of another length", func() { _, _ = encode.Pairs(t.Context(), encode.Hash{}, texts(2), texts(3), 1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic, want one")
				}
			}()
			tt.call()
		})
	}
}

func norm(v []float32) float64 {
	s := 0.0
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	return math.Sqrt(s)
}

func dot(u, v []float32) float64 {
	s := 0.0
	for i := range u {
		s += float64(u[i]) * float64(v[i])
	}
	return s
}

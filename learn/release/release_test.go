package release_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"sotto/data/vecfile"
	"sotto/learn/release"
	"sotto/promise/dp"
)

// shift adds 1000 to a single coordinate and refuses negative ones, so that a
// test can follow each row.
type shift struct{}

func (shift) Shape() (in, out int)    { return 1, 1 }
func (shift) Guarantee() dp.Guarantee { return dp.None(dp.Text) }
func (s shift) Privatize(x []float64, src rand.Source) ([]float64, error) {
	y := make([]float64, 1)
	return y, s.PrivatizeTo(y, x, src)
}

func (shift) PrivatizeTo(dst, x []float64, _ rand.Source) error {
	if x[0] < 0 {
		return fmt.Errorf("%w: negative", dp.ErrDomain)
	}
	dst[0] = x[0] + 1000
	return nil
}

func run(ctx context.Context, t *testing.T, in io.Reader, o release.Options) (string, release.Summary, error) {
	t.Helper()
	r, err := vecfile.NewReader(in, vecfile.Options{Format: vecfile.CSV, SkipBad: o.SkipBad, Declared: true, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w, err := vecfile.NewWriter(&out, vecfile.CSV, vecfile.WriterOptions{Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := release.Run(ctx, r, w, shift{}, o)
	if err == nil {
		err = w.Close()
	}
	return out.String(), sum, err
}

// Many blocks and workers keep the order of rows.
func TestRunKeepsOrder(t *testing.T) {
	const rows = 300_000
	var in, want strings.Builder
	for i := range rows {
		fmt.Fprintf(&in, "%d\n", i)
		fmt.Fprintf(&want, "%d\n", i+1000)
	}
	last := int64(0)
	got, sum, err := run(t.Context(), t, strings.NewReader(in.String()), release.Options{Workers: 3, Progress: func(n int64) {
		if n < last {
			t.Errorf("progress went from %d to %d", last, n)
		}
		last = n
	}})
	if err != nil || sum != (release.Summary{Rows: rows}) || last != rows {
		t.Fatalf("Run = %+v, %v with progress %d, want %d rows", sum, err, last, rows)
	}
	if got != want.String() {
		t.Error("the rows came out changed or in another order")
	}
}

func TestRunRefuses(t *testing.T) {
	in := strings.Repeat("1\n", 100_000) + "-1\n" + strings.Repeat("1\n", 100_000)
	_, _, err := run(t.Context(), t, strings.NewReader(in), release.Options{Workers: 2})
	var bad *vecfile.RowError
	if !errors.As(err, &bad) || bad.Line != 100_001 || !strings.Contains(bad.Reason, "negative") {
		t.Errorf("error = %v, want one at line 100001", err)
	}
	_, sum, err := run(t.Context(), t, strings.NewReader(in), release.Options{Workers: 2, SkipBad: true})
	if err != nil || sum != (release.Summary{Rows: 200_000, Skipped: 1}) {
		t.Errorf("Run = %+v, %v; want 200000 rows and 1 skipped", sum, err)
	}
}

// A cancelled run returns although its input never ends and its reader is
// stuck in it: the input says so before the run is cancelled.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pr := &stuck{rest: "1\n2\n", waits: cancel, free: make(chan struct{})}
	defer close(pr.free)
	if _, _, err := run(ctx, t, pr, release.Options{Workers: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
}

// stuck is an input that gives some text and then nothing.
type stuck struct {
	rest  string
	waits func() // called when there is nothing left
	free  chan struct{}
}

func (s *stuck) Read(p []byte) (int, error) {
	if s.rest == "" {
		s.waits()
		<-s.free
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

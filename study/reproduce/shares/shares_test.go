package shares_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/evidence/page"
	"sotto/promise/dp/dptest"
	"sotto/study/reproduce/shares"
)

// tweets writes a small file of complaints over two days.
func tweets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "airline"), 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("negativereason,tweet_created\n")
	for i := range 1200 {
		reason, day := "", "2015-02-17 10:00:00 -0800"
		switch {
		case i%2 == 0 && i%6 < 4:
			reason = "Late Flight"
		case i%2 == 1:
			day = "2015-02-18 10:00:00 -0800"
		}
		fmt.Fprintf(&b, "%s,%s\n", reason, day)
	}
	if err := os.WriteFile(filepath.Join(dir, "airline", "Tweets.csv"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRun(t *testing.T) {
	r, err := shares.Run(t.Context(), shares.Options{Only: []string{"airline"}, Users: 1000, Epsilon: 2, Seeds: 2, Dir: tweets(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sets[0]
	if s.Classes != 2 || len(s.Periods) != 2 || len(s.Rows) != 3 || len(s.Lines) != 2 {
		t.Fatalf("got %+v", s)
	}
	// A share of 1,000 answers at ε = 2 has a standard error of 2.1 points, and a mean
	// over two classes, which are one, two days and two draws is above 8 with less
	// than 10⁻⁵.
	for _, row := range s.Rows[1:] {
		if !(row.Unbiased < 0.08) || row.Found != 1 || row.Guarantee.Epsilon > 2.001 {
			t.Errorf("%s: %+v, want a standard error of 0.02, and days told apart", row.Mechanism, row)
		}
	}
	if at := s.Lines[0].At[0]; !(at.Low <= at.Share && at.Share <= at.High) || !(at.True > 0 && at.True < 1) {
		t.Errorf("line %+v", s.Lines[0])
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "Late Flight") {
		t.Errorf("Print: %v, %s", err, out.String())
	}
	for _, p := range s.Charts(r) {
		if err := page.SVG(&out, p); err != nil {
			t.Error(err)
		}
	}
	if err := shares.Kind.Check(r); err != nil {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	if _, err := shares.Run(t.Context(), shares.Options{Only: []string{"clinc"}}); err == nil || !strings.Contains(err.Error(), "clinc150") {
		t.Errorf("unknown data: error = %v", err)
	}
	if _, err := shares.Run(t.Context(), shares.Options{Dir: t.TempDir()}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no data: error = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shares.Run(ctx, shares.Options{Only: []string{"airline"}, Dir: tweets(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error = %v", err)
	}
}

// TestTwoPoints: from 10,000 users of a period at ε = 1, shares of 150 intents and of
// complaints have a standard error of at most two points.
func TestTwoPoints(t *testing.T) {
	if !dptest.Long() {
		t.Skip("it takes seconds: set SOTTO_LONG=1")
	}
	r, err := shares.Run(t.Context(), shares.Options{Seeds: 2})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			if row.Mechanism == s.Best && !(row.Unbiased <= 0.02) {
				t.Errorf("%s by %s: standard error %v, want at most 0.02", s.Data, row.Mechanism, row.Unbiased)
			}
		}
	}
}

package reproduce_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"sotto/data/testenv"
	"sotto/evidence/page/pagetest"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
	"sotto/study/reproduce"
)

// need skips a test whose table needs data that is not here.
func need(t *testing.T, table string) {
	t.Helper()
	for _, i := range reproduce.List() {
		for _, name := range i.Data {
			if i.Name != table {
				continue
			}
			if name == "opinion_lexicon" {
				testenv.Data(t, name)
			} else {
				testenv.Set(t, name)
			}
		}
	}
}

// makeTable makes a table in a hurry with a tiny encoder, and checks what all
// tables share.
func makeTable(t *testing.T, table string, o reproduce.Options) reproduce.Result {
	t.Helper()
	need(t, table)
	if o.Encoders == nil {
		o.Encoders = []string{"hash:64"}
	}
	o.Quick = true
	last := reproduce.Event{}
	o.Progress = func(e reproduce.Event) {
		if e.Done < 1 || e.Done > e.Total || e.Job == "" {
			t.Errorf("progress %+v makes no sense", e)
		}
		last = e
	}
	r, err := reproduce.Run(t.Context(), table, o)
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != last.Total || last.Total == 0 {
		t.Errorf("the last progress was %+v, want all of the work", last)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hash:64", "quick"} {
		if table != "privemb" && !strings.Contains(text.String(), want) {
			t.Errorf("the printed table lacks %q:\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "%!") {
		t.Errorf("the printed table has holes:\n%s", text.String())
	}
	taken(t, r)
	return r
}

// taken fails if what is stored of a table is not shown by a report, or holds
// nothing that a gate can judge.
func taken(t *testing.T, r reproduce.Result) {
	t.Helper()
	stored, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := append(report.Kinds(), reproduce.Kinds()...).New()
	if err != nil {
		t.Fatal(err)
	}
	if err = found.Add("table.json", bytes.NewReader(stored)); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	defer func() { pagetest.Intervals(t, page.String()) }()
	if err = report.Markdown(&page, found); err != nil || strings.Count(page.String(), "| ---") < 1 || len(found.Subjects()) == 0 || len(found.Subjects()[0].Numbers) == 0 {
		t.Errorf("error = %v, %d subjects, page\n%s", err, len(found.Subjects()), page.String())
	}
}

func TestSTSB(t *testing.T) {
	r := makeTable(t, "stsb", reproduce.Options{Encoders: []string{"hash:64", "hash:1024"}}).(*reproduce.STSB)
	if len(r.Encoders) != 2 || r.Encoder != "hash:64" || r.Spearman != r.Encoders[0].Test.Spearman {
		t.Fatalf("encoders %d, first %q with %v, want 2, hash:64 and its test figure", len(r.Encoders), r.Encoder, r.Spearman)
	}
	for _, e := range r.Encoders {
		for _, c := range []reproduce.Correlation{e.Validation, e.Test} {
			// Hashed words tell similar sentences by the words they share.
			if !(c.Low < c.Spearman && c.Spearman < c.High && c.Spearman > 0.2) || c.Rows != 500 {
				t.Errorf("%s: %+v, want a correlation above 0.2 within its interval, of 500 pairs", e.Encoder, c)
			}
		}
	}
	if !(r.Encoders[1].Test.Spearman > r.Encoders[0].Test.Spearman) {
		t.Errorf("1024 coordinates have %v, want more than 64 with %v", r.Encoders[1].Test.Spearman, r.Encoders[0].Test.Spearman)
	}
	var keys map[string]any
	if data, err := json.Marshal(r); err != nil || json.Unmarshal(data, &keys) != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"table", "encoder", "spearman", "validation", "test", "published", "encoders"} {
		if keys[key] == nil {
			t.Errorf("the JSON has no %q", key)
		}
	}
}

func TestSentEval(t *testing.T) {
	if testing.Short() {
		t.Skip("fits eighteen models")
	}
	r := makeTable(t, "senteval", reproduce.Options{Seeds: 2}).(*reproduce.SentEval)
	if len(r.Rows) != 9 || r.Seeds != 2 {
		t.Fatalf("%d rows over %d seeds, want 9 over 2", len(r.Rows), r.Seeds)
	}
	better := 0
	for _, a := range r.Rows {
		if !(a.Low <= a.Accuracy && a.Accuracy <= a.High) || len(a.L2) != 2 || len(a.Published) == 0 {
			t.Errorf("%s: accuracy %v in %v to %v, %d penalties, %d figures", a.Set, a.Accuracy, a.Low, a.High, len(a.L2), len(a.Published))
		}
		if a.Accuracy > a.Majority {
			better++
		}
	}
	// 64 hashed coordinates of short texts tell little, but not nothing.
	if better < 6 {
		t.Errorf("%d of 9 sets are better than the majority, want at least 6", better)
	}
}

func TestPrivEmb(t *testing.T) {
	if testing.Short() {
		t.Skip("fits hundreds of models")
	}
	r := makeTable(t, "privemb", reproduce.Options{Seeds: 1, Workers: 2}).(*reproduce.PrivEmb)
	if r.Words != 200 || math.Abs(r.Tau-1) > 1e-6 { // hashed words have length 1
		t.Errorf("%d words of norm at most %v, want 200 and 1", r.Words, r.Tau)
	}
	for _, p := range r.Pairs {
		// The bounds hold but for one time in 10⁶.
		if !p.Distance.Within || !p.Inner.Within || !(p.Distance.Mean < p.Distance.Max && p.Distance.Max <= p.Distance.Bound) {
			t.Errorf("%s, ε = %v, m = %d: %+v and %+v, want errors within their bounds", p.Variant, p.Epsilon, p.M, p.Distance, p.Inner)
		}
		checkRelease(t, p.Release, r.Dim)
	}
	checkNoise(t, r)
	for _, o := range r.Opinion {
		checkRelease(t, o.Release, r.Dim)
		if !(o.AUC >= 0 && o.AUC <= 1 && o.Accuracy > 0) {
			t.Errorf("%s: accuracy %v and AUC %v", o.Variant, o.Accuracy, o.AUC)
		}
	}
	// Five sets: unprotected, and four variants of two kinds of release.
	if len(r.Tasks) != 5*9 {
		t.Errorf("%d rows of tasks, want 45", len(r.Tasks))
	}
	for _, task := range r.Tasks {
		checkRelease(t, task.Release, r.Dim)
		published := task.Variant == mech.Paper || task.Variant == mech.M1
		if published != (task.Published != nil) {
			t.Errorf("%s %s: published figures %v", task.Set, task.Variant, task.Published)
		}
	}
}

// checkNoise checks the mean error of distances at ε = 1, where noise is all
// that counts. A length of noise has mean square S²·m(m+1), so two releases are
// S·√(2m(m+1)) apart, and S is 1, 1+β, or √(d/m) by scaling. One length deviates
// by 1/√m, at most 1/√47 here, the mean over 100 words by a tenth of that, and
// 4.42 times as much is passed once in 10⁵: 6.5 %. The mean is below the root of
// the mean square by less than 1/(2m), and the √2 between words is left out.
func checkNoise(t *testing.T, r *reproduce.PrivEmb) {
	t.Helper()
	checked := 0
	for _, p := range r.Pairs {
		paid, known := map[string]float64{
			mech.M1: 1, mech.Paper: 1 + float64(p.Beta), mech.Orthonormal: math.Sqrt(float64(r.Dim) / float64(p.M)),
		}[p.Variant]
		if !known || p.Epsilon != 1 {
			continue
		}
		checked++
		m := float64(p.M)
		want := paid*math.Sqrt(2*m*(m+1)) - float64(r.Distance)
		if got := float64(p.Distance.Mean); math.Abs(got/want-1) > 0.065+1/(2*m) {
			t.Errorf("%s, m = %d: distances are off by %v, want %v", p.Variant, p.M, got, want)
		}
	}
	if checked < 3 {
		t.Errorf("%d rows were checked, want at least 3", checked)
	}
}

// checkRelease checks what is said of a release: the paper's true ε is above
// its claim, because its projection stretches more than it pays for, and those
// of the others are not.
func checkRelease(t *testing.T, r reproduce.Release, d int) {
	t.Helper()
	if r.Variant == reproduce.Unprotected {
		if r.True != nil || r.Claimed != nil || r.M != d {
			t.Errorf("unprotected: claimed %v, true %v, m = %d, want nothing of %d dimensions", r.Claimed, r.True, r.M, d)
		}
		return
	}
	if *r.Claimed != dp.Epsilon(r.Epsilon) || r.Unit != dp.Metric || (r.Variant == mech.M1) != (r.M == d) {
		t.Errorf("%+v: want ε claimed as given, metric, and m = %d for m1 alone", r, d)
	}
	if above := *r.True > *r.Claimed*(1+1e-6); above != (r.Variant == mech.Paper) {
		t.Errorf("%s: claimed %v and true %v", r.Variant, *r.Claimed, *r.True)
	}
}

// Results do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("fits eighteen models")
	}
	var want []byte
	for _, workers := range []int{1, 3} {
		got, err := json.Marshal(makeTable(t, "senteval", reproduce.Options{Workers: workers}))
		if err != nil {
			t.Fatal(err)
		}
		if want != nil && !bytes.Equal(got, want) {
			t.Errorf("%d workers: the result differs from that of one", workers)
		}
		want = got
	}
}

// Titles are those of the list.
func TestTitles(t *testing.T) {
	titles := reproduce.Titles()
	for k, i := range reproduce.List() {
		if i.Encoders, i.Data = nil, nil; k >= len(titles) || !reflect.DeepEqual(titles[k], i) {
			t.Errorf("the titles are %+v, want %+v at %d", titles, i, k)
		}
	}
}

func TestNoData(t *testing.T) {
	t.Setenv("SOTTO_DATA", t.TempDir())
	for k, i := range reproduce.List() {
		o := reproduce.Options{Store: t.TempDir()}
		if k < 3 { // the others are declared, with their encoders
			o.Encoders = []string{"hash:64"}
		}
		_, err := reproduce.Run(t.Context(), i.Name, o)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s without data: error %v, want %v", i.Name, err, fs.ErrNotExist)
			continue
		}
		named := false
		for _, name := range i.Data {
			named = named || strings.Contains(err.Error(), name)
		}
		if !named {
			t.Errorf("%s without data: error %q, want one that names one of %v", i.Name, err, i.Data)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    reproduce.Options
		want string
	}{
		{"sts", reproduce.Options{}, "must be one of stsb, senteval, privemb"},
		{"dialect", reproduce.Options{Encoders: []string{"hash"}}, "names its encoders"},
		{"dialect", reproduce.Options{Dir: "/nowhere"}, "SOTTO_DATA"},
		{"dialect", reproduce.Options{Seeds: -1}, "seeds is -1"},
		{"stsb", reproduce.Options{Seeds: -1}, "seeds is -1"},
		{"stsb", reproduce.Options{Workers: -1}, "workers -1"},
		{"stsb", reproduce.Options{Encoders: []string{"hash:none"}}, "hash"},
		{"privemb", reproduce.Options{Encoders: []string{"hash:8"}}, "must have at least"},
		{"privemb", reproduce.Options{Encoders: []string{"hash:64", "hash"}}, "must have one"},
	} {
		if _, err := reproduce.Run(t.Context(), tt.name, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Run(%q, %+v) error = %v, want %q in it", tt.name, tt.o, err, tt.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	need(t, "senteval")
	ctx, cancel := context.WithCancel(t.Context())
	o := reproduce.Options{Encoders: []string{"hash:64"}, Quick: true, Progress: func(reproduce.Event) { cancel() }}
	if r, err := reproduce.Run(ctx, "senteval", o); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("Run that was interrupted = %v, %v, want nothing and %v", r, err, context.Canceled)
	}
}

func ExampleList() {
	for _, i := range reproduce.List() {
		fmt.Println(i.Name)
	}
	// Output:
	// stsb
	// senteval
	// privemb
	// dialect
	// dpnr-ag
	// dpnr-ag-tuned
	// dpnr-blog
	// dpnr-trustpilot
	// federate-adult
	// federate-celeba
	// ldpnn-table1
	// ldpnn-table2
	// mdl-random
}

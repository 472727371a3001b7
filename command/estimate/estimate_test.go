package estimate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// released writes answers, releases them and returns the file of releases.
func released(t *testing.T, name string, answers ...int) string {
	t.Helper()
	dir := t.TempDir()
	raw, private := filepath.Join(dir, "raw.csv"), filepath.Join(dir, name)
	var b strings.Builder
	for _, a := range answers {
		fmt.Fprintln(&b, a)
	}
	clitest.Write(t, raw, b.String())
	if code, _, errs := clitest.Sotto(t, "", "privatize", "krr", "--classes", "3", "--epsilon", "20", "--in", raw, "--out", private); code != command.ExitDone {
		t.Fatalf("privatize: exit code %d: %s", code, errs)
	}
	return private
}

// repeated returns each answer as often as its count says.
func repeated(counts ...int) (all []int) {
	for a, n := range counts {
		for range n {
			all = append(all, a)
		}
	}
	return all
}

// result is what the command prints, as far as tests look at it.
type result struct {
	Format, File string
	N            int
	Epsilon      float64
	Shares       []struct {
		Answer           string
		Share, Low, High float64
	}
	Groups []struct {
		Group string
		N     int
	}
	Comparison *struct{ P float64 }
	Shuffled   *struct{ Epsilon float64 }
}

func TestEstimate(t *testing.T) {
	private := released(t, "private.csv", repeated(60, 30, 10)...)
	groups := filepath.Join(t.TempDir(), "groups.csv")
	clitest.Write(t, groups, "g\n"+strings.Repeat("a\n", 60)+strings.Repeat("b\n", 40))
	run := func(stdin string, args ...string) (r result) {
		t.Helper()
		code, out, errs := clitest.Sotto(t, stdin, append([]string{"estimate", "--json"}, args...)...)
		if code != command.ExitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, filepath.Dir(private)) {
			t.Errorf("%v: the result has the path of the data: %s", args, out)
		}
		return r
	}
	// At ε = 20 one of 100 answers is a lie with a probability below 10⁻⁶.
	r := run("", "--in", private, "--names", "late,lost,other")
	if r.Format != "sotto-estimate-1" || r.File != "private.csv" || r.N != 100 || !(r.Epsilon > 19.9 && r.Epsilon < 20.1) || len(r.Shares) != 3 {
		t.Fatalf("got %+v", r)
	}
	for i, want := range []float64{0.6, 0.3, 0.1} {
		s := r.Shares[i]
		if s.Share < want-1e-6 || s.Share > want+1e-6 || s.Low >= want || s.High <= want || s.Answer != []string{"late", "lost", "other"}[i] {
			t.Errorf("share %d is %+v, want %v", i, s, want)
		}
	}
	content, err := os.ReadFile(private)
	if err != nil {
		t.Fatal(err)
	}
	if s := run(string(content), "--in", "-", "--format", "csv", "--metadata", private+".privacy.json"); s.N != 100 || s.Shares[1].Share != r.Shares[1].Share {
		t.Errorf("a stream gives %+v, want what the file gives", s)
	}
	r = run("", "--in", private, "--group", "g", "--groups", groups, "--compare", "a,b")
	if len(r.Groups) != 2 || r.Groups[0].N != 60 || r.Groups[1].Group != "b" || r.Comparison == nil || !(r.Comparison.P < 1e-9) || r.N != 100 {
		t.Errorf("by groups: got %+v", r)
	}
	if r = run("", "--in", private, "--against", released(t, "other.csv", repeated(61, 29, 10)...)); r.Comparison == nil || !(r.Comparison.P > 0.5) {
		t.Errorf("against the same: got %+v", r.Comparison)
	}
	code, out, _ := clitest.Sotto(t, "", "estimate", "--in", private, "--group", "g", "--groups", groups, "--compare", "a,b")
	if code != command.ExitDone || !strings.Contains(out, "the two differ") || !strings.Contains(out, "60.00") {
		t.Errorf("for a person: exit code %d: %s", code, out)
	}
}

// TestGroupsDeclared: one row of a file of groups changes no other's group, whatever its bytes
// are, and what a file must be like is said where it is not.
func TestGroupsDeclared(t *testing.T) {
	private, groups := released(t, "private.csv", repeated(6, 3, 1)...), filepath.Join(t.TempDir(), "groups.csv")
	for _, first := range []string{"K\xf6ln", strings.Repeat("\xe9", 50), "a;b", "\x00\x00", "\xff\xfe", "1"} {
		clitest.Write(t, groups, "g,h\n"+first+",1\n"+strings.Repeat("Köln,2\n", 5)+strings.Repeat("Ulm,3\n", 4))
		var r result
		estimated(t, &r, "--in", private, "--group", "g", "--groups", groups)
		if len(r.Groups) != 3 || r.Groups[1].Group != "Köln" || r.Groups[1].N != 5 || r.Groups[2].N != 4 {
			t.Errorf("with %.10q in the first row there are %+v, want 5 of Köln and 4 of Ulm", first, r.Groups)
		}
	}
	clitest.Write(t, groups, "g;h\n"+strings.Repeat("a;b\n", 10))
	if code, _, errs := clitest.Sotto(t, "", "estimate", "--in", private, "--group", "g", "--groups", groups); code != command.ExitUse || !strings.Contains(errs, "with commas") {
		t.Errorf("semicolons: exit code %d: %s", code, errs)
	}
}

func TestEstimateRefuses(t *testing.T) {
	private := released(t, "private.csv", repeated(6, 3, 1)...)
	short := filepath.Join(t.TempDir(), "short.csv")
	clitest.Write(t, short, "g\na\nb\n")
	long := filepath.Join(t.TempDir(), "long.csv")
	clitest.Write(t, long, "g\n"+strings.Repeat("a\n", 11))
	bare := filepath.Join(t.TempDir(), "bare.csv")
	clitest.Write(t, bare, "1\n2\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "want --in"},
		{[]string{"--in", "-"}, "want --format and --metadata"},
		{[]string{"--in", bare}, "has no record beside it"},
		{[]string{"--in", bare, "--metadata", private + ".privacy.json"}, "was changed or replaced"},
		{[]string{"--in", "-", "--format", "csv", "--metadata", private + ".privacy.json"}, "is not what was released"},
		{[]string{"--in", private, "--names", "a,b"}, "must have one for each of 3"},
		{[]string{"--in", private, "--confidence", "1"}, "--confidence is 1"},
		{[]string{"--in", private, "--groups", short}, "want --group"},
		{[]string{"--in", private, "--group", "g", "--groups", short}, "fewer rows than there are releases"},
		{[]string{"--in", private, "--group", "g", "--groups", long}, "fewer releases than its column"},
		{[]string{"--in", private, "--group", "g", "--groups", long, "--compare", "a,a"}, "two different values"},
		{[]string{"size", "--classes", "3"}, "epsilon"},
		{[]string{"size", "--classes", "3", "--epsilon", "1", "--share", "2"}, "--share is 2"},
	} {
		code, out, errs := clitest.Sotto(t, "1\n", append([]string{"estimate"}, tt.args...)...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("%v: exit code %d, %q, printed %q, want %d and %q", tt.args, code, errs, out, command.ExitUse, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	code, out, errs := clitest.Sotto(t, "", "estimate", "size", "--classes", "3", "--epsilon", "1", "--half-width", "0.0255", "--share", "0.333", "--json")
	var s struct {
		Format string
		N      int
	}
	if err := json.Unmarshal([]byte(out), &s); code != command.ExitDone || err != nil || s.Format != "sotto-estimate-size-1" || s.N < 9500 || s.N > 10500 {
		t.Errorf("size: exit code %d, %s, %s", code, out, errs)
	}
}

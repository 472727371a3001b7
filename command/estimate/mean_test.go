package estimate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// TestMean: releases of vectors tell means, by groups and compared.
func TestMean(t *testing.T) {
	private := privatised(t, strings.Repeat("1,0,0\n", 60)+strings.Repeat("0,1,0\n", 60), "privunit", "--epsilon", "12")
	groups := filepath.Join(t.TempDir(), "groups.csv")
	clitest.Write(t, groups, "g\n"+strings.Repeat("a\n", 60)+strings.Repeat("b\n", 60))
	var r struct {
		Format string
		N      int
		Mean   struct {
			Coordinates []struct{ Value, Low, High float64 }
			Norm        struct{ Value, Low, High float64 }
		}
		Groups     []struct{ N int }
		Comparison struct {
			P        float64
			Distance struct{ Value float64 }
		}
	}
	estimated(t, &r, "--in", private, "--group", "g", "--groups", groups, "--compare", "a,b")
	// A release is within 0.2 of its input but for less than one in e⁴; a mean of 120
	// is off by more than 0.15 with less than 10⁻⁵.
	c := r.Mean.Coordinates
	if r.Format != "sotto-estimate-mean-1" || r.N != 120 || len(c) != 3 || !(c[0].Value > 0.35 && c[0].Value < 0.65) || !(c[2].Low < 0.15 && c[2].High > -0.15) || len(r.Groups) != 2 {
		t.Errorf("got %+v, want a mean of 0.5, 0.5 and 0", r)
	}
	if !(r.Comparison.P < 0.01) || !(r.Comparison.Distance.Value > 1) {
		t.Errorf("comparison %+v, want that the groups differ by √2", r.Comparison)
	}
	code, out, errs := clitest.Sotto(t, "", "estimate", "--in", private, "--group", "g", "--groups", groups, "--compare", "a,b")
	if code != command.ExitDone || !strings.Contains(out, "mean of inputs scaled to length 1") || !strings.Contains(out, "the two differ") {
		t.Errorf("for a person: exit code %d: %s%s", code, out, errs)
	}
	answers := privatised(t, "0\n1\n", "krr", "--classes", "2", "--epsilon", "1")
	for _, tt := range []struct {
		in   string
		args []string
		want string
	}{
		{private, []string{"--names", "a,b,c"}, "tell a mean and no shares"},
		{answers, []string{"--mean"}, "shares can be told"},
		{privatised(t, "1,0,0\n0,1,0\n", "privunit", "--epsilon", "1"), nil, "at least 30"},
	} {
		if code, out, errs := clitest.Sotto(t, "", append([]string{"estimate", "--in", tt.in}, tt.args...)...); code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit code %d, %q, want %q", tt.args, code, errs, tt.want)
		}
	}
}

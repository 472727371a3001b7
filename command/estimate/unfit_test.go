package estimate_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// encoded releases texts of persons as cells.
func encoded(t *testing.T, rows []string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.jsonl")
	clitest.Write(t, in, "who,month,text\n"+strings.Join(rows, "\n")+"\n")
	all := append([]string{"encode", "--in", in, "--text", "text", "--mechanism", "cells", "--epsilon", "1", "--out", out}, flags...)
	if code, _, errs := clitest.Sotto(t, "", all...); code != command.ExitDone {
		t.Fatalf("encode: exit code %d: %s", code, errs)
	}
	return out
}

// ofPersons makes rows of that many persons, each with so many.
func ofPersons(persons, each int) (rows []string) {
	for p := range persons {
		for k := range each {
			name := fmt.Sprintf("Person %d", p)
			if k%2 == 1 {
				name = fmt.Sprintf("person  %d ", p)
			}
			rows = append(rows, fmt.Sprintf("%s,%d,the flight was late", name, p%2))
		}
	}
	return rows
}

// What a record says of kept columns and of persons decides what is told.
func TestEstimateHoldsWhatRecordsSay(t *testing.T) {
	type said struct {
		Shares []struct {
			Low, High *float64
			Error     *float64 `json:"standard_error"`
		}
		Shuffled    *struct{}
		NoShuffle   string `json:"no_shuffle"`
		NoIntervals string `json:"no_intervals"`
	}
	for _, tt := range []struct {
		name               string
		rows               []string
		encode, estimate   []string
		intervals, shuffle bool
		reason             string
	}{
		{name: "nothing beside", rows: ofPersons(300, 1), intervals: true, shuffle: true},
		{name: "kept", rows: ofPersons(300, 1), encode: []string{"--keep", "who"}, intervals: true, reason: "stands who"},
		{name: "kept, and the group", rows: ofPersons(300, 1), encode: []string{"--keep", "month"}, estimate: []string{"--group", "month"}, intervals: true, shuffle: true},
		{name: "kept, beside the group", rows: ofPersons(300, 1), encode: []string{"--keep", "month,who"}, estimate: []string{"--group", "month"}, intervals: true, reason: "stands who"},
		{name: "one row each", rows: ofPersons(150, 2), encode: []string{"--person", "who", "--max-rows", "1"}, intervals: true, shuffle: true},
		{name: "two rows each", rows: ofPersons(150, 2), encode: []string{"--person", "who"}, reason: "one person has up to 2 of the releases"},
		{name: "two rows each, taken as they are", rows: ofPersons(150, 2), encode: []string{"--person", "who", "--person-exact"}, intervals: true, shuffle: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := encoded(t, tt.rows, tt.encode...)
			code, stdout, errs := clitest.Sotto(t, "", append([]string{"estimate", "--in", out, "--json"}, tt.estimate...)...)
			var got said
			if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
				t.Fatalf("exit code %d, %v: %s", code, err, errs)
			}
			s := got.Shares[0]
			if has := s.Low != nil && s.High != nil && s.Error != nil; has != tt.intervals || (got.NoIntervals == "") != tt.intervals {
				t.Errorf("intervals there: %v (%q), want %v", has, got.NoIntervals, tt.intervals)
			}
			if has := got.Shuffled != nil; has != tt.shuffle || (got.NoShuffle == "") != tt.shuffle {
				t.Errorf("guarantee after shuffling there: %v (%q), want %v", has, got.NoShuffle, tt.shuffle)
			}
			if !strings.Contains(got.NoShuffle, tt.reason) {
				t.Errorf("reason is %q, want %q", got.NoShuffle, tt.reason)
			}
			code, stdout, _ = clitest.Sotto(t, "", append([]string{"estimate", "--in", out}, tt.estimate...)...)
			if code != command.ExitDone || strings.Contains(stdout, "NaN") || tt.reason != "" && !strings.Contains(stdout, tt.reason) || strings.Contains(stdout, "a second guarantee") != tt.shuffle {
				t.Errorf("printed is %s", stdout)
			}
		})
	}
}

// A test of people who release once is not made of others.
func TestEstimateRefusesToCompare(t *testing.T) {
	twice, once := encoded(t, ofPersons(40, 2), "--person", "who"), encoded(t, ofPersons(80, 1))
	for _, args := range [][]string{{"--in", twice, "--against", once}, {"--in", once, "--against", twice}, {"--in", once, "--against", twice, "--mean"}} {
		if code, _, errs := clitest.Sotto(t, "", append([]string{"estimate"}, args...)...); code != command.ExitUse || !strings.Contains(errs, "one person has up to 2") {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	code, stdout, errs := clitest.Sotto(t, "", "estimate", "--in", twice, "--mean")
	if code != command.ExitDone || strings.Contains(stdout, "NaN") || !strings.Contains(stdout, "no intervals") {
		t.Errorf("mean: exit code %d: %s%s", code, stdout, errs)
	}
}

package claims_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

func TestManyNumbers(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct{ epsilon, basic float64 }{
		"compose --epsilon 0.1 --times 100 --delta 1e-6":        {4.775, 10},
		"compose --epsilon 0.1 --times 1000 --delta 1e-6":       {19.345, 100},
		"compose --epsilon 1 --times 100":                       {83.531, 100},
		"compose --epsilon 4 --times 100":                       {400, 400},
		"compose --epsilon 0.1:60,0.1:40 --delta 1e-6":          {4.775, 10},
		"compose --epsilon 0.1 --times 100 --delta 0":           {10, 10},
		"shuffle --epsilon 4 --users 1000000 --delta 1e-6":      {0.201, 0},
		"shuffle --epsilon 1 --users 10000":                     {0.214, 0},
		"shuffle --epsilon 8 --users 1000 --delta 1e-6":         {8, 0},
		"compose --epsilon 0.5:20,0.1:50,2:1 --delta 1e-6":      {13.3726, 17},
		"compose --epsilon 0.30000000000000004:1 --delta 1e-12": {0.3, 0.3},
	} {
		code, out, errs := clitest.Sotto(t, "", append(strings.Fields(line), "--json")...)
		var got struct {
			Format         string
			Epsilon, Basic float64
			Assumptions    []string
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != command.ExitDone {
			t.Errorf("%s: exit code %d, %v: %s", line, code, err, errs)
			continue
		}
		// Of several ε, the grid rounds up by its step, 2·17/2¹⁵, a sum.
		if math.Abs(got.Epsilon-want.epsilon) > 3e-3 || math.Abs(got.Basic-want.basic) > 1e-6 || got.Format == "" {
			t.Errorf("%s: %+v, want %+v", line, got, want)
		}
		if gained := got.Epsilon < want.basic-1e-6 || strings.HasPrefix(line, "shuffle"); gained != (len(got.Assumptions) > 0) {
			t.Errorf("%s: assumptions %q, want some where something is gained", line, got.Assumptions)
		}
	}
}

func TestManyText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"compose --epsilon 0.1 --times 100":     {"ε = 4.77457", "δ = 1e-06", "100 releases", "ε = 10 ", "assuming"},
		"shuffle --epsilon 4 --users 1000000":   {"ε = 4 ", "against everybody", "ε = 0.200986", "trusted"},
		"compose --epsilon 4 --times 3":         {"ε = 12 ", "nothing is gained"},
		"shuffle --epsilon 12 --users 10000000": {"nothing is gained"},
	} {
		code, out, errs := clitest.Sotto(t, "", strings.Fields(line)...)
		for _, w := range want {
			if code != command.ExitDone || !strings.Contains(out, w) {
				t.Errorf("%s: exit code %d, output lacks %q:\n%s%s", line, code, w, out, errs)
			}
		}
	}
}

func TestManyRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"compose": "want --epsilon", "compose --epsilon x": "positive number", "compose --epsilon 1:0": "whole number",
		"compose --epsilon 1 --times -2": "--times", "compose --epsilon 1 --delta 1": "delta", "compose --epsilon NaN": "positive",
		"shuffle --users 10": "--epsilon", "shuffle --epsilon 1": "users", "shuffle --epsilon 1 --users 9 --delta 0": "delta",
		"compose --epsilon 1:2000000": "at most",
	} {
		if code, out, errs := clitest.Sotto(t, "", strings.Fields(line)...); code != command.ExitUse || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: exit code %d, %q, want %d and %q", line, code, errs, command.ExitUse, want)
		}
	}
}

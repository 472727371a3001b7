package language_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/command/clitest"
)

// TestTagLexicon looks words up in what is built in and in a file.
func TestTagLexicon(t *testing.T) {
	nrc := clitest.TextFile(t, "emolex.txt", "nurse\ttrust\t1\nnurse\tfear\t0\nbook\tjoy\t1\n")
	code, out, stderr := program.Sotto(t, "The book was good.\nNurses!\n\n", "tag", "--json", "--lexicon", "vader,empath,"+nrc)
	if code != 0 {
		t.Fatal(stderr)
	}
	type looked struct {
		Tokens []struct {
			Categories map[string][]struct{ Category string }
		}
		Lexicons map[string][]struct {
			Category string
			Words    int
		}
		Sentiment struct{ Compound float64 }
	}
	var all []looked
	for line := range strings.Lines(out) {
		var one looked
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if len(all) != 3 || all[0].Sentiment.Compound != 0.4404 || all[0].Lexicons["vader"][0].Words != 1 || all[0].Lexicons["emolex"][0].Category != "joy" {
		t.Errorf("got %+v", all)
	}
	if nurses := all[1].Tokens[0].Categories; len(nurses["emolex"]) != 1 || nurses["emolex"][0].Category != "trust" || len(nurses["empath"]) == 0 {
		t.Errorf("nurses belong to %+v, want trust by their lemma", nurses)
	}
	for flags, want := range map[string]string{
		"--lexicon vader":              "must be json",
		"--json --lexicon nrc":         "must be one of vader, opinion, empath, goemotions, xed, or a file",
		"--json --lexicon vader,vader": "twice",
	} {
		if failed, _, said := program.Sotto(t, "", append([]string{"tag"}, strings.Fields(flags)...)...); failed == 0 || !strings.Contains(said, want) {
			t.Errorf("tag %s: exit code %d: %s", flags, failed, said)
		}
	}
	code, out, stderr = program.Sotto(t, "", "language", "lexicons")
	if code != 0 || !strings.Contains(out, "empath") || !strings.Contains(out, "CC BY 4.0") {
		t.Errorf("lexicons: exit code %d, %s: %s", code, out, stderr)
	}
	if code, out, _ = program.Sotto(t, "", "language", "lexicons", "--json"); code != 0 || !strings.Contains(out, `"licence": "MIT"`) {
		t.Errorf("lexicons --json: exit code %d, %s", code, out)
	}
}

package vectors_test

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

const told = "Write to zaphod@beeblebrox.org, or call +44 20 7946 0958\nnothing here\n\nzaphod@beeblebrox.org\n"

// TestEncodeTypes masks personal data for what it is: what was masked is said by
// type and place, and never what.
func TestEncodeTypes(t *testing.T) {
	in := clitest.TextFile(t, "t.txt", told)
	dir := t.TempDir()
	out, masks, secret := filepath.Join(dir, "p.jsonl"), filepath.Join(dir, "masks.jsonl"), filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("sixteen bytes or more"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := encoded(t, "--in", in, "--out", out, "--mechanism", "laplace-l1", "--epsilon", "1", "--mask", "types:email=pseudonym,phone", "--mask-secret", secret, "--show-masks", masks)
	if got.Masked["email"] != 2 || got.Masked["phone"] != 1 || !strings.HasPrefix(got.Record.Mask, "types:email=pseudonym,phone=tag by ") {
		t.Errorf("masked are %v by %q", got.Masked, got.Record.Mask)
	}
	shown, err := os.ReadFile(masks)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(told, "\n")
	places := 0
	for line := range strings.Lines(string(shown)) {
		var s struct {
			Line   int
			Masked []struct {
				Type       string
				Start, End int
			}
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Masked {
			places++
			part := lines[s.Line-1][m.Start:m.End]
			if want := map[string]string{"email": "zaphod@beeblebrox.org", "phone": "+44 20 7946 0958"}[m.Type]; part != want {
				t.Errorf("a part of type %s is %q, want %q", m.Type, part, want)
			}
		}
	}
	if places != 3 {
		t.Errorf("%d parts are shown, want 3", places)
	}
	for _, name := range []string{out, masks, got.Metadata} {
		if content, err := os.ReadFile(name); err != nil || strings.Contains(string(content), "zaphod") || strings.Contains(string(content), "7946 0958") {
			t.Errorf("%s holds what was masked, or %v", name, err)
		}
	}
	code, _, errs := program.Sotto(t, "", "encode", "--in", in, "--out", filepath.Join(dir, "raw.npy"), "--mask", "types:all", "--mask", clitest.TextFile(t, "l", "nothing\n"))
	if code != command.ExitDone || !strings.Contains(errs, "masked by type: 2 email, 1 phone; ") || !strings.Contains(errs, "only ε promises") || !strings.Contains(errs, "1 words masked by lists") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestEncodeSameTags gives a text the vector of what stands in its place.
func TestEncodeSameTags(t *testing.T) {
	in := clitest.TextFile(t, "t.txt", "Write to a@b.org soon\nWrite to [EMAIL] soon\nWrite to c@d.com soon\n")
	out := filepath.Join(t.TempDir(), "raw.jsonl")
	encoded(t, "--in", in, "--out", out, "--mask", "types:email")
	content, err := os.ReadFile(out)
	if lines := strings.Split(string(content), "\n"); err != nil || lines[0] != lines[1] || lines[1] != lines[2] {
		t.Errorf("three texts have different vectors, %v", err)
	}
}

func TestEncodeTypesRefused(t *testing.T) {
	in := clitest.TextFile(t, "t.txt", told)
	out := filepath.Join(t.TempDir(), "out.npy")
	open := clitest.TextFile(t, "secret", "sixteen bytes or more")
	if err := os.Chmod(open, 0o644); err != nil { //nolint:gosec // that it may be read is the point
		t.Fatal(err)
	}
	short := clitest.TextFile(t, "short", "short")
	if err := os.Chmod(short, 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"--mask types:emial":                                          "must be one of all, names, identifiers,",
		"--mask types:email=hide":                                     "must be one of remove, tag, pseudonym, fake",
		"--mask types:email --mask-policy hide":                       "policy is \"hide\"",
		"--mask types:email --mask types:phone":                       "one list of types",
		"--mask-policy fake":                                          "without types in --mask",
		"--mask-secret " + open:                                       "without types in --mask",
		"--mask types:email --mask-secret " + short:                   "must not be where nothing",
		"--mask types:email=fake --mask-secret " + short:              "has 5 bytes",
		"--mask types:email=fake --mask-secret " + open:               "readable by its owner alone",
		"--mask types:email=fake --mask-secret nowhere":               "nowhere",
		"--mask types:email=fake --mask-secret " + in + " --in " + in: "same file",
	} {
		args := append([]string{"encode", "--in", in, "--out", out}, strings.Fields(flags)...)
		code, _, errs := program.Sotto(t, "", args...)
		if _, err := os.Stat(out); code != command.ExitUse || !strings.Contains(errs, want) || err == nil {
			t.Errorf("encode %s: exit code %d, %v: %s, want %q", flags, code, err, errs, want)
		}
	}
}

// TestEncodeModelOfTypes trains on masked texts: the model says what was masked, and
// is not used without.
func TestEncodeModelOfTypes(t *testing.T) {
	var b strings.Builder
	b.WriteString("text,stars\n")
	for i := range 240 {
		words := []string{"awful broken slow", "lovely quick clean"}[i%2]
		fmt.Fprintf(&b, "%s thing from zaphod%d@beeblebrox.org,%s\n", words, i, []string{"bad", "good"}[i%2])
	}
	in := clitest.TextFile(t, "feedback.csv", b.String())
	dir := trained(t, in, "--method codes --epsilon 5 --hidden 16 --mask types:email --mask-policy fake")
	manifest, err := os.ReadFile(filepath.Join(dir, "seed-1", "manifest.json"))
	if err != nil || !strings.Contains(string(manifest), `"types:email=fake by `) || strings.Contains(string(manifest), "zaphod") {
		t.Errorf("the manifest is %s, %v", manifest, err)
	}
	out := filepath.Join(t.TempDir(), "p.jsonl")
	args := []string{"encode", "--model", dir, "--in", in, "--text", "text", "--out", out}
	for _, other := range [][]string{nil, {"--mask", "types:email"}, {"--mask", "types:email=fake,phone"}} {
		if code, _, errs := program.Sotto(t, "", append(args, other...)...); code != command.ExitUse || !strings.Contains(errs, "was trained with texts masked by") || !strings.Contains(errs, "types:email=fake by ") {
			t.Errorf("with %v: exit code %d: %s", other, code, errs)
		}
	}
	// All rows are like those that were trained on, but for what is masked.
	got := encoded(t, append(args[1:], "--mask", "types:email=fake", "--include-trained")...)
	if u := got.Record.Uncovered; got.Masked["email"] != 240 || u == nil || *u.Rows != 240 {
		t.Errorf("masked are %v, want 240 addresses, and %+v are not covered", got.Masked, u)
	}
	if code, _, errs := program.Sotto(t, "", strings.Fields("train --in "+in+" --text text --label stars --out "+filepath.Join(t.TempDir(), "m")+" --mask "+in)...); code != command.ExitUse || !strings.Contains(errs, "must begin with types:") {
		t.Errorf("a list in training: exit code %d: %s", code, errs)
	}
}

// TestMask prints texts with what stands in the place of personal data.
func TestMask(t *testing.T) {
	for _, tt := range []struct{ flags, in, want string }{
		{"", "Write to a@b.org\n\nnothing\n", "Write to [EMAIL]\n\nnothing\n"},
		{"--mask types:email=remove", "a@b.org, or +44 20 7946 0958\n", ", or +44 20 7946 0958\n"},
		{"--mask types:email=pseudonym --json", "a@b.org A@B.org c@d.org\n", `{"text":"[EMAIL-1] [EMAIL-1] [EMAIL-2]","masked":[{"type":"email","start":0,"end":7},{"type":"email","start":8,"end":15},{"type":"email","start":16,"end":23}]}` + "\n"},
		{"--mask types:email --mask-names capitals", "I met Zaphod, z@b.org\n", "I met , [EMAIL]\n"},
		{"", "", ""},
	} {
		code, out, errs := program.Sotto(t, tt.in, append([]string{"mask"}, strings.Fields(tt.flags)...)...)
		if code != command.ExitDone || out != tt.want || strings.Contains(errs, "b.org") {
			t.Errorf("mask %s of %q: exit code %d, %q, want %q: %s", tt.flags, tt.in, code, out, tt.want, errs)
		}
	}
	_, _, errs := program.Sotto(t, "Ich verstehe nicht, warum er mir das nicht gesagt hat\nThis is English and nothing else\n", "mask")
	if !strings.Contains(errs, "1 of 2 texts are not in English, by a guess (1 de): names") {
		t.Errorf("of a German text it is said: %s", errs)
	}
}

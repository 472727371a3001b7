package vectors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/vectors"
	"sotto/data/vecfile"
)

// TextFile makes a file in a folder of the test's.
const someTexts = "The food was great\nI hated it, Dr Smith\n\nete deja vu\n"

func TestEncodeRaw(t *testing.T) {
	out := filepath.Join(t.TempDir(), "raw.npy")
	code, _, errs := program.Sotto(t, "", "encode", "--in", clitest.TextFile(t, "t.txt", someTexts), "--out", out)
	if code != command.ExitDone || !strings.Contains(errs, "warning: these vectors are raw") || !strings.Contains(errs, "1 texts have no known word") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	r, err := vecfile.Open(out, vecfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Rows() != 4 || r.Width() != 128 {
		t.Errorf("%d rows of %d numbers, want 4 of 128", r.Rows(), r.Width())
	}
	content, err := os.ReadFile(out + ".raw.json")
	if err != nil || !strings.Contains(string(content), `"private": false`) || !strings.Contains(string(content), "warning") {
		t.Errorf("the record is %s, %v, want a warning", content, err)
	}
	if _, err := os.Stat(out + ".privacy.json"); err == nil {
		t.Error("raw vectors have a record of privacy")
	}
}

func TestEncodePrivate(t *testing.T) {
	out, masks := filepath.Join(t.TempDir(), "p.parquet"), filepath.Join(t.TempDir(), "masks.jsonl")
	in := clitest.TextFile(t, "t.csv", "id,text\n1,The food was great\n2,\"I hated it, Dr Smith\"\n")
	code, stdout, errs := program.Sotto(t, "", "encode", "--in", in, "--column", "text", "--out", out, "--mechanism", "laplace-l1", "--epsilon", "1",
		"--dropout", "0.5", "--mask", clitest.TextFile(t, "mask", "# people\nsmith\n/gr\\w+/\n"), "--show-masks", masks, "--json")
	var got vectors.EncodeSummary
	if err := json.Unmarshal([]byte(stdout), &got); code != command.ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, errs)
	}
	if got.Rows != 2 || !got.Record.Private || got.Words != 9 || got.Record.Release.Guarantee.Unit != "text" {
		t.Errorf("got %+v, want 2 private rows of 9 words", got)
	}
	if w := got.Record.Word; w == nil || w.Unit != "word" || w.Epsilon < 0.62 || w.Epsilon > 0.6202 {
		t.Errorf("word-level guarantee is %v, want 0.6201", w)
	}
	shown, err := os.ReadFile(masks)
	if err != nil || !strings.Contains(string(shown), `"reason":`) {
		t.Errorf("what was masked is %s, %v", shown, err)
	}
	for _, name := range []string{out, got.Metadata} {
		if content, err := os.ReadFile(name); err != nil || strings.Contains(string(content), "Smith") || strings.Contains(string(content), "smith") {
			t.Errorf("%s holds a word of the text, or %v", name, err)
		}
	}
}

// What one command writes to standard output the other one reads.
func TestEncodePipesIntoPrivatize(t *testing.T) {
	code, raw, errs := program.Sotto(t, someTexts, "encode", "--in", "-", "--out", "-")
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	code, out, errs := program.Sotto(t, raw, strings.Fields("privatize codebook --epsilon 4 --format jsonl")...)
	if code != command.ExitDone || strings.Count(out, "\n") != 4 {
		t.Errorf("exit code %d, %d lines, want 4: %s", code, strings.Count(out, "\n"), errs)
	}
}

func TestEncodeRefuses(t *testing.T) {
	in := clitest.TextFile(t, "t.txt", someTexts)
	out := filepath.Join(t.TempDir(), "out.npy")
	for _, tt := range []struct{ line, want string }{
		{"encode --in nowhere.txt --out " + out, "nowhere.txt"},
		{"encode --in " + in + " --out " + in, "same file"},
		{"encode --in " + in + " --out " + out + " --epsilon 1", "without --mechanism"},
		{"encode --in " + in + " --out " + out + " --mechanism laplace-l1", "--epsilon"},
		{"encode --in " + in + " --out " + out + " --mechanism laplace-l1 --epsilon 1 --dim 5", "5"},
		{"encode --in " + in + " --out " + out + " --mechanism dpnr --variant released --epsilon 1", "--i-know-this-is-not-private"},
		{"encode --in " + in + " --out " + out + " --mechanism laplace-l1 --epsilon 1 --dropout 1", "--dropout"},
		{"encode --in " + in + " --out " + out + " --dropout 0.5 --masks some", "--masks"},
		{"encode --in " + in + " --out " + out + " --show-masks m", "--show-masks"},
		{"encode --in " + in + " --out " + out + " --mask nowhere", "nowhere"},
		{"encode --in " + in + " --out out.xyz", "xyz"},
		{"encode --in " + in + " --out " + out + " --encoder nothing", "nothing"},
		{"encode --in " + in + " --out " + out + " --workers -1", "--workers"},
		{"tokens --encoder hash", "subwords"},
	} {
		code, stdout, errs := program.Sotto(t, "", strings.Fields(tt.line)...)
		if code != command.ExitUse || stdout != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, %q, %q, want %d and %q", tt.line, code, stdout, errs, command.ExitUse, tt.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: left an output", tt.line)
		}
	}
}

func TestTokens(t *testing.T) {
	code, out, errs := program.Sotto(t, "The food was great\n\n", "tokens")
	if want := "[101,1996,2833,2001,2307,102]\n[101,102]\n"; code != command.ExitDone || out != want {
		t.Errorf("exit code %d, got %q, want %q: %s", code, out, want, errs)
	}
}

func TestConvert(t *testing.T) {
	out := filepath.Join(t.TempDir(), "w.svec")
	in := clitest.TextFile(t, "w.txt", "good 1 0\nbad -1 0\nfood 0 1\n")
	code, stdout, errs := program.Sotto(t, "", "encoder", "convert", "--in", in, "--out", out, "--sorted")
	if code != command.ExitDone || !strings.Contains(stdout, "3 words of 2 numbers") {
		t.Fatalf("exit code %d: %s%s", code, stdout, errs)
	}
	code, stdout, errs = program.Sotto(t, "good food\nunheard\n", "encode", "--encoder", out, "--in", "-", "--out", "-")
	if code != command.ExitDone || strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, "0.5") {
		t.Errorf("exit code %d, %q: %s", code, stdout, errs)
	}
	for _, tt := range []struct{ line, want string }{
		{"encoder convert --in " + in, "--out"},
		{"encoder convert --in nowhere --out " + out, "nowhere"},
		{"encoder convert --in " + in + " --format odd --out " + out, "odd"},
	} {
		if code, _, errs := program.Sotto(t, "", strings.Fields(tt.line)...); code != command.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, %q", tt.line, code, errs)
		}
	}
}

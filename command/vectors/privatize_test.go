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

// table is a small CSV file.
func table(rows, width int) string {
	var b strings.Builder
	for i := range rows {
		for j := range width {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%d.5", (i*7+j*3)%11-5)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Every format goes through, and what comes out can be read again.
func TestPrivatizeFormats(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	clitest.Write(t, in, table(50, 6))
	previous := in
	for _, ext := range []string{"npy", "parquet", "jsonl", "csv"} {
		out := filepath.Join(dir, "out."+ext)
		code, stdout, errs := program.Sotto(t, "", "privatize", "laplace-l1", "--epsilon", "8", "--in", previous, "--out", out, "--json")
		if code != command.ExitDone {
			t.Fatalf("%s: exit code %d: %s", ext, code, errs)
		}
		var s struct {
			Rows   int
			Record struct {
				Guarantee struct {
					Unit    string
					Epsilon float64
				}
			}
		}
		if err := json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatal(err)
		}
		if s.Rows != 50 || s.Record.Guarantee.Unit != "text" || s.Record.Guarantee.Epsilon > 8 || s.Record.Guarantee.Epsilon < 7.99 {
			t.Errorf("%s: summary %s", ext, stdout)
		}
		side, err := os.ReadFile(out + ".privacy.json")
		if err != nil || !json.Valid(side) || !strings.Contains(string(side), `"unit": "text"`) {
			t.Errorf("%s: side file %q, %v", ext, side, err)
		}
		previous = out
	}
	parquet, err := os.ReadFile(filepath.Join(dir, "out.parquet"))
	if err != nil || !strings.Contains(string(parquet), "sotto.privacy") {
		t.Errorf("the Parquet file does not hold its guarantee (%v)", err)
	}
}

func TestPrivatizeStreams(t *testing.T) {
	code, out, errs := program.Sotto(t, `{"id": "private-name", "x": [1, 2, 3]}`+"\n", strings.Fields("privatize laplace-l1 --epsilon 2 --in - --out - --format jsonl")...)
	if code != command.ExitDone || !strings.HasPrefix(out, `{"y":[`) || strings.Contains(out+errs, "private-name") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
	if !strings.Contains(errs, "ε = 2 (text-level)") || !strings.Contains(errs, "left behind all keys but the vector's") {
		t.Errorf("the user is told %q, want the guarantee and what was left behind", errs)
	}
	// A bad row after good ones: not even the good ones appear.
	code, out, _ = program.Sotto(t, "[1,2]\n[3,null]\n", strings.Fields("privatize laplace-l1 --epsilon 2 --format jsonl")...)
	if code != command.ExitUse || out != "" {
		t.Errorf("exit code %d with output %q, want 2 and none", code, out)
	}
}

func TestPrivatizeSkipBad(t *testing.T) {
	// The third row is outside the mechanism's domain, the second and fourth
	// are no vectors.
	in := "[1,2]\n[1]\n[1e308,1e308]\nnonsense\n[3,4]\n"
	code, out, errs := program.Sotto(t, in, strings.Fields("privatize laplace-l1 --epsilon 2 --format jsonl --skip-bad --dim 2")...)
	if code != command.ExitDone || strings.Count(out, "\n") != 2 || !strings.Contains(errs, "left out 3 bad rows") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

func TestPrivatizeWarnsOfTheTrueEpsilon(t *testing.T) {
	_, _, errs := program.Sotto(t, table(3, 16), strings.Fields("privatize dpnr --variant paper --epsilon 1 --format csv")...)
	if !strings.Contains(errs, "ε = 16") || !strings.Contains(errs, "warning: the ε asked for was 1") {
		t.Errorf("the user is told %q, want the true ε and a warning", errs)
	}
	code, out, errs := program.Sotto(t, table(3, 16), strings.Fields("privatize dpnr --variant released --epsilon 1 --format csv --i-know-this-is-not-private")...)
	if code != command.ExitDone || strings.Count(out, "\n") != 3 || !strings.Contains(errs, "infinite") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
}

// Interrupted or failing, a run leaves an existing output as it was.
func TestPrivatizeKeepsTheOldOutput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	clitest.Write(t, in, "1,2\n3,NaN\n")
	clitest.Write(t, out, "old\n")
	code, _, errs := program.Sotto(t, "", "privatize", "laplace-l1", "--epsilon", "1", "--in", in, "--out", out)
	if got, err := os.ReadFile(out); code != command.ExitUse || err != nil || string(got) != "old\n" {
		t.Errorf("exit code %d (%s), output now %q, %v; want 2 and the old one", code, errs, got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// No two flags may name one file, however it is spelt.
func TestPrivatizeFilesApart(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	clitest.Write(t, in, "1,2\n")
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink(in, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, more := range [][]string{
		{"--out", in},
		{"--out", link},
		{"--out", filepath.Join(dir, ".", "in.csv")},
		{"--out", out, "--metadata", in},
		{"--out", out, "--metadata", link},
		{"--out", out, "--metadata", out},
		{"--out", out, "--metadata", "-"},
	} {
		code, _, errs := program.Sotto(t, "", append([]string{"privatize", "laplace-l1", "--epsilon", "1", "--in", in}, more...)...)
		if got, err := os.ReadFile(in); code != command.ExitUse || !strings.Contains(errs, "must") || err != nil || string(got) != "1,2\n" {
			t.Errorf("%v: exit code %d, %q; the input is now %q, %v", more, code, errs, got, err)
		}
	}
}

// A key of a JSON line may itself be private.
func TestPrivatizeNamesNoKeys(t *testing.T) {
	_, out, errs := program.Sotto(t, `{"alice is ill": 1, "x": [1, 2]}`+"\n", strings.Fields("privatize laplace-l1 --epsilon 2 --format jsonl --json")...)
	if strings.Contains(out+errs, "alice") || !strings.Contains(errs, `"dropped": 1`) {
		t.Errorf("the user is told %q, want a count and no key", errs)
	}
}

// What was released can be made again from its record.
func TestPrivatizeRecordsDefaults(t *testing.T) {
	_, _, errs := program.Sotto(t, table(3, 4), strings.Fields("privatize codebook --epsilon 2 --format csv --json")...)
	for _, want := range []string{`"codewords": 256`, `"selected":`} {
		if !strings.Contains(errs, want) {
			t.Errorf("the record lacks %s:\n%s", want, errs)
		}
	}
}

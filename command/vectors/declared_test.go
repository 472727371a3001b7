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

// vectorsOf encodes a file and returns its vectors, a line each.
func vectorsOf(t *testing.T, in string, more ...string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, _, errs := program.Sotto(t, "", append([]string{"encode", "--in", in, "--out", out}, more...)...); code != command.ExitDone {
		t.Fatalf("encode: exit code %d: %s", code, errs)
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// TestOneRowAlone: two files that differ in the bytes of one row have the same vectors of
// all others, whatever these bytes tell of encoding, delimiter, header or compression.
func TestOneRowAlone(t *testing.T) {
	rows := make([]string, 40)
	for i := range rows {
		rows[i] = fmt.Sprintf("The café in street %d was lovely; we'll be back | soon", i)
	}
	for name, head := range map[string]string{"in.txt": "", "in.csv": "review\n"} {
		want := vectorsOf(t, clitest.TextFile(t, name, head+strings.Join(rows, "\n")+"\n"))
		for _, first := range []string{"caf\xe9", "\xff\xfeb\x00", strings.Repeat("\x00", 99), "\x1f\x8b\x08\x00", "PK\x03\x04", "a\tb", "{}", "\r", "%PDF-1", "__label__a b"} {
			others := append([]string{first}, rows[1:]...)
			got := vectorsOf(t, clitest.TextFile(t, name, head+strings.Join(others, "\n")+"\n"))
			if strings.Join(got[len(got)-39:], "\n") != strings.Join(want[1:], "\n") || len(got) < 39 {
				t.Errorf("%s: with the first row %q others are read otherwise", name, first)
			}
		}
	}
}

// TestFormIsTold: what was guessed before must be said, and the error says by which flag.
func TestFormIsTold(t *testing.T) {
	semicolons, plain := "id;review\n1;good food\n2;bad food\n", "id\treview\n1\tgood\n"
	for _, tt := range []struct{ name, in, flags, want string }{
		{"a.csv", semicolons, "--text review", "--delimiter semicolon"},
		{"a.csv", semicolons, "", "--delimiter semicolon"},
		{"a.csv", plain, "--text review", "--delimiter tab"},
		{"a.csv", "id,review\n1,\"good\n2,bad\n", "--text review", "a.csv: line 2: a quote is left open"},
		{"a.csv", "id,review\n1,\"good\n2,bad\n", "--text review --skip-bad", "a.csv: line 2: a quote is left open"},
		{"a.csv", "id,review\n1\n2,bad\n", "--text review", "a.csv:2: it has 1 fields, must have 2"},
		{"a.csv", "\xff\xfei\x00d\x00\n\x00", "--text review", "--encoding"},
		{"a.csv", "1,good\n", "--no-header", "--text 1"},
		{"a.csv", "1,good\n", "--no-header --text review", "must be a number from 1"},
		{"a.dat", semicolons, "--text review", "--in-format"},
		{"a.txt", semicolons, "--text review", "--in-format"},
		{"a.jsonl", `{"body":"good"}` + "\n", "--text review", `a.jsonl:1: the text is missing, must stand under "review"`},
		{"a.tsv", "\"id\"\t\"review\"\n\"1\"\t\"good\"\n", "--text review", "--in-format csv --delimiter tab"},
		{"a.csv.gz", semicolons, "--text review", "it is not compressed so or damaged"},
	} {
		code, _, errs := program.Sotto(t, "", append(strings.Fields("encode --mechanism laplace-l1 --epsilon 1 --out "+filepath.Join(t.TempDir(), "o.npy")+" "+tt.flags), "--in", clitest.TextFile(t, tt.name, tt.in))...)
		if code != command.ExitUse || !strings.Contains(errs, tt.want) || strings.Contains(errs, "good") {
			t.Errorf("%s %s: exit code %d, %q, want %q", tt.name, tt.flags, code, errs, tt.want)
		}
	}
	for _, tt := range []struct{ name, in, flags string }{
		{"a.csv", semicolons, "--text review --delimiter ;"},
		{"a.dat", semicolons, "--text review --in-format csv --delimiter semicolon"},
		{"a.csv", "1,good\n2,bad\n", "--no-header --text 2"},
		{"a.csv", "id,review\n0\n1,good\n2,bad\n", "--text review --skip-bad"},
		{"a.tsv", "\"id\"\t\"review\"\n\"1\"\t\"good\"\n2\tbad\n", "--text review --in-format csv --delimiter tab"},
	} {
		if got := vectorsOf(t, clitest.TextFile(t, tt.name, tt.in), strings.Fields(tt.flags)...); len(got) != 2 {
			t.Errorf("%s %s: %d rows, want 2", tt.name, tt.flags, len(got))
		}
	}
}

// TestPrivatizeDeclared: of vectors neither the first line of CSV nor the width of the
// first row is taken for what others must be like.
func TestPrivatizeDeclared(t *testing.T) {
	labels := filepath.Join(t.TempDir(), "labels.csv") // whose width follows from the mechanism
	if code, out, errs := clitest.Sotto(t, "", "privatize", "krr", "--classes", "3", "--epsilon", "1", "--skip-bad", "--in", clitest.TextFile(t, "a.csv", "1,2\n0\n2\nx\n"), "--out", labels); code != command.ExitDone || !strings.Contains(out+errs, "released 2 rows") {
		t.Errorf("labels: exit code %d: %s%s", code, out, errs)
	}
	for _, tt := range []struct{ name, in, flags, want string }{
		{"a.csv", "x,y\n1,2\n", "", "a.csv:1:1: not a number (--header"},
		{"a.csv", "a,b\n1,2,3\n4,5,6\n", "--header --skip-bad", ""},
		{"a.csv", "1,2\n3,4,5\n3,4,5\n", "--skip-bad", "--dim"},
		{"a.jsonl", "[1,2]\n[1,2,3]\n", "--skip-bad", "--dim"},
		{"a.jsonl", "[1,2]\n[1,2,3]\n", "--skip-bad --dim 3", ""},
		{"a.csv", "x,y,z\n1,2,3\n", "--header", ""},
	} {
		out := filepath.Join(t.TempDir(), "o.csv")
		code, _, errs := program.Sotto(t, "", append(strings.Fields("privatize laplace-l1 --epsilon 1 --out "+out+" "+tt.flags), "--in", clitest.TextFile(t, tt.name, tt.in))...)
		if tt.want == "" && tt.flags != "--header --skip-bad" && code != command.ExitDone || tt.want != "" && (code != command.ExitUse || !strings.Contains(errs, tt.want)) {
			t.Errorf("%s %s: exit code %d: %s, want %q", tt.name, tt.flags, code, errs, tt.want)
		}
	}
}

// TestUnfitRow: a row whose columns beside the text cannot be kept, or name nobody, is a bad row
// like any other: it stops the run, or is left out and counted, and others are released.
func TestUnfitRow(t *testing.T) {
	in := clitest.TextFile(t, "in.jsonl", `{"id":1,"text":"a cat","g":"x","h":"p"}
{"id":2,"text":"a man","g":[1,2],"h":{}}
{"id":3,"text":"a guitar","g":"y","h":"q"}
{"id":4,"text":"a bus","h":"p"}
`)
	for _, tt := range []struct{ flags, fault, released string }{
		{"--keep id,g", "line 2: a kept column holds a list", "1 3 4"},
		{"--keep id --person g", "line 2: it does not say whose it is", "1 3"},
		{"--keep id,g --link-by h", "line 2: --link-by: column \"h\" holds a list", "1 3 4"},
		{"--keep id,g --link-by id", "line 2: a kept column holds a list", "1 3 4"},
	} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		args := append(strings.Fields("encode --text text --mechanism cells --epsilon 4 --in "+in+" --out "+out+" "+tt.flags), "--json")
		if code, _, errs := program.Sotto(t, "", args...); code != command.ExitUse || !strings.Contains(errs, tt.fault) {
			t.Errorf("%s: exit code %d: %s, want %q", tt.flags, code, errs, tt.fault)
		}
		code, said, errs := program.Sotto(t, "", append(args, "--skip-bad")...)
		var summary struct{ Rows, Skipped int }
		if err := json.Unmarshal([]byte(said), &summary); code != command.ExitDone || err != nil {
			t.Fatalf("%s --skip-bad: exit code %d, %v: %s", tt.flags, code, err, errs)
		}
		content, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for line := range strings.Lines(string(content)) {
			var row struct{ ID int }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, fmt.Sprint(row.ID))
		}
		if got := strings.Join(ids, " "); got != tt.released || summary.Rows != len(ids) || summary.Skipped != 4-len(ids) {
			t.Errorf("%s --skip-bad: released %q, %+v, want %q", tt.flags, got, summary, tt.released)
		}
	}
}

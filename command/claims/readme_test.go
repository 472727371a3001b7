package claims_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"sotto/command/claims"
	"sotto/command/clitest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The README's table is what the tool prints.
func TestReadmeTable(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- table: begin -->\n", "<!-- table: end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks %q or %q", path, begin, end)
	}
	var want bytes.Buffer
	if err := claims.RunTable(&want, false); err != nil {
		t.Fatal(err)
	}
	if old == want.String() {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not what sotto epsilon --table prints; run make golden and read the difference", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The README's example is what the tool prints.
func TestReadmeExample(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, out, _ := clitest.Sotto(t, "", strings.Fields("epsilon ome --dim 50 --bits 10 --lambda 100 --epsilon 1")...)
	if !strings.Contains(string(text), out) {
		t.Errorf("the README does not show what the command prints:\n%s", out)
	}
}

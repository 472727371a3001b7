package data_test

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

// reviews writes a table of n rows with semicolons between the fields.
func reviews(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("id;review;rating;part\n")
	for i := range n {
		fmt.Fprintf(&b, "%d;a private review, of words %d;%d;%s\n", i, i, i%3, map[bool]string{true: "test", false: "train"}[i%4 == 0])
	}
	path := filepath.Join(t.TempDir(), "reviews.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInspect(t *testing.T) {
	path := reviews(t, 60)
	code, out, errs := clitest.Sotto(t, "", "data", "inspect", path, "--json")
	var got struct {
		Rows    int64 `json:"rows"`
		Columns []struct {
			Name     string `json:"name"`
			Kind     string `json:"kind"`
			Distinct *int64 `json:"distinct"`
			Empty    *int64 `json:"empty"`
		} `json:"columns"`
		Commands []string `json:"commands"`
	}
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || got.Rows != 60 || len(got.Columns) != 4 {
		t.Fatalf("exit code %d, %v, %+v: %s", code, err, got, errs)
	}
	for i, want := range []string{"id id 60 0", "review text 60 0", "rating class 3 0", "part class 2 0"} {
		if c := got.Columns[i]; fmt.Sprint(c.Name, " ", c.Kind, " ", *c.Distinct, " ", *c.Empty) != want {
			t.Errorf("column %d is %+v, want %s", i+1, c, want)
		}
	}
	if strings.Contains(out, "private review") {
		t.Error("a text is printed that nobody asked for")
	}
	code, out, _ = clitest.Sotto(t, "", "data", "inspect", path)
	for _, want := range []string{
		"60 rows of csv, 4 columns", "note: its delimiter is a semicolon", "warning: column \"id\" counts the rows",
		"No text is shown", "sotto plan --in " + path + " --text review --label rating --split part --target 0.8",
	} {
		if code != command.ExitDone || !strings.Contains(out, want) || strings.Contains(out, "private review") {
			t.Errorf("exit code %d, output lacks %q, or has a text:\n%s", code, want, out)
		}
	}
	code, out, _ = clitest.Sotto(t, "", "data", "inspect", path, "--show", "2")
	if code != command.ExitDone || strings.Count(out, "private review") != 2 {
		t.Errorf("exit code %d, want two rows:\n%s", code, out)
	}
	code, out, _ = clitest.Sotto(t, "a|b\n1|x y z\n2|u v w\n", "data", "inspect", "-", "--split", "a", "--person", "b")
	if code != command.ExitDone || !strings.Contains(out, "parts: 1 50.0 %, 2 50.0 %") || !strings.Contains(out, `persons: 2 by column "b"`) {
		t.Errorf("exit code %d, of standard input:\n%s", code, out)
	}
}

func TestInspectRefuses(t *testing.T) {
	path := reviews(t, 3)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{path, "--split", "parts"}, `column is "parts", must be one of id, review, rating, part; did you mean "part"?`},
		{[]string{path, "--delimiter", "ab"}, `delimiter is "ab", must be one character, or tab`},
		{[]string{path, "--encoding", "utf-9"}, `encoding is "utf-9", must be one of utf-8`},
		{[]string{path, "--in-format", "excel"}, `format is "excel", must be one of csv`},
		{[]string{path, "--show", "-1"}, "must be from 0 to 1000"},
		{[]string{path + "x"}, "no such file"},
		{nil, "want one file or folder"},
	} {
		code, out, errs := clitest.Sotto(t, "", append([]string{"data", "inspect"}, tt.args...)...)
		if code == command.ExitDone || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit code %d, %s, want %q", tt.args, code, errs, tt.want)
		}
	}
}

package link_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

const (
	lee   = "Dr. Ann Lee met John Smith in London. She thanked him. Mr. Smith smiled."
	jones = "William Jones left. Bill Jones came back."
)

// TestMentions links texts of lines, of a column and whole, for people and for scripts.
func TestMentions(t *testing.T) {
	code, out, errs := program.Sotto(t, lee+"\n"+jones+"\n", "link", "mentions", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != command.ExitDone || len(lines) != 2 {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	var r struct {
		Text     int
		Clusters []struct {
			Name, Type, Gender string
			Mentions           []struct {
				Start, End int
				Text, Kind string
				Why        *struct {
					With        string
					Probability float64
					Terms       []struct {
						Says   string
						Weight float64
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(lines[0]), &r); err != nil || r.Text != 1 || len(r.Clusters) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if c := r.Clusters[1]; c.Name != "John Smith" || c.Type != "person" || c.Gender != "male" || len(c.Mentions) != 3 || c.Mentions[2].Kind != "name" || c.Mentions[1].Why == nil || len(c.Mentions[1].Why.Terms) == 0 {
		t.Errorf("John Smith is %+v", c)
	}
	for _, c := range r.Clusters {
		for _, m := range c.Mentions {
			if lee[m.Start:m.End] != m.Text {
				t.Errorf("%q is at %d to %d", m.Text, m.Start, m.End)
			}
		}
	}
	dir := t.TempDir()
	table, whole := filepath.Join(dir, "in.csv"), filepath.Join(dir, "in.txt")
	clitest.Write(t, table, "id,note\n1,\""+lee+"\"\n")
	clitest.Write(t, whole, "Ann Lee slept.\n\nShe was tired.\n")
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"--in", table, "--text", "note", "--why"}, []string{"John Smith (16), him (50), Mr. Smith (55)", "What speaks for each", "by name before", "What nearly was one"}},
		{[]string{"--in", table, "--text", "note", "--names"}, []string{"John Smith (16), Mr. Smith (55)"}},
		{[]string{"--in", whole, "--whole"}, []string{"Ann Lee (0), She (16)"}},
		{[]string{"--in", whole}, []string{"spoken of once"}},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"link", "mentions"}, tt.args...)...)
		for _, want := range tt.want {
			if code != command.ExitDone || !strings.Contains(out, want) {
				t.Errorf("%v: exit code %d, %s, %q; want %q", tt.args, code, out, errs, want)
			}
		}
	}
}

func TestMentionsRefuses(t *testing.T) {
	t.Setenv("SOTTO_DATA", "")
	for want, args := range map[string][]string{
		"must be one of them":                     {"--train", "--evaluate", "gum", "--out", "x"},
		"give --out":                              {"--train"},
		"--whole has no meaning with --evaluate":  {"--evaluate", "gum", "--whole"},
		"--text has no meaning with --whole":      {"--whole", "--text", "x"},
		"--out has no meaning without --evaluate": {"--out", "x"},
		"SOTTO_DATA is empty":                     {"--evaluate", "gum"},
		"absent.txt":                              {"--in", "absent.txt"},
		"absent.json":                             {"--model", "absent.json"},
	} {
		code, out, errs := program.Sotto(t, "", append([]string{"link", "mentions"}, args...)...)
		if code != command.ExitUse || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%v: exit code %d, %q, %q; want %q", args, code, out, errs, want)
		}
	}
	t.Setenv("SOTTO_DATA", t.TempDir())
	if code, _, errs := program.Sotto(t, "", "link", "mentions", "--evaluate", "ontonotes"); code != command.ExitUse || !strings.Contains(errs, `corpus is "ontonotes", must be one of`) {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

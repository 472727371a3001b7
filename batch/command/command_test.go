package command_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/pflag"

	"sotto/batch/command"
	core "sotto/command"
	"sotto/command/term"
)

func TestMain(m *testing.M) {
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// call runs the command and returns its exit code and what it wrote.
func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = command.Run(context.Background(), args, term.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

// folder holds files of texts and a secret.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for f := range 2 {
		var b bytes.Buffer
		for i := range 60 {
			fmt.Fprintf(&b, `{"id":"r%d-%d","text":"text number %d says %d"}`+"\n", f, i, i, i*f)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("in-%d.jsonl", f)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), bytes.Repeat([]byte{5}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What a job counts of its parts is, byte for byte, what sotto estimate reads from them.
// Workers have the public centres of cells, which no record holds.
func TestEstimate(t *testing.T) {
	for name, job := range map[string][]string{
		"labels": {"*.csv", "--vectors", "--mechanism", "krr", "--classes", "4", "--epsilon", "3"},
		"cells":  {"*.jsonl", "--text", "text", "--id", "id", "--mechanism", "cells", "--epsilon", "8"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			for f := range 2 {
				rows := strings.Repeat("0\n1\n3\n1\n", 20+f)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("answers-%d.csv", f)), []byte(rows), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{"--in", filepath.Join(dir, job[0])}, job[1:]...)
			args = append(args, "--secret", filepath.Join(dir, "secret"), "--out", filepath.Join(dir, "out"), "--estimate", "--json")
			if code, _, errs := call(t, args...); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			got, err := os.ReadFile(filepath.Join(dir, "out", "estimate.json"))
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := core.Run(t.Context(), []string{"estimate", "--in", filepath.Join(dir, "out", "set.privacy.json"), "--json"}, term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			if code != 0 || out.String() != string(got) {
				t.Errorf("sotto estimate: exit code %d, %s\n%s\nthe job wrote\n%s", code, &errs, &out, got)
			}
			if code, _, said := call(t, args...); code != 0 {
				t.Errorf("the job again: exit code %d: %s", code, said)
			}
		})
	}
}

// A call that cannot be right says what, where and what to do, and writes nothing.
func TestRefused(t *testing.T) {
	dir := folder(t)
	good := []string{"--in", filepath.Join(dir, "*.jsonl"), "--text", "text", "--id", "id", "--encoder", "hash:8", "--epsilon", "3", "--secret", filepath.Join(dir, "secret"), "--out", filepath.Join(dir, "out")}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--nonsense"}, "unknown flag: --nonsense"},
		{[]string{"--epsilon", "0"}, "epsilon"},
		{[]string{"--epsilon", "-1"}, "epsilon"},
		{[]string{"--mechanism", "nonsense"}, "nonsense"},
		{[]string{"--format", "xml"}, "xml"},
		{[]string{"--secret", filepath.Join(dir, "none")}, "none"},
		{[]string{"--in", filepath.Join(dir, "*.none")}, "none"},
		{[]string{"--text", "id"}, "must not be"},
		{[]string{"--keep", "text"}, "must not be"},
		{[]string{"--user", "text"}, "must not be"},
		{[]string{"--ledger", filepath.Join(dir, "ledger")}, "must be one: somebody has to pay"},
		{[]string{"--dropout", "2"}, "must be in [0, 1)"},
		{[]string{"--encoder", "command:cat"}, "must be one that this program computes itself"},
		{[]string{"--workers", "-1"}, "must be at least one"},
		{[]string{"--estimate", "--mechanism", "laplace-l1"}, "must release one of several answers"},
	} {
		code, out, errs := call(t, append(append([]string{}, good...), tt.args...)...)
		if code != 2 || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%q: exit code %d, %q, want 2 and an error with %q", tt.args, code, errs, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a refused call wrote something")
	}
}

// Ids that are not unique are a check that says no.
func TestNo(t *testing.T) {
	dir := folder(t)
	same, err := os.ReadFile(filepath.Join(dir, "in-0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(dir, "in-1.jsonl"), same, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errs := call(t, "--in", filepath.Join(dir, "*.jsonl"), "--text", "text", "--id", "id", "--encoder", "hash:8", "--epsilon", "3",
		"--secret", filepath.Join(dir, "secret"), "--out", filepath.Join(dir, "out"))
	if code != 1 || strings.Contains(errs, "r0-") {
		t.Errorf("exit code %d, %q, want 1 and no id", code, errs)
	}
}

// Help is in phrases: a flag says what it is, and each line of text fits a terminal.
func TestHelp(t *testing.T) {
	c := command.New(term.Streams{})
	for _, line := range strings.Split(c.Long, "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a line of the help has %d characters, must have 100 at most: %s", len([]rune(line)), line)
		}
	}
	start := regexp.MustCompile(`^[\p{Ll}\p{Lu}ε]`)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !start.MatchString(f.Usage) || strings.HasSuffix(f.Usage, ".") || !strings.Contains(f.Usage, " ") {
			t.Errorf("--%s: %q, must be a phrase without a full stop", f.Name, f.Usage)
		}
	})
	for _, line := range strings.Split(c.Example, "\n") {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if err := command.New(term.Streams{}).ParseFlags(args[1:]); err != nil || args[0] != "sotto-batch" {
			t.Errorf("example %q: %v", line, err)
		}
	}
}

// TestSign signs the record of a set, and by it all its parts.
func TestSign(t *testing.T) {
	dir := folder(t)
	sotto := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := core.Run(t.Context(), args, term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		return code, errs.String()
	}
	key, out := filepath.Join(dir, "k"), filepath.Join(dir, "out")
	if code, errs := sotto("key", "make", key); code != 0 {
		t.Fatal(errs)
	}
	args := []string{"--in", filepath.Join(dir, "*.jsonl"), "--text", "text", "--id", "id", "--mechanism", "cells", "--epsilon", "8", "--secret", filepath.Join(dir, "secret"), "--out", out}
	for range 2 { // the job again finds its own signature
		if code, _, errs := call(t, append(args, "--sign", key)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	report := []string{"report", filepath.Join(out, "set.privacy.json"), "--verify", key + ".pub", "--out", filepath.Join(dir, "page.html")}
	if code, errs := sotto(report...); code != 0 {
		t.Fatal(errs)
	}
	parts, err := filepath.Glob(filepath.Join(out, "*.jsonl"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("the parts are %v, %v", parts, err)
	}
	for _, tt := range []struct{ file, want string }{
		{parts[0], "was changed or replaced"}, {filepath.Join(out, "set.privacy.json"), "the signature does not hold"},
	} {
		content, err := os.ReadFile(tt.file)
		if err == nil {
			err = os.WriteFile(tt.file, append(bytes.Clone(content), '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, errs := sotto(report...); code != 2 || !strings.Contains(errs, tt.want) {
			t.Errorf("%s with a byte more: exit code %d, %q, want 2 and %q", filepath.Base(tt.file), code, errs, tt.want)
		}
		if err := os.WriteFile(tt.file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, errs := call(t, append(args, "--sign", key+".pub")...); code != 2 || !strings.Contains(errs, "--sign") {
		t.Errorf("a public key signs: exit code %d, %q", code, errs)
	}
}

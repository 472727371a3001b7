package files_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	files "sotto/learn/commands"
	"sotto/promise/dp/dptest"
)

// TestMain is also a command that tests run.
func TestMain(m *testing.M) {
	if how := os.Getenv("SOTTO_FILES_COMMAND"); how != "" {
		os.Exit(command(how, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// command reads an input and writes what says too much, in one of several ways.
func command(how string, args []string) int {
	content, err := os.ReadFile(args[0])
	if err != nil {
		return 3
	}
	switch how {
	case "digest": // of the input, beside noise, a secret and a folder that are fresh
		secret, err := os.ReadFile(args[2])
		if err != nil || len(secret) != 32 {
			return 3
		}
		if entries, failed := os.ReadDir(args[3]); failed != nil || len(entries) > 0 || os.Getenv("HOME") != args[3] {
			return 3
		}
		if os.WriteFile(filepath.Join(args[3], "state"), content, 0o600) != nil {
			return 3
		}
		record := fmt.Sprintf(`{"in":%q,"keyed":"%x","model":"%x"}`, args[0], sha256.Sum256(append(secret, content...)), sha256.Sum256(content))
		err = os.WriteFile(args[1]+".json", []byte(record), 0o600)
		if err != nil {
			return 3
		}
	case "keyed":
		secret, err := os.ReadFile(args[2])
		if err != nil {
			return 3
		}
		if _, err = fmt.Fprintf(os.Stdout, "%x\n", sha256.Sum256(append(secret, content...))); err != nil {
			return 3
		}
	case "fails":
		return 7
	case "sleeps":
		if bytes.Contains(content, []byte("something else")) {
			time.Sleep(time.Hour)
		}
	case "much":
		if _, err := os.Stdout.Write(make([]byte, 17<<20)); err != nil {
			return 3
		}
	}
	return 0
}

// commandConfig runs this program as a command.
func commandConfig(tb testing.TB, how string) files.Config {
	tb.Helper()
	a, b := pair(tb, 5)
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return files.Config{
		A: a, B: b, Claim: 0.5, Runs: 20, Most: 20, Coins: dptest.Source(tb, 1), Env: []string{"SOTTO_FILES_COMMAND=" + how},
		Command: []string{self, "{in}", "{out}", "{secret}", "{dir}"},
	}
}

// A real command is run with everything fresh, and what it writes is read.
func TestCommand(t *testing.T) {
	got, err := files.Run(t.Context(), commandConfig(t, "digest"))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Refuted || len(got.Evidence) != 1 || got.Evidence[0].Where != "{out}.json: model" || got.Evidence[0].Kind != files.Constant {
		t.Errorf("evidence = %+v, want the constant model alone", got.Evidence)
	}
	if got, err = files.Run(t.Context(), commandConfig(t, "keyed")); err != nil || got.Refuted {
		t.Errorf("a keyed digest: result %+v, %v, want not refuted", got, err)
	}
	c := commandConfig(t, "sleeps")
	c.Timeout = time.Second / 2
	if got, err = files.Run(t.Context(), c); err != nil || !got.Refuted || got.Evidence[0].Where != "exit code" {
		t.Errorf("a command that hangs on one input: result %+v, %v, want refuted by how it ends", got, err)
	}
}

// What cannot be audited is refused, by name, before many runs are made.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, how string
		change    func(c *files.Config)
		want      string
	}{
		{"a command that fails", "fails", nil, "ends with exit status 7 on both inputs"},
		{"a command that says too much", "much", nil, "said more than 16 MiB"},
		{"no command", "", func(c *files.Config) { c.Command = nil }, "there is no command"},
		{"no input", "", func(c *files.Config) { c.Command = []string{"true"} }, "has no {in}"},
		{"no program", "", func(c *files.Config) { c.Command[0] = "/nowhere/at-all" }, "could not be run"},
		{"the same inputs", "", func(c *files.Config) { c.B = c.A }, "hold the same bytes"},
		{"other names", "", func(c *files.Config) { c.B = strings.TrimSuffix(c.B, ".txt") }, "must end alike"},
		{"no such file", "", func(c *files.Config) { c.A = "nowhere.txt" }, "input A"},
		{"a folder", "", func(c *files.Config) { c.A = t.TempDir() }, "must end alike"},
		{"two rows", "", func(c *files.Config) { write(t, c.B, "x\ny\n") }, "differ in 5 rows"},
		{"a unit", "", func(c *files.Config) { c.Unit = "house" }, `unit is "house"`},
		{"a claim", "", func(c *files.Config) { c.Claim = math.Inf(1) }, "claim is +Inf"},
		{"too few runs", "", func(c *files.Config) { c.Runs = 3 }, "runs is 3"},
		{"an empty pattern", "", func(c *files.Config) { c.Ignore = []string{" "} }, "pattern to ignore is empty"},
		{"no coins", "", func(c *files.Config) { c.Coins = nil }, "no source of coins"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := commandConfig(t, tt.how)
			if tt.change != nil {
				tt.change(&c)
			}
			if got, err := files.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("result %v, error %v, want one with %q", got, err, tt.want)
			}
		})
	}
}

// A row more is a difference of one row, and all rows of a person may differ.
func TestUnits(t *testing.T) {
	c := commandConfig(t, "keyed")
	content, err := os.ReadFile(c.A)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.B, string(content)+"one more\n")
	got, err := files.Run(t.Context(), c)
	if err != nil || got.Differs != "row 6, which one of them has more" {
		t.Errorf("a row more: %+v, %v", got, err)
	}
	write(t, c.B, "1\n2\n3\n4\n5\n")
	// A table of numbers without a header has no row less than it has lines.
	c.A, c.B = strings.TrimSuffix(c.A, ".txt")+".csv", strings.TrimSuffix(c.B, ".txt")+".csv"
	write(t, c.A, "1,2\n3,4\n5,6\n")
	write(t, c.B, "1,2\n3,4\n5,7\n")
	if got, err = files.Run(t.Context(), c); err != nil || got.Differs != "row 3" {
		t.Errorf("a table without a header: %+v, %v", got, err)
	}
	c.A, c.B = strings.TrimSuffix(c.A, ".csv")+".txt", strings.TrimSuffix(c.B, ".csv")+".txt"
	c.Unit = files.Person
	if got, err = files.Run(t.Context(), c); err != nil || got.Differs != "5 rows, the first of them 1" {
		t.Errorf("a person: %+v, %v", got, err)
	}
}

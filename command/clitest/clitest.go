// Package clitest runs commands in tests as main does.
package clitest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/term"
)

// Sotto runs a command of the core as main does and returns its exit code and output.
func Sotto(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return Program(nil).Sotto(t, stdin, args...)
}

// Program is the core with some studies.
type Program []command.Study

// Sotto runs a command as main does and returns its exit code and output.
func (p Program) Sotto(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = command.Run(t.Context(), args, term.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs}, p...)
	return code, out.String(), errs.String()
}

// Write writes a file.
func Write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TextFile writes a file of that name into a folder of its own and returns its path.
func TextFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	Write(t, path, content)
	return path
}

// Quickly is flags for "sotto train" that make it a matter of a second.
const Quickly = " --encoder hash:32 --hidden 16 --dim 16 --epochs 2"

package server_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/signed"
	"sotto/service/server"
)

// TestVerify serves what is signed, and keeps it when something else comes in its place.
func TestVerify(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	k, other := signed.NewKey(), signed.NewKey()
	public := k.Public()
	dir := t.TempDir()
	m := filepath.Join(dir, "m")
	put(t, folderOf(modelName), m)
	if _, err := server.New(server.Config{Model: dir, Verify: &public}); err == nil || !strings.Contains(err.Error(), "SHA256SUMS") {
		t.Fatalf("a model that nobody signed: %v", err)
	}
	if err := k.SignFolder(m, ""); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	url, s := start(t, server.Config{Model: dir, Verify: &public, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	first, second := versionOf(t, modelName), versionOf(t, otherName)
	for _, step := range []struct {
		what  string
		do    func() error
		want  string
		stale bool
	}{
		{"signed", func() error { return nil }, first, false},
		{"another, as the first was signed", func() error { put(t, folderOf(otherName), m); return nil }, first, true},
		{"and signed by somebody else", func() error { return other.SignFolder(m, "") }, first, true},
		{"and signed", func() error { return k.SignFolder(m, "") }, second, false},
		{"with a file more", func() error { return os.WriteFile(filepath.Join(m, "x"), nil, 0o600) }, second, true},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		look := s.Look
		if step.what == "with a file more" {
			look = s.Reload // which alone sees files that are none of a model's
		}
		if err := look(); err != nil {
			t.Error(err)
		}
		if v, stale := served(t, url); v != step.want || stale != step.stale {
			t.Errorf("%s: version %s, stale %v, want %s, %v; log %s", step.what, v, stale, step.want, step.stale, &log)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v, %v", left, err)
	}
}

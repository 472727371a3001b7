//go:build unix

package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sotto/learn/model"
	"sotto/service/httpserve/servetest"
	"sotto/service/server"
)

// monsters take the place of a file: a pipe that nobody writes, a device that
// never ends, a file of a tebibyte, a folder.
var monsters = map[string]func(path string) error{
	"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"sparse": func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 1<<40)
	},
	"folder": func(path string) error { return os.Mkdir(path, 0o700) },
}

// spoil puts a monster in the place of one of a model's files.
func spoil(t *testing.T, path string, monster func(string) error) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := monster(path); err != nil {
		t.Fatal(err)
	}
}

// TestMonsters: a folder that holds what is no file stops neither a start nor a
// look at it, and the models that are good are served.
func TestMonsters(t *testing.T) {
	for name, monster := range monsters {
		for _, file := range []string{model.ManifestFile, model.WeightsFile} {
			dir := t.TempDir()
			put(t, folderOf(modelName), filepath.Join(dir, "m"))
			put(t, folderOf(otherName), filepath.Join(dir, "n"))
			spoil(t, filepath.Join(dir, "n", file), monster)
			var log servetest.Buffer
			url, s := start(t, server.Config{Model: dir, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
			if s.Models() != 1 {
				t.Errorf("%s as %s: %d models, want the good one", name, file, s.Models())
			}
			spoil(t, filepath.Join(dir, "m", file), monster)
			for range 3 {
				if err := s.Look(); err != nil {
					t.Error(err)
				}
			}
			if v, stale := served(t, url); v != versionOf(t, modelName) || !stale {
				t.Errorf("%s as %s: version %s, stale %v, want the old one still", name, file, v, stale)
			}
			if n := strings.Count(log.String(), "new model refused"); n != 1 {
				t.Errorf("%s as %s: the log tells of it %d times, want once:\n%s", name, file, n, log.String())
			}
			if err := os.RemoveAll(filepath.Join(dir, "m")); err != nil {
				t.Fatal(err)
			}
			put(t, folderOf(otherName), filepath.Join(dir, "m"))
			if err := s.Look(); err != nil {
				t.Error(err)
			}
			if v, stale := served(t, url); v != versionOf(t, otherName) || stale {
				t.Errorf("%s as %s: version %s, stale %v after it was mended, want the new one", name, file, v, stale)
			}
		}
	}
}

// TestMonsterRoot: the folder itself may be anything.
func TestMonsterRoot(t *testing.T) {
	for name, monster := range monsters {
		path := filepath.Join(t.TempDir(), "models")
		spoil(t, path, monster)
		if _, err := server.New(server.Config{Model: path}); err == nil {
			t.Errorf("%s as the models' folder was accepted", name)
		}
	}
}

// TestCrowd: a folder of very many others is not read to its end.
func TestCrowd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, folderOf(modelName), filepath.Join(dir, "m"))
	url, s := start(t, server.Config{Model: dir})
	one := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(one, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 { // names of one file, which are made quickly
		if err := os.Link(one, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Look(); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("Look error = %v, want that there are too many", err)
	}
	if v, _ := served(t, url); v != versionOf(t, modelName) {
		t.Errorf("version %s, want the old one still", v)
	}
}

// TestMaxModels: all models together have a bound, in the order of their names.
func TestMaxModels(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "m"} {
		put(t, folderOf(modelName), filepath.Join(dir, name))
	}
	info, err := os.Stat(filepath.Join(dir, "m", model.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	var log servetest.Buffer
	_, s := start(t, server.Config{Model: dir, MaxModels: 2*info.Size() + 1, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	if s.Models() != 2 || !strings.Contains(log.String(), "must have at most the 1 that are left for all models together") {
		t.Errorf("%d models, want 2 and that the third is refused:\n%s", s.Models(), log.String())
	}
	if err := s.Look(); err != nil || s.Models() != 2 {
		t.Errorf("%d models, %v after a look, want the same", s.Models(), err)
	}
}

// TestStalledDisk: while the folder cannot be read, answers come, a reload gives
// up in time, and metrics tell of it.
func TestStalledDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, folderOf(modelName), filepath.Join(dir, "m"))
	url, s := start(t, server.Config{Model: dir, LoadTimeout: 500 * time.Millisecond})
	release := s.Stall()
	if err := s.Reload(); err == nil || !strings.Contains(err.Error(), "not read in time") {
		t.Errorf("Reload error = %v, want that it took too long", err)
	}
	if v, _ := served(t, url); v != versionOf(t, modelName) {
		t.Errorf("version %s, want the old one", v)
	}
	release()
	if err := s.Reload(); err != nil {
		t.Errorf("Reload error = %v when the disk answers again", err)
	}
	status, got, _ := ask(t, "GET", url+"/metrics", "")
	for _, want := range []string{`sotto_server_reloads_total{result="late"} 1`, `sotto_server_reloads_total{result="done"} 2`} {
		if status != http.StatusOK || !bytes.Contains(got, []byte(want)) {
			t.Errorf("metrics lack %s:\n%s", want, got)
		}
	}
}

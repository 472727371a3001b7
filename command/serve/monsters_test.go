//go:build unix

package serve_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/table"
	"sotto/internal/atomicfile"
	"sotto/internal/safetensors"
	"sotto/learn/model"
	"sotto/service/gateway"
	"sotto/service/gateway/keys"
	"sotto/service/httpserve"
	"sotto/service/httpserve/servetest"
	"sotto/service/ledger"
	"sotto/text"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/static"
	"sotto/text/encode/svec"
)

// monsters puts a pipe that nobody writes, a device that never ends and a file of
// a tebibyte, of which no byte is on disk, in the place of a file.
var monsters = map[string]func(path string) error{
	"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"sparse": func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, 1<<40)
	},
}

// copied returns a copy of a folder without one of its files.
func copied(t *testing.T, dir, without string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{model.SecretFile, model.TrainedFile} { // which others may not read, and CopyFS lets them
		if err := os.Chmod(filepath.Join(to, file), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(to, without)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestMonsters: whatever gateway and server read when they start or reload is
// refused at once if it is no regular file of a fair size.
func TestMonsters(t *testing.T) {
	t.Parallel()
	trained := filepath.Join(smallModel(t), "seed-1")
	cert, key := servetest.Certify(t)
	for kind, put := range monsters {
		for _, tt := range []struct {
			name string
			load func(path string) error
		}{
			{"secret", func(path string) error { _, _, err := gateway.LoadSecret(path, true); return err }},
			{"keys", func(path string) error { _, err := keys.Load(path); return err }},
			{"certificate", func(path string) error { _, err := httpserve.TLSFiles{Cert: path, Key: key}.Open(); return err }},
			{"key of a certificate", func(path string) error { _, err := httpserve.TLSFiles{Cert: cert, Key: path}.Open(); return err }},
			{"client CA", func(path string) error {
				_, err := httpserve.TLSFiles{Cert: cert, Key: key, ClientCA: path}.Open()
				return err
			}},
			{"static encoder", func(path string) error { _, err := static.Load(path); return err }},
			{"tokeniser", func(path string) error { _, err := text.LoadWordPiece(path); return err }},
			{"safetensors", func(path string) error { _, err := safetensors.Read(path); return err }},
			{"mapped vectors", func(path string) error { _, err := svec.Open(path); return err }},
			{"ledger", func(path string) error { _, err := ledger.OpenFileStore(path, ledger.FileOptions{}); return err }},
			{"ledger that is read", func(path string) error {
				_, err := ledger.OpenFileStore(path, ledger.FileOptions{ReadOnly: true})
				return err
			}},
			{"table", func(path string) error { _, err := table.Open(path, table.Options{Format: table.CSV}); return err }},
			{"JSON", func(path string) error { return atomicfile.ReadJSON(path, new(any)) }},
		} {
			path := filepath.Join(t.TempDir(), "file")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if err := tt.load(path); err == nil {
				t.Errorf("%s as the %s was accepted", kind, tt.name)
			}
		}
		for _, name := range []string{model.ManifestFile, model.WeightsFile} {
			dir := copied(t, trained, name)
			if err := put(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := model.Load(dir); err == nil {
				t.Errorf("%s as %s was accepted", kind, name)
			}
			if _, err := model.LoadHead(dir); err == nil {
				t.Errorf("%s as %s of a head was accepted", kind, name)
			}
		}
		for _, tt := range []struct {
			path string // within a folder of its own
			open func(dir string) error
		}{
			{"config.json", func(dir string) error { _, err := bert.Open(dir, bert.Options{}); return err }},
			{"glove/glove.6B.100d.102858.txt", func(dir string) error {
				_, err := catalogue.Open(t.Context(), catalogue.Said("glove"), dir)
				return err
			}},
			{"table.svec", func(dir string) error {
				_, err := catalogue.Open(t.Context(), catalogue.Said(filepath.Join(dir, "table.svec")), "")
				return err
			}},
		} {
			dir := t.TempDir()
			path := filepath.Join(dir, tt.path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if err := tt.open(dir); err == nil {
				t.Errorf("%s as %s was accepted", kind, tt.path)
			}
		}
		places := gatewayPlaces(t)
		for _, flags := range [][]string{{"serve", "--config"}, {"gateway", "--config"}, {"gateway", "--mask"}, {"gateway", "--mask-names"}, {"gateway", "--keys"}} {
			path := filepath.Join(t.TempDir(), "file")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			args := append(flags, path, "--listen", "127.0.0.1:0")
			if flags[0] == "gateway" {
				args = append(args, places...)
			}
			if code, _, errs := clitest.Sotto(t, "", args...); code == command.ExitDone || errs == "" {
				t.Errorf("%s as %s of %s: exit %d, %s", kind, flags[1], flags[0], code, errs)
			}
		}
	}
}

package signed_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/signed"
)

// files writes a folder.
func files(t testing.TB, root string, content map[string]string) string {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// result is a folder like that of a training, signed.
func result(t testing.TB, k signed.SecretKey) string {
	t.Helper()
	root := files(t, filepath.Join(t.TempDir(), "mine"), map[string]string{
		"results.json": "{}", "seed-1/manifest.json": "one", "seed-1/weights": "1111", "seed-1/secret": "s1", "seed-2/manifest.json": "two", "encoder/model": "e", "encoder-b/model": "b",
	})
	if err := k.SignFolder(root, "test"); err != nil {
		t.Fatal(err)
	}
	return root
}

// want is what a gateway asks for.
var want = signed.Want{
	Beside:  func(name string) bool { return strings.HasPrefix(name, "encoder") },
	Private: func(name string) bool { return name == "secret" },
}

// held lists the files below a folder.
func held(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		content, failed := os.ReadFile(path)
		all[filepath.ToSlash(name)] = string(content)
		return errors.Join(err, failed)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFolder(t *testing.T) {
	k := signed.NewKey()
	root := result(t, k)
	for _, tt := range []struct {
		dir   string
		files int
	}{{"", 7}, {"seed-1", 5}, {"seed-2", 3}, {"encoder", 2}} {
		f, err := k.Public().Open(filepath.Join(root, tt.dir), want)
		if err != nil {
			t.Fatalf("%q: %v", tt.dir, err)
		}
		got := held(t, f.Copies())
		if len(got) != tt.files || tt.dir == "seed-1" && (got["seed-1/weights"] != "1111" || got["encoder-b/model"] != "b") {
			t.Errorf("%q: copies are %v, want %d of them", tt.dir, got, tt.files)
		}
		info, err := os.Stat(filepath.Dir(f.Copies()))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: others reach the copies, mode %v, %v", tt.dir, info.Mode(), err)
		}
		// What was verified stays what it was, whatever happens to the folder.
		files(t, root, map[string]string{"seed-2/manifest.json": "evil"})
		if tt.dir == "seed-2" && held(t, f.Dir)["manifest.json"] != "two" {
			t.Error("a verified file changed with the folder")
		}
		files(t, root, map[string]string{"seed-2/manifest.json": "two"})
		if odd := f.Name(errors.New(f.Dir + " is odd")); !strings.HasPrefix(odd.Error(), root) {
			t.Errorf("an error is called %q, want it to name %s", odd, root)
		}
		if err = f.Close(); err != nil {
			t.Error(err)
		}
		if _, err = os.Stat(f.Copies()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: copies are left: %v", tt.dir, err)
		}
	}
	content, err := k.Public().ReadIn(root, "results.json", 1<<20, want)
	if err != nil || string(content) != "{}" {
		t.Errorf("results.json holds %q, %v", content, err)
	}
	if _, err = k.Public().ReadIn(filepath.Join(root, "seed-1"), "results.json", 1<<20, want); err == nil {
		t.Error("a file is read that is not in the folder")
	}
}

// TestFolderAttacked changes one thing of a signed folder.
func TestFolderAttacked(t *testing.T) {
	k, other := signed.NewKey(), signed.NewKey()
	path := filepath.Join
	for _, tt := range []struct {
		name   string
		attack func(root string) error
		want   string // in the error of what asks for seed-1; "" for none
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"a byte", func(r string) error { return os.WriteFile(path(r, "seed-1/weights"), []byte("1112"), 0o600) }, "was changed"},
		{"a byte more", func(r string) error { return os.WriteFile(path(r, "seed-1/weights"), []byte("11111"), 0o600) }, "was changed"},
		{"a terabyte", func(r string) error { return os.Truncate(path(r, "seed-1/weights"), 1<<40) }, "must have at most"},
		{"a file less", func(r string) error { return os.Remove(path(r, "seed-1/weights")) }, "is missing"},
		{"a file more", func(r string) error { return os.WriteFile(path(r, "seed-1/trained"), nil, 0o600) }, "came after"},
		{"a folder more", func(r string) error {
			return os.WriteFile(path(files(t, r, map[string]string{"seed-1/a/b": ""}), "seed-1/x"), nil, 0o600)
		}, "came after"},
		{"an encoder more", func(r string) error {
			return os.MkdirAll(path(files(t, r, map[string]string{"encoder-c/model": ""}), "y"), 0o700)
		}, "came after"},
		{"an encoder changed", func(r string) error { return os.WriteFile(path(r, "encoder-b/model"), []byte("c"), 0o600) }, "was changed"},
		{"a file of others", func(r string) error { return os.WriteFile(path(r, "seed-2/manifest.json"), nil, 0o600) }, ""},
		{"the secret away", func(r string) error { return os.Remove(path(r, "seed-1/secret")) }, ""},
		{"another's secret", func(r string) error { return os.WriteFile(path(r, "seed-1/secret"), []byte("s2"), 0o600) }, "was changed"},
		{"folders swapped", func(r string) error {
			return errors.Join(os.Rename(path(r, "seed-1"), path(r, "x")), os.Rename(path(r, "seed-2"), path(r, "seed-1")), os.Rename(path(r, "x"), path(r, "seed-2")))
		}, "was changed"},
		{"files swapped", func(r string) error {
			return errors.Join(os.Rename(path(r, "seed-1/weights"), path(r, "x")), os.Rename(path(r, "seed-1/manifest.json"), path(r, "seed-1/weights")), os.Rename(path(r, "x"), path(r, "seed-1/manifest.json")))
		}, "was changed"},
		{"a link to the same", func(r string) error {
			return errors.Join(os.Rename(path(r, "seed-1/weights"), path(r, "x")), os.Symlink("../x", path(r, "seed-1/weights")))
		}, "is a link"},
		{"a linked folder", func(r string) error {
			return errors.Join(os.Rename(path(r, "encoder"), path(r, "x")), os.Symlink("x", path(r, "encoder")))
		}, "is a link"},
		{"no signature", func(r string) error { return os.Remove(path(r, signed.ListFile+signed.End)) }, "there is no " + signed.ListFile},
		{"no list", func(r string) error { return os.Remove(path(r, signed.ListFile)) }, "lies in it or in its two parents"},
		{"a list of another key", func(r string) error { return other.SignFolder(r, "") }, "is by the key"},
		{"a nearer list of another key", func(r string) error { return other.SignFolder(path(r, "seed-1"), "") }, "is by the key"},
		{"an empty list", func(r string) error { return os.WriteFile(path(r, signed.ListFile), nil, 0o600) }, "was changed"},
		{"a signed text that is no list", func(r string) error {
			return errors.Join(os.WriteFile(path(r, signed.ListFile), []byte("hello\n"), 0o600), k.SignFile(path(r, signed.ListFile), []byte("hello\n"), ""))
		}, "no list of files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := result(t, k)
			if err := tt.attack(root); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", t.TempDir())
			f, err := k.Public().Open(filepath.Join(root, "seed-1"), want)
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				f.Close()
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, tt.want)
			}
			if left := held(t, os.Getenv("TMPDIR")); len(left) > 0 {
				t.Errorf("copies of what was refused are left: %v", left)
			}
			if _, err := k.Public().ReadIn(filepath.Join(root, "seed-1"), "manifest.json", 1<<20, want); err == nil {
				t.Error("a file of it is read all the same")
			}
		})
	}
	strict := want
	strict.Private = nil
	root := result(t, k)
	if err := os.Remove(path(root, "seed-1/secret")); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Public().Open(path(root, "seed-1"), strict); !errors.Is(err, signed.ErrSignature) {
		t.Errorf("without its secret: %v, want it refused by who asks for it", err)
	}
}

// TestFolderRace exchanges a file while the folder is opened, by another file and in place:
// what is opened is what was signed, or nothing.
func TestFolderRace(t *testing.T) {
	k := signed.NewKey()
	root := result(t, k)
	weights, other := filepath.Join(root, "seed-1", "weights"), filepath.Join(t.TempDir(), "weights")
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			text := []byte("111" + "12"[i%2:i%2+1])
			if i%4 < 2 {
				os.WriteFile(weights, text, 0o600) //nolint:errcheck // as often as it works
			} else if os.WriteFile(other, text, 0o600) == nil {
				os.Rename(other, weights) //nolint:errcheck // as often as it works
			}
		}
	}()
	opened, refused := 0, 0
	for range 300 {
		f, err := k.Public().Open(filepath.Join(root, "seed-1"), want)
		if err != nil {
			refused++
			continue
		}
		opened++
		if got := held(t, f.Dir)["weights"]; got != "1111" {
			t.Errorf("the weights %q were opened, want those that were signed", got)
		}
		f.Close()
	}
	close(done)
	<-ended
	t.Logf("opened %d times, refused %d times", opened, refused)
}

// TestNames refuses to sign what could be read in two ways.
func TestNames(t *testing.T) {
	k := signed.NewKey()
	for _, names := range [][]string{{"a\nb"}, {"a  b"}, {"\x1b[31m"}, {"ε"}, {`a\b`}, {"A", "a"}, {"x/é"}} {
		root := t.TempDir()
		all := map[string]string{}
		for _, n := range names {
			all[n] = n
		}
		files(t, root, all)
		if len(held(t, root)) < len(names) {
			continue // a file system that does not tell them apart
		}
		if err := k.SignFolder(root, ""); err == nil || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v, want it refused on one line", names, err)
		}
		if _, err := os.Stat(filepath.Join(root, signed.ListFile)); err == nil {
			t.Errorf("%q: a list was written all the same", names)
		}
	}
	root := files(t, t.TempDir(), map[string]string{"a": "a"})
	if err := os.Symlink("a", filepath.Join(root, "b")); err != nil {
		t.Skip(err)
	}
	if err := k.SignFolder(root, ""); !errors.Is(err, signed.ErrSignature) {
		t.Errorf("a link is signed: %v", err)
	}
}

// FuzzList gives signed texts for lists: what is taken is as it is written, and leads nowhere.
func FuzzList(f *testing.F) {
	k := signed.NewKey()
	root := result(f, k)
	content, err := os.ReadFile(filepath.Join(root, signed.ListFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add([]byte("# sotto-signed-folder-1: 0 files, 0 bytes\n"))
	f.Add([]byte("# sotto-signed-folder-1: 1 files, 1 bytes\n" + strings.Repeat("0", 64) + "  ../x\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, signed.ListFile)
		if err := errors.Join(os.WriteFile(path, content, 0o600), k.SignFile(path, content, "")); err != nil {
			t.Fatal(err)
		}
		opened, err := k.Public().Open(dir, signed.Want{})
		if err == nil && len(held(t, opened.Copies())) > 0 {
			t.Errorf("%q brings files of an empty folder", content)
		}
		opened.Close()
	})
}

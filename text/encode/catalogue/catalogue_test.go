package catalogue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/static"
)

// models makes a folder the one of encoders.
func models(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("SOTTO_MODELS", dir)
	return dir
}

func TestDir(t *testing.T) {
	dir := models(t)
	if got, err := catalogue.Dir(); got != dir || err != nil {
		t.Errorf("Dir() = %q, %v, want SOTTO_MODELS, which is %q", got, err, dir)
	}
	t.Setenv("SOTTO_MODELS", "")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache")
	}
	if got, err := catalogue.Dir(); got != filepath.Join(cache, "sotto", "encoders") || err != nil {
		t.Errorf("Dir() = %q, %v, want a folder below %q", got, err, cache)
	}
}

func TestList(t *testing.T) {
	dir := models(t)
	all, err := catalogue.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range all {
		got = append(got, i.Name)
		if i.Present != (i.Package == "") || i.Dim < 1 || i.Licence == "" || i.About == "" {
			t.Errorf("List() holds %+v, want a length, a licence and words, and present only if it is built in", i)
		}
		e, err := catalogue.Open(t.Context(), catalogue.Said(i.Name), "")
		if i.Package != "" {
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "sotto encoder get "+i.Name) || i.Path != filepath.Join(dir, i.Name) {
				t.Errorf("Open(%q), which should be at %s: error = %v, want how to get it", i.Name, i.Path, err)
			}
		} else if err != nil || e.Dim() != i.Dim {
			t.Errorf("Open(%q) has vectors of another length than %d, or error %v", i.Name, i.Dim, err)
		}
	}
	if want := []string{"default", "hash", "minilm"}; !slices.Equal(got, want) {
		t.Errorf("List() = %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	models(t)
	if i, err := catalogue.Find("minilm"); err != nil || i.Name != "minilm" || len(i.Files) != 3 {
		t.Errorf("Find = %+v, %v, want minilm with 3 files", i, err)
	}
	if _, err := catalogue.Find("nonsense"); err == nil || err.Error() != `catalogue: encoder is "nonsense", must be one of default, hash, minilm` {
		t.Errorf("Find error = %v, want the names", err)
	}
	if _, err := catalogue.Get(t.Context(), "nonsense", ""); err == nil {
		t.Error("Get of nonsense: no error")
	}
	if err := catalogue.Verify("nonsense"); err == nil {
		t.Error("Verify of nonsense: no error")
	}
}

func TestVerify(t *testing.T) {
	dir := models(t)
	for _, name := range []string{"default", "hash"} {
		if err := catalogue.Verify(name); err != nil {
			t.Errorf("Verify(%q) = %v, want nil", name, err)
		}
		if i, err := catalogue.Get(t.Context(), name, ""); err != nil || !i.Present {
			t.Errorf("Get(%q) = %+v, %v, want it present", name, i, err)
		}
	}
	if err := catalogue.Verify("minilm"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Verify of what is absent = %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.Mkdir(filepath.Join(dir, "minilm"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := write(t, filepath.Join(dir, "minilm", "config.json"), []byte("{}"))
	if err := catalogue.Verify("minilm"); !errors.Is(err, catalogue.ErrWrong) || !strings.Contains(err.Error(), "has 2 bytes, must have 612") {
		t.Errorf("Verify of a file of another size = %v, want %v", err, catalogue.ErrWrong)
	}
	write(t, path, bytes.Repeat([]byte(" "), 612))
	if err := catalogue.Verify("minilm"); !errors.Is(err, catalogue.ErrWrong) || !strings.Contains(err.Error(), "has SHA-256") {
		t.Errorf("Verify of a file with other content = %v, want %v", err, catalogue.ErrWrong)
	}
}

// table makes a file of a static encoder that calls itself default.
func table(tb testing.TB, path string) {
	tb.Helper()
	words, err := text.ReadWordPiece(strings.NewReader("[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\n"))
	if err != nil {
		tb.Fatal(err)
	}
	e, err := static.New("default", "", words, 2, make([]float32, 10))
	if err != nil {
		tb.Fatal(err)
	}
	if err := e.Save(path); err != nil {
		tb.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	models(t)
	dir := t.TempDir()
	mine, vectors := filepath.Join(dir, "mine.static"), filepath.Join(dir, "vectors.txt")
	table(t, mine)
	write(t, vectors, []byte("cat 1 2 3\ndog 4 5 6\n"))
	damaged := filepath.Join(dir, "damaged.static")
	write(t, damaged, []byte("sotto static encoder 1\n{}\n"))
	// Folders that are called like encoders.
	t.Chdir(dir)
	for _, name := range []string{"hash", "default", "glove", "minilm"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		spec string
		dim  int
		want string // of the error
		is   error
	}{
		{spec: "default", dim: 128},
		{spec: "hash", dim: 512},
		{spec: "hash:16", dim: 16},
		{spec: "mine.static", dim: 2},
		{spec: mine, dim: 2},
		{spec: vectors, dim: 3},
		{spec: "minilm", want: "get it by sotto encoder get minilm", is: fs.ErrNotExist},
		{spec: "glove", want: "glove is neither at", is: fs.ErrNotExist},
		{spec: "./hash", want: "config.json", is: fs.ErrNotExist}, // a folder without a transformer
		{spec: damaged, want: "the file is damaged"},
		{spec: filepath.Join(dir, "none"), want: "encoder is", is: fs.ErrNotExist},
		{spec: "hash:0", want: "hash"},
	} {
		t.Run(tt.spec, func(t *testing.T) {
			e, err := catalogue.Open(t.Context(), catalogue.Said(tt.spec), dir)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("Open error = %v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e.Dim() != tt.dim {
				t.Errorf("Dim() = %d, want %d", e.Dim(), tt.dim)
			}
			// What it is called opens it again, and not another one.
			again, err := catalogue.Open(t.Context(), catalogue.Said(e.Name()), dir)
			if err != nil || again.Dim() != tt.dim || again.Name() != e.Name() {
				t.Errorf("Open(Name()) of %q: error = %v, want the same encoder", e.Name(), err)
			}
			if x, err := encode.Texts(t.Context(), e, []string{"cat", ""}, 1); err != nil || x.Rows != 2 || x.Cols != tt.dim {
				t.Errorf("Texts error = %v, want 2 vectors of %d", err, tt.dim)
			}
		})
	}
}

func TestOpenCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := catalogue.Open(ctx, catalogue.Said("default"), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Open error = %v, want %v", err, context.Canceled)
	}
}

// The transformer, where it was fetched.
func TestOpenMiniLM(t *testing.T) {
	i, err := catalogue.Find("minilm")
	if err != nil || !i.Present {
		t.Skip("minilm is not here; sotto encoder get minilm fetches it")
	}
	if testing.Short() {
		t.Skip("reading minilm takes a second")
	}
	e, err := catalogue.Open(t.Context(), catalogue.Said("minilm"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := e.(*bert.Model); !ok || e.Name() != "minilm" || e.Dim() != i.Dim {
		t.Errorf("Open = a %T called %q with %d numbers, want a transformer with %d", e, e.Name(), e.Dim(), i.Dim)
	}
}

func ExampleOpen() {
	e, err := catalogue.Open(context.Background(), catalogue.Said("default"), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name(), e.Dim())
	// Output: default 128
}

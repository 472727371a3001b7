package catalogue_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/text/encode/catalogue"
)

// words writes a file of word vectors.
func words(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("cat 1 2\ndog 3 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpenNamed opens what a file may name, and refuses what only a person may.
func TestOpenNamed(t *testing.T) {
	top, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("SOTTO_MODELS", filepath.Join(elsewhere, "models"))
	data := filepath.Join(elsewhere, "data")
	model := filepath.Join(top, "a", "b", "model")
	outside := words(t, filepath.Join(elsewhere, "outside.txt"))
	sentinel := filepath.Join(elsewhere, "sentinel")
	link := filepath.Join(model, "link.txt")
	folder := filepath.Join(model, "folder")
	words(t, filepath.Join(model, "in.txt"))
	if err := errors.Join(os.Symlink(outside, link), os.Mkdir(folder, 0o700), os.Symlink(outside, filepath.Join(folder, "config.json")),
		os.Symlink(outside, filepath.Join(model, "x.svec")), os.WriteFile(filepath.Join(model, "x.svec?pool=sif"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	roots := catalogue.Beside(model, data)
	for _, tt := range []struct {
		name, want string // want "" means that it opens
	}{
		{"default", ""},
		{"hash:32", ""},
		{filepath.Join(model, "in.txt"), ""},
		{words(t, filepath.Join(top, "a", "parents.txt")), ""},
		{words(t, filepath.Join(elsewhere, "models", "x.txt")), ""},
		{words(t, filepath.Join(data, "x.txt")), ""},
		{words(t, filepath.Join(top, "far.txt")), "lies outside"},
		{outside, "lies outside"},
		{filepath.Join(model, "..", "..", "..", "..", filepath.Base(elsewhere), "outside.txt"), "outside"},
		{link, "lies outside"},
		{folder, "lies outside"},
		{filepath.Join(model, "x.svec") + "?pool=sif", "lies outside"},
		{filepath.Join(model, "absent"), "is not here"},
		{"", "is not here"},
		{"command:touch " + sentinel, "a program to be run"},
		{"command:", "a program to be run"},
		{"endpoint:http://127.0.0.1:1?model=m&key=PGPASSWORD", "an address that texts are sent to"},
	} {
		_, err := catalogue.OpenNamed(t.Context(), catalogue.Name(tt.name), roots)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "manifest")) {
			t.Errorf("OpenNamed(%q) = %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := os.Stat(sentinel); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a program was run that only a file named")
	}
	only := catalogue.Only(t.Context(), model)
	for name, want := range map[string]bool{
		"default": true, filepath.Join(model, "in.txt"): true, filepath.Join(top, "a", "parents.txt"): false, filepath.Join(elsewhere, "models", "x.txt"): false, filepath.Join(data, "x.txt"): false, link: false,
	} {
		if err := roots.Allow(only, catalogue.Name(name)); (err == nil) != want {
			t.Errorf("where %s alone is signed, Allow(%q) = %v, want it allowed: %v", model, name, err, want)
		}
	}
	if err := roots.Allow(catalogue.Within(only, elsewhere), catalogue.Name(outside)); err != nil {
		t.Errorf("what a person named beside what is signed: %v", err)
	}
	said := catalogue.Permit(catalogue.Within(t.Context(), elsewhere), catalogue.Said("command:touch "+sentinel))
	if _, err := catalogue.OpenNamed(said, catalogue.Name(outside), roots); err != nil {
		t.Errorf("a file below a folder that a person named is refused: %v", err)
	}
	if _, err := catalogue.OpenNamed(said, catalogue.Name("command:touch "+sentinel+" "), roots); !errors.Is(err, catalogue.ErrNamed) {
		t.Errorf("almost what a person named: %v, want ErrNamed", err)
	}
	catalogue.OpenNamed(said, catalogue.Name("command:touch "+sentinel), roots) //nolint:errcheck // it makes no vectors
	if _, err := os.Stat(sentinel); err != nil {
		t.Error("a program was not run that a person named, too")
	}
	if err := catalogue.Agree(said, model, "default"); err == nil || !strings.Contains(err.Error(), "manifest") {
		t.Errorf("another encoder than that of the manifest: %v", err)
	}
	if _, err := catalogue.OpenNamed(t.Context(), "command:x", catalogue.Anywhere("settings", "")); !errors.Is(err, catalogue.ErrNamed) {
		t.Errorf("a program in settings: %v, want ErrNamed", err)
	}
}

// TestFlagOfJSON checks that no file becomes what a person said.
func TestFlagOfJSON(t *testing.T) {
	var into struct {
		Flag catalogue.Flag `json:"flag"`
	}
	if err := json.Unmarshal([]byte(`{"flag": "command:x"}`), &into); err == nil || into.Flag != (catalogue.Flag{}) {
		t.Errorf("JSON becomes %v with error %v, want a refusal", into.Flag, err)
	}
}

// TestSaid lists who may take words for a person's, and who may start programs and call
// addresses: a new place has to be written here, by somebody who knows where its words
// come from.
func TestSaid(t *testing.T) {
	allowed := map[string][]string{
		// Flags of commands, names that are written in the code, and what a program gives the API.
		"catalogue.Said":     {"text/encode/catalogue/name.go", "command/attack/simulated.go", "study/bias/command/bias.go", "study/explain/command/labelled.go", "study/influence/command/train.go", "command/term/encoder.go", "command/vectors/cells.go", "command/vectors/distill.go", "command/vectors/encode.go", "command/vectors/trained.go", "sotto.go", "train.go"},
		"encode.OpenContext": {"text/encode/catalogue/catalogue.go"},
		"encode.NewEndpoint": {},
		// The flags --exec and --url.
		"encode.NewCommand":    {"study/explain/predictor/foreign.go"},
		"encode.NewAddress":    {"study/explain/predictor/foreign.go", "study/explain/command/source.go"},
		"predictor.NewCommand": {"study/explain/command/source.go"},
		"predictor.NewAddress": {"study/explain/command/source.go"},
		// This program itself, npm, go, a browser, and the flag of "sotto audit".
		"exec.Command":        {"batch/pipeline/hands.go", "text/encode/process.go", "command/studio.go", "service/httpserve/servetest/servetest.go", "service/pgtest/pgtest.go", "compute/nn/peer/blas/main.go"},
		"exec.CommandContext": {"promise/audit/command.go", "learn/commands/run.go", "deploy/dist/source.go", "text/encode/catalogue/get.go", "evidence/page/pagetest/browser.go"},
	}
	root := filepath.Join("..", "..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		ast.Inspect(f, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					name = x.Name + "." + n.Sel.Name
				}
			case *ast.CallExpr:
				if x, ok := n.Fun.(*ast.Ident); ok && x.Name == "Said" && f.Name.Name == "catalogue" {
					name = "catalogue.Said"
				}
			}
			if where, held := allowed[name]; held {
				if seen++; !slices.Contains(where, rel) {
					t.Errorf("%s uses %s: what a file says must not choose a program or an address; if a person says it, write the place here", rel, name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 20 {
		t.Errorf("the walk found %d places, error %v; want them all", seen, err)
	}
}
